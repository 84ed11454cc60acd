//! Rows buffered in memory as long as there is room, else partitioned on disk.

use super::InPlan;
use crate::exchange::{positioned, with_position};
use crate::memory::{PartitionFiles, PartitionWriter, Spill};
use crate::schedule::TaskSet;
use airloom_compute::data::batch_size;
use airloom_compute::keys::row_hashes;
use airloom_io::failure::to_datafusion;
use airloom_plan::value::Position;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The share of the memory that buffered rows may take before they are spilled: they are merged, and what is made of them is as large.
const SHARE: usize = 4;

/// All rows: in memory, or in spill partitions on disk, some of each input partition, with their positions.
pub(super) enum Gathered {
    Memory(Vec<RecordBatch>, Arc<MemoryReservation>),
    Disk(Vec<PartitionFiles>),
}

/// The rows of one partition.
enum Part {
    Memory(Vec<RecordBatch>),
    Disk(PartitionFiles),
}

/// Collects the rows of a plan.
pub(super) async fn gather(plan: &Arc<InPlan>, input: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>) -> Result<Gathered> {
    let reservation = Arc::new(MemoryConsumer::new(plan.keyed.name).register(context.memory_pool()));
    // Without keys there is but one part.
    let can_spill = !plan.keyed.key_types.is_empty();
    let spilling = Arc::new(AtomicBool::new(can_spill && plan.options.always_spill));
    let mut tasks: TaskSet<Part> = TaskSet::default();
    for partition in 0..input.output_partitioning().partition_count() {
        let mut stream = input.execute(partition, context.clone())?;
        let (plan, context, reservation, spilling) = (plan.clone(), context.clone(), reservation.clone(), spilling.clone());
        tasks.spawn(async move {
            let (mut rows, mut held) = (Vec::new(), 0);
            let mut leaving: Option<Leaving> = None;
            while let Some(batch) = stream.next().await {
                plan.cancel.check().map_err(to_datafusion)?;
                let batch = batch?;
                let size = batch_size(&batch);
                if !can_spill {
                    reservation.try_grow(size)?;
                } else if !spilling.load(Ordering::Relaxed) {
                    let room = reservation.size() + size <= plan.options.memory / SHARE && reservation.try_grow(size).is_ok();
                    held += if room { size } else { 0 };
                    spilling.fetch_or(!room, Ordering::Relaxed);
                }
                if !spilling.load(Ordering::Relaxed) {
                    rows.push(batch);
                    continue;
                }
                let leaving = leaving.get_or_insert_with(|| Leaving::new(&plan, partition, &stream.schema(), &context));
                for batch in rows.drain(..).chain([batch]) {
                    leaving.write(&batch)?;
                }
                reservation.shrink(std::mem::take(&mut held));
            }
            leaving.map_or(Ok(Part::Memory(rows)), |leaving| leaving.writer.finish().map(Part::Disk))
        });
    }
    let parts = tasks.in_order().await?;
    if !spilling.load(Ordering::Relaxed) {
        let rows = parts.into_iter().flat_map(|part| if let Part::Memory(rows) = part { rows } else { Vec::new() });
        return Ok(Gathered::Memory(rows.collect(), reservation));
    }
    let on_disk = |(partition, part)| match part {
        Part::Disk(files) => Ok(files),
        // A partition that ended before the others ran out of memory.
        Part::Memory(rows) => {
            let mut leaving = Leaving::new(plan, partition, &input.schema(), context);
            rows.iter().try_for_each(|batch| leaving.write(batch))?;
            leaving.writer.finish()
        }
    };
    parts.into_iter().enumerate().map(on_disk).collect::<Result<_>>().map(Gathered::Disk)
}

/// The rows of a partition on their way to disk, with their positions.
struct Leaving {
    plan: Arc<InPlan>,
    schema: SchemaRef,
    next: u64,
    writer: PartitionWriter,
}

impl Leaving {
    fn new(plan: &Arc<InPlan>, partition: usize, schema: &SchemaRef, context: &TaskContext) -> Leaving {
        let schema = with_position(schema);
        let writer = Spill::new(context, schema.clone()).writer();
        Leaving { plan: plan.clone(), schema, next: Position::first(partition).number(), writer }
    }

    /// Writes rows by the hash of their keys.
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let rows = batch.num_rows();
        let keys = self.plan.keys(batch).map_err(to_datafusion)?;
        let hashes = row_hashes(self.plan.graph.types(), &self.plan.keyed.key_types, &keys, rows);
        self.writer.write(&positioned(&self.schema, batch, &mut self.next), &hashes)
    }
}
