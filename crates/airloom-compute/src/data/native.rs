//! Numbers of a fixed width behind every type that has them: the loops of kernels are written once for each width.

use crate::data::{Vector, type_to_arrow};
use airloom_ir::types::{IntTy, Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayDataBuilder, ArrayRef, AsArray, make_array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::{
    ArrowNativeType, Date32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};

use super::bits;

/// The widths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Width {
    /// The width in which values of a type are stored, where they are numbers of one.
    pub(crate) fn of(ty: &Ty) -> Option<Width> {
        Some(match ty {
            Ty::Int(int) => match int {
                IntTy::I8 => Width::I8,
                IntTy::I16 => Width::I16,
                IntTy::I32 => Width::I32,
                IntTy::I64 => Width::I64,
                IntTy::U8 => Width::U8,
                IntTy::U16 => Width::U16,
                IntTy::U32 => Width::U32,
                IntTy::U64 => Width::U64,
            },
            Ty::F32 => Width::F32,
            Ty::F64 => Width::F64,
            Ty::Decimal { precision, .. } if *precision <= crate::data::types::NARROW_DECIMAL => Width::I64,
            Ty::Decimal { .. } => Width::I128,
            Ty::Date | Ty::Category { .. } => Width::I32,
            Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_) => Width::I64,
            _ => return None,
        })
    }
}

/// The same expression for the type of a width: `by_width!(width, N => expression of N)`.
macro_rules! by_width {
    ($width:expr, $N:ident => $body:expr) => {
        match $width {
            $crate::data::native::Width::F32 => {
                type $N = f32;
                $body
            }
            $crate::data::native::Width::F64 => {
                type $N = f64;
                $body
            }
            other => $crate::data::native::by_whole_width!(other, $N => $body, unreachable!("floats come first")),
        }
    };
}

/// The same expression for the type of a width of integers, and another for floats.
macro_rules! by_whole_width {
    ($width:expr, $N:ident => $body:expr, $float:expr) => {
        match $width {
            $crate::data::native::Width::I8 => {
                type $N = i8;
                $body
            }
            $crate::data::native::Width::I16 => {
                type $N = i16;
                $body
            }
            $crate::data::native::Width::I32 => {
                type $N = i32;
                $body
            }
            $crate::data::native::Width::I64 => {
                type $N = i64;
                $body
            }
            $crate::data::native::Width::I128 => {
                type $N = i128;
                $body
            }
            $crate::data::native::Width::U8 => {
                type $N = u8;
                $body
            }
            $crate::data::native::Width::U16 => {
                type $N = u16;
                $body
            }
            $crate::data::native::Width::U32 => {
                type $N = u32;
                $body
            }
            $crate::data::native::Width::U64 => {
                type $N = u64;
                $body
            }
            $crate::data::native::Width::F32 | $crate::data::native::Width::F64 => $float,
        }
    };
}
pub(crate) use {by_whole_width, by_width};

/// A number of a fixed width.
pub(crate) trait Native: ArrowNativeType + PartialOrd {
    /// The numbers of an array whose type has this width.
    fn numbers(array: &dyn Array) -> Option<ScalarBuffer<Self>>;
    /// The number of a value.
    fn of(value: &Value) -> Option<Self>;
}

/// An integer of any width as the widest.
pub(crate) fn as_wide(number: impl Into<i128>) -> i128 {
    number.into()
}

macro_rules! native {
    ($($N:ident: $value:ident [$($T:ident),+];)+) => { $(
        impl Native for $N {
            fn numbers(array: &dyn Array) -> Option<ScalarBuffer<$N>> {
                $(if let Some(array) = array.as_primitive_opt::<$T>() {
                    return Some(array.values().clone());
                })+
                None
            }
            fn of(value: &Value) -> Option<$N> {
                if let Value::$value(number) = value { Some(*number as $N) } else { None }
            }
        }
    )+ };
}
native! {
    i8: Int [Int8Type];
    i16: Int [Int16Type];
    i32: Int [Int32Type, Date32Type];
    i64: Int [Int64Type, Decimal64Type, TimestampMicrosecondType, TimestampNanosecondType, TimestampSecondType, TimestampMillisecondType,
        DurationSecondType, DurationMillisecondType, DurationMicrosecondType, DurationNanosecondType, Time64NanosecondType];
    i128: Int [Decimal128Type];
    u8: Int [UInt8Type];
    u16: Int [UInt16Type];
    u32: Int [UInt32Type];
    u64: Int [UInt64Type];
    f32: F32 [Float32Type];
    f64: F64 [Float64Type];
}

/// One argument of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Side<N: ArrowNativeType> {
    /// The same number in every row.
    One(N),
    /// A number for each row; any where it is null.
    Many(ScalarBuffer<N>),
}

impl<N: Native> Side<N> {
    /// The numbers of a vector; `None` where it is a constant null, or no number.
    pub(crate) fn of(row: &Vector) -> Option<Side<N>> {
        match row {
            Vector::Constant(value) => N::of(value).map(Side::One),
            Vector::Flat(array) => N::numbers(array).map(Side::Many),
            Vector::Row(_) => None,
        }
    }

    /// The number in one row.
    pub(crate) fn at(&self, row: usize) -> N {
        match self {
            Side::One(number) => *number,
            Side::Many(numbers) => numbers[row],
        }
    }
}

/// What becomes of each number.
#[inline(always)]
pub(crate) fn each<A: Native, R>(numbers: &[A], make: impl Fn(A) -> R) -> Vec<R> {
    numbers.iter().map(|x| make(*x)).collect()
}

/// What becomes of each pair of numbers.
#[inline(always)]
pub(crate) fn each_pair<A: Native, B: Native, R: Copy>(rows: usize, left: &Side<A>, right: &Side<B>, make: impl Fn(A, B) -> R) -> Vec<R> {
    match (left, right) {
        (Side::Many(left), Side::Many(right)) => left.iter().zip(right.iter()).map(|(x, y)| make(*x, *y)).collect(),
        (Side::Many(left), Side::One(y)) => left.iter().map(|x| make(*x, *y)).collect(),
        (Side::One(x), Side::Many(right)) => right.iter().map(|y| make(*x, *y)).collect(),
        (Side::One(x), Side::One(y)) => vec![make(*x, *y); rows],
    }
}

/// What holds of each pair of numbers.
#[inline(always)]
pub(crate) fn holds<A: Native, B: Native>(rows: usize, left: &Side<A>, right: &Side<B>, holds: impl Fn(A, B) -> bool) -> BooleanBuffer {
    match (left, right) {
        (Side::Many(left), Side::Many(right)) => bits::test_pairs(left, right, holds),
        (Side::Many(left), Side::One(y)) => bits::test(left, |x| holds(x, *y)),
        (Side::One(x), Side::Many(right)) => bits::test(right, |y| holds(*x, y)),
        (Side::One(x), Side::One(y)) if holds(*x, *y) => BooleanBuffer::new_set(rows),
        (Side::One(_), Side::One(_)) => BooleanBuffer::new_unset(rows),
    }
}

/// Numbers as an array of a type that has their width.
pub(crate) fn numbers_to_array<N: Native>(types: &Types, ty: TyId, numbers: Vec<N>, nulls: Option<NullBuffer>) -> ArrayRef {
    buffer_to_array(types, ty, ScalarBuffer::from(numbers), nulls)
}

/// Numbers that are in a buffer already as an array of a type that has their width.
pub(crate) fn buffer_to_array<N: Native>(types: &Types, ty: TyId, numbers: ScalarBuffer<N>, nulls: Option<NullBuffer>) -> ArrayRef {
    let data_type = type_to_arrow(types, ty).expect("invariant `columns hold values`: numbers stand in columns");
    let length = numbers.len();
    let buffer: Buffer = numbers.into_inner();
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    let data = ArrayDataBuilder::new(data_type).len(length).add_buffer(buffer).nulls(nulls).build();
    make_array(data.expect("invariant `columns hold values`: the type has the width of its numbers, and every row has one"))
}
