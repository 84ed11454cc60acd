//! Sorting rows that fit into memory.
//!
//! Rows are collected, and parts of them sorted in parallel: not the rows themselves, but the codes of their keys with the positions of the rows. Each
//! partition of the result then finds its own share of all positions and takes the rows at them. Where there are too many rows, those collected so far and
//! those still to come are sorted by way of the disk.

use super::Sorting;
use super::disk;
use super::ranges::ByRange;
use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::schedule::{Once, TaskSet};
use airloom_compute::data::{RowOf, batch_size, gather, record_batch};
use airloom_compute::order::{Cuts, Place, Run, Unsorted};
use airloom_io::failure::to_datafusion;
use arrow::array::{Array, ArrayRef, RecordBatch, new_empty_array};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The share of the memory that collected rows may take.
const SHARE: usize = 3;

/// The share of the rows from which on parts pay that a run has at least.
const RUN_SHARE: usize = 16;

/// Rows are taken in pieces of at least this share of a partition: each piece looks at every batch.
const PIECES: usize = 16;

/// The rows of a plan whose first `own` columns are theirs and whose others are their keys, in the order of the keys.
pub(super) fn in_memory(plan: Arc<dyn ExecutionPlan>, sorting: Sorting) -> Arc<dyn ExecutionPlan> {
    let (kept, partitions) = (sorting.kept.clone(), sorting.options.threads);
    OperatorExec::plan(Sort { how: Arc::new(sorting), sorted: Once::default() }, vec![plan], kept, partitions)
}

struct Sort {
    how: Arc<Sorting>,
    sorted: Once<Sorted>,
}

/// All rows, and their order.
enum Sorted {
    Memory {
        batches: Vec<RecordBatch>,
        runs: Vec<Run>,
        cuts: Cuts,
        /// What keeps the memory theirs.
        _reservation: Arc<MemoryReservation>,
    },
    /// Rows dealt out by ranges of their keys, each of which is sorted when it is asked for.
    Ranges {
        ranges: ByRange,
        /// What keeps the memory theirs.
        _reservation: Arc<MemoryReservation>,
    },
    /// Rows that come from disk: the first partition emits them all.
    Disk(Mutex<Option<Stream>>),
}

/// What a partition of the input has given: all its rows, or some and the rest.
enum Part {
    SinglePartition(Vec<RecordBatch>),
    Begun(Vec<RecordBatch>, Stream),
}

impl Operator for Sort {
    fn name(&self) -> &'static str {
        "Sort"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (how, input, context) = (self.how.clone(), inputs[0].clone(), context.clone());
        let sorted = self.sorted.get(move || sort(how, input, context));
        let how = self.how.clone();
        let rows = futures::stream::once(sorted).flat_map(move |sorted| match sorted {
            Ok(sorted) => match sorted.as_ref() {
                Sorted::Memory { .. } => brought_together(how.clone(), sorted, partition).boxed(),
                Sorted::Ranges { ranges, .. } => range_by_range(how.clone(), ranges.share(partition), sorted).boxed(),
                Sorted::Disk(rows) if partition == 0 => {
                    let rows = rows.lock().unwrap_or_else(PoisonError::into_inner).take();
                    rows.map_or_else(|| futures::stream::empty().boxed(), StreamExt::boxed)
                }
                Sorted::Disk(_) => futures::stream::empty().boxed(),
            },
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        });
        Ok(stream_of(self.how.kept.clone(), rows))
    }
}

/// Collects the rows and finds their order.
async fn sort(how: Arc<Sorting>, input: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>) -> Result<Sorted> {
    let reservation = Arc::new(MemoryConsumer::new("sort").register(context.memory_pool()));
    let full = Arc::new(AtomicBool::new(false));
    let mut tasks: TaskSet<Part> = TaskSet::default();
    for partition in 0..input.output_partitioning().partition_count() {
        let mut stream = input.execute(partition, context.clone())?;
        let (how, reservation, full) = (how.clone(), reservation.clone(), full.clone());
        tasks.spawn(async move {
            let mut rows = Vec::new();
            while !full.load(Ordering::Relaxed) {
                let Some(batch) = stream.next().await else { return Ok(Part::SinglePartition(rows)) };
                how.cancel.check().map_err(to_datafusion)?;
                let batch = batch?;
                let size = batch_size(&batch);
                let room = reservation.size() + size <= how.options.memory / SHARE && reservation.try_grow(size).is_ok();
                full.fetch_or(!room || how.options.always_spill, Ordering::Relaxed);
                rows.push(batch);
            }
            Ok(Part::Begun(rows, stream))
        });
    }
    let parts = tasks.in_order().await?;
    if full.load(Ordering::Relaxed) {
        drop(reservation);
        return by_way_of_disk(how, parts, context).await;
    }
    let rows = parts.into_iter().flat_map(|part| if let Part::SinglePartition(rows) = part { rows } else { Vec::new() });
    let batches: Vec<RecordBatch> = rows.filter(|batch| batch.num_rows() > 0).collect();
    let count = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    let pieces: Vec<Vec<RecordBatch>> = divided(&batches, how.options.threads).into_iter().map(|(_, rows)| rows).collect();
    // Rows that are dealt out are there twice.
    let size = reservation.size();
    if reservation.try_grow(size).is_ok() {
        if let Some(ranges) = ByRange::deal(&how, &pieces).await? {
            return Ok(Sorted::Ranges { ranges, _reservation: reservation });
        }
        reservation.shrink(size);
    }
    let parts = (count / how.options.parts_rows.div_ceil(RUN_SHARE)).clamp(1, how.options.threads);
    let runs = runs(&how, &batches, parts).await?;
    let size: usize = runs.iter().map(Run::size).sum();
    if reservation.try_grow(size).is_err() {
        drop((reservation, runs));
        return by_way_of_disk(how, vec![Part::SinglePartition(batches)], context).await;
    }
    // The keys have done their work.
    let own: Vec<usize> = (0..how.own).collect();
    let batches = batches.iter().map(|batch| batch.project(&own)).collect::<Result<_, _>>()?;
    let cuts = Cuts::new(&runs, parts);
    Ok(Sorted::Memory { batches, runs, cuts, _reservation: reservation })
}

/// The rows of batches in order, a part of them in each run.
async fn runs(how: &Arc<Sorting>, batches: &[RecordBatch], parts: usize) -> Result<Vec<Run>> {
    let mut tasks: TaskSet<Unsorted> = TaskSet::default();
    for (first, batches) in divided(batches, parts) {
        let how = how.clone();
        tasks.spawn(async move { Ok(Unsorted::new(&batches, first, &how.comparison())?) });
    }
    let unsorted = tasks.in_order().await?;
    // What all keys begin with decides nothing.
    let common = Unsorted::common_prefix(&unsorted);
    let mut tasks: TaskSet<Run> = TaskSet::default();
    unsorted.into_iter().for_each(|some| tasks.spawn(async move { Ok(some.sorted(common)) }));
    tasks.in_order().await
}

/// The batches in `parts` parts of about as many rows each, with the number of the first batch of each.
fn divided(batches: &[RecordBatch], parts: usize) -> Vec<(usize, Vec<RecordBatch>)> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let mut made: Vec<(usize, Vec<RecordBatch>)> = Vec::new();
    let mut before = 0;
    for (number, batch) in batches.iter().enumerate() {
        if made.is_empty() || before * parts >= made.len() * rows {
            made.push((number, Vec::new()));
        }
        if let Some((_, part)) = made.last_mut() {
            part.push(batch.clone());
        }
        before += batch.num_rows();
    }
    made
}

/// One partition of a result whose rows are dealt out.
fn range_by_range(how: Arc<Sorting>, share: Range<usize>, sorted: Arc<Sorted>) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
    let morsel = how.options.morsel_rows;
    futures::stream::iter(share).flat_map(move |range| {
        let Sorted::Ranges { ranges, .. } = sorted.as_ref() else { panic!("invariant `ranges are of rows in memory`") };
        futures::stream::iter(in_morsels(ranges.range(&how, range), morsel))
    })
}

/// Rows in morsels.
fn in_morsels(rows: Result<RecordBatch>, morsel: usize) -> Vec<Result<RecordBatch>> {
    match rows {
        Ok(rows) => (0..rows.num_rows()).step_by(morsel).map(|at| Ok(rows.slice(at, morsel.min(rows.num_rows() - at)))).collect(),
        Err(error) => vec![Err(error)],
    }
}

/// One partition of the result.
fn brought_together(how: Arc<Sorting>, sorted: Arc<Sorted>, partition: usize) -> impl futures::Stream<Item = Result<RecordBatch>> + Send {
    let morsel = how.options.morsel_rows;
    // Found when the first rows are asked for.
    let found = futures::stream::once(async move {
        let Sorted::Memory { runs, cuts, .. } = sorted.as_ref() else { return (sorted, Vec::new()) };
        let found = cuts.places(runs, partition);
        (sorted, found)
    });
    found.flat_map(move |(sorted, found)| {
        let how = how.clone();
        let size = morsel.max(found.len() / PIECES);
        let pieces: Vec<Vec<Place>> = found.chunks(size).map(<[Place]>::to_vec).collect();
        futures::stream::iter(pieces).flat_map(move |piece| {
            let rows = how.cancel.check().map_err(to_datafusion).and_then(|()| rows_at(&how, &sorted, &piece));
            futures::stream::iter(in_morsels(rows, morsel))
        })
    })
}

/// The rows at some positions.
fn rows_at(how: &Sorting, sorted: &Sorted, places: &[Place]) -> Result<RecordBatch> {
    let Sorted::Memory { batches, .. } = sorted else { panic!("invariant `places are of rows in memory`") };
    taken(how, batches, places)
}

/// The rows of batches at some positions, without their keys.
pub(super) fn taken(how: &Sorting, batches: &[RecordBatch], places: &[Place]) -> Result<RecordBatch> {
    let row = |place: &Place| {
        let (column, row) = place.parts();
        RowOf { column: column as u32, row: row as u32 }
    };
    let at: Vec<RowOf> = places.iter().map(row).collect();
    let column = |number: usize| -> ArrayRef {
        let arrays: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(number).as_ref()).collect();
        gather(&arrays, &at)
    };
    let columns = if at.is_empty() {
        how.kept.fields().iter().map(|field| new_empty_array(field.data_type())).collect()
    } else {
        (0..how.own).map(column).collect()
    };
    Ok(record_batch(&how.kept, columns, at.len()))
}

/// The positions of the rows of batches, in the order of their keys.
pub(super) fn in_order(how: &Sorting, batches: &[RecordBatch]) -> Result<Vec<Place>> {
    let runs = [Run::new(batches, &how.comparison())?];
    Ok(Cuts::new(&runs, 1).places(&runs, 0))
}

/// Rows that do not fit in memory: those collected so far, and those still to come.
async fn by_way_of_disk(how: Arc<Sorting>, parts: Vec<Part>, context: Arc<TaskContext>) -> Result<Sorted> {
    let (known, rest) = parts
        .into_iter()
        .map(|part| match part {
            Part::SinglePartition(rows) => (rows, None),
            Part::Begun(rows, rest) => (rows, Some(rest)),
        })
        .unzip();
    Ok(Sorted::Disk(Mutex::new(Some(disk::sorted(how, known, rest, context).await?))))
}
