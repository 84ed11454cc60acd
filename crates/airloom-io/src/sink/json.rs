//! JSON, an object on a line for each row.

use super::encoder::{Bytes, Encoder, unsayable};
use airloom_compute::data::SourceError;
use arrow::array::RecordBatch;
use arrow::json::LineDelimitedWriter;
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;

pub(crate) fn encoder(bytes: Bytes) -> Result<Box<dyn Encoder>, SourceError> {
    // A null is written as one, so that every row shows every column.
    Ok(Box::new(JsonEncoder { writer: WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(bytes) }))
}

struct JsonEncoder {
    writer: LineDelimitedWriter<Bytes>,
}

impl Encoder for JsonEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError> {
        if batch.num_columns() == 0 && batch.num_rows() > 0 {
            return Err(unsayable("JSON", "rows without columns have nothing to say"));
        }
        self.writer.write(batch).map_err(|error| unsayable("JSON", error))
    }

    fn finish(&mut self) -> Result<(), SourceError> {
        self.writer.finish().map_err(|error| unsayable("JSON", error))
    }
}
