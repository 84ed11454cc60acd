//! A plan that several others read, computed once.

use super::rows::RowQueue;
use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::memory::{Spill, SpillWriter};
use crate::options::ExecOptions;
use crate::schedule::{Once, TaskSet};
use airloom_compute::data::batch_size;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_execution::{SpillFile, TaskContext};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{StreamExt, TryFutureExt};
use std::sync::Arc;

/// The share of the memory that rows kept for several readers may take before they go to disk: those readers need some too.
const SHARE: usize = 4;

/// The rows of a partition, to be read any number of times.
pub struct Kept {
    /// How many they are.
    pub count: usize,
    /// The first of them, as many as were asked for.
    pub first: RowQueue,
    /// The last of them.
    pub last: RowQueue,
    schema: SchemaRef,
    rows: KeptRows,
}

/// How many rows at the ends of a partition are at hand wherever the others are kept.
#[derive(Clone, Copy, Default, Debug)]
pub struct EdgeRows {
    /// At its start.
    pub first: usize,
    /// At its end.
    pub last: usize,
}

enum KeptRows {
    /// In memory.
    Memory { rows: Vec<RecordBatch>, _reservation: MemoryReservation },
    /// On disk, from where each reader reads them again.
    File { spill: Spill, file: Arc<dyn SpillFile> },
}

impl Kept {
    /// All of them, where they are in memory.
    pub fn in_memory(&self) -> Option<&[RecordBatch]> {
        match &self.rows {
            KeptRows::Memory { rows, .. } => Some(rows),
            KeptRows::File { .. } => None,
        }
    }

    /// All of them, in order.
    pub fn stream(&self) -> Result<Stream> {
        match &self.rows {
            KeptRows::Memory { rows, .. } => Ok(stream_of(self.schema.clone(), futures::stream::iter(rows.clone()).map(Ok))),
            KeptRows::File { spill, file } => spill.read(file.clone()),
        }
    }
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
        let kept = async move { keep(&options, &input, partition, count, EdgeRows::default(), &context).await };
        let kept = self.partitions[partition].get(move || kept);
        let stream = kept.and_then(|kept| futures::future::ready(kept.stream())).try_flatten_stream();
        Ok(stream_of(self.schema.clone(), stream))
    }
}

/// The rows of all partitions, each kept in memory as long as there is room. All partitions work at once.
pub async fn keep_partitions(
    options: &Arc<ExecOptions>,
    input: &Arc<dyn ExecutionPlan>,
    edges: EdgeRows,
    context: &Arc<TaskContext>,
) -> Result<Vec<Kept>> {
    let count = input.output_partitioning().partition_count();
    let mut tasks: TaskSet<Kept> = TaskSet::default();
    for partition in 0..count {
        let (options, input, context) = (options.clone(), input.clone(), context.clone());
        tasks.spawn(async move { keep(&options, &input, partition, count, edges, &context).await });
    }
    tasks.in_order().await
}

/// The rows of one of `partitions` partitions, kept in memory as long as there is room.
async fn keep(
    options: &ExecOptions,
    input: &Arc<dyn ExecutionPlan>,
    partition: usize,
    partitions: usize,
    edges: EdgeRows,
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
    let (mut count, mut first, mut last) = (0, RowQueue::default(), RowQueue::default());
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        count += batch.num_rows();
        if first.count() < edges.first {
            first.push(batch.slice(0, batch.num_rows().min(edges.first - first.count())));
        }
        if edges.last > 0 {
            last.push(batch.clone());
            last.keep_last(edges.last);
        }
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
    let rows = match writer.map(SpillWriter::finish).transpose()?.flatten() {
        Some(file) => KeptRows::File { spill, file },
        None => KeptRows::Memory { rows, _reservation: reservation },
    };
    Ok(Kept { count, first, last, schema: input.schema(), rows })
}
