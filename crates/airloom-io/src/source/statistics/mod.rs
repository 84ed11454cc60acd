//! What can be known of columns by looking at them.
//!
//! Everything said is exact, but for distinct counts, which are estimates beyond a certain size. What would cost too much to prove is left out.

mod bytes;
mod cell;
mod distinct;
mod fixed;
mod order;
mod pairs;
mod summary;

pub use order::Order;
pub use pairs::{Pair, pair_of};
pub use summary::summarise;

use airloom_ir::value::Value;
use airloom_opt::facts::ColumnStatistics;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;

/// What looking at a column's values showed.
#[derive(Clone, Debug, Default)]
pub struct ColumnFacts {
    /// How many rows there are.
    pub rows: u64,
    /// How many of them are null.
    pub nulls: u64,
    /// The minimum; absent where there is none, or a NaN, or no order.
    pub min: Option<Value>,
    /// The maximum; absent as `min` is.
    pub max: Option<Value>,
    /// About how many values there are, null being one.
    pub distinct: Option<u64>,
    /// Whether no two rows agree; only said where proven.
    pub unique: bool,
    /// How the rows are sorted by it, if they are.
    pub order: Option<Order>,
}

impl ColumnFacts {
    /// In the optimiser's words.
    pub fn to_statistics(&self) -> ColumnStatistics {
        ColumnStatistics { distinct: self.distinct, nulls: Some(self.nulls), min: self.min.clone(), max: self.max.clone() }
    }
}

/// Looks at a column in the engine's physical types, given in chunks.
pub fn column_facts(chunks: &[ArrayRef]) -> ColumnFacts {
    let rows = chunks.iter().map(|chunk| chunk.len() as u64).sum();
    let nulls = chunks.iter().map(|chunk| chunk.null_count() as u64).sum();
    let mut facts = ColumnFacts { rows, nulls, ..ColumnFacts::default() };
    match chunks.first() {
        Some(chunk) => look(chunk.data_type(), chunks, &mut facts),
        None => facts.distinct = Some(0),
    }
    // One row agrees with no other, and no row is out of order.
    facts.unique |= rows <= 1;
    facts
}

macro_rules! look_fixed {
    ($chunks:expr, $facts:expr, $type:ty) => {
        fixed::look::<$type>(&$chunks.iter().map(|chunk| chunk.as_primitive()).collect::<Vec<_>>(), $facts)
    };
}

fn look(data_type: &DataType, chunks: &[ArrayRef], facts: &mut ColumnFacts) {
    use arrow::datatypes as t;
    use arrow::datatypes::TimeUnit;
    match data_type {
        DataType::Boolean => bytes::look_booleans(chunks, facts),
        DataType::Int8 => look_fixed!(chunks, facts, t::Int8Type),
        DataType::Int16 => look_fixed!(chunks, facts, t::Int16Type),
        DataType::Int32 => look_fixed!(chunks, facts, t::Int32Type),
        DataType::Int64 => look_fixed!(chunks, facts, t::Int64Type),
        DataType::UInt8 => look_fixed!(chunks, facts, t::UInt8Type),
        DataType::UInt16 => look_fixed!(chunks, facts, t::UInt16Type),
        DataType::UInt32 => look_fixed!(chunks, facts, t::UInt32Type),
        DataType::UInt64 => look_fixed!(chunks, facts, t::UInt64Type),
        DataType::Float32 => look_fixed!(chunks, facts, t::Float32Type),
        DataType::Float64 => look_fixed!(chunks, facts, t::Float64Type),
        DataType::Decimal64(..) => look_fixed!(chunks, facts, t::Decimal64Type),
        DataType::Decimal128(..) => look_fixed!(chunks, facts, t::Decimal128Type),
        DataType::Date32 => look_fixed!(chunks, facts, t::Date32Type),
        DataType::Time64(TimeUnit::Nanosecond) => look_fixed!(chunks, facts, t::Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => look_fixed!(chunks, facts, t::TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => look_fixed!(chunks, facts, t::TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => look_fixed!(chunks, facts, t::TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => look_fixed!(chunks, facts, t::TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => look_fixed!(chunks, facts, t::DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => look_fixed!(chunks, facts, t::DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => look_fixed!(chunks, facts, t::DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => look_fixed!(chunks, facts, t::DurationNanosecondType),
        DataType::Utf8View => bytes::look_text(chunks, facts),
        DataType::BinaryView => bytes::look_bytes(chunks, facts),
        // Lists and structs: how many are null is all that is worth knowing.
        _ => (),
    }
}
