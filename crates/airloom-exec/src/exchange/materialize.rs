//! A plan that several others read, computed once.

use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::memory::{Spill, SpillWriter};
use crate::options::ExecOptions;
use crate::schedule::Once;
use airloom_compute::data::batch_size;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_execution::{SpillFile, TaskContext};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// The share of the memory that rows kept for several readers may take before they go to disk: those readers need some too.
const SHARE: usize = 4;

/// The rows of a partition.
enum Kept {
    /// In memory.
    Rows { rows: Vec<RecordBatch>, _reservation: MemoryReservation },
    /// On disk, from where each reader reads them again.
    File { spill: Spill, file: Arc<dyn SpillFile> },
}

struct Materialize {
    options: Arc<ExecOptions>,
    schema: SchemaRef,
    partitions: Vec<Once<Kept>>,
}

/// The plan, each partition of which runs once: whoever asks first runs it, and all read what it made.
pub fn materialize(options: &Arc<ExecOptions>, plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let count = plan.output_partitioning().partition_count();
    let schema = plan.schema();
    let partitions = (0..count).map(|_| Once::default()).collect();
    OperatorExec::plan(Materialize { options: options.clone(), schema: schema.clone(), partitions }, vec![plan], schema, count)
}

impl Operator for Materialize {
    fn name(&self) -> &'static str {
        "Once"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (options, input, context, count) = (self.options.clone(), inputs[0].clone(), context.clone(), self.partitions.len());
        let kept = self.partitions[partition].get(move || async move { keep(&options, &input, partition, count, &context).await });
        let stream = futures::stream::once(kept).flat_map(|kept| match kept {
            Ok(kept) => match kept.as_ref() {
                Kept::Rows { rows, .. } => futures::stream::iter(rows.clone()).map(Ok).boxed(),
                Kept::File { spill, file } => match spill.read(file.clone()) {
                    Ok(rows) => rows.boxed(),
                    Err(error) => futures::stream::iter([Err(error)]).boxed(),
                },
            },
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        });
        Ok(stream_of(self.schema.clone(), stream))
    }
}

/// The rows of one of `partitions` partitions, kept in memory as long as there is room.
async fn keep(
    options: &ExecOptions,
    input: &Arc<dyn ExecutionPlan>,
    partition: usize,
    partitions: usize,
    context: &Arc<TaskContext>,
) -> Result<Kept> {
    let reservation = MemoryConsumer::new("rows that several operators read").register(context.memory_pool());
    let spill = Spill::new(context, input.schema());
    let share = options.memory / (SHARE * partitions);
    // Rows without columns take no room.
    let always = options.always_spill && !input.schema().fields().is_empty();
    let mut stream = input.execute(partition, context.clone())?;
    let mut rows: Vec<RecordBatch> = Vec::new();
    let mut writer: Option<SpillWriter> = None;
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        if let Some(writer) = &mut writer {
            writer.append(&batch)?;
            continue;
        }
        let size = batch_size(&batch);
        if !always && reservation.size() + size <= share && reservation.try_grow(size).is_ok() {
            rows.push(batch);
            continue;
        }
        let file = writer.insert(spill.file());
        for batch in rows.drain(..).chain([batch]) {
            file.append(&batch)?;
        }
        reservation.free();
    }
    Ok(match writer.map(SpillWriter::finish).transpose()?.flatten() {
        Some(file) => Kept::File { spill, file },
        None => Kept::Rows { rows, _reservation: reservation },
    })
}
