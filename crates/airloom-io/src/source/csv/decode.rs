//! Columns of the fields of a piece.

use super::guess::Column;
use super::header::count_lines;
use super::number::{Whole, float, whole};
use super::options::CsvOptions;
use super::pieces::Fields;
use super::records::{Cells, Dialect, ELSEWHERE, Layout, Reader, Stop};
use super::timestamp::{day, timestamp_of_any};
use super::values::Rules;
use crate::source::schema::convert;
use crate::source::text::{Decode, Piece};
use airloom_compute::data::SourceError;
use arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringArray, StringViewBuilder, TimestampMicrosecondBuilder,
    UInt64Builder,
};
use arrow::datatypes::{DataType, TimeUnit};
use std::sync::Arc;

/// Reads pieces of CSV files.
#[derive(Debug)]
pub(super) struct CsvDecoder {
    names: Vec<String>,
    columns: Vec<Column>,
    dialect: Dialect,
    rules: Rules,
}

impl CsvDecoder {
    pub(super) fn new(names: Vec<String>, columns: Vec<Column>, options: &CsvOptions) -> CsvDecoder {
        CsvDecoder { names, columns, dialect: options.dialect(), rules: Rules::of(options) }
    }

    /// The line on which a row of a piece begins.
    #[cold]
    fn line_of(&self, row: usize, bytes: &[u8], piece: &Piece) -> u64 {
        let reader = Reader { bytes, last: true, dialect: &self.dialect, layout: &Layout::new(&[], usize::MAX) };
        // The rows before it, then only the lines before it that are skipped.
        let mut cells = Cells::default();
        let start = match reader.read(0, usize::MAX, row, &mut cells) {
            Stop::Done(at) => match reader.read(at, at, usize::MAX, &mut cells) {
                Stop::Done(start) => start,
                _ => at,
            },
            _ => 0,
        };
        piece.first_line + count_lines(&bytes[..start])
    }
}

impl Decode for CsvDecoder {
    fn kind(&self) -> &'static str {
        "csv"
    }

    fn decode(&self, bytes: &[u8], piece: &Piece, columns: &[usize]) -> Result<Vec<ArrayRef>, SourceError> {
        if bytes.len() as u64 >= u64::from(ELSEWHERE) {
            return Err(SourceError::refused(format!("line {}: a row has more than 2 GiB", piece.first_line)));
        }
        let mut kept = columns.to_vec();
        kept.sort_unstable();
        kept.dedup();
        let layout = Layout::new(&kept, usize::MAX);
        let mut cells = Cells { cells: Vec::with_capacity(piece.rows * layout.count), ..Cells::default() };
        Reader { bytes, last: true, dialect: &self.dialect, layout: &layout }.read(0, usize::MAX, usize::MAX, &mut cells);
        let fields = Fields { bytes, cells: &cells, width: layout.count };
        let mut arrays = Vec::with_capacity(columns.len());
        let mut wrong: Option<(Wrong, usize)> = None;
        for &at in columns {
            let position = kept.partition_point(|column| *column < at);
            match self.columns[at].read(fields, position, &self.rules) {
                Ok(array) => arrays.push(array),
                // Of several values that are wrong, that of the first row is told.
                Err(found) if wrong.as_ref().is_none_or(|(known, _)| found.row < known.row) => wrong = Some((found, at)),
                Err(_) => {}
            }
        }
        if let Some((Wrong { row, found, expected }, at)) = wrong {
            let (line, name) = (self.line_of(row, bytes, piece), &self.names[at]);
            return Err(SourceError::user(format!("line {line}, column `{name}`: `{found}` is not {expected}")));
        }
        let converted = arrays.into_iter().zip(columns).map(|(array, &at)| {
            convert(&array, &self.columns[at].data_type).map_err(|error| {
                let last = piece.first_line + count_lines(bytes);
                let lines = format!("lines {} to {last}, column `{}`", piece.first_line, self.names[at]);
                SourceError::user(error.message).at(lines)
            })
        });
        converted.collect()
    }
}

/// A value that is not what its column is.
struct Wrong {
    row: usize,
    found: String,
    expected: &'static str,
}

impl Column {
    /// The values of a column, in the widest type of its kind.
    fn read(&self, fields: Fields<'_>, position: usize, rules: &Rules) -> Result<ArrayRef, Wrong> {
        let (rows, digits) = (fields.rows(), rules.digits);
        let values = rules.values(fields, position);
        Ok(match &self.data_type {
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
                let mut builder = Int64Builder::with_capacity(rows);
                let read = |text: &[u8]| match whole(text, digits) {
                    Whole::Signed(value) => Ok(value),
                    _ => Err("an integer of 64 bits"),
                };
                each(values, read, |value| builder.append_option(value))?;
                Arc::new(builder.finish())
            }
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
                let mut builder = UInt64Builder::with_capacity(rows);
                let read = |text: &[u8]| match whole(text, digits) {
                    Whole::Signed(value) if value >= 0 => Ok(value.unsigned_abs()),
                    Whole::Unsigned(value) => Ok(value),
                    _ => Err("an integer of 64 bits that is not negative"),
                };
                each(values, read, |value| builder.append_option(value))?;
                Arc::new(builder.finish())
            }
            DataType::Float64 | DataType::Float32 => {
                let mut builder = Float64Builder::with_capacity(rows);
                let missing = self.nan.then_some(f64::NAN);
                each(values, |text| float(text, digits).ok_or("a number"), |value| builder.append_option(value.or(missing)))?;
                Arc::new(builder.finish())
            }
            DataType::Boolean => {
                let mut builder = BooleanBuilder::with_capacity(rows);
                each(values, |text| rules.truths.read(text).ok_or("`True` or `False`"), |value| builder.append_option(value))?;
                Arc::new(builder.finish())
            }
            DataType::Utf8View => {
                let mut builder = StringViewBuilder::with_capacity(rows);
                each(values, unicode, |value| builder.append_option(value))?;
                Arc::new(builder.finish())
            }
            DataType::Timestamp(TimeUnit::Microsecond, zone) => {
                let mut builder = TimestampMicrosecondBuilder::with_capacity(rows).with_timezone_opt(zone.clone());
                let read = |text: &[u8]| match timestamp_of_any(text) {
                    Some((value, _)) => Ok(value),
                    None => Err("a date or a time of a day such as `2020-02-29 12:30:00`"),
                };
                each(values, read, |value| builder.append_option(value))?;
                Arc::new(builder.finish())
            }
            DataType::Date32 => {
                let mut builder = Date32Builder::with_capacity(rows);
                each(values, |text| day(text).ok_or("a day such as `2020-02-29`"), |value| builder.append_option(value))?;
                Arc::new(builder.finish())
            }
            _ => {
                let mut texts = Vec::with_capacity(rows);
                each(values, unicode, |value| texts.push(value.map(str::trim)))?;
                Arc::new(StringArray::from(texts))
            }
        })
    }
}

fn unicode(text: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(text).map_err(|_| "valid UTF-8")
}

/// Reads value after value.
#[inline(always)]
fn each<'a, T: 'a>(
    values: impl Iterator<Item = Option<&'a [u8]>>,
    read: impl Fn(&'a [u8]) -> Result<T, &'static str>,
    mut append: impl FnMut(Option<T>),
) -> Result<(), Wrong> {
    for (row, value) in values.enumerate() {
        let read =
            value.map(|text| read(text).map_err(|expected| Wrong { row, found: String::from_utf8_lossy(text).into_owned(), expected }));
        append(read.transpose()?);
    }
    Ok(())
}
