//! Work on all partitions at once.

use airloom_io::metrics::charged;
use datafusion_common::{DataFusionError, Result};
use std::future::Future;
use tokio::task::JoinHandle;

/// One task for each partition. They end when this is dropped.
pub struct TaskSet<T>(Vec<JoinHandle<Result<T>>>);

impl<T> Default for TaskSet<T> {
    fn default() -> TaskSet<T> {
        TaskSet(Vec::new())
    }
}

impl<T: Send + 'static> TaskSet<T> {
    /// Begins the next one.
    pub fn spawn(&mut self, work: impl Future<Output = Result<T>> + Send + 'static) {
        self.0.push(tokio::spawn(charged(work)));
    }

    /// What each made, in order. Where several fail, the error is that of the first partition among them, as if they had run one after the other.
    pub async fn in_order(mut self) -> Result<Vec<T>> {
        let mut made = Vec::with_capacity(self.0.len());
        for task in &mut self.0 {
            made.push(task.await.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))??);
        }
        self.0.clear();
        Ok(made)
    }
}

impl<T> Drop for TaskSet<T> {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}
