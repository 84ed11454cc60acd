//! A join whose build side did not fit in memory: both sides are partitioned on disk by the hash of their keys, and joined partition by partition.

use super::hash_table::{JoinHashTable, Side, key_pieces};
use super::probe::Probing;
use super::{Join, JoinKind, JoinSide, Shape};
use crate::adapter::{Stream, stream_of};
use crate::exchange::{merge_by_position, with_position};
use crate::memory::{PartitionFiles, SPILL_PARTITIONS, Spill};
use crate::schedule::TaskSet;
use airloom_compute::data::{batch_size, record_batch};
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

impl Spilled {
    /// All rows of the join, in order: those of the probe side by their positions, then build-side rows without a match by theirs.
    pub(super) async fn rows(self, build: &[PartitionFiles]) -> Result<Stream> {
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
        let (mut streams, mut last) = (Vec::new(), Vec::new());
        for part in 0..SPILL_PARTITIONS {
            let reservation = Arc::new(MemoryConsumer::new("a part of a join").register(self.context.memory_pool()));
            let mut batches = Vec::new();
            for files in build {
                let Some(mut rows) = files.read(part)? else { continue };
                while let Some(batch) = rows.next().await {
                    let batch = batch?;
                    reservation.try_grow(batch_size(&batch))?;
                    batches.push(batch);
                }
            }
            let schema = build.first().map_or_else(|| with_position(&shape.schema), |files| files.schema().clone());
            let pieces = key_pieces(&self.join, &schema, &batches)?;
            let built = JoinHashTable::new(&self.join, &schema, batches, &pieces, reservation)?;
            let mut made = spill.file()?;
            for files in &probe {
                let Some(mut rows) = files.read(part)? else { continue };
                while let Some(batch) = rows.next().await {
                    self.join.cancel.check().map_err(to_datafusion)?;
                    let mut probing = Probing::new(&self.join, &built, batch?).map_err(to_datafusion)?;
                    while let Some(rows) = probing.next(&self.join, &by_probe, &built).map_err(to_datafusion)? {
                        if rows.num_rows() > 0 {
                            made.write(&rows)?;
                        }
                    }
                }
            }
            if let Some(file) = made.finish()? {
                streams.push(spill.read(file)?);
            }
            let left = match self.join.kind {
                JoinKind::Pairs { keep_build: true, .. } => self.join.leftover(&by_build, &built),
                JoinKind::Build { matched } => self.join.gathered(&by_build, &built, matched),
                _ => continue,
            };
            last.extend(self.sorted(&spill, left)?);
        }
        let first = self.merged(streams)?;
        let second = self.merged(last)?;
        Ok(stream_of(shape.schema.clone(), first.chain(second)))
    }

    /// Rows in the order of their positions, on disk.
    fn sorted(&self, spill: &Spill, rows: RecordBatch) -> Result<Option<Stream>> {
        let order = sort_to_indices(rows.column(rows.num_columns() - 1), None, None)?;
        let (sorted, morsel) = (take_record_batch(&rows, &order)?, self.join.options.morsel_rows);
        let pieces = (0..sorted.num_rows()).step_by(morsel).map(|at| Ok(sorted.slice(at, morsel.min(sorted.num_rows() - at))));
        spill.write_all(pieces)?.map(|file| spill.read(file)).transpose()
    }

    /// Streams merged in the order of their positions, which are dropped. Where the order is not observed they follow one another.
    fn merged(&self, streams: Vec<Stream>) -> Result<Stream> {
        let (schema, width) = (self.join.shape.schema.clone(), self.join.shape.output.len());
        if self.join.ordered {
            return merge_by_position(streams, schema, &self.context, self.join.options.morsel_rows);
        }
        let kept = schema.clone();
        let rows = futures::stream::iter(streams).flatten().map(move |batch| {
            let batch = batch?;
            Ok(record_batch(&kept, batch.columns()[..width].to_vec(), batch.num_rows()))
        });
        Ok(stream_of(schema, rows))
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
