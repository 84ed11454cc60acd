//! Batches that hold on to no more text than is theirs.

use airloom_compute::data::{compacted, record_batch};
use arrow::array::RecordBatch;

/// The rows, their text written anew where it is but a part of what they hold on to.
pub(super) fn compact(batch: RecordBatch) -> RecordBatch {
    let columns = batch.columns().iter().map(compacted);
    record_batch(&batch.schema(), columns.collect(), batch.num_rows())
}

#[cfg(test)]
mod tests {
    use super::compact;
    use arrow::array::{ArrayRef, AsArray, RecordBatch, StringViewArray};
    use arrow::compute::concat_batches;
    use std::sync::Arc;

    fn rows(count: usize) -> RecordBatch {
        let text = StringViewArray::from_iter_values((0..count).map(|at| format!("text that no view has room for, {at}")));
        RecordBatch::try_from_iter([("text", Arc::new(text) as ArrayRef)]).expect("one column")
    }

    #[test]
    fn pieces_put_together_hold_their_text_once() {
        let whole = rows(100_000);
        let pieces: Vec<RecordBatch> = (0..100).map(|at| whole.slice(at * 1000, 1000)).collect();
        let joined = concat_batches(&whole.schema(), &pieces).expect("pieces of one table");
        let bytes = |batch: &RecordBatch| batch.column(0).as_string_view().data_buffers().iter().map(|b| b.len()).sum::<usize>();
        let own = compact(joined.clone());
        assert!(bytes(&joined) > 50 * bytes(&whole));
        assert!(bytes(&own) <= bytes(&whole));
        assert_eq!(own, whole);
    }

    #[test]
    fn text_that_is_all_used_is_not_copied() {
        let whole = rows(10_000);
        let own = compact(whole.clone());
        let first = |batch: &RecordBatch| batch.column(0).as_string_view().data_buffers()[0].as_ptr();
        assert_eq!(first(&own), first(&whole));
    }
}
