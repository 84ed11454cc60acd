//! Rows that a database gave to Python, as columns.

use crate::errors::program_error;
use crate::read_values::{numbers_to_numpy, text_to_pyarrow};
use airloom::arrow::array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, LargeStringBuilder};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString, PyTuple};
use std::sync::Arc;

/// Rows, some at a time, as columns of integers, floats or text. A column that holds anything else is kept as the objects that it had.
#[pyclass(module = "airloom", name = "Fetched")]
pub(crate) struct Fetched {
    columns: Vec<Vec<Piece>>,
    rows: usize,
}

/// Some rows of a column.
enum Piece {
    /// `None`, this many times.
    Nothing(usize),
    Numbers(Vec<Number>),
    Text(LargeStringArray),
    Objects(Vec<Py<PyAny>>),
}

#[derive(Clone, Copy)]
enum Number {
    Missing,
    Whole(i64),
    Float(f64),
}

/// A column: what it is, and its values.
type Column<'py> = (&'static str, Bound<'py, PyAny>);

#[pymethods]
impl Fetched {
    /// No rows yet, of `width` columns.
    #[new]
    fn new(width: usize) -> Fetched {
        Fetched { columns: (0..width).map(|_| Vec::new()).collect(), rows: 0 }
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows
    }

    /// Puts more rows behind those that are there.
    fn add(&mut self, rows: &Bound<'_, PyList>) -> PyResult<()> {
        let tuples = rows.iter().map(|row| Ok(row.cast_into::<PyTuple>()?)).collect::<PyResult<Vec<_>>>()?;
        if let Some(odd) = tuples.iter().find(|row| row.len() != self.columns.len()) {
            let message = format!("a row has {} values where there are {} columns", odd.len(), self.columns.len());
            return Err(program_error(rows.py(), message));
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.push(piece_of(&tuples, at)?);
        }
        self.rows += tuples.len();
        Ok(())
    }

    /// The columns: for each what it is, and its values, as an array of NumPy's, of pyarrow's if it is text, or as a list.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<Column<'py>>> {
        self.columns.iter().map(|pieces| column_of(py, pieces, self.rows)).collect()
    }
}

/// The values of column `at` of these rows.
fn piece_of(rows: &[Bound<'_, PyTuple>], at: usize) -> PyResult<Piece> {
    let mut kind = None;
    for row in rows {
        let value = row.get_borrowed_item(at)?;
        if value.is_none() {
            continue;
        }
        kind = Some(value.is_exact_instance_of::<PyString>());
        break;
    }
    let found = match kind {
        None => Some(Piece::Nothing(rows.len())),
        Some(true) => text_of(rows, at)?.map(Piece::Text),
        Some(false) => numbers_of(rows, at)?.map(Piece::Numbers),
    };
    match found {
        Some(piece) => Ok(piece),
        None => Ok(Piece::Objects(rows.iter().map(|row| Ok(row.get_item(at)?.unbind())).collect::<PyResult<_>>()?)),
    }
}

/// Text; nothing where a value is something else.
fn text_of(rows: &[Bound<'_, PyTuple>], at: usize) -> PyResult<Option<LargeStringArray>> {
    let mut made = LargeStringBuilder::with_capacity(rows.len(), rows.len() * 8);
    for row in rows {
        let value = row.get_borrowed_item(at)?;
        if value.is_none() {
            made.append_null();
            continue;
        }
        if !value.is_exact_instance_of::<PyString>() {
            return Ok(None);
        }
        let text = value.cast::<PyString>()?;
        // What is no Unicode, such as half of a surrogate pair, stays with Python.
        let Ok(text) = text.to_str() else { return Ok(None) };
        made.append_value(text);
    }
    Ok(Some(made.finish()))
}

/// Numbers; nothing where a value is something else, or needs more bits.
fn numbers_of(rows: &[Bound<'_, PyTuple>], at: usize) -> PyResult<Option<Vec<Number>>> {
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        let value = row.get_borrowed_item(at)?;
        made.push(if value.is_exact_instance_of::<PyFloat>() {
            Number::Float(value.extract()?)
        } else if value.is_exact_instance_of::<PyInt>() {
            match value.extract() {
                Ok(whole) => Number::Whole(whole),
                Err(_) => return Ok(None),
            }
        } else if value.is_none() {
            Number::Missing
        } else {
            return Ok(None);
        });
    }
    Ok(Some(made))
}

fn column_of<'py>(py: Python<'py>, pieces: &[Piece], rows: usize) -> PyResult<Column<'py>> {
    let numbers = pieces.iter().any(|piece| matches!(piece, Piece::Numbers(_)));
    let text = pieces.iter().any(|piece| matches!(piece, Piece::Text(_)));
    let objects = pieces.iter().any(|piece| matches!(piece, Piece::Objects(_)));
    match (numbers, text, objects) {
        (true, false, false) => numbers_to_column(py, pieces, rows),
        (false, true, false) => Ok(("text", text_to_pyarrow(py, pieces.iter().map(text_array).collect())?)),
        _ => {
            let made = PyList::empty(py);
            pieces.iter().try_for_each(|piece| append_objects(piece, &made))?;
            Ok(("objects", made.into_any()))
        }
    }
}

fn numbers_to_column<'py>(py: Python<'py>, pieces: &[Piece], rows: usize) -> PyResult<Column<'py>> {
    let all_whole = pieces.iter().all(|piece| match piece {
        Piece::Numbers(numbers) => numbers.iter().all(|number| matches!(number, Number::Whole(_))),
        _ => false,
    });
    let arrays: Vec<ArrayRef> = pieces.iter().map(|piece| if all_whole { whole_array(piece) } else { float_array(piece) }).collect();
    Ok((if all_whole { "whole" } else { "float" }, numbers_to_numpy(py, &arrays, rows)?))
}

fn whole_array(piece: &Piece) -> ArrayRef {
    let Piece::Numbers(numbers) = piece else { return Arc::new(Int64Array::from_iter_values([])) };
    let whole = numbers.iter().filter_map(|number| if let Number::Whole(whole) = number { Some(*whole) } else { None });
    Arc::new(Int64Array::from_iter_values(whole))
}

fn float_array(piece: &Piece) -> ArrayRef {
    let float = |number: &Number| match number {
        Number::Missing => f64::NAN,
        Number::Whole(whole) => *whole as f64,
        Number::Float(float) => *float,
    };
    match piece {
        Piece::Numbers(numbers) => Arc::new(Float64Array::from_iter_values(numbers.iter().map(float))),
        Piece::Nothing(rows) => Arc::new(Float64Array::from(vec![f64::NAN; *rows])),
        Piece::Text(_) | Piece::Objects(_) => Arc::new(Float64Array::from_iter_values([])),
    }
}

fn text_array(piece: &Piece) -> ArrayRef {
    match piece {
        Piece::Text(text) => Arc::new(text.clone()),
        Piece::Nothing(rows) => Arc::new(LargeStringArray::new_null(*rows)),
        Piece::Numbers(_) | Piece::Objects(_) => Arc::new(LargeStringArray::new_null(0)),
    }
}

/// Appends the values as the objects that they were.
fn append_objects(piece: &Piece, made: &Bound<'_, PyList>) -> PyResult<()> {
    let py = made.py();
    match piece {
        Piece::Nothing(rows) => (0..*rows).try_for_each(|_| made.append(py.None())),
        Piece::Numbers(numbers) => numbers.iter().try_for_each(|number| match number {
            Number::Missing => made.append(py.None()),
            Number::Whole(whole) => made.append(*whole),
            Number::Float(float) => made.append(*float),
        }),
        Piece::Text(text) => {
            (0..text.len()).try_for_each(|row| if text.is_null(row) { made.append(py.None()) } else { made.append(text.value(row)) })
        }
        Piece::Objects(objects) => objects.iter().try_for_each(|object| made.append(object)),
    }
}
