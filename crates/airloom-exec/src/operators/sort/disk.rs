//! Sorting rows that do not fit into memory: they are dealt out to files by ranges of their keys, and each range is sorted when it is its turn.
//!
//! Rows with equal keys are in one range, and within a file in the order they came in, so that no row needs a position. A range of one key is in order as it is; one that does
//! not fit into memory itself is sorted in the same way.

use super::Sorting;
use super::memory::{in_order, taken};
use crate::adapter::{Stream, stream_of};
use crate::memory::{PartitionFiles, SPILL_PARTITIONS, SPILL_TASKS, Spill};
use crate::operators::compact::compact;
use crate::schedule::TaskSet;
use airloom_compute::data::{batch_size, record_batch};
use airloom_compute::order::Ranges;
use airloom_io::failure::to_datafusion;
use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use std::sync::Arc;

/// The share of the memory that the rows of one range may take, with the order that is found of them.
const SHARE: usize = 4;

/// How many times its rows a range takes while it is sorted: the rows, their order, and the rows in that order.
const TIMES: usize = 3;

/// The rows of streams that follow one another, in the order of their keys. Ranges are found by those that are `known`; each stream may have a `rest`.
pub(super) fn sorted(
    how: Arc<Sorting>,
    known: Vec<Vec<RecordBatch>>,
    rest: Vec<Option<Stream>>,
    context: Arc<TaskContext>,
) -> BoxFuture<'static, Result<Stream>> {
    by_ranges(how, known, rest, context).boxed()
}

async fn by_ranges(
    how: Arc<Sorting>,
    known: Vec<Vec<RecordBatch>>,
    rest: Vec<Option<Stream>>,
    context: Arc<TaskContext>,
) -> Result<Stream> {
    let sample: Vec<RecordBatch> = known.iter().flatten().cloned().collect();
    let ranges = Arc::new(Ranges::new(&sample, &how.comparison(), SPILL_PARTITIONS)?);
    drop(sample);
    let spill = Spill::new(&context, how.stored());
    let mut tasks: TaskSet<Dealt> = TaskSet::default();
    for (rows, rest) in known.into_iter().zip(rest) {
        let (how, ranges, spill) = (how.clone(), ranges.clone(), spill.clone());
        tasks.spawn(async move {
            let mut writer = spill.writer();
            let mut sizes = vec![0usize; SPILL_PARTITIONS];
            let mut rows =
                futures::stream::iter(rows).map(Ok).chain(rest.map_or_else(|| futures::stream::empty().boxed(), StreamExt::boxed));
            while let Some(batch) = rows.next().await {
                how.cancel.check().map_err(to_datafusion)?;
                // What is written must not hold on to the rows that a filter dropped.
                let batch = compact(batch?);
                let each = batch_size(&batch) / batch.num_rows().max(1);
                let parts = ranges.of(&batch, &how.comparison())?;
                parts.iter().for_each(|&part| sizes[usize::from(part)] += each);
                writer.write_parts(&how.without_copies(&batch, spill.schema()), &parts)?;
            }
            Ok(Dealt { files: writer.finish()?, sizes })
        });
    }
    let dealt: Arc<[Dealt]> = tasks.in_order().await?.into();
    let schema = how.kept.clone();
    let largest = (0..SPILL_PARTITIONS).map(|range| size_of_range(&dealt, range)).max().unwrap_or(0);
    // As many ranges at once as the memory has room for.
    let room = how.options.memory / SHARE / (TIMES * largest).max(1);
    let tasks = room.clamp(1, how.options.threads.min(SPILL_TASKS));
    let range = move |range: usize| {
        let work = of_range(how.clone(), ranges.clone(), dealt.clone(), range, context.clone());
        let mut task: TaskSet<Vec<Rows>> = TaskSet::default();
        task.spawn(async move { Ok(vec![work.await?]) });
        async move { Ok(task.in_order().await?.into_iter().flatten().next()) }
    };
    let ranges = futures::stream::iter(0..SPILL_PARTITIONS).map(range).buffered(tasks);
    let rows = ranges.flat_map(|rows| match rows {
        Ok(Some(Rows::Memory(batches))) => futures::stream::iter(batches).map(Ok).boxed(),
        Ok(Some(Rows::Stream(stream))) => stream.boxed(),
        Ok(None) => futures::stream::empty().boxed(),
        Err(error) => futures::stream::iter([Err(error)]).boxed(),
    });
    Ok(stream_of(schema, rows))
}

/// What one partition has written.
struct Dealt {
    files: PartitionFiles,
    /// How many bytes the rows of each range take.
    sizes: Vec<usize>,
}

/// The rows of a range, in order.
enum Rows {
    Memory(Vec<RecordBatch>),
    Stream(Stream),
}

fn size_of_range(dealt: &[Dealt], range: usize) -> usize {
    dealt.iter().map(|dealt| dealt.sizes[range]).sum()
}

async fn of_range(how: Arc<Sorting>, ranges: Arc<Ranges>, dealt: Arc<[Dealt]>, range: usize, context: Arc<TaskContext>) -> Result<Rows> {
    let streams = dealt.iter().filter_map(|dealt| dealt.files.read(range).transpose()).collect::<Result<Vec<_>>>()?;
    let with_keys = how.clone();
    let schema = how.keyed.clone();
    let rows = futures::stream::iter(streams).flatten().map(move |batch| Ok(with_keys.with_copies(&batch?)));
    let mut rows = stream_of(schema, rows);
    if ranges.is_one_key(range) {
        let schema = how.kept.clone();
        let own = rows.map(move |batch| Ok(how.own_columns(&batch?)));
        return Ok(Rows::Stream(stream_of(schema, own)));
    }
    let reservation = MemoryConsumer::new("sort").register(context.memory_pool());
    let mut known = Vec::new();
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        let size = TIMES * batch_size(&batch);
        let room = reservation.size() + size <= how.options.memory / SHARE && reservation.try_grow(size).is_ok();
        known.push(batch);
        if !room && known.len() > 1 {
            drop(reservation);
            // A range that is large beyond its share: it is dealt out to narrower ones.
            return Ok(Rows::Stream(sorted(how, vec![known], vec![Some(rows)], context).await?));
        }
    }
    how.cancel.check().map_err(to_datafusion)?;
    let (places, morsel) = (in_order(&how, &known)?, how.options.morsel_rows);
    let sorted = taken(&how, &known, &places)?;
    let morsels = (0..sorted.num_rows()).step_by(morsel).map(|at| sorted.slice(at, morsel.min(sorted.num_rows() - at)));
    Ok(Rows::Memory(morsels.collect()))
}

impl Sorting {
    /// The columns that are written: the rows' own, and keys that none of them is.
    pub(super) fn stored(&self) -> SchemaRef {
        let written = |at: &usize| *at < self.own || self.copies[*at - self.own].is_none();
        let columns: Vec<usize> = (0..self.keyed.fields().len()).filter(written).collect();
        Arc::new(self.keyed.project(&columns).unwrap_or_else(|_| Schema::empty()))
    }

    /// A batch without keys that are among its own columns.
    pub(super) fn without_copies(&self, batch: &RecordBatch, stored: &SchemaRef) -> RecordBatch {
        let keys = self.copies.iter().enumerate().filter(|(_, copy)| copy.is_none()).map(|(at, _)| self.own + at);
        let columns = (0..self.own).chain(keys).map(|at| batch.column(at).clone()).collect();
        record_batch(stored, columns, batch.num_rows())
    }

    /// The batch that such a one was.
    pub(super) fn with_copies(&self, stored: &RecordBatch) -> RecordBatch {
        let mut next = self.own;
        let key = |copy: &Option<usize>| match copy {
            Some(at) => stored.column(*at).clone(),
            None => {
                next += 1;
                stored.column(next - 1).clone()
            }
        };
        let keys: Vec<_> = self.copies.iter().map(key).collect();
        let columns = stored.columns()[..self.own].iter().cloned().chain(keys).collect();
        record_batch(&self.keyed, columns, stored.num_rows())
    }
}
