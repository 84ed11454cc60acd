//! As-of joins: the right side is gathered and put in order once, and left rows look for theirs as they come.

mod ascending;
mod spilled;

use super::BoundBody;
use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::memory::{Spill, SpillWriter};
use crate::operators::compact::compact;
use crate::options::ExecOptions;
use crate::schedule::{Once, TaskSet};
use airloom_compute::data::{Cancel, Failure, batch_size, record_batch};
use airloom_compute::keys::{GroupTable, grouped};
use airloom_compute::order::{Asof as Search, AsofPlaces, AsofRanges, AsofTable};
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::Graph;
use airloom_ir::types::TyId;
use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_execution::{SpillFile, TaskContext};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The share of the memory that gathered rows may take: they are merged, and what finds them is about twice as large.
const SHARE: usize = 8;
/// One of this many rows tells how what rows are matched on is spread.
const SAMPLED: usize = 256;

/// An as-of join.
pub struct AsofJoin {
    /// The program, for its types.
    pub graph: Arc<Graph>,
    /// What may stop it.
    pub cancel: Cancel,
    /// How it runs.
    pub options: Arc<ExecOptions>,
    /// How rows are matched.
    pub search: Search,
    /// The left side.
    pub left: AsofSide,
    /// The right side.
    pub right: AsofSide,
    /// The types of the keys, in which those of both sides fit.
    pub key_types: Vec<TyId>,
    /// The columns of the left side, then those of the right.
    pub schema: SchemaRef,
    /// Whether the order of left rows is observed.
    pub ordered: bool,
}

/// One side.
pub struct AsofSide {
    /// What rows are matched on.
    pub on: BoundBody,
    /// Its type.
    pub on_type: TyId,
    /// Makes the keys.
    pub by: BoundBody,
    /// Their types.
    pub by_types: Vec<TyId>,
}

impl AsofSide {
    /// What the rows of a batch are matched on.
    fn on(&self, graph: &Graph, rows: &RecordBatch) -> Result<ArrayRef, Failure> {
        let made = self.on.run(rows)?;
        Ok(made[0].to_array(graph.types(), self.on_type, rows.num_rows()))
    }

    /// The keys of the rows of a batch.
    fn by(&self, graph: &Graph, rows: &RecordBatch) -> Result<Vec<ArrayRef>, Failure> {
        let made = self.by.run(rows)?;
        Ok(made.iter().zip(&self.by_types).map(|(vector, &ty)| vector.to_array(graph.types(), ty, rows.num_rows())).collect())
    }
}

impl AsofJoin {
    /// The plan of it: as many partitions as the left side has.
    pub fn over(self, left: Arc<dyn ExecutionPlan>, right: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let (schema, partitions) = (self.schema.clone(), left.output_partitioning().partition_count());
        OperatorExec::plan(InPlan { join: Arc::new(self), right: Once::default() }, vec![left, right], schema, partitions)
    }
}

struct InPlan {
    join: Arc<AsofJoin>,
    right: Once<Right>,
}

/// The right side, ready to be looked up.
enum Right {
    Memory(Arc<Table>),
    /// It did not fit: all rows of the join, which the first partition emits.
    Disk(Mutex<Option<Stream>>),
}

/// Right rows, and what finds them.
struct Table {
    rows: RecordBatch,
    keys: GroupTable,
    lines: AsofTable,
    /// What keeps the memory theirs.
    reservation: Arc<MemoryReservation>,
}

impl Table {
    fn new(join: &AsofJoin, rows: RecordBatch, reservation: Arc<MemoryReservation>) -> Result<Table, Failure> {
        let (types, side) = (join.graph.types(), &join.right);
        let (on, by) = (side.on(&join.graph, &rows)?, side.by(&join.graph, &rows)?);
        let (keys, numbers) = grouped(types, join.options.hashing(), &join.key_types, &by, rows.num_rows());
        let lines = AsofTable::new(&join.search, types.plain(side.on_type), &on, &numbers);
        Ok(Table { rows, keys, lines, reservation })
    }

    /// Left rows, each with its right one.
    fn joined(&self, join: &AsofJoin, left: &RecordBatch, places: &mut AsofPlaces) -> Result<Vec<ArrayRef>, Failure> {
        let (types, side) = (join.graph.types(), &join.left);
        let (on, by) = (side.on(&join.graph, left)?, side.by(&join.graph, left)?);
        let keys = self.keys.find(types, &by, left.num_rows());
        let found = self.lines.matches(types.plain(side.on_type), &on, &keys, places);
        let right = self.rows.columns().iter().map(|column| take(column, &found, None).expect("rows of the right"));
        Ok(left.columns().iter().cloned().chain(right).collect())
    }
}

impl Operator for InPlan {
    fn name(&self) -> &'static str {
        "Asof"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (join, left, right, context) = (self.join.clone(), inputs[0].clone(), inputs[1].clone(), context.clone());
        let made = {
            let (join, left, context) = (join.clone(), left.clone(), context.clone());
            self.right.get(move || gathered(join, left, right, context))
        };
        let schema = join.schema.clone();
        let rows = async move {
            let right = made.await?;
            let rows: Result<BoxStream<'static, Result<RecordBatch>>> = match right.as_ref() {
                Right::Memory(table) => {
                    let (table, mut places) = (table.clone(), AsofPlaces::default());
                    let rows = left.execute(partition, context)?.map(move |batch| {
                        let batch = batch?;
                        join.cancel.check().map_err(to_datafusion)?;
                        let columns = table.joined(&join, &batch, &mut places).map_err(to_datafusion)?;
                        Ok(record_batch(&join.schema, columns, batch.num_rows()))
                    });
                    Ok(rows.boxed())
                }
                Right::Disk(rows) => {
                    let rows = if partition == 0 { rows.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None };
                    Ok(rows.map_or_else(|| futures::stream::empty().boxed(), StreamExt::boxed))
                }
            };
            rows
        };
        Ok(stream_of(schema, futures::stream::once(rows).try_flatten()))
    }
}

/// The rows of one partition of the right side: in memory, or in a file.
enum Part {
    Memory(Vec<RecordBatch>),
    Disk(Option<Arc<dyn SpillFile>>),
}

/// The rows of one partition, and a sample of what they are matched on.
struct Gathered {
    part: Part,
    sample: Vec<ArrayRef>,
}

/// Gathers the right side; where it does not fit in memory, both sides are joined by way of the disk.
async fn gathered(
    join: Arc<AsofJoin>,
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
) -> Result<Right> {
    let reservation = Arc::new(MemoryConsumer::new("the right side of an as-of join").register(context.memory_pool()));
    let spilling = Arc::new(AtomicBool::new(join.options.always_spill));
    let spill = Spill::new(&context, right.schema());
    let mut tasks: TaskSet<Gathered> = TaskSet::default();
    for partition in 0..right.output_partitioning().partition_count() {
        let mut stream = right.execute(partition, context.clone())?;
        let (join, spill, reservation, spilling) = (join.clone(), spill.clone(), reservation.clone(), spilling.clone());
        tasks.spawn(async move {
            let (mut rows, mut held, mut sample) = (Vec::new(), 0, Vec::new());
            let mut writer: Option<SpillWriter> = None;
            while let Some(batch) = stream.next().await {
                join.cancel.check().map_err(to_datafusion)?;
                let batch = batch?;
                if join.key_types.is_empty() {
                    let some: UInt32Array = (0..batch.num_rows() as u32).step_by(SAMPLED).collect::<Vec<_>>().into();
                    sample.push(take(&join.right.on(&join.graph, &batch).map_err(to_datafusion)?, &some, None)?);
                }
                if !spilling.load(Ordering::Relaxed) {
                    let size = batch_size(&batch);
                    let room = reservation.size() + size <= join.options.memory / SHARE && reservation.try_grow(size).is_ok();
                    held += if room { size } else { 0 };
                    spilling.fetch_or(!room, Ordering::Relaxed);
                }
                rows.push(batch);
                if spilling.load(Ordering::Relaxed) {
                    let writer = writer.get_or_insert_with(|| spill.file());
                    rows.drain(..).try_for_each(|batch| writer.append(&batch))?;
                    reservation.shrink(std::mem::take(&mut held));
                }
            }
            let part = match writer {
                Some(writer) => Part::Disk(writer.finish()?),
                None => Part::Memory(rows),
            };
            Ok(Gathered { part, sample })
        });
    }
    let parts = tasks.in_order().await?;
    if spilling.load(Ordering::Relaxed) {
        let rows = spilled::rows(join, left, spill, parts, context).await?;
        return Ok(Right::Disk(Mutex::new(Some(rows))));
    }
    let batches = parts.into_iter().flat_map(|part| if let Part::Memory(rows) = part.part { rows } else { Vec::new() });
    let rows = compact(concat_batches(&right.schema(), &batches.collect::<Vec<_>>())?);
    let table = Table::new(&join, rows, reservation).map_err(to_datafusion)?;
    table.reservation.try_grow(table.lines.size() + table.keys.size())?;
    Ok(Right::Memory(Arc::new(table)))
}
