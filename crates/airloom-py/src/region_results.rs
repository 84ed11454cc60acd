//! What a compiled part of a function gives, as Python's objects.

use airloom_jit::Memory;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PySlice, PyTuple};
use std::collections::HashMap;

/// What one call gave: words, what it was given, and the arrays that it made.
pub(crate) struct Results<'a, 'py> {
    pub(crate) words: &'a [u64],
    pub(crate) args: &'a Bound<'py, PyTuple>,
    /// Which argument each parameter of the code is.
    pub(crate) takes: &'a [usize],
    pub(crate) memory: &'a Memory,
    /// Arrays that are objects already: the same array is the same object.
    pub(crate) made: HashMap<u64, Bound<'py, PyAny>>,
}

/// How an object is made of the words that code gives.
pub(crate) enum Made {
    /// Python's integer, float or boolean, by the number of its word.
    Integer(usize),
    Float(usize),
    Boolean(usize),
    /// Python's complex number, by the numbers of its words.
    Complex(usize, usize),
    /// A scalar of NumPy's: its type, the type of the number that it is made of, its word.
    Scalar(Py<PyAny>, Number, usize),
    /// What the part was given, by number: arrays are stored to where they are.
    Given(usize),
    /// An array that the code made, or one of those it was given: its dtype, the word that tells which, and the number of its axes.
    Array(Py<PyAny>, usize, usize),
    /// A view of an array, axis by axis.
    View(Box<Made>, Vec<Axis>),
    /// An object of Python's.
    Object(Py<PyAny>),
    /// One of several, by the number in a word.
    Either(usize, Vec<Made>),
    Tuple(Vec<Made>),
    /// What a function of the user's gives for objects.
    Called(Py<PyAny>, Vec<Made>),
}

/// What a view takes of an axis, by the numbers of words.
pub(crate) enum Axis {
    Whole,
    At(usize),
    /// Where it begins, by which step, and how many.
    Slice(usize, usize, usize),
    /// An axis that the array does not have.
    New,
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
            "complex" => Made::Complex(number(1)?, number(2)?),
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
            "array" => Made::Array(parts.get_item(1)?.unbind(), number(2)?, number(3)?),
            "view" => {
                let axis = |part: Bound<'_, PyAny>| -> PyResult<Axis> {
                    let part = part.cast::<PyTuple>()?.clone();
                    let word: String = part.get_item(0)?.extract()?;
                    let number = |at: usize| -> PyResult<usize> { part.get_item(at)?.extract() };
                    Ok(match word.as_str() {
                        "at" => Axis::At(number(1)?),
                        "slice" => Axis::Slice(number(1)?, number(2)?, number(3)?),
                        "new" => Axis::New,
                        _ => Axis::Whole,
                    })
                };
                let axes = parts.get_item(2)?.try_iter()?.map(|part| axis(part?)).collect::<PyResult<_>>()?;
                Made::View(Box::new(Made::read(&parts.get_item(1)?)?), axes)
            }
            "object" => Made::Object(parts.get_item(1)?.unbind()),
            "either" => Made::Either(number(1)?, several(2)?),
            "tuple" => Made::Tuple(several(1)?),
            "called" => Made::Called(parts.get_item(1)?.unbind(), several(2)?),
            other => return Err(PyValueError::new_err(format!("a result is made in no way that is called `{other}`"))),
        })
    }

    /// The object. Recursive, as deep as a result is written in the user's program.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>, given: &mut Results<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let words = given.words;
        Ok(match self {
            Made::Integer(at) => PyInt::new(py, words[*at] as i64).into_any(),
            Made::Float(at) => PyFloat::new(py, f64::from_bits(words[*at])).into_any(),
            Made::Boolean(at) => PyBool::new(py, words[*at] & 1 == 1).to_owned().into_any(),
            Made::Complex(real, imaginary) => {
                PyComplex::from_doubles(py, f64::from_bits(words[*real]), f64::from_bits(words[*imaginary])).into_any()
            }
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
            Made::Given(at) => given.args.get_item(*at)?,
            Made::Array(dtype, first, axes) => given.array(dtype.bind(py), *first, *axes)?,
            Made::View(base, axes) => {
                let base = base.to_python(py, given)?;
                let index = axes.iter().map(|axis| axis.index(py, words)).collect::<PyResult<Vec<_>>>()?;
                base.get_item(PyTuple::new(py, index)?)?
            }
            Made::Object(object) => object.bind(py).clone(),
            Made::Either(at, choices) => {
                let choice = choices.get(words[*at] as usize);
                choice.ok_or_else(|| PyValueError::new_err("code chose a result that there is none of"))?.to_python(py, given)?
            }
            Made::Tuple(parts) => {
                let made = parts.iter().map(|part| part.to_python(py, given)).collect::<PyResult<Vec<_>>>()?;
                PyTuple::new(py, made)?.into_any()
            }
            Made::Called(function, parts) => {
                let made = parts.iter().map(|part| part.to_python(py, given)).collect::<PyResult<Vec<_>>>()?;
                function.bind(py).call1(PyTuple::new(py, made)?)?
            }
        })
    }
}

impl Axis {
    /// What stands between the brackets for this axis.
    fn index<'py>(&self, py: Python<'py>, words: &[u64]) -> PyResult<Bound<'py, PyAny>> {
        let number = |at: usize| words[at] as i64;
        Ok(match self {
            Axis::Whole => PySlice::full(py).into_any(),
            Axis::New => py.None().into_bound(py),
            Axis::At(at) => PyInt::new(py, number(*at)).into_any(),
            Axis::Slice(start, step, count) => {
                let (start, step, count) = (number(*start), number(*step), number(*count));
                let stop = start + step * count;
                // An end before the first element is written as none at all.
                let stop = if stop < 0 { py.None().into_bound(py) } else { PyInt::new(py, stop).into_any() };
                let (start, stop) = if count == 0 { (0, PyInt::new(py, 0).into_any()) } else { (start, stop) };
                py.get_type::<PySlice>().call1((start, stop, step))?
            }
        })
    }
}

impl<'py> Results<'_, 'py> {
    /// An array that the code made, copied into one of NumPy's, or one that it was given.
    fn array(&mut self, dtype: &Bound<'py, PyAny>, first: usize, axes: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = dtype.py();
        let identity = self.words[first];
        if let Some(&at) = usize::try_from(identity).ok().and_then(|param| self.takes.get(param)) {
            return self.args.get_item(at);
        }
        if let Some(made) = self.made.get(&identity) {
            return Ok(made.clone());
        }
        let shape = PyTuple::new(py, &self.words[first + 1..first + 1 + axes])?;
        let made = py.import("numpy")?.call_method1("empty", (shape, dtype))?;
        let buffer = PyUntypedBuffer::get(&made)?;
        let bytes = self.memory.bytes(identity, buffer.len_bytes());
        let bytes = bytes.ok_or_else(|| PyValueError::new_err("code gave an array that there is none of"))?;
        // SAFETY: NumPy made an array of this many bytes just now, one after the other, and nobody else has it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.buf_ptr().cast::<u8>(), bytes.len()) };
        self.made.insert(identity, made.clone());
        Ok(made)
    }
}
