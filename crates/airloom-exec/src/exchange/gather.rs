//! The rows of all partitions in one partition, in order.

use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::schedule::TaskSet;
use airloom_compute::data::batch_size;
use airloom_compute::data::critical_path::{self, CriticalPath, followed};
use arrow::array::RecordBatch;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryLimit, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;
use tokio::task::JoinSet;

/// The rows of every partition, all partitions at once. What they take is added to the reservation.
pub async fn collect_partitions(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
    reservation: Option<&Arc<MemoryReservation>>,
) -> Result<Vec<Vec<RecordBatch>>> {
    let count = plan.output_partitioning().partition_count();
    let mut tasks: TaskSet<Vec<RecordBatch>> = TaskSet::default();
    for partition in 0..count {
        let (mut stream, reservation) = (plan.execute(partition, context.clone())?, reservation.cloned());
        tasks.spawn(async move {
            let mut rows = Vec::new();
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                if let Some(reservation) = &reservation {
                    reservation.try_grow(batch_size(&batch))?;
                }
                rows.push(batch);
            }
            Ok(rows)
        });
    }
    tasks.in_order().await
}

/// All rows, in order.
pub async fn collect(plan: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>) -> Result<Vec<RecordBatch>> {
    Ok(collect_partitions(plan, context, None).await?.into_iter().flatten().collect())
}

/// A batch of a partition, and the path that led to it.
type Sent = (Result<RecordBatch>, Option<CriticalPath>);

struct Gather {
    /// How many batches a partition may be ahead.
    ahead: usize,
}

/// One partition of the rows of all, in order. All partitions work at once; those whose turn has not come yet wait when they are far ahead.
pub fn gather(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    if plan.output_partitioning().partition_count() == 1 {
        return plan;
    }
    ahead(plan, AHEAD)
}

/// One partition of the rows of all, in order, computed by tasks of their own ahead of who reads it, by this many batches at most.
pub fn ahead(plan: Arc<dyn ExecutionPlan>, ahead: usize) -> Arc<dyn ExecutionPlan> {
    let schema = plan.schema();
    OperatorExec::plan(Gather { ahead }, vec![plan], schema, 1)
}

/// How many batches a partition may be ahead.
const AHEAD: usize = 64;

/// The share of the memory that batches which wait may take, and what one of them takes, about.
const SHARE: usize = 16;
const BATCH: usize = 1 << 20;

/// How many batches of each of `partitions` partitions there is room for: a few, however little memory there is.
fn room(context: &TaskContext, partitions: usize) -> usize {
    match context.memory_pool().memory_limit() {
        MemoryLimit::Finite(memory) => (memory / SHARE / BATCH / partitions.max(1)).max(2),
        _ => AHEAD,
    }
}

impl Operator for Gather {
    fn name(&self) -> &'static str {
        "Gather"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, _: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let count = inputs[0].output_partitioning().partition_count();
        let (schema, ahead) = (inputs[0].schema(), self.ahead.min(room(context, count)));
        let mut tasks = JoinSet::new();
        let mut receivers = Vec::with_capacity(count);
        for partition in 0..count {
            let mut stream = inputs[0].execute(partition, context.clone())?;
            let (sender, receiver) = tokio::sync::mpsc::channel::<Sent>(ahead);
            receivers.push(receiver);
            let work = async move {
                while let Some(batch) = stream.next().await {
                    let ends = batch.is_err();
                    if sender.send((batch, critical_path::here())).await.is_err() || ends {
                        return;
                    }
                }
            };
            tasks.spawn(followed(critical_path::here(), work));
        }
        // The tasks end with the stream that holds them.
        let state = (receivers.into_iter(), None::<tokio::sync::mpsc::Receiver<Sent>>, tasks);
        let rows = futures::stream::unfold(state, |(mut waiting, mut current, mut tasks)| async move {
            loop {
                let receiver = match &mut current {
                    Some(receiver) => receiver,
                    None => match waiting.next() {
                        Some(next) => current.insert(next),
                        None => {
                            // A task that panicked closed its channel as one that is done does.
                            let failed = loop {
                                match tasks.join_next().await {
                                    None => return None,
                                    Some(Ok(_)) => (),
                                    Some(Err(error)) => break DataFusionError::ExecutionJoin(Box::new(error)),
                                }
                            };
                            tasks.abort_all();
                            return Some((Err(failed), (waiting, current, JoinSet::new())));
                        }
                    },
                };
                match receiver.recv().await {
                    Some((batch, path)) => {
                        critical_path::wait_for(path.as_ref());
                        return Some((batch, (waiting, current, tasks)));
                    }
                    None => current = None,
                }
            }
        });
        Ok(stream_of(schema, rows))
    }
}
