//! Columns of pieces as arrays of Arrow's.

use super::convert::{Strings, Values};
use super::request::{Columns, Request};
use super::unify::{Class, Unified, read};
use arrow::array::{ArrayRef, Float64Array, Int64Array, LargeStringArray, UInt8Array, UInt64Array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use std::sync::Arc;

/// What a column of a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// Integers.
    Whole,
    /// Integers that need all bits.
    Unsigned,
    /// Floats, NaN where one is missing.
    Float,
    /// Booleans: 0 and 1, and 255 where one is missing.
    Truth {
        /// Whether one is.
        missing: bool,
    },
    /// Text.
    Text,
    /// Timestamps: units since 1970, the minimum integer where one is missing.
    Timestamp {
        /// Of nanoseconds, and otherwise of microseconds.
        nanoseconds: bool,
        /// Whether they said that they are in UTC.
        zulu: bool,
    },
}

/// A column: what it is, and its rows in pieces.
#[derive(Debug)]
pub struct ReadColumn {
    /// What it is.
    pub read_as: ReadAs,
    /// Its rows.
    pub pieces: Vec<ArrayRef>,
}

/// Reads a file as a whole, or as many rows as are asked for: how many rows there are, where they end, and the columns that were asked for. An error says why
/// that would not be what pandas reads.
pub fn read_whole(request: &Request) -> Result<(usize, u64, Vec<ReadColumn>), String> {
    let Unified { rows, end, classes, pieces } = read(request)?;
    let mut columns: Vec<Vec<(usize, Values)>> = classes.iter().map(|_| Vec::with_capacity(pieces.len())).collect();
    for Columns { rows, made: values, .. } in pieces {
        columns.iter_mut().zip(values).for_each(|(column, values)| column.push((rows, values)));
    }
    Ok((rows, end, classes.into_iter().zip(columns).map(|(class, values)| column(class, values)).collect()))
}

fn column(class: Class, values: Vec<(usize, Values)>) -> ReadColumn {
    let read_as = match class {
        Class::Whole => ReadAs::Whole,
        Class::Unsigned => ReadAs::Unsigned,
        Class::Float => ReadAs::Float,
        Class::Truth { missing } => ReadAs::Truth { missing },
        Class::Text => ReadAs::Text,
        Class::Timestamp(form) => ReadAs::Timestamp { nanoseconds: form.fraction > 6, zulu: form.zulu },
    };
    ReadColumn { read_as, pieces: values.into_iter().map(|(rows, values)| array(class, rows, values)).collect() }
}

fn array(class: Class, rows: usize, values: Values) -> ArrayRef {
    match (class, values) {
        (Class::Whole, Values::Whole(values)) | (Class::Timestamp(_), Values::Timestamp { values, .. }) => {
            Arc::new(Int64Array::from(values))
        }
        (Class::Unsigned, Values::Unsigned(values)) => Arc::new(UInt64Array::from(values)),
        (Class::Unsigned, Values::Whole(values)) => Arc::new(UInt64Array::from_iter_values(values.into_iter().map(i64::unsigned_abs))),
        (Class::Float, Values::Float { values, .. }) => Arc::new(Float64Array::from(values)),
        (Class::Float, Values::Whole(values)) => Arc::new(Float64Array::from_iter_values(values.into_iter().map(|value| value as f64))),
        (Class::Float, Values::Nothing) => Arc::new(Float64Array::from(vec![f64::NAN; rows])),
        (Class::Truth { .. }, Values::Truth { values, .. }) => Arc::new(UInt8Array::from(values)),
        (Class::Truth { .. }, Values::Nothing) => Arc::new(UInt8Array::from(vec![255; rows])),
        (Class::Text, Values::Text(strings)) => text(strings),
        (class, values) => unreachable!("a column of {class:?} has pieces of that, not {values:?}"),
    }
}

fn text(strings: Strings) -> ArrayRef {
    let rows = strings.ends.len() - 1;
    let nulls = strings.valid.map(|bits| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), 0, rows)));
    // SAFETY: the ends rise from zero to the length of the bytes, and what is between two of them was found to be UTF-8 when it was read.
    let made = unsafe {
        LargeStringArray::new_unchecked(OffsetBuffer::new(ScalarBuffer::from(strings.ends)), Buffer::from_vec(strings.bytes), nulls)
    };
    Arc::new(made)
}
