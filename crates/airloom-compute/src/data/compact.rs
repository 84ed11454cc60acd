//! Text by itself: columns that hold on to no more of it than is theirs.
//!
//! Text is stored in views, which share the buffers of the array they were taken from. That makes slices and filters cheap, but one row of a batch keeps all
//! the text of its table alive, and ten pieces merged again hold, and count, the same buffers ten times.

use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, RecordBatch};
use arrow::datatypes::{ByteViewType, DataType};
use std::sync::Arc;

/// What may be held without a use: below it, writing text anew costs more than it saves.
const IDLE: usize = 1 << 16;
/// More buffers than this are too many, whatever is in them: every array made of one with many has to name them all.
const MANY: usize = 64;

/// The bytes of a column, by what its rows take: a slice of a large buffer counts for its part, and text for what its views show of it.
pub fn array_bytes(column: &ArrayRef) -> usize {
    let text = match column.data_type() {
        DataType::Utf8View => column.as_string_view().total_buffer_bytes_used(),
        DataType::BinaryView => column.as_binary_view().total_buffer_bytes_used(),
        _ => 0,
    };
    text + column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size())
}

/// A column, its text written anew where it is but a part of what the column holds on to.
pub fn compacted(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Utf8View => own(column, column.as_string_view()),
        DataType::BinaryView => own(column, column.as_binary_view()),
        _ => column.clone(),
    }
}

/// The bytes of a batch, by what its rows take: a slice of a large buffer counts for its part.
pub fn batch_size(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(array_bytes).sum()
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
