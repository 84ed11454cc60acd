//! Text by itself: columns that hold on to no more of it than is theirs.
//!
//! Text stands in views, which share the buffers of the array they were taken from. That makes slices and filters cheap, but one row of a batch keeps all the text of
//! its table alive, and ten pieces put together again hold, and count, the same buffers ten times.

use super::record_batch;
use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, RecordBatch};
use arrow::datatypes::{ByteViewType, DataType};
use std::sync::Arc;

/// What may be held without a use: below it, writing text anew costs more than it saves.
const IDLE: usize = 1 << 16;
/// So many buffers are more than enough, whatever is in them: every array made of one with many has to name them all.
const MANY: usize = 64;

/// The rows, their text written anew where it is but a part of what they hold on to.
pub(super) fn compact(batch: RecordBatch) -> RecordBatch {
    let views = |column: &ArrayRef| matches!(column.data_type(), DataType::Utf8View | DataType::BinaryView);
    if !batch.columns().iter().any(views) {
        return batch;
    }
    let columns = batch.columns().iter().map(|column| match column.data_type() {
        DataType::Utf8View => own(column, column.as_string_view()),
        DataType::BinaryView => own(column, column.as_binary_view()),
        _ => column.clone(),
    });
    record_batch(&batch.schema(), columns.collect(), batch.num_rows())
}

fn own<T: ByteViewType + ?Sized>(column: &ArrayRef, views: &GenericByteViewArray<T>) -> ArrayRef {
    let held: usize = views.data_buffers().iter().map(|buffer| buffer.len()).sum();
    if held <= IDLE && views.data_buffers().len() <= MANY {
        return column.clone();
    }
    let used = views.total_buffer_bytes_used();
    let spread = views.data_buffers().len() > MANY;
    if spread || held > 2 * used + IDLE { Arc::new(views.gc()) } else { column.clone() }
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
