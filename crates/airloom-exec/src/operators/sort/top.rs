//! The first few rows in the order of their keys: each partition keeps its best so far, and passes over rows that come after the last of them by their first key alone.

use super::Sorting;
use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::operators::compact::compact;
use crate::schedule::TaskSet;
use airloom_compute::data::record_batch;
use airloom_compute::order::{Codes, Cuts, Run};
use airloom_io::failure::to_datafusion;
use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{filter_record_batch, interleave};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// At most this many rows are kept here: of more, all are sorted.
pub(super) const MOST: usize = 1 << 16;

/// Rows are brought in order once there are this many times as many as are wanted, but not before there are some.
const TIMES: usize = 4;
const SOME: usize = 1 << 14;

/// The first `count` rows of a plan whose first `own` columns are theirs and whose others are their keys.
pub(super) fn top(plan: Arc<dyn ExecutionPlan>, sorting: Sorting, count: usize) -> Arc<dyn ExecutionPlan> {
    let kept = sorting.kept.clone();
    OperatorExec::plan(Top { how: Arc::new(sorting), count }, vec![plan], kept, 1)
}

struct Top {
    how: Arc<Sorting>,
    count: usize,
}

impl Operator for Top {
    fn name(&self) -> &'static str {
        "Top"
    }

    fn describe(&self) -> String {
        self.count.to_string()
    }

    fn run(&self, _: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (how, count, input, context) = (self.how.clone(), self.count, inputs[0].clone(), context.clone());
        let rows = async move {
            let mut tasks: TaskSet<Best> = TaskSet::default();
            for partition in 0..input.output_partitioning().partition_count() {
                let mut stream = input.execute(partition, context.clone())?;
                let mut best = Best { how: how.clone(), count, batches: Vec::new(), rows: 0, last: None };
                tasks.spawn(async move {
                    while let Some(batch) = stream.next().await {
                        best.how.cancel.check().map_err(to_datafusion)?;
                        best.take(&batch?)?;
                    }
                    // What is left of each partition is little, for the one that takes them all.
                    if best.rows > count {
                        best.choose()?;
                    }
                    Ok(best)
                });
            }
            let mut all = Best { how: how.clone(), count, batches: Vec::new(), rows: 0, last: None };
            // In the order of the partitions, which is that of their rows.
            for best in tasks.in_order().await? {
                all.rows += best.rows;
                all.batches.extend(best.batches);
            }
            let own: Vec<usize> = (0..how.own).collect();
            Ok(match all.in_order()? {
                Some(rows) => record_batch(&how.kept, rows.project(&own)?.columns().to_vec(), rows.num_rows()),
                None => RecordBatch::new_empty(how.kept.clone()),
            })
        };
        Ok(stream_of(self.how.kept.clone(), futures::stream::once(rows)))
    }
}

/// The best rows of those seen so far, and some that may not be among them.
struct Best {
    how: Arc<Sorting>,
    count: usize,
    batches: Vec<RecordBatch>,
    rows: usize,
    /// The code of the first key of the last row that is among the best: rows behind it are not.
    last: Option<u128>,
}

impl Best {
    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = match self.last.and_then(|last| self.no_later(batch, last)) {
            Some(none) if none.true_count() == 0 => return Ok(()),
            Some(some) => filter_record_batch(batch, &some)?,
            None => batch.clone(),
        };
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.rows += batch.num_rows();
        self.batches.push(batch);
        if self.rows >= SOME.max(self.count * TIMES) {
            self.choose()?;
            self.last = self.batches.first().and_then(|rows| self.first_codes(rows)).and_then(|codes| match codes {
                Codes::Narrow(codes) => codes.last().map(|&code| code.into()),
                Codes::Wide(codes) => codes.last().copied(),
            });
        }
        Ok(())
    }

    /// Keeps the best rows alone.
    fn choose(&mut self) -> Result<()> {
        let best = self.in_order()?;
        // What is kept must not hold on to all that it was chosen from.
        self.batches = best.map(compact).into_iter().collect();
        self.rows = self.batches.iter().map(RecordBatch::num_rows).sum();
        Ok(())
    }

    /// Which rows have a first key that is not behind that of the last row kept; nothing where keys have no codes.
    fn no_later(&self, batch: &RecordBatch, last: u128) -> Option<BooleanArray> {
        let kept = match self.first_codes(batch)? {
            Codes::Narrow(codes) => BooleanBuffer::collect_bool(codes.len(), |row| u128::from(codes[row]) <= last),
            Codes::Wide(codes) => BooleanBuffer::collect_bool(codes.len(), |row| codes[row] <= last),
        };
        Some(BooleanArray::new(kept, None))
    }

    fn first_codes(&self, batch: &RecordBatch) -> Option<Codes> {
        let Sorting { graph, own, key_types, by, .. } = self.how.as_ref();
        Codes::of(graph.types(), &key_types[..1], &batch.columns()[*own..=*own], &by[..1], batch.num_rows())
    }

    /// The best rows, in order; nothing where there are none.
    fn in_order(&self) -> Result<Option<RecordBatch>> {
        let Some(first) = self.batches.first() else { return Ok(None) };
        let how = &self.how;
        let run = Run::new(&self.batches, &how.comparison())?;
        let runs = [run];
        let mut at: Vec<(usize, usize)> = Cuts::new(&runs, 1).places(&runs, 0).into_iter().map(|place| place.parts()).collect();
        at.truncate(self.count);
        let column = |number: usize| -> Result<ArrayRef> {
            let arrays: Vec<&dyn Array> = self.batches.iter().map(|batch| batch.column(number).as_ref()).collect();
            Ok(interleave(&arrays, &at)?)
        };
        let columns = (0..first.num_columns()).map(column).collect::<Result<Vec<_>>>()?;
        Ok(Some(record_batch(&first.schema(), columns, at.len())))
    }
}
