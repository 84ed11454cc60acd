//! Files of text, read as pandas reads them.

use crate::errors::{Error, program_error};
use crate::read_values::{numbers_to_numpy, text_to_pyarrow};
use airloom::source::csv::{Dialect, Digits, Kind, Missing, ReadAs, ReadColumn, Request, Rounding, Truths, Wanted, read_whole};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

/// Reads columns of a file of text at once: how many rows there are, where they end, and for each column what it is and its values, as an array of NumPy's or, of text, of
/// pyarrow's. Where pandas would read something else, it is refused.
#[pyfunction]
#[pyo3(signature = (path, columns, *, delimiter, quote, comment, skip_space, decimal, thousands, truths, missing, skipped, header, start, width, strict, exact, most, chunk, threads, piece))]
#[allow(clippy::too_many_arguments, reason = "they are named where this is called")]
pub(crate) fn read_csv<'py>(
    py: Python<'py>,
    path: String,
    columns: Vec<(usize, String, Option<usize>)>,
    delimiter: u8,
    quote: Option<u8>,
    comment: Option<u8>,
    skip_space: bool,
    decimal: u8,
    thousands: Option<u8>,
    truths: (Vec<Vec<u8>>, Vec<Vec<u8>>),
    missing: Vec<(Vec<Vec<u8>>, Vec<f64>)>,
    skipped: Vec<u64>,
    header: usize,
    start: Option<u64>,
    width: usize,
    strict: bool,
    exact: bool,
    most: Option<usize>,
    chunk: Option<usize>,
    threads: usize,
    piece: u64,
) -> PyResult<(usize, u64, Bound<'py, PyList>)> {
    let digits = Digits { decimal, thousands, rounding: Rounding::Pandas };
    let truths = Truths { yes: truths.0, no: truths.1 };
    let missing: Vec<Missing> = missing.into_iter().map(|(texts, numbers)| Missing::new(texts, numbers, digits, &truths)).collect();
    let wanted = columns.iter().map(|(place, kind, at)| {
        if at.is_some_and(|at| at >= missing.len()) {
            return Err(program_error(py, "a column has texts for what is missing that are not there"));
        }
        Ok(Wanted { place: *place, kind: kind_of(py, kind)?, missing: *at })
    });
    let request = Request {
        path: path.into(),
        dialect: Dialect { delimiter, quote, comment, skip_space, as_pandas: true },
        digits,
        columns: wanted.collect::<PyResult<_>>()?,
        truths,
        missing,
        skipped,
        header,
        start,
        width,
        strict,
        exact,
        most,
        chunk,
        threads,
        piece,
    };
    if !request.columns.is_sorted_by(|first, second| first.place < second.place) {
        return Err(program_error(py, "the columns must rise by their place"));
    }
    let (rows, end, found) = py.detach(|| read_whole(&request)).map_err(|reason| Error::refused(reason).into_py(py))?;
    let made = PyList::empty(py);
    for column in found {
        let (word, values) = (word_of(column.read_as), values_of(py, column, rows)?);
        made.append(PyTuple::new(py, [word.into_pyobject(py)?.into_any(), values])?)?;
    }
    Ok((rows, end, made))
}

fn kind_of(py: Python<'_>, word: &str) -> PyResult<Kind> {
    Ok(match word {
        "any" => Kind::Any,
        "whole" => Kind::Whole,
        "float" => Kind::Float,
        "truth" => Kind::Truth,
        "text" => Kind::Text,
        "timestamp" => Kind::Timestamp,
        other => return Err(program_error(py, format!("a column is read as any, whole, float, truth, text or timestamp, not `{other}`"))),
    })
}

fn word_of(read_as: ReadAs) -> &'static str {
    match read_as {
        ReadAs::Whole => "whole",
        ReadAs::Unsigned => "unsigned",
        ReadAs::Float => "float",
        ReadAs::Truth { missing: false } => "truth",
        ReadAs::Truth { missing: true } => "truth or missing",
        ReadAs::Text => "text",
        ReadAs::Timestamp { nanoseconds: false, zulu: false } => "us",
        ReadAs::Timestamp { nanoseconds: true, zulu: false } => "ns",
        ReadAs::Timestamp { nanoseconds: false, zulu: true } => "us UTC",
        ReadAs::Timestamp { nanoseconds: true, zulu: true } => "ns UTC",
    }
}

fn values_of<'py>(py: Python<'py>, column: ReadColumn, rows: usize) -> PyResult<Bound<'py, PyAny>> {
    match column.read_as {
        _ if column.pieces.is_empty() => Ok(PyBytes::new(py, b"").into_any()),
        ReadAs::Text => text_to_pyarrow(py, column.pieces),
        _ => numbers_to_numpy(py, &column.pieces, rows),
    }
}
