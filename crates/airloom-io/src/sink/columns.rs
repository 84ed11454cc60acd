//! Parquet, a column on each core.

use super::parquet::{ParquetCompression, codec};
use airloom_compute::data::{Cancel, SourceError, parallel_map};
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{Field, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowWriterOptions, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows in memory, to be written as Parquet with key-value metadata.
#[derive(Debug)]
pub struct ParquetColumns {
    /// The columns, none of them nested.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
    /// How pages are made smaller.
    pub compression: ParquetCompression,
    /// How many rows a row group has at most.
    pub row_group_rows: usize,
    /// What else is in the file, by name.
    pub metadata: Vec<(String, String)>,
}

/// Why they could not be written.
#[derive(Debug)]
pub enum Unwritten {
    /// What takes the bytes could not.
    Failed(io::Error),
    /// They cannot be said in the format.
    Unsayable(String),
    /// It was cancelled.
    Cancelled,
}

impl ParquetColumns {
    /// Writes them, on `threads` threads.
    pub fn write<W: Write + Send>(&self, threads: usize, cancel: &Cancel, to: W) -> Result<(), Unwritten> {
        let failed = Arc::new(Mutex::new(None));
        let ended = self.write_to(threads, cancel, Watched { to, failed: Arc::clone(&failed) });
        let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (ended, failed) {
            (Err(Unwritten::Unsayable(_)), Some(error)) => Err(Unwritten::Failed(error)),
            (ended, _) => ended,
        }
    }

    fn write_to<W: Write + Send>(&self, threads: usize, cancel: &Cancel, to: W) -> Result<(), Unwritten> {
        let words = self.metadata.iter().map(|(name, words)| KeyValue::new(name.clone(), words.clone())).collect();
        let properties = WriterProperties::builder()
            .set_compression(codec(self.compression).map_err(|error: SourceError| Unwritten::Unsayable(error.message))?)
            .set_created_by(format!("airloom version {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(words))
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(to, Arc::clone(&self.schema), options).map_err(unsayable)?;
        let (mut file, factory) = writer.into_serialized_writer().map_err(unsayable)?;
        for (number, rows) in self.row_groups().into_iter().enumerate() {
            let writers = factory.create_column_writers(number).map_err(unsayable)?;
            let chunks = self.encoded(writers, &rows, threads, cancel)?;
            let mut group = file.next_row_group().map_err(unsayable)?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group).map_err(unsayable)?;
            }
            group.close().map_err(unsayable)?;
        }
        file.close().map_err(unsayable)?;
        Ok(())
    }

    /// The rows of each row group, in pieces of batches.
    fn row_groups(&self) -> Vec<Vec<RecordBatch>> {
        let mut groups = Vec::new();
        let mut open = Vec::new();
        let mut left = self.row_group_rows.max(1);
        for batch in &self.batches {
            let mut start = 0;
            while start < batch.num_rows() {
                let taken = left.min(batch.num_rows() - start);
                open.push(batch.slice(start, taken));
                start += taken;
                left -= taken;
                if left == 0 {
                    groups.push(std::mem::take(&mut open));
                    left = self.row_group_rows.max(1);
                }
            }
        }
        if !open.is_empty() {
            groups.push(open);
        }
        groups
    }

    /// The columns of a row group, each made by whoever is free.
    fn encoded(
        &self,
        writers: Vec<ArrowColumnWriter>,
        rows: &[RecordBatch],
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Vec<ArrowColumnChunk>, Unwritten> {
        let writers: Vec<Mutex<Option<ArrowColumnWriter>>> = writers.into_iter().map(|writer| Mutex::new(Some(writer))).collect();
        parallel_map(
            threads,
            writers.len(),
            || (),
            |(), place| {
                let writer = writers[place].lock().unwrap_or_else(PoisonError::into_inner).take();
                let writer = writer.expect("invariant `each number is taken once`");
                encoded_column(writer, self.schema.field(place), rows.iter().map(|batch| batch.column(place)), cancel)
            },
        )
    }
}

/// How many rows of a column are written between two checks for cancellation.
const STEP: usize = 1 << 16;

fn encoded_column<'a>(
    mut writer: ArrowColumnWriter,
    field: &Field,
    pieces: impl Iterator<Item = &'a ArrayRef>,
    cancel: &Cancel,
) -> Result<ArrowColumnChunk, Unwritten> {
    for piece in pieces {
        for start in (0..piece.len()).step_by(STEP) {
            if cancel.is_cancelled() {
                return Err(Unwritten::Cancelled);
            }
            let part = piece.slice(start, STEP.min(piece.len() - start));
            for leaf in compute_leaves(field, &part).map_err(unsayable)? {
                writer.write(&leaf).map_err(unsayable)?;
            }
        }
    }
    writer.close().map_err(unsayable)
}

fn unsayable(error: ParquetError) -> Unwritten {
    Unwritten::Unsayable(error.to_string())
}

/// Keeps the error of the system, of which the format reports only the text.
struct Watched<W> {
    to: W,
    failed: Arc<Mutex<Option<io::Error>>>,
}

impl<W: Write> Watched<W> {
    fn kept<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            let same = error.raw_os_error().map_or_else(|| io::Error::other(error.to_string()), io::Error::from_raw_os_error);
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(same);
        })
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        self.kept(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.kept(flushed)
    }
}
