//! An as-of join whose right side did not fit in memory: both sides are partitioned on disk, and joined part by part; left rows that come in the order of what they
//! are matched on are not written ([`super::ascending`]).
//!
//! Where there are keys, by the hash of these. Else by ranges of what rows are matched on; the nearest right row may then be the last of the ranges before, or the
//! first of those after.

use super::{AsofJoin, AsofSide, Gathered, Part, Table, ascending};
use crate::adapter::Stream;
use crate::exchange::{gather, merge_by_position, positioned, with_position, without_positions};
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
pub(super) enum Deal {
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

/// The right side on disk, and the left one as far as it is.
#[derive(Clone)]
pub(super) struct Sides {
    pub(super) join: Arc<AsofJoin>,
    pub(super) deal: Arc<Deal>,
    left: Arc<[PartitionFiles]>,
    right: Arc<[PartitionFiles]>,
    /// The first and the last right row of each part, where its neighbours may need them.
    edges: Arc<[Option<[RecordBatch; 2]>]>,
    spill: Spill,
    pub(super) context: Arc<TaskContext>,
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
    let right = write_right(&join, &deal, &given, parts, &context).await?.into();
    let spill = Spill::new(&context, with_position(&join.schema));
    let (none, edges) = (Arc::from(Vec::new()), Arc::from(Vec::new()));
    let mut sides = Sides { join, deal, left: none, right, edges, spill, context };
    if matches!(*sides.deal, Deal::Ranges(_)) {
        let mut edges = Vec::with_capacity(SPILL_PARTITIONS);
        for part in 0..SPILL_PARTITIONS {
            edges.push(sides.edges_of(part).await?);
        }
        sides.edges = edges.into();
        let left = gather(left).execute(0, sides.context.clone())?;
        return Ok(ascending::rows(sides, left));
    }
    let left = write_left(&sides.join, &sides.deal, &left, &sides.context).await?;
    Arc::new(sides.with_left(left)).joined().await
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
        let stream = left.execute(partition, context.clone())?;
        let (join, deal, context) = (join.clone(), deal.clone(), context.clone());
        tasks.spawn(async move { write_rows(&join, &deal, stream, partition, &context).await });
    }
    tasks.in_order().await
}

/// Left rows of one partition, in parts, with their positions.
pub(super) async fn write_rows(
    join: &AsofJoin,
    deal: &Deal,
    mut rows: Stream,
    partition: usize,
    context: &TaskContext,
) -> Result<PartitionFiles> {
    let schema = with_position(&rows.schema());
    let mut writer = Spill::new(context, schema.clone()).writer();
    let mut next = Position::first(partition).number();
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        join.cancel.check().map_err(to_datafusion)?;
        let hashes = deal.hashes(join, &join.left, &batch).map_err(to_datafusion)?;
        writer.write(&positioned(&schema, &batch, &mut next), &hashes)?;
    }
    writer.finish()
}

impl Sides {
    /// The same with left rows on disk.
    pub(super) fn with_left(&self, left: Vec<PartitionFiles>) -> Sides {
        Sides { left: left.into(), ..self.clone() }
    }

    /// All left rows on disk with theirs of the right side.
    pub(super) async fn joined(self: Arc<Self>) -> Result<Stream> {
        let tasks = self.join.options.threads.min(SPILL_TASKS);
        let sides = self.clone();
        let files = claimed(tasks, SPILL_PARTITIONS, move |part| {
            let sides = sides.clone();
            async move { sides.part(part).await }
        });
        let streams = files.await?.into_iter().flatten().map(|file| self.spill.read(file)).collect::<Result<Vec<_>>>()?;
        let schema = self.join.schema.clone();
        Ok(match self.join.ordered {
            true => merge_by_position(streams, schema, &self.context, self.join.options.morsel_rows),
            false => without_positions(streams, schema),
        })
    }

    /// The right rows of a part, between the nearest of other parts, and what finds them.
    pub(super) async fn table(&self, part: usize) -> Result<Table> {
        let (before, after) = (self.edges.iter().take(part), self.edges.iter().skip(part + 1));
        let (before, after) = (before.rev().flatten().next(), after.flatten().next());
        let found = self.table_between(before.map(|[_, last]| last), part, after.map(|[first, _]| first)).await?;
        found.map_or_else(|| self.without_rows(), Ok)
    }

    async fn table_between(&self, before: Option<&RecordBatch>, part: usize, after: Option<&RecordBatch>) -> Result<Option<Table>> {
        let reservation = Arc::new(MemoryConsumer::new("a part of an as-of join").register(self.context.memory_pool()));
        let mut batches: Vec<RecordBatch> = before.cloned().into_iter().collect();
        for files in self.right.iter() {
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
        for files in self.left.iter() {
            let Some(mut rows) = files.read(part)? else { continue };
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                self.join.cancel.check().map_err(to_datafusion)?;
                if table.is_none() {
                    table = Some(self.table(part).await?);
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
