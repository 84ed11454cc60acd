//! The values of columns that are written as text.

use super::number::write_whole;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, LargeStringArray, RecordBatch, StringArray, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use std::ops::Range;

/// The values of a column.
pub(super) enum Values<'a> {
    Bool(&'a BooleanArray),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    View(&'a StringViewArray),
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    /// Counts of a unit, and how many units a second has.
    Time(&'a [i64], i64),
    Nothing,
}

impl<'a> Values<'a> {
    pub(super) fn of(array: &'a ArrayRef) -> Values<'a> {
        match array.data_type() {
            DataType::Boolean => Values::Bool(array.as_boolean()),
            DataType::Int8 => Values::I8(array.as_primitive::<Int8Type>().values()),
            DataType::Int16 => Values::I16(array.as_primitive::<Int16Type>().values()),
            DataType::Int32 => Values::I32(array.as_primitive::<Int32Type>().values()),
            DataType::Int64 => Values::I64(array.as_primitive::<Int64Type>().values()),
            DataType::UInt8 => Values::U8(array.as_primitive::<UInt8Type>().values()),
            DataType::UInt16 => Values::U16(array.as_primitive::<UInt16Type>().values()),
            DataType::UInt32 => Values::U32(array.as_primitive::<UInt32Type>().values()),
            DataType::UInt64 => Values::U64(array.as_primitive::<UInt64Type>().values()),
            DataType::Float32 => Values::F32(array.as_primitive::<Float32Type>().values()),
            DataType::Float64 => Values::F64(array.as_primitive::<Float64Type>().values()),
            DataType::Utf8View => Values::View(array.as_string_view()),
            DataType::Utf8 => Values::Small(array.as_string()),
            DataType::LargeUtf8 => Values::Large(array.as_string()),
            DataType::Timestamp(unit, _) | DataType::Duration(unit) => {
                counts(array).map_or(Values::Nothing, |counts| Values::Time(counts, per_second(*unit)))
            }
            _ => Values::Nothing,
        }
    }

    /// The text of a row, where it is one.
    #[inline]
    pub(super) fn text(&self, row: usize) -> Option<&'a str> {
        match self {
            Values::View(text) => Some(text.value(row)),
            Values::Small(text) => Some(text.value(row)),
            Values::Large(text) => Some(text.value(row)),
            _ => None,
        }
    }

    /// Appends the number of a row, where it is a whole one; whether it is.
    #[inline]
    pub(super) fn write_whole(&self, row: usize, out: &mut Vec<u8>) -> bool {
        match self {
            Values::I8(values) => write_whole(values[row], out),
            Values::I16(values) => write_whole(values[row], out),
            Values::I32(values) => write_whole(values[row], out),
            Values::I64(values) => write_whole(values[row], out),
            Values::U8(values) => write_whole(values[row], out),
            Values::U16(values) => write_whole(values[row], out),
            Values::U32(values) => write_whole(values[row], out),
            Values::U64(values) => write_whole(values[row], out),
            _ => return false,
        }
        true
    }

    /// The integer of a row that encodes a word; less than zero where it does not.
    pub(super) fn code(&self, row: usize) -> i64 {
        match self {
            Values::I8(values) => i64::from(values[row]),
            Values::I16(values) => i64::from(values[row]),
            Values::I32(values) => i64::from(values[row]),
            Values::I64(values) => values[row],
            _ => -1,
        }
    }
}

/// The same rows in types that are known here.
pub(super) fn plain(batch: &RecordBatch) -> Result<RecordBatch, String> {
    let schema = batch.schema();
    if !schema.fields().iter().any(|field| matches!(field.data_type(), DataType::Dictionary(_, _))) {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().map(|column| match column.data_type() {
        DataType::Dictionary(_, words) => cast(column, words).map_err(|error| error.to_string()),
        _ => Ok(column.clone()),
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let named = schema.fields().iter().zip(columns).map(|(field, column)| (field.name().as_str(), column, true));
    RecordBatch::try_from_iter_with_nullable(named).map_err(|error| error.to_string())
}

/// Whether all timestamps are of these seconds.
pub(super) fn all_within(array: &ArrayRef, seconds: &Range<i64>) -> bool {
    let DataType::Timestamp(unit, _) = array.data_type() else { return true };
    let Some(counts) = counts(array) else { return true };
    let per_second = per_second(*unit);
    counts.iter().enumerate().all(|(row, &count)| array.is_null(row) || seconds.contains(&count.div_euclid(per_second)))
}

/// The counts of a column of times.
pub(super) fn counts(array: &ArrayRef) -> Option<&[i64]> {
    Some(match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => array.as_primitive::<TimestampSecondType>().values(),
        DataType::Timestamp(TimeUnit::Millisecond, _) => array.as_primitive::<TimestampMillisecondType>().values(),
        DataType::Timestamp(TimeUnit::Microsecond, _) => array.as_primitive::<TimestampMicrosecondType>().values(),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => array.as_primitive::<TimestampNanosecondType>().values(),
        DataType::Duration(TimeUnit::Second) => array.as_primitive::<DurationSecondType>().values(),
        DataType::Duration(TimeUnit::Millisecond) => array.as_primitive::<DurationMillisecondType>().values(),
        DataType::Duration(TimeUnit::Microsecond) => array.as_primitive::<DurationMicrosecondType>().values(),
        DataType::Duration(TimeUnit::Nanosecond) => array.as_primitive::<DurationNanosecondType>().values(),
        _ => return None,
    })
}

pub(super) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
