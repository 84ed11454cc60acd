//! NumPy's arrays of one axis as columns: in place where their bytes are those of Arrow.

use crate::cores::{parallel_map, parts_for};
use crate::errors::program_error;
use airloom::arrow::array::{ArrayData, ArrayRef, BooleanArray, make_array};
use airloom::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use airloom::arrow::datatypes::{DataType, TimeUnit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

/// What NumPy writes for a time that there is not.
pub(crate) const NOT_A_TIME: i64 = i64::MIN;

/// What a NumPy array says of itself.
pub(crate) struct Layout {
    /// The type of its elements, in NumPy's words: `<f8`.
    pub(crate) word: String,
    /// The address of its first element.
    pub(crate) place: usize,
    /// The extent of each axis.
    pub(crate) shape: Vec<usize>,
    contiguous: bool,
}

impl Layout {
    pub(crate) fn of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Layout> {
        let py = array.py();
        let interface = array.getattr(pyo3::intern!(py, "__array_interface__"))?;
        let interface = interface.cast::<PyDict>()?;
        let part = |name: &Bound<'py, PyString>| interface.as_any().get_item(name);
        let (place, _): (usize, bool) = part(pyo3::intern!(py, "data"))?.extract()?;
        Ok(Layout {
            word: part(pyo3::intern!(py, "typestr"))?.extract()?,
            place,
            shape: part(pyo3::intern!(py, "shape"))?.extract()?,
            contiguous: part(pyo3::intern!(py, "strides"))?.is_none(),
        })
    }
}

/// The Arrow type whose values are the bytes of this NumPy type.
pub(crate) fn word_to_type(word: &str) -> Option<DataType> {
    let unit = |word: &str| match word {
        "[s]" => Some(TimeUnit::Second),
        "[ms]" => Some(TimeUnit::Millisecond),
        "[us]" => Some(TimeUnit::Microsecond),
        "[ns]" => Some(TimeUnit::Nanosecond),
        _ => None,
    };
    Some(match word {
        "|b1" => DataType::Boolean,
        "|i1" => DataType::Int8,
        "<i2" => DataType::Int16,
        "<i4" => DataType::Int32,
        "<i8" => DataType::Int64,
        "|u1" => DataType::UInt8,
        "<u2" => DataType::UInt16,
        "<u4" => DataType::UInt32,
        "<u8" => DataType::UInt64,
        "<f4" => DataType::Float32,
        "<f8" => DataType::Float64,
        _ => match word.split_at_checked(3)? {
            ("<M8", rest) => DataType::Timestamp(unit(rest)?, None),
            ("<m8", rest) => DataType::Duration(unit(rest)?),
            _ => return None,
        },
    })
}

/// The values of a NumPy array of one axis, in place where that can be.
pub(crate) fn column_of(given: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let py = given.py();
    let wrong = |found: String| {
        let expected = "a NumPy array of one axis of bool, int8 to int64, uint8 to uint64, float32, float64, or datetime64 or timedelta64 in s, ms, us or ns";
        program_error(py, format!("expected {expected}, found {found}"))
    };
    if !given.is_instance(ndarray(py)?)? {
        return Err(wrong(format!("`{}`", given.get_type().qualname()?)));
    }
    if given.hasattr(pyo3::intern!(py, "mask"))? {
        return Err(wrong("a masked array; hint: `filled`".into()));
    }
    let layout = Layout::of(given)?;
    let Some(data_type) = word_to_type(&layout.word) else {
        return Err(wrong(format!("one of `{}`", given.getattr("dtype")?)));
    };
    let &[count] = layout.shape.as_slice() else {
        return Err(wrong(format!("one of {} axes", layout.shape.len())));
    };
    let width = data_type.primitive_width().unwrap_or(1);
    if layout.contiguous && layout.place.is_multiple_of(width) {
        return in_place(given, &layout, &data_type, count, width);
    }
    let copy = given.call_method0(pyo3::intern!(py, "copy"))?;
    in_place(&copy, &Layout::of(&copy)?, &data_type, count, width)
}

/// The class of NumPy's arrays.
fn ndarray(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "numpy", "ndarray")
}

/// The values of a contiguous, aligned array.
fn in_place(array: &Bound<'_, PyAny>, layout: &Layout, data_type: &DataType, count: usize, width: usize) -> PyResult<ArrayRef> {
    let bytes = count * width;
    let buffer = match NonNull::new(layout.place as *mut u8) {
        Some(start) if bytes > 0 => {
            let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
            // SAFETY: the array is contiguous, so `count` elements of `width` bytes are at its address, and the buffer owns a reference to the array, which
            // owns them.
            unsafe { Buffer::from_custom_allocation(start, bytes, owner) }
        }
        _ => Buffer::from_vec(Vec::<u64>::new()),
    };
    if *data_type == DataType::Boolean {
        let bits = array.py().detach(|| packed(&buffer));
        return Ok(Arc::new(BooleanArray::new(BooleanBuffer::new(bits, 0, count), None)));
    }
    let nulls = match data_type {
        DataType::Timestamp(..) | DataType::Duration(_) => array.py().detach(|| missing_times(buffer.typed_data::<i64>())),
        _ => None,
    };
    let data = ArrayData::builder(data_type.clone()).len(count).add_buffer(buffer).nulls(nulls).build();
    data.map(make_array).map_err(|e| program_error(array.py(), e.to_string()))
}

/// Which times there are; `None` where all are.
fn missing_times(times: &[i64]) -> Option<NullBuffer> {
    let parts = parts_for(size_of_val(times));
    let shares: Vec<&[i64]> = times.chunks(share(times.len(), parts)).collect();
    let found = parallel_map(shares.clone(), |part| part.contains(&NOT_A_TIME));
    if !found.contains(&true) {
        return None;
    }
    let bits = |part: &[i64]| part.chunks(8).map(|eight| bits_of(eight, |&time| time != NOT_A_TIME)).collect::<Vec<u8>>();
    let bytes = parallel_map(shares, bits).concat();
    Some(NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bytes), 0, times.len())))
}

/// NumPy's booleans, a byte each, as bits.
fn packed(truths: &[u8]) -> Buffer {
    let parts = parts_for(truths.len());
    let bits = |part: &[u8]| {
        let (eights, rest) = part.as_chunks::<8>();
        let mut bytes: Vec<u8> = eights.iter().map(packed_eight).collect();
        if !rest.is_empty() {
            bytes.push(bits_of(rest, |&truth| truth != 0));
        }
        bytes
    };
    let mut made = parallel_map(truths.chunks(share(truths.len(), parts)).collect(), bits);
    Buffer::from_vec(if made.len() == 1 { made.remove(0) } else { made.concat() })
}

/// One bit for each of eight bytes: whether it is not zero.
fn packed_eight(eight: &[u8; 8]) -> u8 {
    let word = u64::from_le_bytes(*eight);
    // A byte that is not zero reaches its highest bit by itself or by adding 127 to the other seven.
    let high = ((word & 0x7f7f_7f7f_7f7f_7f7f) + 0x7f7f_7f7f_7f7f_7f7f) | word;
    let ones = (high >> 7) & 0x0101_0101_0101_0101;
    // The one of byte `n` is moved to bit `56 + n`, and no two meet below.
    (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

fn bits_of<T>(values: &[T], is: impl Fn(&T) -> bool) -> u8 {
    values.iter().enumerate().fold(0, |bits, (at, value)| bits | u8::from(is(value)) << at)
}

/// How many of `count` values each part has: whole bytes of bits, but for the last.
fn share(count: usize, parts: usize) -> usize {
    count.div_ceil(parts.max(1)).next_multiple_of(8).max(8)
}
