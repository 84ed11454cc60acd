//! A join whose build side did not fit in memory: both sides are partitioned on disk by the hash of their keys, and joined partition by partition.

use super::hash_table::{JoinHashTable, Side, key_pieces};
use super::probe::{HandOn, Probing};
use super::{Join, JoinKind, JoinSide, Shape};
use crate::adapter::{Stream, stream_of};
use crate::exchange::{merge_by_position, with_position, without_positions};
use crate::memory::{PartitionFiles, SPILL_PARTITIONS, SPILL_TASKS, Spill};
use crate::schedule::{TaskSet, claimed};
use airloom_compute::data::{Selected, batch_size};
use airloom_io::failure::to_datafusion;
use arrow::array::RecordBatch;
use arrow::compute::{sort_to_indices, take_record_batch};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// Such a join.
pub(super) struct Spilled {
    pub(super) join: Arc<Join>,
    pub(super) probe: Arc<dyn ExecutionPlan>,
    pub(super) context: Arc<TaskContext>,
}

/// Both sides on disk, and what is made of a row of each: with the position of the row that it is ordered by.
struct Sides {
    build: Arc<[PartitionFiles]>,
    probe: Vec<PartitionFiles>,
    by_probe: Shape,
    by_build: Shape,
    spill: Spill,
}

/// The rows of a part, where there are some: those of the probe side, and build-side rows.
type Joined = (Option<Stream>, Option<Stream>);

impl Spilled {
    /// All rows of the join, in order: those of the probe side by their positions, then build-side rows without a match by theirs.
    pub(super) async fn rows(self, build: &Arc<[PartitionFiles]>) -> Result<Stream> {
        let probe = self.write_probe().await?;
        let shape = &self.join.shape;
        let with_place = |side: JoinSide, width: usize| Shape {
            output: shape.output.iter().copied().chain([(side, width)]).collect(),
            schema: with_position(&shape.schema),
        };
        let by_probe = with_place(JoinSide::Probe, self.probe.schema().fields().len());
        let build_width = build.iter().map(|files| files.schema().fields().len() - 1).next().unwrap_or(0);
        let by_build = with_place(JoinSide::Build, build_width);
        let spill = Spill::new(&self.context, with_position(&shape.schema));
        let sides = Arc::new(Sides { build: build.clone(), probe, by_probe, by_build, spill });
        let this = Arc::new(self);
        let joined = {
            let this = this.clone();
            claimed(this.join.options.threads.min(SPILL_TASKS), SPILL_PARTITIONS, move |part| {
                let (this, sides) = (this.clone(), sides.clone());
                async move { this.part(&sides, part).await }
            })
        };
        let (streams, last): (Vec<Option<Stream>>, Vec<Option<Stream>>) = joined.await?.into_iter().unzip();
        let first = this.merged(streams.into_iter().flatten().collect());
        let second = this.merged(last.into_iter().flatten().collect());
        Ok(stream_of(this.join.shape.schema.clone(), first.chain(second)))
    }

    /// Joins the rows of one part.
    async fn part(&self, sides: &Sides, part: usize) -> Result<Joined> {
        let reservation = Arc::new(MemoryConsumer::new("a part of a join").register(self.context.memory_pool()));
        let mut batches = Vec::new();
        for files in sides.build.iter() {
            let Some(mut rows) = files.read(part)? else { continue };
            while let Some(batch) = rows.next().await {
                let batch = batch?;
                reservation.try_grow(batch_size(&batch))?;
                batches.push(batch);
            }
        }
        let schema = sides.build.first().map_or_else(|| with_position(&self.join.shape.schema), |files| files.schema().clone());
        let pieces = key_pieces(&self.join, &schema, &batches)?;
        let built = JoinHashTable::new(&self.join, &schema, batches, &pieces, reservation)?;
        let mut made = sides.spill.file();
        for files in &sides.probe {
            let Some(mut rows) = files.read(part)? else { continue };
            while let Some(batch) = rows.next().await {
                self.join.cancel.check().map_err(to_datafusion)?;
                let mut probing = Probing::new(&self.join, &built, Selected::all(batch?), HandOn::Rows).map_err(to_datafusion)?;
                while let Some(rows) = probing.next(&self.join, &sides.by_probe, &built).map_err(to_datafusion)? {
                    if !rows.rows.is_empty() {
                        made.write(&rows.compact())?;
                    }
                }
            }
        }
        let first = made.finish()?.map(|file| sides.spill.read(file)).transpose()?;
        let left = match self.join.kind {
            JoinKind::Pairs { keep_build: true, .. } => self.join.leftover(&sides.by_build, &built),
            JoinKind::Build { matched } => self.join.gathered(&sides.by_build, &built, matched),
            _ => return Ok((first, None)),
        };
        Ok((first, self.sorted(&sides.spill, left)?))
    }

    /// Rows in the order of their positions, on disk.
    fn sorted(&self, spill: &Spill, rows: RecordBatch) -> Result<Option<Stream>> {
        let order = sort_to_indices(rows.column(rows.num_columns() - 1), None, None)?;
        let mut file = spill.file();
        file.write(&take_record_batch(&rows, &order)?)?;
        file.finish()?.map(|file| spill.read(file)).transpose()
    }

    /// The rows of streams in the order of their positions, where that is observed.
    fn merged(&self, streams: Vec<Stream>) -> Stream {
        let schema = self.join.shape.schema.clone();
        match self.join.ordered {
            true => merge_by_position(streams, schema, &self.context, self.join.options.morsel_rows),
            false => without_positions(streams, schema),
        }
    }

    /// The rows of the probe side, in parts.
    async fn write_probe(&self) -> Result<Vec<PartitionFiles>> {
        let mut tasks: TaskSet<PartitionFiles> = TaskSet::default();
        for partition in 0..self.probe.output_partitioning().partition_count() {
            let mut stream = self.probe.execute(partition, self.context.clone())?;
            let (join, context) = (self.join.clone(), self.context.clone());
            tasks.spawn(async move {
                let mut side = Side::new(&join, partition, stream.schema(), &join.probe_keys);
                let mut writer = Spill::new(&context, side.schema.clone()).writer();
                while let Some(batch) = stream.next().await {
                    join.cancel.check().map_err(to_datafusion)?;
                    side.write(&mut writer, &batch?)?;
                }
                writer.finish()
            });
        }
        tasks.in_order().await
    }
}
