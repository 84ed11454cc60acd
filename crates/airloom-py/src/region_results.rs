//! What a compiled part of a function gives, as Python's objects.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};

/// How an object is made of the words that code gives.
pub(crate) enum Made {
    /// Python's integer, float or boolean, by the number of its word.
    Integer(usize),
    Float(usize),
    Boolean(usize),
    /// A scalar of NumPy's: its type, the type of the number that it is made of, its word.
    Scalar(Py<PyAny>, Number, usize),
    /// What the part was given, by number: arrays are stored to where they are.
    Given(usize),
    /// An object of Python's.
    Object(Py<PyAny>),
    /// One of several, by the number in a word.
    Either(usize, Vec<Made>),
    Tuple(Vec<Made>),
}

#[derive(Clone, Copy)]
pub(crate) enum Number {
    Signed,
    Unsigned,
    Single,
    Double,
    Truth,
}

impl Made {
    /// Reads what Python says of a result: tuples that begin with a word.
    pub(crate) fn read(from: &Bound<'_, PyAny>) -> PyResult<Made> {
        let parts = from.cast::<PyTuple>()?;
        let word: String = parts.get_item(0)?.extract()?;
        let number = |at: usize| -> PyResult<usize> { parts.get_item(at)?.extract() };
        let several = |at: usize| -> PyResult<Vec<Made>> { parts.get_item(at)?.try_iter()?.map(|part| Made::read(&part?)).collect() };
        Ok(match word.as_str() {
            "int" => Made::Integer(number(1)?),
            "float" => Made::Float(number(1)?),
            "bool" => Made::Boolean(number(1)?),
            "numpy" => {
                let kind: String = parts.get_item(2)?.extract()?;
                let kind = match kind.as_str() {
                    "bool" => Number::Truth,
                    "f32" => Number::Single,
                    "f64" => Number::Double,
                    unsigned if unsigned.starts_with('u') => Number::Unsigned,
                    _ => Number::Signed,
                };
                Made::Scalar(parts.get_item(1)?.unbind(), kind, number(3)?)
            }
            "given" => Made::Given(number(1)?),
            "object" => Made::Object(parts.get_item(1)?.unbind()),
            "either" => Made::Either(number(1)?, several(2)?),
            "tuple" => Made::Tuple(several(1)?),
            other => return Err(PyValueError::new_err(format!("a result is made in no way that is called `{other}`"))),
        })
    }

    /// The object. Recursive, as deep as a result is written in the user's program.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>, words: &[u64], args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Made::Integer(at) => PyInt::new(py, words[*at] as i64).into_any(),
            Made::Float(at) => PyFloat::new(py, f64::from_bits(words[*at])).into_any(),
            Made::Boolean(at) => PyBool::new(py, words[*at] & 1 == 1).to_owned().into_any(),
            Made::Scalar(ty, kind, at) => {
                let (ty, word) = (ty.bind(py), words[*at]);
                match kind {
                    Number::Signed => ty.call1((word as i64,))?,
                    Number::Unsigned => ty.call1((word,))?,
                    Number::Single => ty.call1((f64::from(f32::from_bits(word as u32)),))?,
                    Number::Double => ty.call1((f64::from_bits(word),))?,
                    Number::Truth => ty.call1((word & 1 == 1,))?,
                }
            }
            Made::Given(at) => args.get_item(*at)?,
            Made::Object(object) => object.bind(py).clone(),
            Made::Either(at, choices) => {
                let choice = choices.get(words[*at] as usize);
                choice.ok_or_else(|| PyValueError::new_err("code chose a result that there is none of"))?.to_python(py, words, args)?
            }
            Made::Tuple(parts) => {
                let made = parts.iter().map(|part| part.to_python(py, words, args)).collect::<PyResult<Vec<_>>>()?;
                PyTuple::new(py, made)?.into_any()
            }
        })
    }
}
