//! Columns of what a database gives, value by value.

use crate::source::schema::batch_of;
use airloom_compute::data::SourceError;
use arrow::array::{
    ArrayRef, BinaryViewBuilder, BooleanBuilder, Date32Builder, Decimal64Builder, Decimal128Builder, Float32Builder, Float64Builder,
    Int16Builder, Int32Builder, Int64Builder, RecordBatch, StringViewBuilder, Time64NanosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::datatypes::{DataType, SchemaRef, TimeUnit};
use std::sync::Arc;

/// A value as it comes from a database.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Null,
    Boolean(bool),
    Whole(i128),
    Float(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl Cell<'_> {
    fn describe(&self) -> &'static str {
        match self {
            Cell::Null => "null",
            Cell::Boolean(_) => "a boolean",
            Cell::Whole(_) => "an integer",
            Cell::Float(_) => "a number with a fraction",
            Cell::Text(_) => "text",
            Cell::Bytes(_) => "bytes",
        }
    }
}

enum Builder {
    Boolean(BooleanBuilder),
    Small(Int16Builder),
    Middle(Int32Builder),
    Whole(Int64Builder),
    Half(Float32Builder),
    Float(Float64Builder),
    Text(StringViewBuilder),
    Bytes(BinaryViewBuilder),
    Day(Date32Builder),
    Clock(Time64NanosecondBuilder),
    Stamp(TimestampMicrosecondBuilder),
    Decimal(Decimal64Builder),
    Long(Decimal128Builder),
}

/// Collects rows into batches of a schema.
pub(crate) struct Rows {
    schema: SchemaRef,
    builders: Vec<Builder>,
    rows: usize,
    /// How many rows were in batches emitted before.
    before: usize,
}

impl Rows {
    pub(crate) fn new(schema: &SchemaRef) -> Result<Rows, SourceError> {
        let builders = schema.fields().iter().map(|field| {
            builder(field.data_type()).ok_or_else(|| {
                SourceError::refused(format!("column `{}` of type `{}` is not read from a database", field.name(), field.data_type()))
            })
        });
        Ok(Rows { builders: builders.collect::<Result<_, _>>()?, schema: Arc::clone(schema), rows: 0, before: 0 })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Takes the value of a column of the next row.
    pub(crate) fn push(&mut self, column: usize, cell: &Cell<'_>) -> Result<(), SourceError> {
        if self.builders[column].push(cell) {
            return Ok(());
        }
        let field = self.schema.field(column);
        Err(SourceError::user(format!(
            "row {} of column `{}` is {} where `{}` was expected",
            self.before + self.rows + 1,
            field.name(),
            cell.describe(),
            field.data_type()
        )))
    }

    /// The row is complete.
    pub(crate) fn end_row(&mut self) {
        self.rows += 1;
    }

    /// The rows since the last batch.
    pub(crate) fn batch(&mut self) -> Result<RecordBatch, SourceError> {
        let arrays = self.builders.iter_mut().map(Builder::finish).collect();
        let rows = std::mem::take(&mut self.rows);
        self.before += rows;
        batch_of(Arc::clone(&self.schema), arrays, rows)
    }
}

fn builder(data_type: &DataType) -> Option<Builder> {
    Some(match data_type {
        DataType::Boolean => Builder::Boolean(BooleanBuilder::new()),
        DataType::Int16 => Builder::Small(Int16Builder::new()),
        DataType::Int32 => Builder::Middle(Int32Builder::new()),
        DataType::Int64 => Builder::Whole(Int64Builder::new()),
        DataType::Float32 => Builder::Half(Float32Builder::new()),
        DataType::Float64 => Builder::Float(Float64Builder::new()),
        DataType::Utf8View => Builder::Text(StringViewBuilder::new()),
        DataType::BinaryView => Builder::Bytes(BinaryViewBuilder::new()),
        DataType::Date32 => Builder::Day(Date32Builder::new()),
        DataType::Time64(TimeUnit::Nanosecond) => Builder::Clock(Time64NanosecondBuilder::new()),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            Builder::Stamp(TimestampMicrosecondBuilder::new().with_timezone_opt(zone.clone()))
        }
        DataType::Decimal64(precision, scale) => {
            Builder::Decimal(Decimal64Builder::new().with_precision_and_scale(*precision, *scale).ok()?)
        }
        DataType::Decimal128(precision, scale) => {
            Builder::Long(Decimal128Builder::new().with_precision_and_scale(*precision, *scale).ok()?)
        }
        _ => return None,
    })
}

impl Builder {
    /// Takes a value, where it fits.
    fn push(&mut self, cell: &Cell<'_>) -> bool {
        macro_rules! whole {
            ($builder:expr, $value:expr) => {
                match (*$value).try_into() {
                    Ok(value) => $builder.append_value(value),
                    Err(_) => return false,
                }
            };
        }
        match (self, cell) {
            (builder, Cell::Null) => builder.push_null(),
            (Builder::Boolean(builder), Cell::Boolean(value)) => builder.append_value(*value),
            (Builder::Boolean(builder), Cell::Whole(value @ (0 | 1))) => builder.append_value(*value == 1),
            (Builder::Small(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Middle(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Whole(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Day(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Clock(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Stamp(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Decimal(builder), Cell::Whole(value)) => whole!(builder, value),
            (Builder::Long(builder), Cell::Whole(value)) => builder.append_value(*value),
            (Builder::Half(builder), Cell::Float(value)) => builder.append_value(*value as f32),
            (Builder::Float(builder), Cell::Float(value)) => builder.append_value(*value),
            (Builder::Float(builder), Cell::Whole(value)) => builder.append_value(*value as f64),
            (Builder::Text(builder), Cell::Text(value)) => builder.append_value(value),
            (Builder::Bytes(builder), Cell::Bytes(value)) => builder.append_value(value),
            _ => return false,
        }
        true
    }

    fn push_null(&mut self) {
        match self {
            Builder::Boolean(builder) => builder.append_null(),
            Builder::Small(builder) => builder.append_null(),
            Builder::Middle(builder) => builder.append_null(),
            Builder::Whole(builder) => builder.append_null(),
            Builder::Half(builder) => builder.append_null(),
            Builder::Float(builder) => builder.append_null(),
            Builder::Text(builder) => builder.append_null(),
            Builder::Bytes(builder) => builder.append_null(),
            Builder::Day(builder) => builder.append_null(),
            Builder::Clock(builder) => builder.append_null(),
            Builder::Stamp(builder) => builder.append_null(),
            Builder::Decimal(builder) => builder.append_null(),
            Builder::Long(builder) => builder.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Boolean(builder) => Arc::new(builder.finish()),
            Builder::Small(builder) => Arc::new(builder.finish()),
            Builder::Middle(builder) => Arc::new(builder.finish()),
            Builder::Whole(builder) => Arc::new(builder.finish()),
            Builder::Half(builder) => Arc::new(builder.finish()),
            Builder::Float(builder) => Arc::new(builder.finish()),
            Builder::Text(builder) => Arc::new(builder.finish()),
            Builder::Bytes(builder) => Arc::new(builder.finish()),
            Builder::Day(builder) => Arc::new(builder.finish()),
            Builder::Clock(builder) => Arc::new(builder.finish()),
            Builder::Stamp(builder) => Arc::new(builder.finish()),
            Builder::Decimal(builder) => Arc::new(builder.finish()),
            Builder::Long(builder) => Arc::new(builder.finish()),
        }
    }
}
