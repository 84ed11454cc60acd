//! Parquet, a column on each core.

use super::parquet::{ParquetCompression, codec};
use airloom_compute::data::{Cancel, SourceError, parallel_map};
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{Field, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows that are written as Parquet with key-value metadata, some at a time. Of those that were written only the encoded pages of the row group are held.
pub struct ParquetColumns<W: Write + Send> {
    schema: SchemaRef,
    file: SerializedFileWriter<Watched<W>>,
    factory: ArrowRowGroupWriterFactory,
    /// The columns of the row group that is being written, and how many rows it has so far.
    open: Option<(Vec<ArrowColumnWriter>, usize)>,
    groups: usize,
    row_group_rows: usize,
    row_group_bytes: usize,
    threads: usize,
    cancel: Cancel,
    failed: Arc<Mutex<Option<io::Error>>>,
}

/// How rows are written as Parquet, a column on each core.
#[derive(Clone, Debug)]
pub struct ParquetLayout {
    /// The columns, none of them nested.
    pub schema: SchemaRef,
    /// How pages are made smaller.
    pub compression: ParquetCompression,
    /// How many rows a row group has at most.
    pub row_group_rows: usize,
    /// How many bytes it takes at most, about: they are held until it is whole.
    pub row_group_bytes: usize,
    /// On how many threads columns are encoded.
    pub threads: usize,
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

impl<W: Write + Send> ParquetColumns<W> {
    /// No rows yet.
    pub fn new(layout: ParquetLayout, cancel: &Cancel, to: W) -> Result<ParquetColumns<W>, Unwritten> {
        let ParquetLayout { schema, compression, row_group_rows, row_group_bytes, threads } = layout;
        let failed = Arc::new(Mutex::new(None));
        let properties = WriterProperties::builder()
            .set_compression(codec(compression).map_err(|error: SourceError| Unwritten::Unsayable(error.message))?)
            .set_created_by(format!("airloom version {}", env!("CARGO_PKG_VERSION")))
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let to = Watched { to, failed: Arc::clone(&failed) };
        let made = ArrowWriter::try_new_with_options(to, Arc::clone(&schema), options).and_then(ArrowWriter::into_serialized_writer);
        let (file, factory) = made.map_err(|error| unwritten(error, &failed))?;
        let row_group_rows = row_group_rows.max(1);
        Ok(ParquetColumns {
            schema,
            file,
            factory,
            open: None,
            groups: 0,
            row_group_rows,
            row_group_bytes,
            threads,
            cancel: cancel.clone(),
            failed,
        })
    }

    /// Writes rows after those before.
    pub fn write(&mut self, batches: &[RecordBatch]) -> Result<(), Unwritten> {
        let mut pieces = Vec::new();
        let mut rows = self.open.as_ref().map_or(0, |(_, rows)| *rows);
        for batch in batches {
            let mut start = 0;
            while start < batch.num_rows() {
                let taken = (self.row_group_rows - rows).min(batch.num_rows() - start);
                pieces.push(batch.slice(start, taken));
                start += taken;
                rows += taken;
                if rows == self.row_group_rows {
                    self.encode(&std::mem::take(&mut pieces))?;
                    self.close_group()?;
                    rows = 0;
                }
            }
        }
        self.encode(&pieces)
    }

    /// The file is whole; these words are in it, by name.
    pub fn finish(mut self, metadata: Vec<(String, String)>) -> Result<(), Unwritten> {
        // As others write them, a file without rows has a row group without rows.
        if self.groups == 0 && self.open.is_none() {
            self.open = Some((self.new_columns()?, 0));
        }
        self.close_group()?;
        metadata.into_iter().for_each(|(name, words)| self.file.append_key_value_metadata(KeyValue::new(name, words)));
        self.file.close().map(drop).map_err(|error| unwritten(error, &self.failed))
    }

    /// Encodes rows of one row group, each column by whoever is free.
    fn encode(&mut self, rows: &[RecordBatch]) -> Result<(), Unwritten> {
        let count: usize = rows.iter().map(RecordBatch::num_rows).sum();
        if count == 0 {
            return Ok(());
        }
        let (writers, before) = match self.open.take() {
            Some(open) => open,
            None => (self.new_columns()?, 0),
        };
        let writers: Vec<Mutex<Option<ArrowColumnWriter>>> = writers.into_iter().map(|writer| Mutex::new(Some(writer))).collect();
        let encoded = parallel_map(
            self.threads,
            writers.len(),
            || (),
            |(), place| {
                let writer = writers[place].lock().unwrap_or_else(PoisonError::into_inner).take();
                let mut writer = writer.expect("invariant `each number is taken once`");
                let pieces = rows.iter().map(|batch| batch.column(place));
                encode_column(&mut writer, self.schema.field(place), pieces, &self.cancel)?;
                Ok::<_, Unwritten>(writer)
            },
        )?;
        let bytes: usize = encoded.iter().map(ArrowColumnWriter::memory_size).sum();
        self.open = Some((encoded, before + count));
        if bytes < self.row_group_bytes { Ok(()) } else { self.close_group() }
    }

    fn new_columns(&self) -> Result<Vec<ArrowColumnWriter>, Unwritten> {
        self.factory.create_column_writers(self.groups).map_err(|error| unwritten(error, &self.failed))
    }

    fn close_group(&mut self) -> Result<(), Unwritten> {
        let Some((writers, _)) = self.open.take() else { return Ok(()) };
        self.groups += 1;
        let close = || {
            let mut group = self.file.next_row_group()?;
            writers.into_iter().try_for_each(|writer| writer.close()?.append_to_row_group(&mut group))?;
            group.close().map(drop)
        };
        close().map_err(|error| unwritten(error, &self.failed))
    }
}

/// How many rows of a column are written between two checks for cancellation.
const STEP: usize = 1 << 16;

fn encode_column<'a>(
    writer: &mut ArrowColumnWriter,
    field: &Field,
    pieces: impl Iterator<Item = &'a ArrayRef>,
    cancel: &Cancel,
) -> Result<(), Unwritten> {
    let unsayable = |error: ParquetError| Unwritten::Unsayable(error.to_string());
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
    Ok(())
}

/// The error of the system, where it was one, otherwise what the format says.
fn unwritten(error: ParquetError, failed: &Mutex<Option<io::Error>>) -> Unwritten {
    match failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(failed) => Unwritten::Failed(failed),
        None => Unwritten::Unsayable(error.to_string()),
    }
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
