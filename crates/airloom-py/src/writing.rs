//! Tables in files: as text, a line for each row, and as Parquet.

use crate::capsule::read_rows;
use crate::errors::{Error, program_error};
use crate::interrupt::interruptible;
use crate::session::RunOptions;
use crate::table::Table;
use airloom::arrow::array::RecordBatch;
use airloom::sink::{
    JsonDocument, JsonField, JsonKind, JsonPart, LineColumn, LineKind, LineStyle, Lines, ParquetColumns, ParquetCompression, ParquetLayout,
    Positional, Stopped, Unwritten, in_order,
};
use airloom::{Cancel, Error as AirloomError};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;

/// How many rows a row group has, as pyarrow writes them.
pub(crate) const ROW_GROUP_ROWS: usize = 1 << 20;

/// How lines look, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Style {
    delimiter: u8,
    quote: u8,
    end: PyBackedBytes,
    /// Bytes for which a field needs quotes.
    special: PyBackedBytes,
    decimal: u8,
    /// Between which sizes narrow floats have no exponent.
    narrow: (f64, f64),
    chunk: usize,
}

/// A field of each line, as Python says it: the column, how it is written, the text of a missing value, whether all of it has quotes, and what else there is to
/// say.
type Field<'py> = (usize, String, PyBackedBytes, bool, Bound<'py, PyAny>);

/// The rows of a table as lines of text after a header: returned, or written to an open file. How many bytes were written.
#[pyfunction]
#[pyo3(signature = (table, fields, style, header, descriptor, options))]
pub(crate) fn write_lines<'py>(
    py: Python<'py>,
    table: &Table,
    fields: Vec<Field<'py>>,
    style: Style,
    header: PyBackedBytes,
    descriptor: Option<i32>,
    options: RunOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = fields.iter().map(column).collect::<PyResult<Vec<_>>>()?;
    let mut special = [false; 256];
    for &byte in style.special.iter() {
        special[usize::from(byte)] = true;
    }
    let style = LineStyle {
        delimiter: style.delimiter,
        quote: style.quote,
        end: style.end.to_vec(),
        special,
        decimal: style.decimal,
        narrow: Positional { least: style.narrow.0, beyond: style.narrow.1 },
        chunk: style.chunk,
    };
    let batches = table.batches().to_vec();
    let prepare = move || {
        let lines = Lines::new(&batches, columns, style)?;
        let pieces = lines.pieces();
        Ok((pieces.len(), move |piece: usize, out: &mut Vec<u8>| lines.write(&pieces[piece], out)))
    };
    write_pieces(py, header.to_vec(), prepare, Vec::new(), descriptor, options)
}

/// Text in pieces, between a header and words at the end: returned, or written to an open file. How many bytes were written.
fn write_pieces<'py, M: Fn(usize, &mut Vec<u8>) + Sync>(
    py: Python<'py>,
    header: Vec<u8>,
    prepare: impl FnOnce() -> Result<(usize, M), String> + Send + 'static,
    tail: Vec<u8>,
    descriptor: Option<i32>,
    options: RunOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let file = descriptor.map(own_file).transpose()?;
    let cancel = Cancel::default();
    let own = cancel.clone();
    let work = move || {
        let (count, make) = prepare().map_err(Error::refused)?;
        let mut text = Vec::new();
        let mut written = 0;
        let ended = match file {
            Some(mut file) => {
                let mut put = |bytes: &[u8]| {
                    written += bytes.len();
                    file.write_all(bytes)
                };
                put(&header)
                    .map_err(Stopped::Failed)
                    .and_then(|()| in_order(count, options.threads, &own, make, &mut put))
                    .and_then(|()| put(&tail).map_err(Stopped::Failed))
            }
            None => {
                text = header;
                let put = |bytes: &[u8]| {
                    text.extend_from_slice(bytes);
                    Ok(())
                };
                let ended = in_order(count, options.threads, &own, make, put);
                text.extend_from_slice(&tail);
                ended
            }
        };
        match ended {
            Ok(()) => String::from_utf8(text)
                .map(|text| (text, written))
                .map_err(|e| Error::broken(format!("the text written is not UTF-8: {e}"))),
            Err(Stopped::Cancelled) => Err(AirloomError::Cancelled.into()),
            Err(Stopped::Failed(error)) => Err(Error::Python(os_error(&error))),
        }
    };
    let (text, written) = interruptible(py, &cancel, work)?;
    match descriptor {
        Some(_) => Ok(written.into_pyobject(py)?.into_any()),
        None => Ok(PyString::new(py, &text).into_any()),
    }
}

/// A field of each row, as Python says it: what is written before it, the column, how it is written, and what else there is to say.
type JsonFieldWords<'py> = (PyBackedBytes, usize, String, Bound<'py, PyAny>);

/// All rows as fields, as Python says it: what is written before them, what between them, the fields, and what ends each row.
type JsonPartWords<'py> = (PyBackedBytes, PyBackedBytes, Vec<JsonFieldWords<'py>>, PyBackedBytes);

/// The rows of a table as a document of JSON: returned, or written to an open file. How many bytes were written.
#[pyfunction]
#[pyo3(signature = (table, parts, tail, digits, ascii, descriptor, options))]
pub(crate) fn write_json<'py>(
    py: Python<'py>,
    table: &Table,
    parts: Vec<JsonPartWords<'py>>,
    tail: PyBackedBytes,
    digits: usize,
    ascii: bool,
    descriptor: Option<i32>,
    options: RunOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let parts = parts.iter().map(|(header, between, fields, close)| {
        let fields = fields.iter().map(json_field).collect::<PyResult<Vec<_>>>()?;
        Ok(JsonPart { header: header.to_vec(), between: between.to_vec(), fields, close: close.to_vec() })
    });
    let parts = parts.collect::<PyResult<Vec<_>>>()?;
    let batches = table.batches().to_vec();
    let prepare = move || {
        let document = JsonDocument::new(&batches, parts, digits, ascii)?;
        let pieces = document.pieces();
        Ok((pieces.len(), move |piece: usize, out: &mut Vec<u8>| document.write(&pieces[piece], out)))
    };
    write_pieces(py, Vec::new(), prepare, tail.to_vec(), descriptor, options)
}

fn json_field(field: &JsonFieldWords<'_>) -> PyResult<JsonField> {
    let (before, place, kind, detail) = field;
    let kind = match kind.as_str() {
        "value" => JsonKind::Value,
        "words" => JsonKind::Words(detail.extract::<Vec<PyBackedBytes>>()?.iter().map(|word| word.to_vec()).collect()),
        "count" => JsonKind::Count(detail.extract()?),
        "timestamp" => {
            let (per_second, utc) = detail.extract()?;
            JsonKind::Timestamp(per_second, utc)
        }
        "row" => {
            let (start, step) = detail.extract()?;
            JsonKind::Row(start, step)
        }
        other => return Err(program_error(detail.py(), format!("there is no way `{other}` to write a column"))),
    };
    Ok(JsonField { before: before.to_vec(), place: *place, kind })
}

/// A file of its own: the caller's may be closed when an interrupted write still looks at it.
pub(crate) fn own_file(descriptor: i32) -> io::Result<File> {
    // SAFETY: the caller holds the descriptor open for the time of the call.
    unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned().map(File::from)
}

/// The rows of anything that is Arrow data as Parquet, with these words beside them: returned, or written to an open file.
#[pyfunction]
#[pyo3(signature = (source, compression, level, metadata, descriptor, options))]
pub(crate) fn write_parquet<'py>(
    source: &Bound<'py, PyAny>,
    compression: &str,
    level: i32,
    metadata: Vec<(String, String)>,
    descriptor: Option<i32>,
    options: RunOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let py = source.py();
    let compression = compression_of(py, compression, level)?;
    let rows = read_rows(source)?;
    let layout = ParquetLayout {
        schema: rows.schema,
        compression,
        row_group_rows: ROW_GROUP_ROWS,
        row_group_bytes: usize::MAX,
        threads: options.threads,
    };
    let file = descriptor.map(own_file).transpose()?;
    let cancel = Cancel::default();
    let own = cancel.clone();
    let work = move || {
        let mut bytes = Vec::new();
        match file {
            Some(file) => write_rows(layout, &rows.batches, metadata, &own, file),
            None => write_rows(layout, &rows.batches, metadata, &own, &mut bytes),
        }
        .map_err(unwritten)?;
        Ok(bytes)
    };
    let bytes = interruptible(py, &cancel, work)?;
    match descriptor {
        Some(_) => Ok(py.None().into_bound(py)),
        None => Ok(PyBytes::new(py, &bytes).into_any()),
    }
}

fn write_rows(
    layout: ParquetLayout,
    rows: &[RecordBatch],
    metadata: Vec<(String, String)>,
    cancel: &Cancel,
    to: impl Write + Send,
) -> Result<(), Unwritten> {
    let mut columns = ParquetColumns::new(layout, cancel, to)?;
    columns.write(rows)?;
    columns.finish(metadata)
}

/// How pages are made smaller, as Python says it.
pub(crate) fn compression_of(py: Python<'_>, name: &str, level: i32) -> PyResult<ParquetCompression> {
    Ok(match name {
        "none" => ParquetCompression::None,
        "snappy" => ParquetCompression::Snappy,
        "lz4" => ParquetCompression::Lz4,
        "zstd" => ParquetCompression::Zstd(level),
        "gzip" => ParquetCompression::Gzip(level.unsigned_abs()),
        "brotli" => ParquetCompression::Brotli(level.unsigned_abs()),
        other => return Err(program_error(py, format!("there is no compression `{other}`"))),
    })
}

/// Why a file was not written, as Python hears it.
pub(crate) fn unwritten(error: Unwritten) -> Error {
    match error {
        Unwritten::Cancelled => AirloomError::Cancelled.into(),
        Unwritten::Failed(error) => Error::Python(os_error(&error)),
        Unwritten::Unsayable(message) => Error::refused(message),
    }
}

/// Python's own exception for an error of the system.
fn os_error(error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(code) => PyOSError::new_err((code, error.kind().to_string())),
        None => PyOSError::new_err(error.to_string()),
    }
}

fn column(field: &Field<'_>) -> PyResult<LineColumn> {
    let (place, kind, missing, quoted, detail) = field;
    let kind = match kind.as_str() {
        "number" => LineKind::Number,
        "number_or_nan" => LineKind::NumberOrNan,
        "fixed" => LineKind::Fixed(detail.extract()?),
        "text" => LineKind::Text,
        "words" => LineKind::Words(detail.extract::<Vec<PyBackedBytes>>()?.iter().map(|word| word.to_vec()).collect()),
        "timestamp" => LineKind::Timestamp,
        "timestamp_by" => LineKind::TimestampBy(detail.extract()?),
        "zoned" => LineKind::Zoned(detail.extract()?),
        "duration" => LineKind::Duration,
        "count" => {
            let (start, step) = detail.extract()?;
            LineKind::Count(start, step)
        }
        other => return Err(program_error(detail.py(), format!("there is no way `{other}` to write a column"))),
    };
    Ok(LineColumn { place: *place, kind, missing: missing.to_vec(), quoted: *quoted })
}
