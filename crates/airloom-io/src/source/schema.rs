//! Foreign Arrow types in the engine's physical types, and arrays converted from one to the other.
//!
//! Whatever is the same bytes is shared, not copied: text of any kind becomes views over its own buffers, a dictionary becomes views of its words.

use airloom_compute::data::SourceError;
use airloom_compute::data::types::NARROW_DECIMAL;
use arrow::array::{
    Array, ArrayRef, BooleanArray, Decimal64Array, Decimal128Array, LargeListArray, MapArray, RecordBatch, RecordBatchOptions, make_array,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use arrow::error::ArrowError;
use arrow::util::display::FormatOptions;
use std::sync::Arc;

/// The physical form of a foreign type, or why it has none.
pub fn physical_type(foreign: &DataType) -> Result<DataType, String> {
    use DataType as T;
    Ok(match foreign {
        // A column of which every value is null: the smallest type says that as well as any.
        T::Null => T::Boolean,
        T::Boolean
        | T::Int8
        | T::Int16
        | T::Int32
        | T::Int64
        | T::UInt8
        | T::UInt16
        | T::UInt32
        | T::UInt64
        | T::Float32
        | T::Float64
        | T::Date32
        | T::Timestamp(..)
        | T::Duration(_) => foreign.clone(),
        T::Float16 => T::Float32,
        T::Utf8 | T::LargeUtf8 | T::Utf8View => T::Utf8View,
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => T::BinaryView,
        // Milliseconds that need not be whole days.
        T::Date64 => T::Timestamp(TimeUnit::Millisecond, None),
        T::Time32(_) | T::Time64(_) => T::Time64(TimeUnit::Nanosecond),
        T::Decimal32(precision, scale)
        | T::Decimal64(precision, scale)
        | T::Decimal128(precision, scale)
        | T::Decimal256(precision, scale) => decimal_type(*precision, *scale)?,
        T::Dictionary(_, values) => physical_type(values)?,
        T::RunEndEncoded(_, values) => physical_type(values.data_type())?,
        T::List(item) | T::LargeList(item) | T::FixedSizeList(item, _) | T::ListView(item) | T::LargeListView(item) => {
            T::LargeList(Arc::new(Field::new("item", physical_type(item.data_type())?, true)))
        }
        T::Map(entries, _) => T::LargeList(Arc::new(Field::new("item", physical_type(entries.data_type())?, true))),
        T::Struct(fields) => {
            let inner = fields.iter().map(|field| Ok(Field::new(field.name(), physical_type(field.data_type())?, true)));
            T::Struct(inner.collect::<Result<Fields, String>>()?)
        }
        T::Interval(_) => return Err("months, days and nanoseconds that do not add up to one length of time".into()),
        T::Union(..) => return Err("values of several types in one column".into()),
    })
}

fn decimal_type(precision: u8, scale: i8) -> Result<DataType, String> {
    let fits = u8::try_from(scale).is_ok_and(|scale| scale <= precision);
    match precision {
        _ if !fits => Err(format!("a decimal of {precision} digits, {scale} of them after the point, where 0 to {precision} can be")),
        0..=NARROW_DECIMAL => Ok(DataType::Decimal64(precision, scale)),
        19..=38 => Ok(DataType::Decimal128(precision, scale)),
        _ => Err(format!("a decimal of {precision} digits, where 38 are the most")),
    }
}

/// The physical form of a foreign schema. Columns that may be null stay so; metadata is left behind.
pub fn physical_schema(foreign: &Schema) -> Result<SchemaRef, SourceError> {
    let mut seen = std::collections::BTreeSet::new();
    let mut fields = Vec::with_capacity(foreign.fields().len());
    for field in foreign.fields() {
        if !seen.insert(field.name().as_str()) {
            return Err(SourceError::user(format!(
                "two columns are called `{}`: the columns of a table have different names",
                field.name()
            )));
        }
        let data_type = physical_type(field.data_type()).map_err(|reason| {
            SourceError::refused(format!("column `{}` has the type `{}`, which cannot be read: {reason}", field.name(), field.data_type()))
        })?;
        fields.push(Field::new(field.name(), data_type, field.is_nullable() || *field.data_type() == DataType::Null));
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// An array in its physical form. A value that does not fit, such as a decimal with more digits than its type says, is an error.
pub fn convert(array: &ArrayRef, physical: &DataType) -> Result<ArrayRef, SourceError> {
    if array.data_type() == physical {
        return Ok(Arc::clone(array));
    }
    converted(array, physical)
        .map_err(|error| SourceError::world(format!("a value of type `{}` does not fit the type `{physical}`: {error}", array.data_type())))
}

fn converted(array: &ArrayRef, physical: &DataType) -> Result<ArrayRef, ArrowError> {
    match (array.data_type(), physical) {
        (DataType::Null, DataType::Boolean) => Ok(Arc::new(BooleanArray::new_null(array.len()))),
        (DataType::Decimal128(..), DataType::Decimal64(precision, scale)) => {
            let wide = array.as_any().downcast_ref::<Decimal128Array>().ok_or_else(|| mislabelled(array))?;
            Ok(Arc::new(narrow_decimals(wide)?.with_precision_and_scale(*precision, *scale)?))
        }
        (DataType::Map(..), DataType::LargeList(item)) => {
            let map = array.as_any().downcast_ref::<MapArray>().ok_or_else(|| mislabelled(array))?;
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let offsets: ScalarBuffer<i64> = map.offsets().iter().map(|&offset| i64::from(offset)).collect();
            let entries = cast(&entries, item.data_type())?;
            Ok(Arc::new(LargeListArray::try_new(Arc::clone(item), OffsetBuffer::new(offsets), entries, map.nulls().cloned())?))
        }
        _ => cast(array, physical),
    }
}

fn cast(array: &ArrayRef, physical: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(array, physical, &CastOptions { safe: false, format_options: FormatOptions::default() })
}

/// The digits of decimals that 64 bits hold.
fn narrow_decimals(wide: &Decimal128Array) -> Result<Decimal64Array, ArrowError> {
    // One pass that looks for a misfit and one that cuts the words are both vectorised; a test in the loop would not be. Where a value is null anything may be
    // stored, so only an array without nulls is cut unseen.
    let fits = wide.null_count() == 0 && wide.values().iter().all(|&digits| digits as i64 as i128 == digits);
    if fits {
        return Ok(wide.unary(|digits| digits as i64));
    }
    wide.try_unary(|digits| {
        i64::try_from(digits).map_err(|_| ArrowError::CastError(format!("{digits} has more digits than its type says")))
    })
}

fn mislabelled(array: &ArrayRef) -> ArrowError {
    ArrowError::InvalidArgumentError(format!("an array that calls itself `{}` is none", array.data_type()))
}

/// A batch in the physical schema, column by column.
pub fn convert_batch(batch: &RecordBatch, physical: &SchemaRef) -> Result<RecordBatch, SourceError> {
    let columns = batch.columns().iter().zip(physical.fields());
    let columns =
        columns.map(|(array, field)| convert(array, field.data_type()).map_err(|error| error.at(format!("column `{}`", field.name()))));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    batch_of(Arc::clone(physical), columns, batch.num_rows())
}

/// A batch of these columns, also where there are none.
pub(crate) fn batch_of(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, SourceError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).map_err(|error| SourceError::world(error.to_string()))
}

/// The same array without the promise that Arrow made of it: used where bytes come from outside.
pub fn validated(array: &ArrayRef) -> Result<ArrayRef, SourceError> {
    let data = array.to_data();
    data.validate_full().map_err(|error| SourceError::user(format!("the data is not valid Arrow: {error}")))?;
    Ok(make_array(data))
}
