//! Files of JSON, read as pandas reads them.

use crate::errors::Error;
use crate::read_values::{numbers_to_numpy, text_to_pyarrow};
use airloom::source::json::{Records, RecordsAs, read_records};
use pyo3::prelude::*;

/// A column: its name, what it is, and its values.
type Column<'py> = (String, &'static str, Bound<'py, PyAny>);

/// Reads a file of records at once: how many rows there are, and for each column its name, what it is and its values, as an array of NumPy's or, of text, of
/// pyarrow's. Where pandas would read something else, it is refused.
#[pyfunction]
#[pyo3(signature = (path, *, lines, precise, threads, piece))]
pub(crate) fn read_json(
    py: Python<'_>,
    path: String,
    lines: bool,
    precise: bool,
    threads: usize,
    piece: usize,
) -> PyResult<(usize, Vec<Column<'_>>)> {
    let request = Records { path: path.into(), lines, precise, threads, piece };
    let (rows, found) = py.detach(|| read_records(&request)).map_err(|reason| Error::refused(reason).into_py(py))?;
    let columns = found.into_iter().map(|column| {
        let word = match column.read_as {
            RecordsAs::Whole => "whole",
            RecordsAs::Float => "float",
            RecordsAs::Truth => "truth",
            RecordsAs::TruthOrMissing => "truth or missing",
            RecordsAs::Text => return Ok((column.name, "text", text_to_pyarrow(py, column.pieces)?)),
        };
        Ok((column.name, word, numbers_to_numpy(py, &column.pieces, rows)?))
    });
    Ok((rows, columns.collect::<PyResult<_>>()?))
}
