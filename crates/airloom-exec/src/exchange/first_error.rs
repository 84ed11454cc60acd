//! Which error is heard, where several partitions fail.

use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The plan, for one that reads its partitions as they come: a merge. Where several fail, each reports the error of the first among them, as if they had run
/// one after the other. A partition must give its first rows only when nothing of it can fail any more, as a sort does.
pub(crate) fn first_error(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let (schema, partitions) = (plan.schema(), plan.output_partitioning().partition_count());
    OperatorExec::plan(FirstError(Arc::new(Ends::new(partitions))), vec![plan], schema, partitions)
}

/// What the operator is called: to people it is a part of the sort below it.
const FIRST_ERROR: &str = "FirstError";

struct FirstError(Arc<Ends>);

/// How each partition has ended.
struct Ends {
    ends: Mutex<Vec<End>>,
    changed: Notify,
}

#[derive(Clone)]
enum End {
    Open,
    Fine,
    Failed(Arc<DataFusionError>),
}

impl Ends {
    fn new(partitions: usize) -> Ends {
        Ends { ends: Mutex::new(vec![End::Open; partitions]), changed: Notify::new() }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<End>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, partition: usize, end: End) {
        self.locked()[partition] = end;
        self.changed.notify_waiters();
    }

    /// The first error up to a partition that failed, once all before it have ended.
    async fn first(&self, partition: usize) -> Arc<DataFusionError> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on a change is not missed.
            changed.as_mut().enable();
            for end in self.locked()[..=partition].iter() {
                match end {
                    End::Open => break,
                    End::Fine => (),
                    End::Failed(error) => return error.clone(),
                }
            }
            changed.await;
        }
    }
}

impl Operator for FirstError {
    fn name(&self) -> &'static str {
        FIRST_ERROR
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let input = inputs[0].execute(partition, context.clone())?;
        let (schema, ends) = (input.schema(), self.0.clone());
        let rows = futures::stream::unfold((input, ends, true), move |(mut input, ends, open)| async move {
            let next = input.next().await;
            match next {
                Some(Err(error)) => {
                    ends.set(partition, End::Failed(Arc::new(error)));
                    let first = ends.first(partition).await;
                    Some((Err(DataFusionError::Shared(first)), (input, ends, false)))
                }
                fine => {
                    if open {
                        ends.set(partition, End::Fine);
                    }
                    fine.map(|batch| (batch, (input, ends, false)))
                }
            }
        });
        Ok(stream_of(schema, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Ends};
    use datafusion_common::DataFusionError;
    use std::sync::Arc;

    #[test]
    fn the_first_partition_that_fails_is_heard() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let error = |text: &str| End::Failed(Arc::new(DataFusionError::Execution(text.into())));
        let said = runtime.block_on(async {
            let ends = Arc::new(Ends::new(3));
            ends.set(2, error("third"));
            let last = tokio::spawn({
                let ends = ends.clone();
                async move { ends.first(2).await.to_string() }
            });
            tokio::task::yield_now().await;
            assert!(!last.is_finished());
            ends.set(1, error("second"));
            tokio::task::yield_now().await;
            assert!(!last.is_finished());
            ends.set(0, End::Fine);
            last.await.expect("it ends")
        });
        assert!(said.contains("second"), "{said}");
    }
}
