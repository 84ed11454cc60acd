//! What two columns of integers say together, where rows are sorted by the first.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, Date32Type, Decimal64Type, DurationMicrosecondType, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};

/// What two columns say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// No two rows agree in both.
    pub unique: bool,
    /// Rows that agree in the first rise by the second.
    pub rises: bool,
}

/// Rows that agree in the first column are looked through only as long as there are no more of them than this.
const LONGEST_RUN: usize = 64;

/// Looks at two columns, by the first of which rows are sorted. `None` where they are no integers, have nulls, or too many rows agree in the first.
pub fn pair_of(first: &[ArrayRef], second: &[ArrayRef]) -> Option<Pair> {
    if first.iter().chain(second).any(|chunk| chunk.null_count() > 0) {
        return None;
    }
    let mut pair = Pair { unique: true, rises: true };
    let mut run: Vec<i128> = Vec::with_capacity(LONGEST_RUN);
    let mut of = None;
    for (first, second) in first.iter().zip(second) {
        let (first, second) = (whole_numbers(first)?, whole_numbers(second)?);
        for row in 0..first.len {
            let (a, b) = ((first.at)(row), (second.at)(row));
            if of != Some(a) {
                of = Some(a);
                run.clear();
            } else {
                pair.unique &= !run.contains(&b);
                pair.rises &= run.last().is_none_or(|&last| last <= b);
            }
            if !pair.unique && !pair.rises {
                return Some(pair);
            }
            if run.len() == LONGEST_RUN {
                return None;
            }
            run.push(b);
        }
    }
    Some(pair)
}

struct WholeNumbers<'a> {
    len: usize,
    at: Box<dyn Fn(usize) -> i128 + 'a>,
}

fn whole_numbers(array: &ArrayRef) -> Option<WholeNumbers<'_>> {
    macro_rules! numbers {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>().values();
            Box::new(move |row| i128::from(values[row])) as Box<dyn Fn(usize) -> i128>
        }};
    }
    use arrow::datatypes::TimeUnit;
    let at = match array.data_type() {
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Date32 => numbers!(Date32Type),
        DataType::Decimal64(..) => numbers!(Decimal64Type),
        DataType::Timestamp(TimeUnit::Second, _) => numbers!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => numbers!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => numbers!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => numbers!(TimestampNanosecondType),
        DataType::Duration(TimeUnit::Microsecond) => numbers!(DurationMicrosecondType),
        _ => return None,
    };
    Some(WholeNumbers { len: array.len(), at })
}
