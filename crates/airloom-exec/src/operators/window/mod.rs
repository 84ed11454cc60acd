//! Windows over all rows, without keys, whose rows can be cut into pieces: rows are kept, on disk where there is no room, and worked piece by piece.

mod cut;
mod pieces;

use super::{GroupBody, GroupColumns};
use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::exchange::{EdgeRows, Kept, Materialized, RowQueue, keep_partitions, rows_between};
use crate::options::ExecOptions;
use crate::schedule::Once;
use airloom_compute::data::{Failure, batch_size, record_batch};
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::NodeId;
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::concat;
use arrow::datatypes::SchemaRef;
pub use cut::Cut;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{StreamExt, TryFutureExt};
use pieces::{Around, with_neighbours};
use std::sync::Arc;

/// A window over all rows.
pub struct Window {
    /// The body that makes its columns.
    pub body: GroupBody,
    /// Where each field that the body sees is among the columns of the rows.
    pub fields: Vec<Option<usize>>,
    /// How the rows are cut.
    pub cut: Cut,
    /// Which node raises what the body raises.
    pub origin: Option<NodeId>,
}

/// The same in a plan.
struct InPlan {
    window: Window,
    options: Arc<ExecOptions>,
    /// The columns of the rows, then those that are added.
    schema: SchemaRef,
}

struct WindowOperator {
    plan: Arc<InPlan>,
    partitions: usize,
    kept: Once<KeptRows>,
}

/// The rows of all partitions.
enum KeptRows {
    /// In memory, in order; and what counts them there.
    Memory { rows: Vec<RecordBatch>, _kept: Vec<Kept> },
    /// Some of them on disk.
    Disk(Vec<Kept>),
    /// The rows with what was added to them.
    Made(Arc<Materialized>),
}

impl Window {
    /// The plan that adds its columns to the rows of another.
    pub fn over(self, options: &Arc<ExecOptions>, input: Arc<dyn ExecutionPlan>, schema: SchemaRef) -> Arc<dyn ExecutionPlan> {
        let partitions = input.output_partitioning().partition_count().max(options.threads);
        let plan = Arc::new(InPlan { window: self, options: options.clone(), schema: schema.clone() });
        OperatorExec::plan(WindowOperator { plan, partitions, kept: Once::default() }, vec![input], schema, partitions)
    }
}

impl InPlan {
    /// What the body sees of rows.
    fn columns<'a>(&self, rows: impl Iterator<Item = &'a RecordBatch> + Clone) -> GroupColumns {
        let column = |at: usize| {
            let pieces: Vec<&dyn Array> = rows.clone().map(|batch| batch.column(at).as_ref()).collect();
            concat(&pieces).expect("columns of one type")
        };
        self.window.fields.iter().map(|field| field.map(column)).collect()
    }

    /// Says of which node a failure is.
    fn located(&self, failure: Failure) -> Failure {
        match self.window.origin {
            Some(node) => failure.at(node),
            None => failure,
        }
    }

    /// Batches with the columns that were made for all of their rows.
    fn with_added(&self, batches: Vec<RecordBatch>, added: &[ArrayRef]) -> Vec<RecordBatch> {
        let mut first = 0;
        let one = |batch: RecordBatch| {
            let rows = batch.num_rows();
            let columns = batch.columns().iter().cloned().chain(added.iter().map(|column| column.slice(first, rows))).collect();
            first += rows;
            record_batch(&self.schema, columns, rows)
        };
        batches.into_iter().map(one).collect()
    }

    /// All rows at once, with what is added to them.
    fn whole(&self, batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
        let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if count == 0 {
            return Ok(Vec::new());
        }
        let added = self.window.body.columns(&self.columns(batches.iter()), &[count]);
        Ok(self.with_added(batches, &added.map_err(|failure| to_datafusion(self.located(failure)))?))
    }

    async fn keep(&self, input: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>) -> Result<KeptRows> {
        let edges = match self.window.cut {
            Cut::Neighbours { before, after } => EdgeRows { first: after, last: before },
            Cut::Onward(_) => EdgeRows::default(),
        };
        let kept = keep_partitions(&self.options, input, edges, context).await?;
        let Some(rows) = kept.iter().map(Kept::in_memory).collect::<Option<Vec<&[RecordBatch]>>>() else {
            return Ok(KeptRows::Disk(kept));
        };
        let rows: Vec<RecordBatch> = rows.concat();
        match self.window.cut {
            Cut::Neighbours { .. } => Ok(KeptRows::Memory { rows, _kept: kept }),
            Cut::Onward(_) => {
                let reservation = Arc::new(MemoryConsumer::new("Window").register(context.memory_pool()));
                Ok(KeptRows::Made(Arc::new(Materialized::in_memory(self.whole(rows)?, reservation)?)))
            }
        }
    }

    /// All rows of partitions that are on disk, read into memory, with what is added to them.
    async fn read_whole(&self, kept: &KeptRows, context: &TaskContext) -> Result<Vec<RecordBatch>> {
        let reservation = MemoryConsumer::new("Window").register(context.memory_pool());
        let mut rows = Vec::new();
        for part in kept.on_disk() {
            let mut stream = part.stream()?;
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                reservation.try_grow(2 * batch_size(&batch))?;
                rows.push(batch);
            }
        }
        self.whole(rows)
    }
}

impl KeptRows {
    fn on_disk(&self) -> &[Kept] {
        match self {
            KeptRows::Disk(kept) => kept,
            KeptRows::Memory { .. } | KeptRows::Made(_) => &[],
        }
    }
}

/// The last rows of the partitions before one, as many as are wanted.
fn rows_before(kept: &[Kept], partition: usize, wanted: usize) -> RowQueue {
    let mut rows = RowQueue::default();
    kept[..partition].iter().flat_map(|part| part.last.batches()).for_each(|batch| rows.push(batch.clone()));
    rows.keep_last(wanted);
    rows
}

/// The first rows of the partitions after one.
fn rows_after(kept: &[Kept], partition: usize, wanted: usize) -> Vec<RecordBatch> {
    let rows: Vec<RecordBatch> = kept[partition + 1..].iter().flat_map(|part| part.first.batches()).cloned().collect();
    rows_between(&rows, 0..wanted)
}

impl Operator for WindowOperator {
    fn name(&self) -> &'static str {
        "Window"
    }

    fn describe(&self) -> String {
        match &self.plan.window.cut {
            Cut::Neighbours { before, after } => format!("in pieces, with {before} rows before and {after} after"),
            Cut::Onward(_) => "in pieces, one after the other".to_owned(),
        }
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (plan, input, context, partitions) = (self.plan.clone(), inputs[0].clone(), context.clone(), self.partitions);
        let schema = plan.schema.clone();
        let kept = {
            let (plan, context) = (plan.clone(), context.clone());
            self.kept.get(move || async move { plan.keep(&input, &context).await })
        };
        let rows = kept.and_then(move |kept| futures::future::ready(plan.partition(kept, partition, partitions, context)));
        Ok(stream_of(schema, rows.try_flatten_stream()))
    }
}

impl InPlan {
    /// One of the partitions of rows that are kept.
    fn partition(self: Arc<Self>, kept: Arc<KeptRows>, partition: usize, partitions: usize, context: Arc<TaskContext>) -> Result<Stream> {
        let nothing = stream_of(self.schema.clone(), futures::stream::empty());
        match (kept.as_ref(), &self.window.cut) {
            (KeptRows::Made(made), _) => {
                let (made, morsel) = (futures::future::ready(Ok(made.clone())), self.options.morsel_rows);
                Ok(Materialized::partition(made, self.schema.clone(), partition, partitions, morsel))
            }
            (KeptRows::Memory { rows, .. }, &Cut::Neighbours { before, after }) => {
                let count: usize = rows.iter().map(RecordBatch::num_rows).sum();
                let share = count.div_ceil(partitions);
                let (start, end) = ((partition * share).min(count), ((partition + 1) * share).min(count));
                let mut rows_before = RowQueue::default();
                rows_between(rows, start.saturating_sub(before)..start).into_iter().for_each(|batch| rows_before.push(batch));
                let around = Around { before: rows_before, after: rows_between(rows, end..end.saturating_add(after)) };
                let own = futures::stream::iter(rows_between(rows, start..end)).map(Ok).boxed();
                Ok(with_neighbours(self, own, around, kept))
            }
            (KeptRows::Disk(parts), &Cut::Neighbours { before, after }) => match parts.get(partition) {
                Some(part) => {
                    let around = Around { before: rows_before(parts, partition, before), after: rows_after(parts, partition, after) };
                    let own = part.stream()?.boxed();
                    Ok(with_neighbours(self, own, around, kept))
                }
                None => Ok(nothing),
            },
            (KeptRows::Disk(_), Cut::Onward(before)) if partition == 0 => {
                let before = before.clone();
                Ok(pieces::onward(self, kept, before, context))
            }
            _ => Ok(nothing),
        }
    }
}
