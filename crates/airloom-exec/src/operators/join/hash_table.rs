//! The build side of a join.

use super::{Join, JoinKind};
use crate::exchange::{positioned, with_position};
use crate::memory::{PartitionFiles, PartitionWriter, Spill};
use crate::operators::BoundBody;
use crate::schedule::TaskSet;
use airloom_compute::data::{Failure, batch_size, compacted, concat_on, parallel_both, parallel_map, record_batch};
use airloom_compute::keys::{DynamicFilter, Hashing, Index, KeyEncoder, Piece, row_hashes, without_nulls};
use airloom_io::failure::to_datafusion;
use airloom_ir::types::TyId;
use airloom_plan::value::Position;
use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::compute::concat;
use arrow::datatypes::{DataType, FieldRef, SchemaRef};
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
    Spilled(Arc<[PartitionFiles]>),
}

/// All rows of the build side, found by their keys.
pub(super) struct JoinHashTable {
    pub(super) rows: RecordBatch,
    pub(super) keys: Keys,
    /// Whether each row has found a match, where that is asked for.
    pub(super) matched: Vec<AtomicBool>,
    /// Keeps its memory reserved.
    _reservation: Arc<MemoryReservation>,
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
            let pieces = key_pieces(&join, &plan.schema(), &batches)?;
            let table = || JoinHashTable::new(&join, &plan.schema(), batches, &pieces, reservation.clone());
            let (built, published) = parallel_both(threads_for_both(&join, &pieces), table, || publish(&join, &pieces));
            reservation.try_grow(published)?;
            return Ok(BuildSide::Table(Arc::new(built?)));
        }
        let mut files: Vec<PartitionFiles> = Vec::with_capacity(parts.len());
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
        Ok(BuildSide::Spilled(files.into()))
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
        writer.write(&positioned(&self.schema, batch, &mut self.next), &hashes)
    }
}

/// The keys of rows that follow one another: a column for each.
pub(super) struct KeyPiece {
    keys: Vec<ArrayRef>,
    rows: usize,
}

fn threads_for(join: &Join, pieces: &[KeyPiece]) -> usize {
    join.options.threads_for(pieces.iter().map(|piece| piece.rows).sum())
}

/// From how many rows on the parts of a build side are made at once, which is no more work than one after the other.
const WORTH_BOTH: usize = 1 << 17;

/// The threads among which its parts are divided.
fn threads_for_both(join: &Join, pieces: &[KeyPiece]) -> usize {
    if pieces.iter().map(|piece| piece.rows).sum::<usize>() < WORTH_BOTH { 1 } else { join.options.threads }
}

/// Publishes the dynamic filters of the keys: how many bytes they take.
fn publish(join: &Join, pieces: &[KeyPiece]) -> usize {
    let one = |(key, filter): &(usize, Arc<DynamicFilter>)| {
        filter.insert(&column_of(pieces, *key), join.nulls_equal, threads_for(join, pieces));
        filter.size()
    };
    join.learned.iter().map(one).sum()
}

/// The keys of batches of the build side. Of none there is a piece without rows, whose columns have their types.
pub(super) fn key_pieces(join: &Join, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<KeyPiece>> {
    let empty = [RecordBatch::new_empty(schema.clone())];
    let batches = if batches.is_empty() { &empty } else { batches };
    let types = join.graph.types();
    let keys = |(): &mut (), at: usize| -> Result<KeyPiece, Failure> {
        let (batch, rows) = (&batches[at], batches[at].num_rows());
        let vectors = join.build_keys.run(batch)?;
        let keys = vectors.iter().zip(&join.key_types).map(|(vector, &ty)| vector.to_array(types, ty, rows)).collect();
        Ok(KeyPiece { keys, rows })
    };
    let threads = join.options.threads_for(batches.iter().map(RecordBatch::num_rows).sum());
    parallel_map(threads, batches.len(), || (), keys).map_err(to_datafusion)
}

/// One of the key columns, in pieces.
fn column_of(pieces: &[KeyPiece], key: usize) -> Vec<ArrayRef> {
    pieces.iter().map(|piece| piece.keys[key].clone()).collect()
}

/// Batches as one, which holds on to no more text than is its own: text is written anew for some batches at a time, and its views alone are then put together.
fn put_together(schema: &SchemaRef, batches: &[RecordBatch], threads: usize) -> Result<RecordBatch> {
    match batches {
        [] => return Ok(RecordBatch::new_empty(schema.clone())),
        [one] => return Ok(one.clone()),
        _ => (),
    }
    let some: Vec<&[RecordBatch]> = batches.chunks(batches.len().div_ceil(threads)).collect();
    let is_text = |field: &&FieldRef| matches!(field.data_type(), DataType::Utf8View | DataType::BinaryView);
    let texts: Vec<usize> = schema.fields().iter().enumerate().filter(|(_, field)| is_text(field)).map(|(at, _)| at).collect();
    let written = |(): &mut (), at: usize| {
        let column = texts[at / some.len()];
        let pieces: Vec<&dyn Array> = some[at % some.len()].iter().map(|batch| batch.column(column).as_ref()).collect();
        concat(&pieces).map(|column| compacted(&column))
    };
    let written = parallel_map(threads, texts.len() * some.len(), || (), written)?;
    let column = |at: usize| match texts.iter().position(|&text| text == at) {
        Some(text) => written[text * some.len()..(text + 1) * some.len()].iter().map(AsRef::as_ref).collect::<Vec<_>>(),
        None => batches.iter().map(|batch| batch.column(at).as_ref()).collect(),
    };
    let columns = (0..schema.fields().len()).map(|at| concat_on(threads, &column(at))).collect();
    Ok(record_batch(schema, columns, batches.iter().map(RecordBatch::num_rows).sum()))
}

impl Keys {
    /// Of the keys of rows, in pieces one after the other.
    fn of(join: &Join, pieces: &[KeyPiece]) -> Keys {
        let (hashing, threads) = (join.options.hashing(), threads_for(join, pieces));
        // Equal hashes are there to try the other way.
        if let (JoinKind::Probe { .. }, None, 1, Hashing::Mixed) = (join.kind, &join.predicate, join.key_types.len(), hashing) {
            let members = DynamicFilter::default();
            members.insert(&column_of(pieces, 0), join.nulls_equal, threads);
            if members.is_exact() {
                return Keys::Any(members);
            }
        }
        let types = join.graph.types();
        // A null that has no partner needs no code, and codes without nulls are narrower.
        let coded: Vec<TyId> = join.key_types.iter().map(|&ty| if join.nulls_equal { ty } else { types.strip(ty) }).collect();
        let mut encoder = KeyEncoder::new(types, &coded, hashing);
        let usable = |keys: &[ArrayRef]| if join.nulls_equal { None } else { without_nulls(keys) };
        let given: Vec<(&[ArrayRef], usize)> = pieces.iter().map(|piece| (piece.keys.as_slice(), piece.rows)).collect();
        let codes = encoder.encode_all(types, &given, threads);
        let coded: Vec<Piece> = codes.into_iter().zip(pieces).map(|(codes, piece)| Piece { codes, usable: usable(&piece.keys) }).collect();
        let index = Index::new(&coded, &encoder, hashing, threads);
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
    /// The table of rows whose keys these are.
    pub(super) fn new(
        join: &Join,
        schema: &SchemaRef,
        batches: Vec<RecordBatch>,
        pieces: &[KeyPiece],
        reservation: Arc<MemoryReservation>,
    ) -> Result<JoinHashTable> {
        let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let threads = threads_for(join, pieces);
        let together = || {
            let rows = put_together(schema, &batches, threads);
            drop(batches);
            rows
        };
        let (keys, rows) = parallel_both(threads_for_both(join, pieces), || Keys::of(join, pieces), together);
        let rows = rows?;
        reservation.try_grow(keys.size())?;
        let marks = matches!(join.kind, JoinKind::Pairs { keep_build: true, .. } | JoinKind::Build { .. });
        let matched = if marks { (0..count).map(|_| AtomicBool::new(false)).collect() } else { Vec::new() };
        Ok(JoinHashTable { rows, keys, matched, _reservation: reservation })
    }

    pub(super) fn mark(&self, rows: &[u32]) {
        rows.iter().filter(|&&row| row != u32::MAX).for_each(|&row| self.matched[row as usize].store(true, Ordering::Relaxed));
    }

    /// True for rows that have found a match, or for those that have not.
    pub(super) fn matched_mask(&self, matched: bool) -> BooleanArray {
        self.matched.iter().map(|m| Some(m.load(Ordering::Relaxed) == matched)).collect()
    }
}
