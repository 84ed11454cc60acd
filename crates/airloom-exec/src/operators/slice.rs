//! Some rows, by their positions.

use crate::adapter::{Operator, OperatorExec, Stream, rows_of, stream_of};
use crate::exchange::{EdgeRows, Kept, Materialized, RowQueue, keep_partitions, rows_between};
use crate::options::ExecOptions;
use crate::schedule::Once;
use arrow::array::RecordBatch;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{StreamExt, TryFutureExt, TryStreamExt};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Up to how many rows partitions are read one after the other, each only where those before it had too few.
const FEW: usize = 1 << 16;

/// The rows at `length` positions from `offset`, which counts from the end when negative. Where it is lazy, rows after the last one are not computed.
pub fn slice(
    options: &Arc<ExecOptions>,
    plan: Arc<dyn ExecutionPlan>,
    offset: i64,
    length: Option<usize>,
    lazy: bool,
) -> Arc<dyn ExecutionPlan> {
    let schema = plan.schema();
    let partitions = plan.output_partitioning().partition_count();
    let few = lazy && length.is_some_and(|l| l.saturating_add(usize::try_from(offset).unwrap_or(usize::MAX)) <= FEW);
    if let (Ok(offset), Some(length), true) = (usize::try_from(offset), length, few) {
        return OperatorExec::plan(Chained { offset, length }, vec![plan], schema, 1);
    }
    let counts = (0..partitions).map(|partition| rows_of(&plan, partition)).collect::<Option<Vec<usize>>>();
    if let Some(kept) = counts.map(|counts| ranges(&counts, offset, length)).filter(|kept| are_even(kept)) {
        return OperatorExec::plan(Counted { kept, lazy }, vec![plan], schema, partitions);
    }
    if let (Ok(skip @ ..=FEW), None) = (usize::try_from(offset), length) {
        return OperatorExec::plan(Skipping { skip, begun: Once::default() }, vec![plan], schema, partitions);
    }
    let plan = match Ends::of(offset, length) {
        Some(ends) => OperatorExec::plan(ends, vec![plan], schema.clone(), partitions),
        None => plan,
    };
    let partitions = partitions.max(options.threads);
    let operator = FromKept { options: options.clone(), offset, length, partitions, kept: Once::default() };
    OperatorExec::plan(operator, vec![plan], schema, partitions)
}

/// The first rows of a plan, whose partitions are read one after the other.
pub(super) fn first(plan: Arc<dyn ExecutionPlan>, count: usize) -> Arc<dyn ExecutionPlan> {
    let schema = plan.schema();
    OperatorExec::plan(Chained { offset: 0, length: count }, vec![plan], schema, 1)
}

/// Whether what follows has about as much to do for each partition, or not much for any.
fn are_even(kept: &[Range<usize>]) -> bool {
    let (all, most) = kept.iter().fold((0, 0), |(all, most), rows| (all + rows.len(), most.max(rows.len())));
    all <= FEW || most * kept.len() * 2 <= all * 3
}

/// Which rows of each partition are in a slice, by how many rows the partitions have.
fn ranges(counts: &[usize], offset: i64, length: Option<usize>) -> Vec<Range<usize>> {
    let count: i128 = counts.iter().map(|&rows| rows as i128).sum();
    let start = if offset < 0 { count + i128::from(offset) } else { i128::from(offset) };
    let end = length.map_or(count, |length| start + length as i128);
    let mut first = 0;
    let range = |&rows: &usize| {
        let within = |at: i128| (at - first).clamp(0, rows as i128) as usize;
        let range = within(start)..within(end);
        first += rows as i128;
        range.start..range.end.max(range.start)
    };
    counts.iter().map(range).collect()
}

/// The rows of a stream at some positions. Those after the last one are read only `to_the_end`.
fn rows_at(stream: Stream, wanted: Range<usize>, to_the_end: bool) -> Stream {
    let schema = stream.schema();
    let rows = futures::stream::try_unfold((stream, wanted), move |(mut rows, mut wanted)| async move {
        while to_the_end || !wanted.is_empty() {
            let Some(batch) = rows.next().await.transpose()? else { return Ok(None) };
            let count = batch.num_rows();
            let (from, to) = (wanted.start.min(count), wanted.end.min(count));
            wanted = wanted.start.saturating_sub(count)..wanted.end.saturating_sub(count);
            if from < to {
                return Ok(Some((batch.slice(from, to - from), (rows, wanted))));
            }
        }
        Ok(None)
    });
    stream_of(schema, rows)
}

/// Partitions one after the other, up to the last row.
struct Chained {
    offset: usize,
    length: usize,
}

impl Operator for Chained {
    fn name(&self) -> &'static str {
        "Slice"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, _: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (input, context) = (inputs[0].clone(), context.clone());
        let schema = input.schema();
        let count = input.output_partitioning().partition_count();
        let chained = futures::stream::iter(0..count).flat_map(move |partition| match input.execute(partition, context.clone()) {
            Ok(stream) => stream,
            Err(error) => stream_of(input.schema(), futures::stream::iter([Err(error)])),
        });
        Ok(rows_at(stream_of(schema, chained), self.offset..self.offset.saturating_add(self.length), false))
    }
}

/// Some rows of each partition: how many there are was known before.
struct Counted {
    kept: Vec<Range<usize>>,
    lazy: bool,
}

impl Operator for Counted {
    fn name(&self) -> &'static str {
        "Slice"
    }

    fn describe(&self) -> String {
        "in place".to_owned()
    }

    fn rows(&self, partition: usize, _: &[Arc<dyn ExecutionPlan>]) -> Option<usize> {
        Some(self.kept[partition].len())
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let kept = self.kept[partition].clone();
        if self.lazy && kept.is_empty() {
            return Ok(stream_of(inputs[0].schema(), futures::stream::empty()));
        }
        Ok(rows_at(inputs[0].execute(partition, context.clone())?, kept, !self.lazy))
    }
}

/// All rows but the first. Whoever asks first reads partitions until as many rows are skipped; the partition in which that was, and those after it, go on as they are.
struct Skipping {
    skip: usize,
    begun: Once<Begun>,
}

/// Partitions that were read to skip rows.
struct Begun {
    /// How many.
    partitions: usize,
    /// What is left of the last of them.
    rest: Mutex<Option<Stream>>,
}

impl Begun {
    /// Skips rows.
    async fn after(mut skip: usize, input: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>) -> Result<Begun> {
        let count = input.output_partitioning().partition_count();
        for partition in 0..count {
            let mut stream = input.execute(partition, context.clone())?;
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                if batch.num_rows() > skip {
                    let left = batch.slice(skip, batch.num_rows() - skip);
                    let rest = stream_of(input.schema(), futures::stream::iter([Ok(left)]).chain(stream));
                    return Ok(Begun { partitions: partition + 1, rest: Mutex::new(Some(rest)) });
                }
                skip -= batch.num_rows();
            }
        }
        Ok(Begun { partitions: count, rest: Mutex::new(None) })
    }
}

impl Operator for Skipping {
    fn name(&self) -> &'static str {
        "Slice"
    }

    fn describe(&self) -> String {
        format!("all but the first {}", self.skip)
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (input, context, schema) = (inputs[0].clone(), context.clone(), inputs[0].schema());
        let begun = {
            let (skip, input, context) = (self.skip, input.clone(), context.clone());
            self.begun.get(move || Begun::after(skip, input, context))
        };
        let rows = begun.and_then(move |begun| {
            let is_last = partition + 1 == begun.partitions;
            let rest = if is_last { begun.rest.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None };
            let nothing = || stream_of(input.schema(), futures::stream::empty());
            let rows = if partition < begun.partitions { Ok(rest.unwrap_or_else(nothing)) } else { input.execute(partition, context) };
            futures::future::ready(rows)
        });
        Ok(stream_of(schema, rows.try_flatten_stream()))
    }
}

/// A slice of rows that are kept until it is known how many there are; on disk, where there is no room.
struct FromKept {
    options: Arc<ExecOptions>,
    offset: i64,
    length: Option<usize>,
    partitions: usize,
    kept: Once<Sliced>,
}

/// The rows of a slice.
enum Sliced {
    /// In memory, to be dealt out evenly; and what counts them there.
    Memory { rows: Arc<Materialized>, _kept: Vec<Kept> },
    /// Some rows of each partition, of which some are on disk.
    Disk(Vec<(Kept, Range<usize>)>),
}

impl Sliced {
    fn new(kept: Vec<Kept>, offset: i64, length: Option<usize>) -> Sliced {
        let counts: Vec<usize> = kept.iter().map(|kept| kept.count).collect();
        let wanted = ranges(&counts, offset, length);
        let Some(rows) = kept.iter().map(Kept::in_memory).collect::<Option<Vec<&[RecordBatch]>>>() else {
            return Sliced::Disk(kept.into_iter().zip(wanted).collect());
        };
        let left = rows.into_iter().zip(wanted).flat_map(|(rows, wanted)| rows_between(rows, wanted)).collect();
        Sliced::Memory { rows: Arc::new(Materialized::batches(left)), _kept: kept }
    }
}

impl Operator for FromKept {
    fn name(&self) -> &'static str {
        "Slice"
    }

    fn describe(&self) -> String {
        "of rows that are counted first".to_owned()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (options, input, context, schema) = (self.options.clone(), inputs[0].clone(), context.clone(), inputs[0].schema());
        let (offset, length, partitions, morsel) = (self.offset, self.length, self.partitions, self.options.morsel_rows);
        let kept = async move { Ok(Sliced::new(keep_partitions(&options, &input, EdgeRows::default(), &context).await?, offset, length)) };
        let kept = self.kept.get(move || kept);
        let made = schema.clone();
        let rows = kept.and_then(move |kept| {
            let rows = match kept.as_ref() {
                Sliced::Memory { rows, .. } => {
                    Ok(Materialized::partition(futures::future::ready(Ok(rows.clone())), made, partition, partitions, morsel))
                }
                Sliced::Disk(parts) => match parts.get(partition) {
                    Some((part, wanted)) => part.stream().map(|rows| rows_at(rows, wanted.clone(), false)),
                    None => Ok(stream_of(made, futures::stream::empty())),
                },
            };
            futures::future::ready(rows)
        });
        Ok(stream_of(schema, rows.try_flatten_stream()))
    }
}

/// A number of rows at one end of each partition: none of the others can be in the slice. All rows are computed, since one of them may raise.
#[derive(Clone, Copy, Debug)]
enum Ends {
    First(usize),
    Last(usize),
}

impl Ends {
    /// What a slice takes of each partition, where that is not all there may be.
    fn of(offset: i64, length: Option<usize>) -> Option<Ends> {
        match (usize::try_from(offset), length) {
            (Ok(offset), Some(length)) => Some(Ends::First(offset.saturating_add(length))),
            (Ok(_), None) => None,
            // Many rows are better kept where they may go to disk.
            (Err(_), _) => usize::try_from(offset.unsigned_abs()).ok().filter(|&rows| rows <= FEW).map(Ends::Last),
        }
    }
}

impl Operator for Ends {
    fn name(&self) -> &'static str {
        "Ends"
    }

    fn describe(&self) -> String {
        match self {
            Ends::First(rows) => format!("the first {rows}"),
            Ends::Last(rows) => format!("the last {rows}"),
        }
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let stream = inputs[0].execute(partition, context.clone())?;
        let schema = stream.schema();
        Ok(match *self {
            Ends::First(rows) => rows_at(stream, 0..rows, true),
            Ends::Last(wanted) => {
                let rows = last_rows(stream, wanted).map_ok(|rows| futures::stream::iter(rows.into_iter().map(Ok)));
                stream_of(schema, futures::stream::once(rows).try_flatten())
            }
        })
    }
}

/// The last rows of a stream, as many as are wanted.
async fn last_rows(mut stream: Stream, wanted: usize) -> Result<Vec<RecordBatch>> {
    let mut kept = RowQueue::default();
    while let Some(batch) = stream.next().await {
        kept.push(batch?);
        kept.keep_last(wanted);
    }
    Ok(kept.take(kept.count()))
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn ranges_are_those_of_all_rows() {
        let counts = [3, 0, 5, 1];
        let all: Vec<(usize, usize)> = counts.iter().enumerate().flat_map(|(at, &rows)| (0..rows).map(move |row| (at, row))).collect();
        for offset in -12_i64..12 {
            for length in [None, Some(0), Some(1), Some(4), Some(usize::MAX)] {
                let start = if offset < 0 { all.len() as i64 + offset } else { offset };
                let end =
                    length.map_or(all.len() as i128, |length| i128::from(start) + length as i128).clamp(0, all.len() as i128) as usize;
                let start = start.clamp(0, all.len() as i64) as usize;
                let expected = &all[start..end.max(start)];
                let found = ranges(&counts, offset, length);
                let found: Vec<(usize, usize)> =
                    found.into_iter().enumerate().flat_map(|(at, rows)| rows.map(move |row| (at, row))).collect();
                assert_eq!(found, expected, "{offset}, {length:?}");
            }
        }
    }
}
