//! Columns of the fields of a piece.

use super::guess::Column;
use super::options::{CsvInference, CsvOptions};
use super::stamp::{date, stamp};
use super::token::{Next, Tokens};
use super::value::{Nulls, Whole, float, truth, whole};
use crate::source::schema::convert;
use crate::source::text::{Decode, Piece};
use airloom_compute::data::SourceError;
use arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringArray, StringViewBuilder, TimestampMicrosecondBuilder,
    UInt64Builder,
};
use arrow::datatypes::{DataType, TimeUnit};
use chrono::NaiveDate;
use std::sync::Arc;

/// Reads pieces of CSV files.
#[derive(Debug)]
pub(crate) struct CsvDecoder {
    names: Vec<String>,
    columns: Vec<Column>,
    nulls: Nulls,
    options: CsvOptions,
}

impl CsvDecoder {
    pub(crate) fn new(names: Vec<String>, columns: Vec<Column>, options: CsvOptions) -> CsvDecoder {
        CsvDecoder { names, columns, nulls: Nulls::of(&options), options }
    }
}

impl Decode for CsvDecoder {
    fn kind(&self) -> &'static str {
        "csv"
    }

    fn decode(&self, bytes: &[u8], piece: &Piece, columns: &[usize]) -> Result<Vec<ArrayRef>, SourceError> {
        let exact = self.options.inference == CsvInference::Exact;
        let mut builders: Vec<Builder> = columns.iter().map(|&at| Builder::new(&self.columns[at], piece.rows)).collect();
        let mut tokens = Tokens::new(bytes, piece.first_line, true, &self.options);
        let mut fields = Vec::new();
        loop {
            let line = tokens.line;
            if tokens.next(&mut fields) != Next::Record {
                break;
            }
            for (builder, &at) in builders.iter_mut().zip(columns) {
                let Some(field) = fields.get(at) else {
                    builder.missing();
                    continue;
                };
                let text = field.text(bytes, self.options.quote);
                if self.nulls.contains(&text) && !(exact && field.is_quoted()) {
                    builder.missing();
                } else if let Err(expected) = builder.push(&text, self.options.thousands) {
                    let (name, found) = (&self.names[at], String::from_utf8_lossy(&text));
                    return Err(SourceError::user(format!("line {line}, column `{name}`: `{found}` is not {expected}")));
                }
            }
        }
        let arrays = builders.into_iter().zip(columns).map(|(builder, &at)| {
            let array = builder.finish();
            convert(&array, &self.columns[at].data_type).map_err(|error| {
                let lines = format!("lines {} to {}, column `{}`", piece.first_line, tokens.line, self.names[at]);
                SourceError::user(error.message).at(lines)
            })
        });
        arrays.collect()
    }
}

/// Collects the values of a column.
enum Builder {
    Whole(Int64Builder),
    Unsigned(UInt64Builder),
    Float(Float64Builder, bool),
    Truth(BooleanBuilder),
    Text(StringViewBuilder),
    Stamp(TimestampMicrosecondBuilder),
    Day(Date32Builder),
    /// Of a type that was asked for: text, which is converted at the end.
    Other(Vec<Option<String>>),
}

impl Builder {
    fn new(column: &Column, rows: usize) -> Builder {
        match &column.data_type {
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Builder::Whole(Int64Builder::with_capacity(rows)),
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
                Builder::Unsigned(UInt64Builder::with_capacity(rows))
            }
            DataType::Float64 | DataType::Float32 => Builder::Float(Float64Builder::with_capacity(rows), column.nan),
            DataType::Boolean => Builder::Truth(BooleanBuilder::with_capacity(rows)),
            DataType::Utf8View => Builder::Text(StringViewBuilder::with_capacity(rows)),
            DataType::Timestamp(TimeUnit::Microsecond, zone) => {
                Builder::Stamp(TimestampMicrosecondBuilder::with_capacity(rows).with_timezone_opt(zone.clone()))
            }
            DataType::Date32 => Builder::Day(Date32Builder::with_capacity(rows)),
            _ => Builder::Other(Vec::with_capacity(rows)),
        }
    }

    fn missing(&mut self) {
        match self {
            Builder::Whole(builder) => builder.append_null(),
            Builder::Unsigned(builder) => builder.append_null(),
            Builder::Float(builder, true) => builder.append_value(f64::NAN),
            Builder::Float(builder, false) => builder.append_null(),
            Builder::Truth(builder) => builder.append_null(),
            Builder::Text(builder) => builder.append_null(),
            Builder::Stamp(builder) => builder.append_null(),
            Builder::Day(builder) => builder.append_null(),
            Builder::Other(values) => values.push(None),
        }
    }

    /// Takes a value, or says what it should have been.
    fn push(&mut self, text: &[u8], thousands: Option<u8>) -> Result<(), &'static str> {
        match self {
            Builder::Whole(builder) => match whole(text, thousands) {
                Whole::Signed(value) => builder.append_value(value),
                _ => return Err("a whole number of 64 bits"),
            },
            Builder::Unsigned(builder) => match whole(text, thousands) {
                Whole::Signed(value) if value >= 0 => builder.append_value(value.unsigned_abs()),
                Whole::Unsigned(value) => builder.append_value(value),
                _ => return Err("a whole number of 64 bits that is not negative"),
            },
            Builder::Float(builder, _) => builder.append_value(float(text, thousands).ok_or("a number")?),
            Builder::Truth(builder) => builder.append_value(truth(text).ok_or("`True` or `False`")?),
            Builder::Text(builder) => builder.append_value(std::str::from_utf8(text).map_err(|_| "valid UTF-8")?),
            Builder::Stamp(builder) => {
                builder.append_value(stamp(text).ok_or("a date or a time of a day such as `2020-02-29 12:30:00`")?.0)
            }
            Builder::Day(builder) => {
                let day = std::str::from_utf8(text).ok().and_then(|text| date(text.trim())).ok_or("a day such as `2020-02-29`")?;
                builder.append_value((day - NaiveDate::default()).num_days() as i32);
            }
            Builder::Other(values) => values.push(Some(std::str::from_utf8(text).map_err(|_| "valid UTF-8")?.trim().to_string())),
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Builder::Whole(mut builder) => Arc::new(builder.finish()),
            Builder::Unsigned(mut builder) => Arc::new(builder.finish()),
            Builder::Float(mut builder, _) => Arc::new(builder.finish()),
            Builder::Truth(mut builder) => Arc::new(builder.finish()),
            Builder::Text(mut builder) => Arc::new(builder.finish()),
            Builder::Stamp(mut builder) => Arc::new(builder.finish()),
            Builder::Day(mut builder) => Arc::new(builder.finish()),
            Builder::Other(values) => Arc::new(StringArray::from(values)),
        }
    }
}
