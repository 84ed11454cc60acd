//! An as-of join whose right side did not fit in memory: both sides are partitioned on disk, and joined part by part.
//!
//! Where there are keys, by the hash of these. Else by ranges of what rows are matched on; the nearest right row may then be the last of the ranges before, or the
//! first of those after.

use super::{AsofJoin, AsofSide, Gathered, Part, Table};
use crate::adapter::Stream;
use crate::exchange::{merge_by_position, positioned, with_position, without_positions};
use crate::memory::{PartitionFiles, SPILL_PARTITIONS, SPILL_TASKS, Spill};
use crate::operators::compact::compact;
use crate::schedule::{TaskSet, claimed};
use airloom_compute::data::{Failure, batch_size, record_batch, values_to_array};
use airloom_compute::keys::row_hashes;
use airloom_compute::order::{AsofPlaces, AsofRanges};
use airloom_io::failure::to_datafusion;
use airloom_plan::value::Position;
use arrow::array::{Array, RecordBatch};
use arrow::compute::{concat, concat_batches};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// How rows are dealt out to parts.
enum Deal {
    Hash,
    Ranges(AsofRanges),
}

impl Deal {
    /// A number for each row that has its part where a hash has it.
    fn hashes(&self, join: &AsofJoin, side: &AsofSide, rows: &RecordBatch) -> Result<Vec<u64>, Failure> {
        let types = join.graph.types();
        match self {
            Deal::Hash => Ok(row_hashes(types, &join.key_types, &side.by(&join.graph, rows)?, rows.num_rows())),
            Deal::Ranges(ranges) => {
                let parts = ranges.parts(types.plain(side.on_type), &side.on(&join.graph, rows)?, SPILL_PARTITIONS);
                Ok(parts.into_iter().map(|part| u64::from(part) << 32).collect())
            }
        }
    }
}

/// Both sides on disk.
struct Sides {
    join: Arc<AsofJoin>,
    left: Vec<PartitionFiles>,
    right: Vec<PartitionFiles>,
    /// The first and the last right row of each part, where its neighbours may need them.
    edges: Vec<Option<[RecordBatch; 2]>>,
    spill: Spill,
    context: Arc<TaskContext>,
}

/// All rows of the join.
pub(super) async fn rows(
    join: Arc<AsofJoin>,
    left: Arc<dyn ExecutionPlan>,
    given: Spill,
    parts: Vec<Gathered>,
    context: Arc<TaskContext>,
) -> Result<Stream> {
    let deal = Arc::new(if join.key_types.is_empty() {
        let samples: Vec<&dyn Array> = parts.iter().flat_map(|part| &part.sample).map(AsRef::as_ref).collect();
        let none = values_to_array(join.graph.types(), join.right.on_type, &[]);
        let sample = if samples.is_empty() { none } else { concat(&samples)? };
        Deal::Ranges(AsofRanges::new(join.graph.types().plain(join.right.on_type), &sample))
    } else {
        Deal::Hash
    });
    let right = write_right(&join, &deal, &given, parts, &context).await?;
    let left = write_left(&join, &deal, &left, &context).await?;
    let spill = Spill::new(&context, with_position(&join.schema));
    let (tasks, schema) = (join.options.threads.min(SPILL_TASKS), join.schema.clone());
    let (ordered, morsel) = (join.ordered, join.options.morsel_rows);
    let mut sides = Sides { join, left, right, edges: Vec::new(), spill: spill.clone(), context: context.clone() };
    if matches!(*deal, Deal::Ranges(_)) {
        for part in 0..SPILL_PARTITIONS {
            let edges = sides.edges_of(part).await?;
            sides.edges.push(edges);
        }
    }
    let sides = Arc::new(sides);
    let files = claimed(tasks, SPILL_PARTITIONS, move |part| {
        let sides = sides.clone();
        async move { sides.part(part).await }
    });
    let streams = files.await?.into_iter().flatten().map(|file| spill.read(file)).collect::<Result<Vec<_>>>()?;
    Ok(match ordered {
        true => merge_by_position(streams, schema, &context, morsel),
        false => without_positions(streams, schema),
    })
}

/// The rows of the right side, in parts.
async fn write_right(
    join: &Arc<AsofJoin>,
    deal: &Arc<Deal>,
    given: &Spill,
    parts: Vec<Gathered>,
    context: &Arc<TaskContext>,
) -> Result<Vec<PartitionFiles>> {
    let mut tasks: TaskSet<PartitionFiles> = TaskSet::default();
    for part in parts {
        let (join, deal, given, context) = (join.clone(), deal.clone(), given.clone(), context.clone());
        tasks.spawn(async move {
            let mut rows = match part.part {
                Part::Memory(rows) => futures::stream::iter(rows.into_iter().map(Ok)).boxed(),
                Part::Disk(None) => futures::stream::empty().boxed(),
                Part::Disk(Some(file)) => given.read(file)?.boxed(),
            };
            let mut writer = Spill::new(&context, given.schema().clone()).writer();
            while let Some(batch) = rows.next().await {
                let batch: RecordBatch = batch?;
                join.cancel.check().map_err(to_datafusion)?;
                let hashes = deal.hashes(&join, &join.right, &batch).map_err(to_datafusion)?;
                writer.write(&batch, &hashes)?;
            }
            writer.finish()
        });
    }
    tasks.in_order().await
}

/// The rows of the left side, in parts, with their positions.
async fn write_left(
    join: &Arc<AsofJoin>,
    deal: &Arc<Deal>,
    left: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
) -> Result<Vec<PartitionFiles>> {
    let mut tasks: TaskSet<PartitionFiles> = TaskSet::default();
    for partition in 0..left.output_partitioning().partition_count() {
        let mut stream = left.execute(partition, context.clone())?;
        let (join, deal, context) = (join.clone(), deal.clone(), context.clone());
        tasks.spawn(async move {
            let schema = with_position(&stream.schema());
            let mut writer = Spill::new(&context, schema.clone()).writer();
            let mut next = Position::first(partition).number();
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                join.cancel.check().map_err(to_datafusion)?;
                let hashes = deal.hashes(&join, &join.left, &batch).map_err(to_datafusion)?;
                writer.write(&positioned(&schema, &batch, &mut next), &hashes)?;
            }
            writer.finish()
        });
    }
    tasks.in_order().await
}

impl Sides {
    /// The right rows of a part, between the nearest of other parts, and what finds them. Nothing where there are none.
    async fn table(&self, part: usize) -> Result<Option<Table>> {
        let (before, after) = (self.edges.iter().take(part), self.edges.iter().skip(part + 1));
        let (before, after) = (before.rev().flatten().next(), after.flatten().next());
        self.table_between(before.map(|[_, last]| last), part, after.map(|[first, _]| first)).await
    }

    async fn table_between(&self, before: Option<&RecordBatch>, part: usize, after: Option<&RecordBatch>) -> Result<Option<Table>> {
        let reservation = Arc::new(MemoryConsumer::new("a part of an as-of join").register(self.context.memory_pool()));
        let mut batches: Vec<RecordBatch> = before.cloned().into_iter().collect();
        for files in &self.right {
            let Some(mut rows) = files.read(part)? else { continue };
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                reservation.try_grow(batch_size(&batch))?;
                batches.push(batch);
            }
        }
        batches.extend(after.cloned());
        let Some(first) = batches.first() else { return Ok(None) };
        let rows = compact(concat_batches(&first.schema(), &batches)?);
        let table = Table::new(&self.join, rows, reservation).map_err(to_datafusion)?;
        table.reservation.try_grow(table.lines.size() + table.keys.size())?;
        Ok(Some(table))
    }

    /// The first and the last right row of a part.
    async fn edges_of(&self, part: usize) -> Result<Option<[RecordBatch; 2]>> {
        let Some(table) = self.table_between(None, part, None).await? else { return Ok(None) };
        let row = |row: u32| compact(table.rows.slice(row as usize, 1));
        Ok(table.lines.ends().map(|(first, last)| [row(first), row(last)]))
    }

    /// The rows of a part with theirs of the right side, on disk.
    async fn part(&self, part: usize) -> Result<Option<Arc<dyn datafusion_execution::SpillFile>>> {
        let mut table: Option<Table> = None;
        let (mut places, mut made) = (AsofPlaces::default(), self.spill.file());
        for files in &self.left {
            let Some(mut rows) = files.read(part)? else { continue };
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                self.join.cancel.check().map_err(to_datafusion)?;
                if table.is_none() {
                    table = Some(match self.table(part).await? {
                        Some(table) => table,
                        None => self.without_rows()?,
                    });
                }
                let Some(table) = &table else { continue };
                let own = batch.num_columns() - 1;
                let left = batch.project(&(0..own).collect::<Vec<_>>())?;
                let mut columns = table.joined(&self.join, &left, &mut places).map_err(to_datafusion)?;
                columns.push(batch.column(own).clone());
                made.write(&record_batch(self.spill.schema(), columns, batch.num_rows()))?;
            }
        }
        made.finish()
    }

    /// A right side that has no rows for a part.
    fn without_rows(&self) -> Result<Table> {
        let reservation = Arc::new(MemoryConsumer::new("a part of an as-of join").register(self.context.memory_pool()));
        let schema = self.right.first().map_or_else(|| self.join.schema.clone(), |files| files.schema().clone());
        Table::new(&self.join, RecordBatch::new_empty(schema), reservation).map_err(to_datafusion)
    }
}
