//! Batches of rows as one sequence of them.

use arrow::array::RecordBatch;
use std::collections::VecDeque;
use std::ops::Range;

/// The rows at some positions among those of batches, without copying them.
pub fn rows_between(batches: &[RecordBatch], wanted: Range<usize>) -> Vec<RecordBatch> {
    let (mut found, mut first) = (Vec::new(), 0);
    for batch in batches {
        let within = |at: usize| at.saturating_sub(first).min(batch.num_rows());
        let (from, to) = (within(wanted.start), within(wanted.end));
        if from < to {
            found.push(batch.slice(from, to - from));
        }
        first += batch.num_rows();
    }
    found
}

/// Rows that wait, in order.
#[derive(Clone, Default)]
pub struct RowQueue {
    batches: VecDeque<RecordBatch>,
    count: usize,
}

impl RowQueue {
    /// Puts rows after those that wait.
    pub fn push(&mut self, rows: RecordBatch) {
        self.count += rows.num_rows();
        self.batches.push_back(rows);
    }

    /// How many rows wait.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The rows, batch by batch.
    pub fn batches(&self) -> impl Iterator<Item = &RecordBatch> + Clone {
        self.batches.iter()
    }

    /// Takes the first of them out, of which there are as many.
    pub fn take(&mut self, rows: usize) -> Vec<RecordBatch> {
        let (mut taken, mut left) = (Vec::new(), rows);
        while left > 0 {
            let first = self.batches.pop_front().expect("as many rows as are taken");
            let here = first.num_rows().min(left);
            taken.push(first.slice(0, here));
            if here < first.num_rows() {
                self.batches.push_front(first.slice(here, first.num_rows() - here));
            }
            left -= here;
        }
        self.count -= rows;
        taken
    }

    /// Leaves only the last of them, as many as are wanted.
    pub fn keep_last(&mut self, wanted: usize) {
        self.take(self.count.saturating_sub(wanted));
    }
}

#[cfg(test)]
mod tests {
    use super::{RowQueue, rows_between};
    use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
    use arrow::datatypes::Int64Type;
    use std::sync::Arc;

    fn batch(values: std::ops::Range<i64>) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        RecordBatch::try_from_iter([("a", column)]).expect("a column")
    }

    fn values<'a>(batches: impl IntoIterator<Item = &'a RecordBatch>) -> Vec<i64> {
        batches.into_iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
    }

    #[test]
    fn rows_are_found_across_batches() {
        let batches = [batch(0..3), batch(3..3), batch(3..8)];
        for start in 0..9 {
            for end in start..10 {
                let expected: Vec<i64> = (start as i64..(end as i64).min(8)).collect();
                assert_eq!(values(&rows_between(&batches, start..end)), expected);
            }
        }
    }

    #[test]
    fn rows_leave_in_the_order_they_came() {
        let mut rows = RowQueue::default();
        rows.push(batch(0..3));
        rows.push(batch(3..8));
        assert_eq!(values(&rows.take(4)), [0, 1, 2, 3]);
        rows.push(batch(8..10));
        assert_eq!((rows.count(), values(rows.batches())), (6, vec![4, 5, 6, 7, 8, 9]));
        rows.keep_last(3);
        rows.keep_last(5);
        assert_eq!(values(&rows.take(3)), [7, 8, 9]);
        assert_eq!(rows.count(), 0);
    }
}
