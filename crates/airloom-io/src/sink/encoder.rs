//! Rows to bytes.

use super::target::Format;
use super::{csv, ipc, json, parquet};
use airloom_compute::data::SourceError;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes rows down in some format.
pub(crate) trait Encoder: Send {
    /// Takes more rows. Bytes may come out now or later.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError>;
    /// Takes no more rows: all bytes come out.
    fn finish(&mut self) -> Result<(), SourceError>;
}

/// An encoder of rows of this schema, whose bytes come out at `bytes`.
pub(crate) fn encoder(format: &Format, schema: &SchemaRef, bytes: Bytes) -> Result<Box<dyn Encoder>, SourceError> {
    match format {
        Format::Parquet(writing) => parquet::encoder(writing, schema, bytes),
        Format::Csv(writing) => csv::encoder(writing, schema, bytes),
        Format::Json => json::encoder(bytes),
        Format::Ipc(writing) => ipc::encoder(writing, schema, bytes),
    }
}

/// Bytes between an encoder and where they go: writers own what they write to, so both ends hold the same buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    /// What came out since it was last asked.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An error of an encoder: the rows cannot be said in the format.
pub(crate) fn unsayable(format: &str, error: impl std::fmt::Display) -> SourceError {
    SourceError::user(format!("the rows cannot be written as {format}: {error}"))
}
