//! Which columns the decoder can decode, and the reader of each.

use super::column::{Column, ColumnReader};
use super::fixed::{Digits, Fixed};
use super::kind::Kind;
use super::pages::Pages;
use super::text::Text;
use super::truth::Truth;
use arrow::datatypes::{
    DataType, Date32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64NanosecondType, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use parquet::basic::{ConvertedType, Encoding, LogicalType, TimeUnit as StoredUnit, Type as Stored};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescriptor;

/// Whether a column of a file, of which these are the parts, can be decoded into a type.
pub(super) fn supports<'a>(
    column: &ColumnDescriptor,
    data_type: &DataType,
    mut parts: impl Iterator<Item = &'a ColumnChunkMetaData>,
) -> bool {
    let known =
        |encoding: Encoding| matches!(encoding, Encoding::PLAIN | Encoding::RLE | Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    let flat = column.max_rep_level() == 0 && column.max_def_level() <= 1 && column.path().parts().len() == 1;
    flat && same_meaning(column, data_type) && make(column, data_type).is_some() && parts.all(|part| part.encodings().all(known))
}

/// Whether the numbers in the file are those of the type, not ones to be computed from them.
fn same_meaning(column: &ColumnDescriptor, data_type: &DataType) -> bool {
    let unit_of = |unit: &StoredUnit| match unit {
        StoredUnit::MILLIS => TimeUnit::Millisecond,
        StoredUnit::MICROS => TimeUnit::Microsecond,
        StoredUnit::NANOS => TimeUnit::Nanosecond,
    };
    let unit = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(stamp)), _) => Some(unit_of(&stamp.unit)),
        (Some(LogicalType::Time(time)), _) => Some(unit_of(&time.unit)),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Some(TimeUnit::Millisecond),
        (None, ConvertedType::TIMESTAMP_MICROS | ConvertedType::TIME_MICROS) => Some(TimeUnit::Microsecond),
        _ => None,
    };
    match data_type {
        DataType::Timestamp(wanted, _) | DataType::Time64(wanted) => unit == Some(*wanted),
        DataType::Decimal64(precision, scale) | DataType::Decimal128(precision, scale) => {
            column.type_precision() == i32::from(*precision) && column.type_scale() == i32::from(*scale)
        }
        _ => unit.is_none(),
    }
}

/// Makes the reader of a column, once its pages are there.
pub(super) type MakeColumn = Box<dyn FnOnce(Pages, usize) -> Box<dyn Column>>;

/// How to read a column as values of a type, where it can be.
pub(super) fn make(column: &ColumnDescriptor, data_type: &DataType) -> Option<MakeColumn> {
    let own = data_type.clone();
    Some(match (column.physical_type(), data_type) {
        (Stored::BOOLEAN, DataType::Boolean) => by(Truth, vec![false, true, false]),
        (Stored::INT32, DataType::Int8) => plain(Fixed::<Int8Type, 4>::new(own)),
        (Stored::INT32, DataType::Int16) => plain(Fixed::<Int16Type, 4>::new(own)),
        (Stored::INT32, DataType::Int32) => plain(Fixed::<Int32Type, 4>::new(own)),
        (Stored::INT32, DataType::UInt8) => plain(Fixed::<UInt8Type, 4>::new(own)),
        (Stored::INT32, DataType::UInt16) => plain(Fixed::<UInt16Type, 4>::new(own)),
        (Stored::INT32, DataType::UInt32) => plain(Fixed::<UInt32Type, 4>::new(own)),
        (Stored::INT32, DataType::Date32) => plain(Fixed::<Date32Type, 4>::new(own)),
        (Stored::INT32, DataType::Decimal64(..)) => plain(Fixed::<Decimal64Type, 4>::new(own)),
        (Stored::INT32, DataType::Decimal128(..)) => plain(Fixed::<Decimal128Type, 4>::new(own)),
        (Stored::INT64, DataType::Int64) => plain(Fixed::<Int64Type, 8>::new(own)),
        (Stored::INT64, DataType::UInt64) => plain(Fixed::<UInt64Type, 8>::new(own)),
        (Stored::INT64, DataType::Decimal64(..)) => plain(Fixed::<Decimal64Type, 8>::new(own)),
        (Stored::INT64, DataType::Decimal128(..)) => plain(Fixed::<Decimal128Type, 8>::new(own)),
        (Stored::INT64, DataType::Time64(TimeUnit::Nanosecond)) => plain(Fixed::<Time64NanosecondType, 8>::new(own)),
        (Stored::INT64, DataType::Timestamp(unit, _)) => match unit {
            TimeUnit::Second => plain(Fixed::<TimestampSecondType, 8>::new(own)),
            TimeUnit::Millisecond => plain(Fixed::<TimestampMillisecondType, 8>::new(own)),
            TimeUnit::Microsecond => plain(Fixed::<TimestampMicrosecondType, 8>::new(own)),
            TimeUnit::Nanosecond => plain(Fixed::<TimestampNanosecondType, 8>::new(own)),
        },
        (Stored::INT64, DataType::Duration(unit)) => match unit {
            TimeUnit::Second => plain(Fixed::<DurationSecondType, 8>::new(own)),
            TimeUnit::Millisecond => plain(Fixed::<DurationMillisecondType, 8>::new(own)),
            TimeUnit::Microsecond => plain(Fixed::<DurationMicrosecondType, 8>::new(own)),
            TimeUnit::Nanosecond => plain(Fixed::<DurationNanosecondType, 8>::new(own)),
        },
        (Stored::FLOAT, DataType::Float32) => plain(Fixed::<Float32Type, 4>::new(own)),
        (Stored::DOUBLE, DataType::Float64) => plain(Fixed::<Float64Type, 8>::new(own)),
        (Stored::BYTE_ARRAY, DataType::Utf8View) => plain(Text::new(true)),
        (Stored::BYTE_ARRAY, DataType::BinaryView) => plain(Text::new(false)),
        (Stored::FIXED_LEN_BYTE_ARRAY, DataType::Decimal64(..) | DataType::Decimal128(..)) => {
            let length = usize::try_from(column.type_length()).ok().filter(|length| (1..=16).contains(length))?;
            match data_type {
                DataType::Decimal64(..) => plain(Digits::<Decimal64Type>::new(own, length)),
                _ => plain(Digits::<Decimal128Type>::new(own, length)),
            }
        }
        _ => return None,
    })
}

/// A kind whose dictionary is in the file.
fn plain<K: Kind>(kind: K) -> MakeColumn {
    by(kind, vec![K::Value::default()])
}

/// A kind with the dictionary it has from the beginning, and the value stored for null.
fn by<K: Kind>(kind: K, dictionary: Vec<K::Value>) -> MakeColumn {
    Box::new(|pages, rows| Box::new(ColumnReader::new(kind, pages, dictionary, rows)))
}
