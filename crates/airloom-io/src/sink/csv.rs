//! Text, a line for each row, as pandas writes it.

use super::encoder::{Bytes, Encoder, unsayable};
use super::number::{Positional, write_float};
use airloom_compute::data::SourceError;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float32Type, Float64Type, SchemaRef, TimeUnit};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use std::fmt::Write as _;
use std::io::Write as _;

/// How text is written.
#[derive(Clone, Debug)]
pub struct CsvWriting {
    /// The separator between fields.
    pub delimiter: char,
    /// The quote around a field that contains a delimiter, a quote or a line end.
    pub quote: char,
    /// Whether the first line has the names of the columns.
    pub header: bool,
    /// The text of null, and of NaN.
    pub null: String,
}

impl CsvWriting {
    /// Commas, a header, nothing for null.
    pub fn plain() -> CsvWriting {
        CsvWriting { delimiter: ',', quote: '"', header: true, null: String::new() }
    }
}

pub(crate) fn encoder(writing: &CsvWriting, schema: &SchemaRef, bytes: Bytes) -> Result<Box<dyn Encoder>, SourceError> {
    if let Some(field) = schema.fields().iter().find(|field| field.data_type().is_nested() || *field.data_type() == DataType::BinaryView) {
        let (name, found) = (field.name(), field.data_type());
        return Err(unsayable("CSV", format!("column `{name}` has the type `{found}`, which has no text")));
    }
    let mut encoder = CsvEncoder { writing: writing.clone(), bytes, text: String::new() };
    if writing.header {
        for (at, field) in schema.fields().iter().enumerate() {
            encoder.separate(at);
            encoder.field(field.name(), schema.fields().len() == 1);
        }
        encoder.text.push('\n');
        encoder.flush()?;
    }
    Ok(Box::new(encoder))
}

struct CsvEncoder {
    writing: CsvWriting,
    bytes: Bytes,
    text: String,
}

impl CsvEncoder {
    fn separate(&mut self, column: usize) {
        if column > 0 {
            self.text.push(self.writing.delimiter);
        }
    }

    /// A field that holds text. One that would read as null, or as no line at all, is quoted.
    fn field(&mut self, text: &str, only: bool) {
        let (delimiter, quote) = (self.writing.delimiter, self.writing.quote);
        let special = |c: char| c == delimiter || c == quote || c == '\n' || c == '\r';
        if !text.contains(special) && text != self.writing.null && !(only && text.is_empty()) {
            self.text.push_str(text);
            return;
        }
        self.text.push(quote);
        for c in text.chars() {
            if c == quote {
                self.text.push(quote);
            }
            self.text.push(c);
        }
        self.text.push(quote);
    }

    fn flush(&mut self) -> Result<(), SourceError> {
        self.bytes.write_all(self.text.as_bytes()).map_err(|error| unsayable("CSV", error))?;
        self.text.clear();
        Ok(())
    }
}

impl Encoder for CsvEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError> {
        let options = FormatOptions::default();
        let cells = batch.columns().iter().map(|column| Cells::of(column, &options)).collect::<Result<Vec<_>, _>>()?;
        let only = cells.len() == 1;
        let mut cell = String::new();
        for row in 0..batch.num_rows() {
            for (at, cells) in cells.iter().enumerate() {
                self.separate(at);
                cell.clear();
                match cells.text(row, &mut cell)? {
                    Shown::Nothing if only && self.writing.null.is_empty() => self.text.push_str("\"\""),
                    Shown::Nothing => self.text.push_str(&self.writing.null),
                    Shown::Plain => self.text.push_str(&cell),
                    Shown::Text(text) => self.field(text, only),
                }
            }
            self.text.push('\n');
        }
        self.flush()
    }

    fn finish(&mut self) -> Result<(), SourceError> {
        Ok(())
    }
}

/// What a cell is.
enum Shown<'a> {
    Nothing,
    /// In the buffer, and free of anything to quote.
    Plain,
    Text(&'a str),
}

/// The cells of a column as text.
struct Cells<'a> {
    array: &'a ArrayRef,
    formatter: ArrayFormatter<'a>,
    stamps: bool,
}

impl<'a> Cells<'a> {
    fn of(array: &'a ArrayRef, options: &FormatOptions<'a>) -> Result<Cells<'a>, SourceError> {
        let stamps = matches!(
            array.data_type(),
            DataType::Timestamp(TimeUnit::Second | TimeUnit::Millisecond | TimeUnit::Microsecond | TimeUnit::Nanosecond, _)
        );
        Ok(Cells { array, formatter: ArrayFormatter::try_new(array, options).map_err(|error| unsayable("CSV", error))?, stamps })
    }

    fn text(&self, row: usize, cell: &mut String) -> Result<Shown<'a>, SourceError> {
        if self.array.is_null(row) {
            return Ok(Shown::Nothing);
        }
        match self.array.data_type() {
            DataType::Utf8View => return Ok(Shown::Text(self.array.as_string_view().value(row))),
            DataType::Utf8 => return Ok(Shown::Text(self.array.as_string::<i32>().value(row))),
            DataType::LargeUtf8 => return Ok(Shown::Text(self.array.as_string::<i64>().value(row))),
            DataType::Boolean => cell.push_str(if self.array.as_boolean().value(row) { "True" } else { "False" }),
            DataType::Float64 => return Ok(float(self.array.as_primitive::<Float64Type>().value(row), cell)),
            DataType::Float32 => return Ok(float(self.array.as_primitive::<Float32Type>().value(row), cell)),
            _ => write!(cell, "{}", self.formatter.value(row)).map_err(|error| unsayable("CSV", error))?,
        }
        // Dates and times are separated by a space, as pandas has it, not by a `T`.
        if self.stamps
            && let Some(at) = cell.find('T')
        {
            cell.replace_range(at..=at, " ");
        }
        Ok(Shown::Plain)
    }
}

fn float<'a, F: zmij::Float + Into<f64> + Copy>(number: F, cell: &mut String) -> Shown<'a> {
    let wide: f64 = number.into();
    if wide.is_nan() {
        return Shown::Nothing;
    }
    if wide.is_infinite() {
        cell.push_str(if wide > 0.0 { "inf" } else { "-inf" });
        return Shown::Plain;
    }
    let mut bytes = std::mem::take(cell).into_bytes();
    write_float(number, Positional::PYTHON, &mut bytes);
    *cell = String::from_utf8(bytes).unwrap_or_default();
    Shown::Plain
}
