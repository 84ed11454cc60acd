//! A plan that several others read, computed once.

use super::{Once, Operator, OperatorExec, Stream, stream_of};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

struct Kept {
    rows: Vec<RecordBatch>,
    _reservation: MemoryReservation,
}

struct Shared {
    schema: SchemaRef,
    partitions: Vec<Once<Kept>>,
}

/// The plan, each partition of which runs once: whoever asks first runs it, and all read what it made.
pub fn once(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let count = plan.output_partitioning().partition_count();
    let schema = plan.schema();
    let shared = Shared { schema: schema.clone(), partitions: (0..count).map(|_| Once::default()).collect() };
    OperatorExec::plan(shared, vec![plan], schema, count)
}

impl Operator for Shared {
    fn name(&self) -> &'static str {
        "Once"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (input, context) = (inputs[0].clone(), context.clone());
        let kept = self.partitions[partition].get(move || async move {
            let reservation = MemoryConsumer::new("rows that several operators read").register(context.memory_pool());
            let mut stream = input.execute(partition, context)?;
            let mut rows = Vec::new();
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                reservation.try_grow(super::gather::batch_size(&batch))?;
                rows.push(batch);
            }
            Ok(Kept { rows, _reservation: reservation })
        });
        let stream = futures::stream::once(kept).flat_map(|kept| match kept {
            Ok(kept) => futures::stream::iter(0..kept.rows.len()).map(move |at| Ok(kept.rows[at].clone())).boxed(),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        });
        Ok(stream_of(self.schema.clone(), stream))
    }
}
