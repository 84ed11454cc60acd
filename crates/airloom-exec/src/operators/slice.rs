//! Some rows, by their positions.

use super::single_partition;
use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::options::ExecOptions;
use arrow::array::RecordBatch;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{StreamExt, TryFutureExt, TryStreamExt};
use std::collections::VecDeque;
use std::sync::Arc;

struct Slice {
    offset: usize,
    length: usize,
}

/// Up to how many rows partitions are read one after the other, each only where those before it had too few.
const FEW: usize = 1 << 16;

/// The rows at `length` positions from `offset`, which counts from the end when negative. Where it is lazy, rows after the last one are not computed.
pub fn slice(
    options: &ExecOptions,
    plan: Arc<dyn ExecutionPlan>,
    offset: i64,
    length: Option<usize>,
    lazy: bool,
) -> Arc<dyn ExecutionPlan> {
    let schema = plan.schema();
    let few = lazy && length.is_some_and(|l| l.saturating_add(usize::try_from(offset).unwrap_or(usize::MAX)) <= FEW);
    if let (Ok(offset), Some(length), true) = (usize::try_from(offset), length, few) {
        return OperatorExec::plan(Slice { offset, length }, vec![plan], schema, 1);
    }
    let plan = match Ends::of(offset, length) {
        Some(ends) => {
            let partitions = plan.output_partitioning().partition_count();
            OperatorExec::plan(ends, vec![plan], schema.clone(), partitions)
        }
        None => plan,
    };
    single_partition(options, "Slice", vec![plan], schema, move |inputs| Ok(slice_of(&inputs[0], offset, length)))
}

/// The first rows of a plan, whose partitions are read one after the other.
pub(super) fn first(plan: Arc<dyn ExecutionPlan>, count: usize) -> Arc<dyn ExecutionPlan> {
    let schema = plan.schema();
    OperatorExec::plan(Slice { offset: 0, length: count }, vec![plan], schema, 1)
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
            (Err(_), _) => Some(Ends::Last(usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX))),
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
            Ends::First(mut left) => {
                let rows = stream.map(move |batch| {
                    let batch = batch?;
                    let kept = batch.num_rows().min(left);
                    left -= kept;
                    Ok(batch.slice(0, kept))
                });
                stream_of(schema, rows.filter(|batch| futures::future::ready(batch.as_ref().map_or(true, |rows| rows.num_rows() > 0))))
            }
            Ends::Last(wanted) => {
                let rows = last_rows(stream, wanted).map_ok(|rows| futures::stream::iter(rows.into_iter().map(Ok)));
                stream_of(schema, futures::stream::once(rows).try_flatten())
            }
        })
    }
}

/// The last rows of a stream, as many as are wanted, which is at least one.
async fn last_rows(mut stream: Stream, wanted: usize) -> Result<VecDeque<RecordBatch>> {
    let (mut kept, mut count) = (VecDeque::<RecordBatch>::new(), 0);
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        count += batch.num_rows();
        kept.push_back(batch);
        while let Some(first) = kept.pop_front_if(|first| count - first.num_rows() >= wanted) {
            count -= first.num_rows();
        }
    }
    if let Some(first) = kept.front_mut() {
        let over = count.saturating_sub(wanted);
        *first = first.slice(over, first.num_rows() - over);
    }
    Ok(kept)
}

fn slice_of(rows: &RecordBatch, offset: i64, length: Option<usize>) -> RecordBatch {
    let count = rows.num_rows() as i128;
    let start = if offset < 0 { count + i128::from(offset) } else { i128::from(offset) };
    let end = length.map_or(count, |l| start + l as i128).clamp(0, count);
    let start = start.clamp(0, count);
    rows.slice(start as usize, (end - start).max(0) as usize)
}

impl Operator for Slice {
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
        let state = (chained, self.offset, self.length);
        let rows = futures::stream::unfold(state, |(mut rows, mut skip, mut left)| async move {
            while left > 0 {
                let batch = match rows.next().await? {
                    Ok(batch) => batch,
                    Err(error) => return Some((Err(error), (rows, 0, 0))),
                };
                let passed = skip.min(batch.num_rows());
                skip -= passed;
                let kept = (batch.num_rows() - passed).min(left);
                left -= kept;
                if kept > 0 {
                    return Some((Ok(batch.slice(passed, kept)), (rows, skip, left)));
                }
            }
            None
        });
        Ok(stream_of(schema, rows))
    }
}
