//! Columns that were read at once, as pandas takes them.

use crate::array::Array;
use crate::column_to_numpy::to_numpy;
use crate::errors::program_error;
use crate::types::Type;
use airloom::arrow::array::ArrayRef;
use airloom::ir::types::TyId;
use pyo3::prelude::*;

/// Numbers in pieces, as an array of NumPy's.
pub(crate) fn numbers_to_numpy<'py>(py: Python<'py>, pieces: &[ArrayRef], rows: usize) -> PyResult<Bound<'py, PyAny>> {
    match pieces.first() {
        Some(first) => to_numpy(py, "values", first.data_type(), pieces, rows, None),
        None => Err(program_error(py, "a column that was read has no pieces")),
    }
}

/// Text in pieces, as an array of pyarrow's in as many.
pub(crate) fn text_to_pyarrow(py: Python<'_>, pieces: Vec<ArrayRef>) -> PyResult<Bound<'_, PyAny>> {
    let text = Type::try_made(|_| Ok(TyId::STR)).map_err(|message| program_error(py, message))?;
    let pyarrow = py.import("pyarrow")?;
    let chunks = pieces.into_iter().map(|piece| pyarrow.call_method1("array", (Bound::new(py, Array::flat(piece, text.clone()))?,)));
    let chunks = chunks.collect::<PyResult<Vec<_>>>()?;
    pyarrow.call_method1("chunked_array", (chunks, pyarrow.call_method0("large_string")?))
}
