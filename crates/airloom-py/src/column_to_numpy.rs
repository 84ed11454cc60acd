//! Columns as NumPy arrays of their own: concatenated from their pieces, on every core.

use crate::cores::{parallel_map, parts_for};
use crate::errors::program_error;
use crate::numpy_to_column::{Layout, NOT_A_TIME, word_to_type};
use airloom::arrow::array::{Array, ArrayData, ArrayRef, AsArray};
use airloom::arrow::buffer::{BooleanBuffer, NullBuffer};
use airloom::arrow::datatypes::{ArrowNativeType, DataType, TimeUnit};
use pyo3::prelude::*;
use std::ops::Range;

/// The pieces of a column, of `rows` rows in all, in a new array. Without `dtype` its elements are of the type that is nearest.
pub(crate) fn to_numpy<'py>(
    py: Python<'py>,
    name: &str,
    from: &DataType,
    pieces: &[ArrayRef],
    rows: usize,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let wrong = |message: String| program_error(py, format!("column `{name}`: {message}"));
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let made = match (dtype.filter(|dtype| !dtype.is_none()), nearest(from)) {
        (Some(dtype), _) => numpy.call_method1(pyo3::intern!(py, "empty"), (rows, dtype))?,
        (None, Some(word)) => numpy.call_method1(pyo3::intern!(py, "empty"), (rows, word))?,
        (None, None) => return Err(wrong(format!("Arrow's `{from}` is no type of NumPy's"))),
    };
    let layout = Layout::of(&made)?;
    let (Some(fill), [count]) = (filling(from, &layout.word), layout.shape.as_slice()) else {
        return Err(wrong(format!("Arrow's `{from}` cannot be `{}` without loss", made.getattr("dtype")?)));
    };
    let nulls: usize = pieces.iter().map(|piece| piece.null_count()).sum();
    if nulls > 0 && !fill.nulls {
        let hint = if from.is_integer() { "; hint: `dtype=\"float64\"`" } else { "" };
        return Err(wrong(format!("it has {nulls} nulls, which `{}` cannot say{hint}", made.getattr("dtype")?)));
    }
    let place = layout.place;
    py.detach(|| (fill.with)(pieces, place, *count));
    Ok(made)
}

/// NumPy's word for the type that says what an Arrow type does.
fn nearest(from: &DataType) -> Option<String> {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    Some(match from {
        DataType::Boolean => "?".into(),
        DataType::Int8 => "i1".into(),
        DataType::Int16 => "i2".into(),
        DataType::Int32 => "i4".into(),
        DataType::Int64 => "i8".into(),
        DataType::UInt8 => "u1".into(),
        DataType::UInt16 => "u2".into(),
        DataType::UInt32 => "u4".into(),
        DataType::UInt64 => "u8".into(),
        DataType::Float32 => "f4".into(),
        DataType::Float64 => "f8".into(),
        DataType::Date32 => "M8[s]".into(),
        DataType::Timestamp(of, _) => format!("M8[{}]", unit(of)),
        DataType::Duration(of) => format!("m8[{}]", unit(of)),
        _ => return None,
    })
}

/// How an array is filled.
struct Filling {
    /// Whether its elements can say null.
    nulls: bool,
    /// Writes the pieces of a column to an address, where there is room for as many elements as the second number says.
    with: fn(&[ArrayRef], usize, usize),
}

/// How arrays of NumPy's type are filled with values of Arrow's; `None` where values would be lost.
fn filling(from: &DataType, word: &str) -> Option<Filling> {
    macro_rules! floats {
        ($from:ty) => {
            Filling { nulls: true, with: |pieces, place, count| fill(pieces, place, count, |x: $from| x as f64, f64::NAN) }
        };
    }
    macro_rules! same {
        ($type:ty) => {
            Filling { nulls: false, with: |pieces, place, count| fill(pieces, place, count, |x: $type| x, 0) }
        };
    }
    macro_rules! days {
        ($scale:expr) => {
            Filling { nulls: true, with: |pieces, place, count| fill(pieces, place, count, |day: i32| i64::from(day) * $scale, NOT_A_TIME) }
        };
    }
    let times = Filling { nulls: true, with: |pieces, place, count| fill(pieces, place, count, |x: i64| x, NOT_A_TIME) };
    Some(match (from, word) {
        (DataType::Boolean, "|b1") => Filling { nulls: false, with: fill_truths },
        (DataType::Int8, "|i1") => same!(i8),
        (DataType::Int16, "<i2") => same!(i16),
        (DataType::Int32, "<i4") => same!(i32),
        (DataType::Int64, "<i8") => same!(i64),
        (DataType::UInt8, "|u1") => same!(u8),
        (DataType::UInt16, "<u2") => same!(u16),
        (DataType::UInt32, "<u4") => same!(u32),
        (DataType::UInt64, "<u8") => same!(u64),
        (DataType::Float32, "<f4") => {
            Filling { nulls: true, with: |pieces, place, count| fill(pieces, place, count, |x: f32| x, f32::NAN) }
        }
        (DataType::Int8, "<f8") => floats!(i8),
        (DataType::Int16, "<f8") => floats!(i16),
        (DataType::Int32, "<f8") => floats!(i32),
        (DataType::Int64, "<f8") => floats!(i64),
        (DataType::UInt8, "<f8") => floats!(u8),
        (DataType::UInt16, "<f8") => floats!(u16),
        (DataType::UInt32, "<f8") => floats!(u32),
        (DataType::UInt64, "<f8") => floats!(u64),
        (DataType::Float32, "<f8") => floats!(f32),
        (DataType::Float64, "<f8") => floats!(f64),
        (DataType::Date32, "<M8[D]") => days!(1),
        (DataType::Date32, "<M8[s]") => days!(86_400),
        (DataType::Date32, "<M8[ms]") => days!(86_400_000),
        (DataType::Timestamp(of, _), _) if word_to_type(word) == Some(DataType::Timestamp(*of, None)) => times,
        (DataType::Duration(_), _) if word_to_type(word).as_ref() == Some(from) => times,
        _ => return None,
    })
}

/// Writes values of one type as another.
fn fill<S: ArrowNativeType, T: Copy + Send + Sync>(
    pieces: &[ArrayRef],
    place: usize,
    count: usize,
    as_other: impl Fn(S) -> T + Sync,
    null: T,
) {
    let data: Vec<ArrayData> = pieces.iter().map(|piece| piece.to_data()).collect();
    each_share(pieces, place, count, |piece, rows, target: &mut [T]| {
        for (to, from) in target.iter_mut().zip(&data[piece].buffer::<S>(0)[rows.clone()]) {
            *to = as_other(*from);
        }
        if let Some(nulls) = data[piece].nulls().filter(|nulls| nulls.null_count() > 0) {
            missing(nulls, rows).set_indices().for_each(|at| target[at] = null);
        }
    });
}

/// Writes bits as bytes.
fn fill_truths(pieces: &[ArrayRef], place: usize, count: usize) {
    each_share(pieces, place, count, |piece, rows, target: &mut [u8]| {
        let bits = pieces[piece].as_boolean().values().slice(rows.start, rows.len());
        let words = bits.bit_chunks();
        let last = words.remainder_bits();
        for (bytes, word) in target.chunks_mut(64).zip(words.iter().chain(std::iter::once(last))) {
            bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = (word >> at) as u8 & 1);
        }
    });
}

/// Which of these rows are null.
fn missing(nulls: &NullBuffer, rows: Range<usize>) -> BooleanBuffer {
    !&nulls.inner().slice(rows.start, rows.len())
}

/// Calls `write` for each piece, or part of one, with its rows there and where they belong in the array; on several threads where there is much of it.
fn each_share<T: Copy + Send>(pieces: &[ArrayRef], place: usize, count: usize, write: impl Fn(usize, Range<usize>, &mut [T]) + Sync) {
    let rows: usize = pieces.iter().map(|piece| piece.len()).sum();
    assert_eq!(rows, count, "an array has an element for each row of its column");
    if count == 0 {
        return;
    }
    // SAFETY: NumPy has just made the array, contiguous and aligned, with `count` elements of the type that `filling` found for it, all bytes of which are
    // values; nothing else refers to it.
    let target = unsafe { std::slice::from_raw_parts_mut(place as *mut T, count) };
    let share = count.div_ceil(parts_for(count * size_of::<T>()));
    let shares = target.chunks_mut(share).enumerate().map(|(at, part)| (at * share, part)).collect();
    parallel_map(shares, |(first, mut part): (usize, &mut [T])| {
        let mut before = 0;
        for (at, piece) in pieces.iter().enumerate() {
            let from = first.max(before) - before;
            let length = piece.len().saturating_sub(from).min(part.len());
            // Rows of the share that come before this piece are written already, so the share goes on where the piece begins.
            if from < piece.len() && length > 0 {
                let (now, later) = std::mem::take(&mut part).split_at_mut(length);
                write(at, from..from + length, now);
                part = later;
            }
            before += piece.len();
        }
    });
}
