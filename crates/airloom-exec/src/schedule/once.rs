//! Something computed once, for all partitions that wait for it.

use super::panic_text;
use airloom_compute::data::Failure;
use airloom_compute::data::critical_path::{self, CriticalPath};
use airloom_io::failure::to_datafusion;
use datafusion_common::{DataFusionError, Result};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

/// What was made, and the path that led to it.
type Outcome<T> = (std::result::Result<Arc<T>, Arc<DataFusionError>>, Option<Arc<CriticalPath>>);

/// A value that the first who asks begins to compute.
pub struct Once<T> {
    future: Mutex<Option<Shared<BoxFuture<'static, Outcome<T>>>>>,
}

impl<T> Default for Once<T> {
    fn default() -> Once<T> {
        Once { future: Mutex::new(None) }
    }
}

impl<T: Send + Sync + 'static> Once<T> {
    /// The value; `make` is called by the first that asks.
    pub fn get<F>(&self, make: impl FnOnce() -> F) -> impl Future<Output = Result<Arc<T>>> + Send + 'static
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut slot = self.future.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let future = slot.get_or_insert_with(|| {
            let made = make();
            // A panic is an error for all that wait: nobody would wake them otherwise.
            async move {
                let outcome = AssertUnwindSafe(made).catch_unwind().await;
                let outcome = outcome.unwrap_or_else(|panic| Err(to_datafusion(Failure::Bug(panic_text(panic.as_ref())))));
                (outcome.map(Arc::new).map_err(Arc::new), critical_path::here().map(Arc::new))
            }
            .boxed()
            .shared()
        });
        let future = future.clone();
        async move {
            let (outcome, path) = future.await;
            critical_path::wait_for(path.as_deref());
            outcome.map_err(DataFusionError::Shared)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Once;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    #[test]
    fn a_panic_is_an_error_for_all_that_wait() {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
        let once: Arc<Once<u64>> = Arc::default();
        let asked = (0..4).map(|_| {
            let once = once.clone();
            runtime.spawn(async move {
                once.get(|| async {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    panic!("what nobody expected")
                })
                .await
            })
        });
        for asked in asked.collect::<Vec<_>>() {
            let answer = runtime.block_on(async { timeout(Duration::from_secs(20), asked).await }).expect("an answer in time");
            let error = answer.expect("no panic reaches who waits").expect_err("there is no value");
            assert!(error.to_string().contains("what nobody expected"), "{error}");
        }
    }
}
