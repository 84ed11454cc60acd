//! One row for each element of lists.

use crate::adapter::{Operator, Stream, stream_of};
use airloom_compute::data::{Cancel, Failure, record_batch};
use airloom_io::failure::to_datafusion;
use airloom_ir::attrs::EmptyList;
use airloom_ir::graph::NodeId;
use airloom_ir::oracle::Raised;
use arrow::array::{Array, ArrayRef, AsArray, LargeListArray, RecordBatch, UInt32Array, UInt64Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use futures::StreamExt;
use std::sync::Arc;

/// The rows of a plan, each as many times as its lists have elements.
pub struct Explode {
    /// What may stop it.
    pub cancel: Cancel,
    /// The node, for its errors.
    pub node: Option<NodeId>,
    /// The columns that are exploded, with their names.
    pub lists: Vec<(usize, String)>,
    /// What becomes of rows without elements.
    pub empty: EmptyList,
    /// The rows it makes.
    pub schema: SchemaRef,
}

/// How many rows are made at once, unless those of one row are more.
const MANY: usize = 1 << 16;

impl Explode {
    /// How many rows each row of a batch becomes.
    fn counts(&self, batch: &RecordBatch) -> Result<Vec<usize>, Failure> {
        let length = |lists: &LargeListArray, row: usize| if lists.is_null(row) { 0 } else { lists.value_length(row) as usize };
        let lists: Vec<&LargeListArray> = self.lists.iter().map(|(at, _)| batch.column(*at).as_list::<i64>()).collect();
        let mut counts: Vec<usize> = (0..batch.num_rows()).map(|row| length(lists[0], row)).collect();
        if lists.len() > 1 {
            for (row, &first) in counts.iter().enumerate() {
                if let Some(at) = lists.iter().position(|list| length(list, row) != first) {
                    let message = format!(
                        "the lists of a row must be equally long: `{}` has {first} elements and `{}` has {}",
                        self.lists[0].1,
                        self.lists[at].1,
                        length(lists[at], row)
                    );
                    return Err(Raised { node: self.node, ..Raised::new(message) }.into());
                }
            }
        }
        if self.empty == EmptyList::Null {
            counts.iter_mut().for_each(|count| *count = (*count).max(1));
        }
        Ok(counts)
    }

    /// The rows that some rows of a batch become.
    fn exploded(&self, batch: &RecordBatch, counts: &[usize]) -> RecordBatch {
        let total = counts.iter().sum();
        let rows =
            UInt32Array::from_iter_values(counts.iter().enumerate().flat_map(|(row, &count)| std::iter::repeat_n(row as u32, count)));
        let column = |(at, column): (usize, &ArrayRef)| {
            if self.lists.iter().any(|(list, _)| *list == at) {
                elements(column.as_list::<i64>(), counts, total)
            } else {
                take(column, &rows, None).expect("rows of the batch")
            }
        };
        record_batch(&self.schema, batch.columns().iter().enumerate().map(column).collect(), total)
    }
}

/// The elements of lists one after the other, and null for a row that has none but counts.
fn elements(lists: &LargeListArray, counts: &[usize], total: usize) -> ArrayRef {
    let offsets = lists.value_offsets();
    let (first, last) = (offsets[0] as usize, offsets[lists.len()] as usize);
    let present = |row: usize| !lists.is_null(row) && lists.value_length(row) > 0;
    // Where every row has as many elements as it counts, they are stored one after the other already.
    if last - first == total && (0..lists.len()).all(|row| present(row) || counts[row] == 0 && lists.value_length(row) == 0) {
        return lists.values().slice(first, total);
    }
    let mut places: Vec<Option<u64>> = Vec::with_capacity(total);
    for (row, &count) in counts.iter().enumerate() {
        match present(row) {
            true => places.extend((offsets[row] as u64..offsets[row + 1] as u64).map(Some)),
            false => places.resize(places.len() + count, None),
        }
    }
    take(lists.values(), &UInt64Array::from(places), None).expect("elements of the lists")
}

/// Rows of a batch that become at most `MANY` rows, unless one alone becomes more: where they begin, and how many they are.
fn pieces(counts: &[usize]) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let (mut start, mut made) = (0, 0);
    for (row, &count) in counts.iter().enumerate() {
        if row > start && made + count > MANY {
            pieces.push((start, row - start));
            (start, made) = (row, 0);
        }
        made += count;
    }
    pieces.push((start, counts.len() - start));
    pieces
}

impl Operator for Arc<Explode> {
    fn name(&self) -> &'static str {
        "Explode"
    }

    fn describe(&self) -> String {
        self.lists.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let explode = self.clone();
        let rows = inputs[0].execute(partition, context.clone())?.flat_map(move |batch| {
            let counted = batch.and_then(|batch| {
                explode.cancel.check().map_err(to_datafusion)?;
                let counts = explode.counts(&batch).map_err(to_datafusion)?;
                Ok((batch, counts))
            });
            match counted {
                Err(error) => futures::stream::iter([Err(error)]).boxed(),
                Ok((batch, counts)) => {
                    let (explode, pieces) = (explode.clone(), pieces(&counts));
                    let made = move |(at, length): (usize, usize)| Ok(explode.exploded(&batch.slice(at, length), &counts[at..at + length]));
                    futures::stream::iter(pieces).map(made).boxed()
                }
            }
        });
        let full = rows.filter(|batch| futures::future::ready(batch.as_ref().map_or(true, |b| b.num_rows() > 0)));
        Ok(stream_of(self.schema.clone(), full))
    }
}
