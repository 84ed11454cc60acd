//! The build side of a join.

use super::{Join, JoinKind};
use crate::exchange::with_position;
use crate::memory::{PartitionFiles, PartitionWriter, Spill};
use crate::operators::BoundBody;
use crate::operators::compact::compact;
use crate::schedule::TaskSet;
use airloom_compute::data::{batch_size, record_batch};
use airloom_compute::keys::{DynamicFilter, Hashing, Index, KeyEncoder, row_hashes, without_nulls};
use airloom_io::failure::to_datafusion;
use airloom_plan::value::Position;
use arrow::array::{ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The build side: in memory, or on disk.
pub(super) enum BuildSide {
    Table(Arc<JoinHashTable>),
    /// The rows of each partition, in spill partitions, with their positions.
    Spilled(Vec<PartitionFiles>),
}

/// All rows of the build side, found by their keys.
pub(super) struct JoinHashTable {
    pub(super) rows: RecordBatch,
    pub(super) keys: Keys,
    /// Whether each row has found a match, where that is asked for.
    pub(super) matched: Vec<AtomicBool>,
    reservation: Arc<MemoryReservation>,
}

/// How the rows of a key are found.
pub(super) enum Keys {
    /// Their positions, by the code of the key.
    Rows { encoder: KeyEncoder, index: Index },
    /// Whether there are any, where nothing else is asked.
    Any(DynamicFilter),
}

/// The share of the memory that build-side rows may take before they are spilled: their hash table and the probe-side batches need some too.
const SHARE: usize = 3;

/// The build-side rows of one partition.
enum Part {
    Memory(Vec<RecordBatch>),
    Disk(PartitionFiles),
}

impl BuildSide {
    /// Collects the rows of the build side.
    pub(super) async fn gather(join: Arc<Join>, plan: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>) -> Result<BuildSide> {
        let reservation = Arc::new(MemoryConsumer::new("the gathered side of a join").register(context.memory_pool()));
        let spilling = Arc::new(AtomicBool::new(join.options.always_spill));
        let mut tasks: TaskSet<Part> = TaskSet::default();
        for partition in 0..plan.output_partitioning().partition_count() {
            let mut stream = plan.execute(partition, context.clone())?;
            let (join, context, reservation, spilling) = (join.clone(), context.clone(), reservation.clone(), spilling.clone());
            tasks.spawn(async move {
                let mut side = Side::new(&join, partition, stream.schema(), &join.build_keys);
                let (mut rows, mut held) = (Vec::new(), 0);
                let mut writer: Option<PartitionWriter> = None;
                while let Some(batch) = stream.next().await {
                    join.cancel.check().map_err(to_datafusion)?;
                    let batch = batch?;
                    if writer.is_none() && !spilling.load(Ordering::Relaxed) {
                        let size = batch_size(&batch);
                        let room = reservation.size() + size <= join.options.memory / SHARE && reservation.try_grow(size).is_ok();
                        held += if room { size } else { 0 };
                        if !room {
                            spilling.store(true, Ordering::Relaxed);
                        }
                    }
                    if spilling.load(Ordering::Relaxed) {
                        let writer = writer.get_or_insert_with(|| Spill::new(&context, side.schema.clone()).writer());
                        for earlier in std::mem::take(&mut rows) {
                            side.write(writer, &earlier)?;
                        }
                        reservation.shrink(std::mem::take(&mut held));
                        side.write(writer, &batch)?;
                    } else {
                        rows.push(batch);
                    }
                }
                match writer {
                    Some(writer) => Ok(Part::Disk(writer.finish()?)),
                    None => Ok(Part::Memory(rows)),
                }
            });
        }
        let parts = tasks.in_order().await?;
        if parts.iter().all(|part| matches!(part, Part::Memory(_))) && !join.options.always_spill {
            let batches: Vec<RecordBatch> =
                parts.into_iter().flat_map(|part| if let Part::Memory(rows) = part { rows } else { Vec::new() }).collect();
            let built = JoinHashTable::new(&join, &plan.schema(), batches, reservation)?;
            built.teach(&join)?;
            return Ok(BuildSide::Table(Arc::new(built)));
        }
        let mut files = Vec::with_capacity(parts.len());
        for (partition, part) in parts.into_iter().enumerate() {
            files.push(match part {
                Part::Disk(files) => files,
                // A partition that ended before the others ran out of memory.
                Part::Memory(rows) => {
                    let mut side = Side::new(&join, partition, plan.schema(), &join.build_keys);
                    let mut writer = Spill::new(&context, side.schema.clone()).writer();
                    rows.iter().try_for_each(|batch| side.write(&mut writer, batch))?;
                    writer.finish()?
                }
            });
        }
        Ok(BuildSide::Spilled(files))
    }
}

/// One partition of a side on its way to disk: its rows with their positions.
pub(super) struct Side<'a> {
    join: &'a Join,
    keys: &'a BoundBody,
    pub(super) schema: SchemaRef,
    next: u64,
}

impl<'a> Side<'a> {
    pub(super) fn new(join: &'a Join, partition: usize, schema: SchemaRef, keys: &'a BoundBody) -> Side<'a> {
        Side { join, keys, schema: with_position(&schema), next: Position::first(partition).number() }
    }

    /// Writes rows by the hash of their keys.
    pub(super) fn write(&mut self, writer: &mut PartitionWriter, batch: &RecordBatch) -> Result<()> {
        let (types, rows) = (self.join.graph.types(), batch.num_rows());
        let vectors = self.keys.run(batch).map_err(to_datafusion)?;
        let keys: Vec<ArrayRef> = vectors.iter().zip(&self.join.key_types).map(|(vector, &ty)| vector.to_array(types, ty, rows)).collect();
        let hashes = row_hashes(types, &self.join.key_types, &keys, rows);
        let places: ArrayRef = Arc::new(UInt64Array::from_iter_values(self.next..self.next + rows as u64));
        self.next += rows as u64;
        writer.write(&record_batch(&self.schema, batch.columns().iter().cloned().chain([places]).collect(), rows), &hashes)
    }
}

impl Keys {
    fn of(join: &Join, keys: &[ArrayRef], count: usize) -> Keys {
        let hashing = join.options.hashing();
        // Equal hashes are there to try the other way.
        if let (JoinKind::Probe { .. }, None, [key], false) = (join.kind, &join.predicate, keys, hashing == Hashing::Equal) {
            let members = DynamicFilter::default();
            members.insert(key, join.nulls_equal);
            if members.is_ready() {
                return Keys::Any(members);
            }
        }
        let types = join.graph.types();
        let mut encoder = KeyEncoder::new(types, &join.key_types, hashing);
        let usable = if join.nulls_equal { None } else { without_nulls(keys) };
        let codes = encoder.encode(types, keys, count);
        let index = Index::new(&codes, usable.as_ref(), &encoder, hashing);
        Keys::Rows { encoder, index }
    }

    fn size(&self) -> usize {
        match self {
            Keys::Rows { encoder, index } => index.size() + encoder.size(),
            Keys::Any(members) => members.size(),
        }
    }
}

impl JoinHashTable {
    /// The table of rows.
    pub(super) fn new(
        join: &Join,
        schema: &SchemaRef,
        batches: Vec<RecordBatch>,
        reservation: Arc<MemoryReservation>,
    ) -> Result<JoinHashTable> {
        let rows = match batches.as_slice() {
            [one] => one.clone(),
            many => compact(concat_batches(schema, many)?),
        };
        drop(batches);
        let types = join.graph.types();
        let count = rows.num_rows();
        let vectors = join.build_keys.run(&rows).map_err(to_datafusion)?;
        let keys: Vec<ArrayRef> = vectors.iter().zip(&join.key_types).map(|(vector, &ty)| vector.to_array(types, ty, count)).collect();
        let keys = Keys::of(join, &keys, count);
        reservation.try_grow(keys.size())?;
        let marks = matches!(join.kind, JoinKind::Pairs { keep_build: true, .. } | JoinKind::Build { .. });
        let matched = if marks { (0..count).map(|_| AtomicBool::new(false)).collect() } else { Vec::new() };
        Ok(JoinHashTable { rows, keys, matched, reservation })
    }

    /// Publishes the dynamic filters of the keys.
    fn teach(&self, join: &Join) -> Result<()> {
        if join.learned.is_empty() {
            return Ok(());
        }
        let (types, count) = (join.graph.types(), self.rows.num_rows());
        let vectors = join.build_keys.run(&self.rows).map_err(to_datafusion)?;
        for (number, learned) in &join.learned {
            learned.insert(&vectors[*number].to_array(types, join.key_types[*number], count), join.nulls_equal);
            self.reservation.try_grow(learned.size())?;
        }
        Ok(())
    }

    pub(super) fn mark(&self, rows: &[u32]) {
        rows.iter().filter(|&&row| row != u32::MAX).for_each(|&row| self.matched[row as usize].store(true, Ordering::Relaxed));
    }

    /// True for rows that have found a match, or for those that have not.
    pub(super) fn matched_mask(&self, matched: bool) -> BooleanArray {
        self.matched.iter().map(|m| Some(m.load(Ordering::Relaxed) == matched)).collect()
    }
}
