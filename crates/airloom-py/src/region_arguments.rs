//! What a compiled part of a function is given: Python's and NumPy's scalars, arrays where they lie, and objects that are known by who they are.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyComplexMethods, PyFloat, PyInt, PyString};

/// NumPy's types that code computes with, in the order of their codes.
const TYPES: [(&str, &str, usize); 11] = [
    ("bool_", "?", 1),
    ("int8", "b", 1),
    ("int16", "h", 2),
    ("int32", "i", 4),
    ("int64", "l", 8),
    ("uint8", "B", 1),
    ("uint16", "H", 2),
    ("uint32", "I", 4),
    ("uint64", "L", 8),
    ("float32", "f", 4),
    ("float64", "d", 8),
];

/// A text of more bytes is known by who it is.
const MOST_OF_TEXT: usize = 64;

/// The most axes of an array.
const MOST_AXES: i32 = 6;

/// What is needed to look at arguments, asked of NumPy once.
pub(crate) struct Known {
    array: Py<PyAny>,
    scalars: Vec<Py<PyAny>>,
    /// How NumPy treats errors of floats: a variable, and what is in it where nobody has said anything.
    errors: Py<PyAny>,
    ordinary: Py<PyAny>,
}

/// One argument.
pub(crate) enum Held {
    Word(u64),
    /// A complex number: two parameters of the code.
    Pair(u64, u64),
    Array(Buffer),
    /// Its identity is in the signature: code was made for it.
    Object,
}

/// What looking at an argument gives.
pub(crate) enum Observed {
    Held(Held),
    /// It cannot be in a register: Python runs the part.
    Unfit,
}

impl Known {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Known> {
        let numpy = py.import("numpy")?;
        let scalars = TYPES.iter().map(|(name, ..)| numpy.getattr(*name).map(Bound::unbind)).collect::<PyResult<_>>()?;
        let errors = py.import("numpy._core.umath")?.getattr("_extobj_contextvar")?;
        // Outside of any `errstate`, whatever is set where this is called.
        let ordinary = py.import("contextvars")?.getattr("Context")?.call0()?.call_method1("run", (errors.getattr("get")?,))?;
        Ok(Known { array: numpy.getattr("ndarray")?.unbind(), scalars, errors: errors.unbind(), ordinary: ordinary.unbind() })
    }

    /// Whether an object is an array of NumPy's, of whatever dtype.
    pub(crate) fn is_array(&self, arg: &Bound<'_, PyAny>) -> bool {
        arg.get_type().is(self.array.bind(arg.py()))
    }

    /// Whether errors of floats are treated as they are where nobody has said anything: NumPy may be told to raise them.
    pub(crate) fn ordinary_errors(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.errors.bind(py).call_method0("get")?.is(self.ordinary.bind(py)))
    }

    /// Looks at an argument; adds to the signature what code depends on.
    pub(crate) fn observe(&self, arg: &Bound<'_, PyAny>, signature: &mut Vec<u64>) -> PyResult<Observed> {
        let py = arg.py();
        let ty = arg.get_type();
        if ty.is(py.get_type::<PyFloat>()) {
            signature.push(1);
            return Ok(Observed::Held(Held::Word(arg.extract::<f64>()?.to_bits())));
        }
        if ty.is(py.get_type::<PyInt>()) {
            signature.push(2);
            return Ok(arg.extract::<i64>().map_or(Observed::Unfit, |value| Observed::Held(Held::Word(value as u64))));
        }
        if ty.is(py.get_type::<PyBool>()) {
            signature.push(3);
            return Ok(Observed::Held(Held::Word(u64::from(arg.extract::<bool>()?))));
        }
        if ty.is(py.get_type::<PyComplex>()) {
            signature.push(8);
            return Ok(Observed::Held(Held::pair(arg)?));
        }
        if ty.is(self.array.bind(py)) {
            let Some(buffer) = Buffer::of(arg) else {
                signature.extend([4, arg.as_ptr() as u64]);
                return Ok(Observed::Held(Held::Object));
            };
            signature.push(5 | buffer.code << 8 | (buffer.extents().len() as u64) << 16 | buffer.layout() << 24);
            return Ok(Observed::Held(Held::Array(buffer)));
        }
        if let Some(code) = self.scalars.iter().position(|known| ty.is(known.bind(py))) {
            let Some(buffer) = Buffer::raw(arg) else { return Ok(Observed::Unfit) };
            signature.push(6 | (code as u64) << 8);
            return Ok(Observed::Held(Held::Word(buffer.word(TYPES[code].1))));
        }
        // A short text is known by what it says: `mode == "mean"` is the same code for every text that says so.
        if let Ok(text) = arg.cast_exact::<PyString>()
            && let Ok(text) = text.to_str()
            && text.len() <= MOST_OF_TEXT
        {
            signature.extend([11, text.len() as u64]);
            signature.extend(text.as_bytes().chunks(8).map(|bytes| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))));
            return Ok(Observed::Held(Held::Object));
        }
        signature.extend([7, arg.as_ptr() as u64]);
        Ok(Observed::Held(Held::Object))
    }
}

impl Held {
    /// An argument whose signature is known already.
    pub(crate) fn of(arg: &Bound<'_, PyAny>) -> PyResult<Option<Held>> {
        if let Ok(value) = arg.cast_exact::<PyFloat>() {
            return Ok(Some(Held::Word(value.extract::<f64>()?.to_bits())));
        }
        if let Ok(value) = arg.cast_exact::<PyInt>() {
            return Ok(value.extract::<i64>().ok().map(|value| Held::Word(value as u64)));
        }
        if let Ok(value) = arg.cast_exact::<PyBool>() {
            return Ok(Some(Held::Word(u64::from(value.is_true()))));
        }
        if arg.is_exact_instance_of::<PyComplex>() {
            return Held::pair(arg).map(Some);
        }
        match Buffer::raw(arg) {
            Some(buffer) if buffer.view.ndim == 0 => {
                let format = buffer.format();
                Ok(Some(Held::Word(buffer.word(&format))))
            }
            Some(buffer) => Ok(Some(Held::Array(buffer))),
            None => Ok(Some(Held::Object)),
        }
    }

    fn pair(arg: &Bound<'_, PyAny>) -> PyResult<Held> {
        let found = arg.cast_exact::<PyComplex>()?;
        Ok(Held::Pair(found.real().to_bits(), found.imag().to_bits()))
    }

    pub(crate) fn words(&self, into: &mut Vec<u64>) {
        match self {
            Held::Word(word) => into.push(*word),
            Held::Pair(real, imaginary) => into.extend([*real, *imaginary]),
            Held::Array(buffer) => {
                into.push(buffer.view.buf as u64);
                into.extend(buffer.extents().iter().map(|&extent| extent as u64));
                into.extend(buffer.strides().iter().map(|&stride| stride as u64));
            }
            Held::Object => panic!("invariant `code takes numbers and arrays`: it is given an object"),
        }
    }

    pub(crate) fn is_writable(&self) -> bool {
        matches!(self, Held::Array(buffer) if buffer.view.readonly == 0)
    }

    /// Whether several indices may be one element: an array with a stride of zero, or of windows that overlap.
    pub(crate) fn overlaps_itself(&self) -> bool {
        matches!(self, Held::Array(buffer) if buffer.overlaps_itself())
    }

    pub(crate) fn overlaps(&self, other: &Held) -> bool {
        match (self, other) {
            (Held::Array(x), Held::Array(y)) => {
                let ((x_first, x_end), (y_first, y_end)) = (x.range(), y.range());
                x_first < y_end && y_first < x_end
            }
            _ => false,
        }
    }
}

/// Memory that an object of NumPy's exports, for as long as this is.
pub(crate) struct Buffer {
    view: Box<ffi::Py_buffer>,
    code: u64,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the view was filled by Python, is let go of once, and whoever drops it holds Python.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.view) }
    }
}

impl Buffer {
    /// The memory of an array of a type and a number of axes that code computes with.
    fn of(array: &Bound<'_, PyAny>) -> Option<Buffer> {
        let mut buffer = Buffer::raw(array)?;
        let format = buffer.format();
        let code = TYPES.iter().position(|(_, known, _)| *known == format)?;
        buffer.code = code as u64;
        (1..=MOST_AXES).contains(&buffer.view.ndim).then_some(buffer)
    }

    fn raw(object: &Bound<'_, PyAny>) -> Option<Buffer> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the view is room for what Python fills in; it is kept only where that was done.
        let filled = unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_STRIDES | ffi::PyBUF_FORMAT) };
        if filled != 0 {
            drop(PyErr::take(object.py()));
            return None;
        }
        Some(Buffer { view, code: 0 })
    }

    fn format(&self) -> String {
        match self.view.format.is_null() {
            true => "B".into(),
            // SAFETY: a format that is not null is a text that lives as long as the view.
            false => unsafe { std::ffi::CStr::from_ptr(self.view.format) }.to_string_lossy().into_owned(),
        }
    }

    fn numbers(&self, from: *const isize) -> &[isize] {
        match from.is_null() {
            true => &[],
            // SAFETY: Python fills in as many numbers as there are axes, for as long as the view lives.
            false => unsafe { std::slice::from_raw_parts(from, self.view.ndim as usize) },
        }
    }

    fn extents(&self) -> &[isize] {
        self.numbers(self.view.shape)
    }

    fn strides(&self) -> &[isize] {
        self.numbers(self.view.strides)
    }

    /// Whether neighbours along the last axis, or the first, are neighbours in memory.
    fn layout(&self) -> u64 {
        let strides = self.strides();
        match (strides.last(), strides.first()) {
            (Some(&last), _) if last == self.view.itemsize => 1,
            (_, Some(&first)) if first == self.view.itemsize => 2,
            _ => 3,
        }
    }

    /// Where its memory begins and ends.
    fn range(&self) -> (i128, i128) {
        let start = self.view.buf as usize as i128;
        if self.extents().contains(&0) {
            return (start, start);
        }
        let (mut first, mut end) = (start, start + self.view.itemsize as i128);
        for (&extent, &stride) in self.extents().iter().zip(self.strides()) {
            let reach = (extent as i128 - 1) * stride as i128;
            if reach < 0 { first += reach } else { end += reach }
        }
        (first, end)
    }

    /// Whether several indices may be one element. Each axis that strides over all that the axes of smaller strides reach has elements of its own.
    fn overlaps_itself(&self) -> bool {
        let mut axes: Vec<(i128, i128)> =
            self.extents().iter().zip(self.strides()).map(|(&extent, &stride)| ((stride as i128).abs(), extent as i128)).collect();
        if axes.iter().any(|&(_, extent)| extent == 0) {
            return false;
        }
        axes.retain(|&(_, extent)| extent > 1);
        axes.sort_unstable();
        let mut reached = self.view.itemsize as i128;
        axes.into_iter().any(|(stride, extent)| {
            let overlaps = stride < reached;
            reached += stride * (extent - 1);
            overlaps
        })
    }

    /// The one value of a scalar, as code takes it.
    fn word(&self, format: &str) -> u64 {
        let at = self.view.buf;
        // SAFETY: a scalar exports as many bytes as its format has.
        unsafe {
            match format {
                "?" | "B" => u64::from(at.cast::<u8>().read_unaligned()),
                "b" => at.cast::<i8>().read_unaligned() as u64,
                "h" => at.cast::<i16>().read_unaligned() as u64,
                "H" => u64::from(at.cast::<u16>().read_unaligned()),
                "i" => at.cast::<i32>().read_unaligned() as u64,
                "I" | "f" => u64::from(at.cast::<u32>().read_unaligned()),
                _ => at.cast::<u64>().read_unaligned(),
            }
        }
    }
}
