//! The table that examples in the documentation read.

use crate::arrow::array::{Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use crate::arrow::datatypes::{DataType, Field, Schema};
use crate::frame::Frame;
use crate::session::{Error, Session};
use std::sync::Arc;

/// Four sales in three cities; of one the amount is not known.
#[track_caller]
pub fn sales(session: &Session) -> Result<Frame, Error> {
    let schema = Arc::new(Schema::new(vec![
        Field::new("city", DataType::Utf8, false),
        Field::new("day", DataType::Date32, false),
        Field::new("amount", DataType::Int64, true),
        Field::new("price", DataType::Float64, false),
    ]));
    let batch = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(StringArray::from(vec!["Rome", "Oslo", "Rome", "Paris"])),
            // Days since 1970: 2024-01-05, 2024-02-01, 2024-02-10, 2024-03-01.
            Arc::new(Date32Array::from(vec![19727, 19754, 19763, 19783])),
            Arc::new(Int64Array::from(vec![Some(3), None, Some(1), Some(5)])),
            Arc::new(Float64Array::from(vec![2.5, 4.0, 2.0, 1.5])),
        ],
    );
    let batch = batch.map_err(|error| Error::broken(error.to_string()))?;
    session.from_batches(&schema, &[batch])
}
