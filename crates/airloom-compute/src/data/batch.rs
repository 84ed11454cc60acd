//! Batches of rows.

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;

/// A batch of the columns of a schema; where there are none, of `rows` rows.
pub fn record_batch(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    match RecordBatch::try_new_with_options(schema.clone(), columns, &options) {
        Ok(batch) => batch,
        Err(error) => panic!("invariant `columns have the physical form of their types`: {error}"),
    }
}
