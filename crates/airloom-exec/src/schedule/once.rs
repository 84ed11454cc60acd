//! Something computed once, for all partitions that wait for it.

use datafusion_common::{DataFusionError, Result};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use std::future::Future;
use std::sync::{Arc, Mutex};

type Outcome<T> = std::result::Result<Arc<T>, Arc<DataFusionError>>;

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
            async move { made.await.map(Arc::new).map_err(Arc::new) }.boxed().shared()
        });
        let future = future.clone();
        async move { future.await.map_err(DataFusionError::Shared) }
    }
}
