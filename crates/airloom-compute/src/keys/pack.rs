//! The bits of fixed-width columns.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{
    DataType, Date32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64NanosecondType, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};

/// How many bits a value of a type takes, where it is always as many.
pub(super) fn width(data: &DataType) -> Option<u32> {
    Some(match data {
        DataType::Boolean => 1,
        DataType::Int8 | DataType::UInt8 => 8,
        DataType::Int16 | DataType::UInt16 => 16,
        DataType::Int32 | DataType::UInt32 | DataType::Float32 | DataType::Date32 => 32,
        DataType::Int64
        | DataType::UInt64
        | DataType::Float64
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Decimal64(..) => 64,
        DataType::Decimal128(..) => 128,
        _ => return None,
    })
}

/// Floats that are `same` have the same bits here: one NaN, one zero.
fn float64(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { (x + 0.0).to_bits() }
}

fn float32(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { (x + 0.0).to_bits() }
}

/// Gives the bits of every value, whatever is stored where it is null.
pub(super) fn bits(array: &dyn Array, mut give: impl FnMut(usize, u128)) {
    macro_rules! each {
        ($ty:ty, $cast:expr) => {{
            for (row, &value) in array.as_primitive::<$ty>().values().iter().enumerate() {
                give(row, $cast(value));
            }
        }};
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().enumerate().for_each(|(row, b)| give(row, u128::from(b))),
        DataType::Int8 => each!(Int8Type, |v: i8| u128::from(v as u8)),
        DataType::UInt8 => each!(UInt8Type, u128::from),
        DataType::Int16 => each!(Int16Type, |v: i16| u128::from(v as u16)),
        DataType::UInt16 => each!(UInt16Type, u128::from),
        DataType::Int32 => each!(Int32Type, |v: i32| u128::from(v as u32)),
        DataType::UInt32 => each!(UInt32Type, u128::from),
        DataType::Date32 => each!(Date32Type, |v: i32| u128::from(v as u32)),
        DataType::Int64 => each!(Int64Type, |v: i64| u128::from(v as u64)),
        DataType::UInt64 => each!(UInt64Type, u128::from),
        DataType::Float32 => each!(Float32Type, |v: f32| u128::from(float32(v))),
        DataType::Float64 => each!(Float64Type, |v: f64| u128::from(float64(v))),
        DataType::Decimal64(..) => each!(Decimal64Type, |v: i64| u128::from(v as u64)),
        DataType::Decimal128(..) => each!(Decimal128Type, |v: i128| v as u128),
        DataType::Time64(_) => each!(Time64NanosecondType, |v: i64| u128::from(v as u64)),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => each!(TimestampSecondType, |v: i64| u128::from(v as u64)),
            TimeUnit::Millisecond => each!(TimestampMillisecondType, |v: i64| u128::from(v as u64)),
            TimeUnit::Microsecond => each!(TimestampMicrosecondType, |v: i64| u128::from(v as u64)),
            TimeUnit::Nanosecond => each!(TimestampNanosecondType, |v: i64| u128::from(v as u64)),
        },
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => each!(DurationSecondType, |v: i64| u128::from(v as u64)),
            TimeUnit::Millisecond => each!(DurationMillisecondType, |v: i64| u128::from(v as u64)),
            TimeUnit::Microsecond => each!(DurationMicrosecondType, |v: i64| u128::from(v as u64)),
            TimeUnit::Nanosecond => each!(DurationNanosecondType, |v: i64| u128::from(v as u64)),
        },
        other => panic!("invariant `only fixed-width columns have bits`: found {other}"),
    }
}
