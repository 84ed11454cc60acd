//! Work on all partitions at once.

use airloom_compute::data::critical_path::{self, CriticalPath, followed};
use airloom_io::metrics::charged;
use datafusion_common::{DataFusionError, Result};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::JoinHandle;

/// One task for each partition. They end when this is dropped.
pub struct TaskSet<T>(Vec<JoinHandle<(Result<T>, Option<CriticalPath>)>>);

impl<T> Default for TaskSet<T> {
    fn default() -> TaskSet<T> {
        TaskSet(Vec::new())
    }
}

impl<T: Send + 'static> TaskSet<T> {
    /// Begins the next one.
    pub fn spawn(&mut self, work: impl Future<Output = Result<T>> + Send + 'static) {
        self.0.push(tokio::spawn(followed(critical_path::here(), charged(work))));
    }

    /// What each made, in order. Where several fail, the error is that of the first partition among them, as if they had run one after the other.
    pub async fn in_order(mut self) -> Result<Vec<T>> {
        let mut made = Vec::with_capacity(self.0.len());
        for task in &mut self.0 {
            let (result, path) = task.await.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))?;
            critical_path::wait_for(path.as_ref());
            made.push(result?);
        }
        self.0.clear();
        Ok(made)
    }
}

/// What `work` makes of each number below `count`, in order, by up to `threads` tasks: each takes the next number when it is done with the last.
pub async fn claimed<T, F>(threads: usize, count: usize, work: impl Fn(usize) -> F + Send + Sync + 'static) -> Result<Vec<T>>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send,
{
    let (next, work) = (Arc::new(AtomicUsize::new(0)), Arc::new(work));
    let begun = critical_path::here();
    let mut tasks: TaskSet<Vec<(usize, Result<T>, Option<CriticalPath>)>> = TaskSet::default();
    for _ in 0..threads.min(count) {
        let (next, work, begun) = (next.clone(), work.clone(), begun.clone());
        tasks.spawn(async move {
            let mut made = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok(made);
                }
                // One thread may do what several would, had each a core: no number waits for another.
                critical_path::begin_at(begun.as_ref());
                let result = work(number).await;
                if result.is_err() {
                    // What comes after an error is not wanted; what comes before it may fail first.
                    next.fetch_max(count, Ordering::Relaxed);
                }
                made.push((number, result, critical_path::here()));
            }
        });
    }
    let mut all: Vec<_> = tasks.in_order().await?.into_iter().flatten().collect();
    all.sort_unstable_by_key(|(number, ..)| *number);
    all.iter().for_each(|(.., path)| critical_path::wait_for(path.as_ref()));
    all.into_iter().map(|(_, result, _)| result).collect()
}

impl<T> Drop for TaskSet<T> {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}
