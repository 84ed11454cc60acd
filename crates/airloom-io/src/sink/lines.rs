//! Rows as lines of text, as pandas writes them: pieces of them on every core.

use super::cells::{self, Values, all_within, counts, per_second};
use super::clock::{self, Part, Shown};
use super::number::{Positional, write_fixed, write_float, write_whole};
use arrow::array::{Array, AsArray, LargeStringArray, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use std::ops::Range;

/// How lines look.
#[derive(Clone, Debug)]
pub struct LineStyle {
    /// The separator between fields.
    pub delimiter: u8,
    /// The quote around a field that needs it; doubled within one.
    pub quote: u8,
    /// What ends a line.
    pub end: Vec<u8>,
    /// Bytes for which a field needs quotes.
    pub special: [bool; 256],
    /// The separator of floats before the fraction.
    pub decimal: u8,
    /// How narrow floats are written.
    pub narrow: Positional,
    /// Over how many rows at a time pandas decides how much of timestamps is shown.
    pub chunk: usize,
}

/// A field of each line.
#[derive(Clone, Debug)]
pub struct LineColumn {
    /// Which column of the rows it is of. Not used where the rows are only counted.
    pub place: usize,
    /// How its values are written.
    pub kind: LineKind,
    /// The text of a missing value, as it is written in the line.
    pub missing: Vec<u8>,
    /// Whether values have quotes, whatever they are.
    pub quoted: bool,
}

/// How values of a column are written.
#[derive(Clone, Debug)]
pub enum LineKind {
    /// Numbers and booleans; NaN is missing.
    Number,
    /// Numbers among which NaN is a value.
    NumberOrNan,
    /// Floats with this many digits after the point.
    Fixed(usize),
    /// Text.
    Text,
    /// Numbers that encode fields, which are already as they are written in the line. A negative one is missing.
    Words(Vec<Vec<u8>>),
    /// Timestamps, as far as any beside them needs.
    Timestamp,
    /// Timestamps by a pattern of `strftime`.
    TimestampBy(String),
    /// Timestamps in a zone, as far as any beside them needs: the column of their wall clocks.
    Zoned(usize),
    /// Lengths of time.
    Duration,
    /// The number of the row times the second, and the first added.
    Count(i64, i64),
}

/// Rows that can be written as lines.
#[derive(Debug)]
pub struct Lines {
    style: LineStyle,
    columns: Vec<LineColumn>,
    batches: Vec<RecordBatch>,
    /// The patterns of columns that have one.
    patterns: Vec<Vec<Part>>,
    /// How much of timestamps is shown, for each column that asks and each chunk.
    shown: Vec<Vec<Shown>>,
}

/// Some rows of a batch.
#[derive(Clone, Debug)]
pub struct Piece {
    batch: usize,
    rows: Range<usize>,
    /// How many rows come before the batch.
    before: usize,
}

/// About this many fields are written at a time.
const FIELDS: usize = 1 << 17;

impl Lines {
    /// Lines of these rows; or why they cannot be written.
    pub fn new(batches: &[RecordBatch], columns: Vec<LineColumn>, style: LineStyle) -> Result<Lines, String> {
        let batches = batches.iter().map(cells::plain).collect::<Result<Vec<_>, _>>()?;
        let mut patterns = Vec::with_capacity(columns.len());
        let mut shown = Vec::with_capacity(columns.len());
        for column in &columns {
            patterns.push(match &column.kind {
                LineKind::TimestampBy(pattern) => clock::parts_of(pattern).ok_or("a format with codes that are not known")?,
                _ => Vec::new(),
            });
            shown.push(match column.kind {
                LineKind::Timestamp | LineKind::Duration | LineKind::Zoned(_) => shown_of(&batches, column.place, style.chunk.max(1)),
                _ => Vec::new(),
            });
            let years = match column.kind {
                LineKind::TimestampBy(_) => clock::FOUR_DIGITS,
                LineKind::Zoned(_) => clock::PYTHON_YEARS,
                _ => continue,
            };
            // A day on either side, as the clocks of a zone may show another.
            let years = years.start + clock::DAY..years.end - clock::DAY;
            if !batches.iter().all(|batch| all_within(batch.column(column.place), &years)) {
                return Err("timestamps of years that are not written alike everywhere".into());
            }
        }
        Ok(Lines { style, columns, batches, patterns, shown })
    }

    /// Pieces of it, in order.
    pub fn pieces(&self) -> Vec<Piece> {
        let step = (FIELDS / self.columns.len().max(1)).clamp(1 << 8, 1 << 15);
        let mut pieces = Vec::new();
        let mut before = 0;
        for (batch, rows) in self.batches.iter().map(RecordBatch::num_rows).enumerate() {
            let starts = (0..rows).step_by(step);
            pieces.extend(starts.map(|start| Piece { batch, rows: start..rows.min(start + step), before }));
            before += rows;
        }
        pieces
    }

    /// Appends the lines of a piece.
    pub fn write(&self, piece: &Piece, out: &mut Vec<u8>) {
        let batch = &self.batches[piece.batch];
        let cells: Vec<Cells<'_>> = self.columns.iter().map(|column| Cells::of(column, batch, &piece.rows, &self.style)).collect();
        let style = &self.style;
        for row in piece.rows.clone() {
            let start = out.len();
            for (at, cells) in cells.iter().enumerate() {
                if at > 0 {
                    out.push(style.delimiter);
                }
                let column = &self.columns[at];
                if let LineKind::Count(start, step) = column.kind {
                    let label = start + step * (piece.before + row) as i64;
                    if column.quoted {
                        out.push(style.quote);
                        write_whole(label, out);
                        out.push(style.quote);
                    } else {
                        write_whole(label, out);
                    }
                    continue;
                }
                if cells.nulls.is_some_and(|nulls| nulls.is_null(row)) {
                    out.extend_from_slice(&column.missing);
                    continue;
                }
                let shown = || self.shown[at][(piece.before + row) / style.chunk.max(1)];
                cells.write(row, column, style, &self.patterns[at], shown, out);
            }
            // A line with nothing in it would not be read as a row.
            if out.len() == start && cells.len() == 1 {
                out.extend_from_slice(&[style.quote, style.quote]);
            }
            out.extend_from_slice(&style.end);
        }
    }
}

/// The values of a column.
struct Cells<'a> {
    values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
    /// Whether it is text of which none needs quotes.
    bare: bool,
    /// The wall clocks beside timestamps in a zone.
    wall: Option<&'a [i64]>,
}

impl<'a> Cells<'a> {
    fn of(column: &LineColumn, batch: &'a RecordBatch, rows: &Range<usize>, style: &LineStyle) -> Cells<'a> {
        if matches!(column.kind, LineKind::Count(..)) {
            return Cells { values: Values::Nothing, nulls: None, bare: false, wall: None };
        }
        let array = batch.column(column.place);
        let bare = *array.data_type() == DataType::LargeUtf8 && {
            let text: &LargeStringArray = array.as_string();
            let ends = text.value_offsets();
            let bytes = &text.value_data()[ends[rows.start] as usize..ends[rows.end] as usize];
            !needs_quotes(bytes, &style.special)
        };
        let wall = match column.kind {
            LineKind::Zoned(place) => counts(batch.column(place)),
            _ => None,
        };
        Cells { values: Values::of(array), nulls: array.nulls().filter(|nulls| nulls.null_count() > 0), bare, wall }
    }

    #[inline]
    fn write(&self, row: usize, column: &LineColumn, style: &LineStyle, pattern: &[Part], shown: impl Fn() -> Shown, out: &mut Vec<u8>) {
        if let LineKind::Words(words) = &column.kind {
            let code = self.values.code(row);
            let word = usize::try_from(code).ok().and_then(|code| words.get(code)).unwrap_or(&column.missing);
            out.extend_from_slice(word);
            return;
        }
        if let Values::Time(counts, per_second) = &self.values {
            let start = out.len();
            let count = counts[row];
            match &column.kind {
                LineKind::Duration => clock::write_duration(count, *per_second, shown(), out),
                LineKind::TimestampBy(_) => clock::write_by(pattern, count, *per_second, out),
                LineKind::Zoned(_) => {
                    clock::write_zoned(self.wall.map_or(count, |wall| wall[row]), count, *per_second, shown(), out);
                }
                _ => clock::write_instant(count, *per_second, shown(), out),
            }
            if column.quoted || needs_quotes(&out[start..], &style.special) {
                let text = out.split_off(start);
                write_quoted(&text, style.quote, out);
            }
            return;
        }
        let Some(text) = self.values.text(row) else {
            self.write_number(row, column, style, out);
            return;
        };
        if column.quoted || (!self.bare && needs_quotes(text.as_bytes(), &style.special)) {
            write_quoted(text.as_bytes(), style.quote, out);
        } else {
            out.extend_from_slice(text.as_bytes());
        }
    }

    #[inline]
    fn write_number(&self, row: usize, column: &LineColumn, style: &LineStyle, out: &mut Vec<u8>) {
        let nan = match &self.values {
            Values::F64(values) => values[row].is_nan(),
            Values::F32(values) => values[row].is_nan(),
            _ => false,
        };
        if nan && !matches!(column.kind, LineKind::NumberOrNan) {
            out.extend_from_slice(&column.missing);
            return;
        }
        if column.quoted {
            out.push(style.quote);
        }
        let digits = match column.kind {
            LineKind::Fixed(digits) => Some(digits),
            _ => None,
        };
        let start = out.len();
        if !self.values.write_whole(row, out) {
            match &self.values {
                Values::Bool(values) => out.extend_from_slice(if values.value(row) { b"True" } else { b"False" }),
                Values::F64(values) if !values[row].is_finite() => write_special(values[row], out),
                Values::F32(values) if !values[row].is_finite() => write_special(f64::from(values[row]), out),
                Values::F64(values) => match digits {
                    Some(digits) => write_fixed(values[row], digits, out),
                    None => write_float(values[row], Positional::PYTHON, out),
                },
                Values::F32(values) => match digits {
                    Some(digits) => write_fixed(f64::from(values[row]), digits, out),
                    None => write_float(values[row], style.narrow, out),
                },
                _ => (),
            }
        }
        if style.decimal != b'.'
            && matches!(self.values, Values::F32(_) | Values::F64(_))
            && let Some(point) = out[start..].iter().position(|&byte| byte == b'.')
        {
            out[start + point] = style.decimal;
        }
        if column.quoted {
            out.push(style.quote);
        }
    }
}

fn write_special(number: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(if number.is_nan() {
        b"nan"
    } else if number > 0.0 {
        b"inf"
    } else {
        b"-inf"
    });
}

#[inline]
fn needs_quotes(text: &[u8], special: &[bool; 256]) -> bool {
    text.iter().fold(false, |found, &byte| found | special[byte as usize])
}

fn write_quoted(text: &[u8], quote: u8, out: &mut Vec<u8>) {
    out.push(quote);
    for &byte in text {
        if byte == quote {
            out.push(quote);
        }
        out.push(byte);
    }
    out.push(quote);
}

/// How much is to be shown of each chunk of a column of times.
fn shown_of(batches: &[RecordBatch], place: usize, chunk: usize) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut before = 0;
    for batch in batches {
        let array = batch.column(place);
        let rows = batch.num_rows();
        let (DataType::Timestamp(unit, _) | DataType::Duration(unit)) = array.data_type() else { return shown };
        let Some(counts) = counts(array) else { return shown };
        let mut start = 0;
        while start < rows {
            let number = (before + start) / chunk;
            let end = rows.min((number + 1) * chunk - before);
            let own = match array.nulls().filter(|nulls| nulls.null_count() > 0) {
                None => clock::shown_of(counts[start..end].iter().copied(), per_second(*unit)),
                Some(nulls) => clock::shown_of((start..end).filter(|&row| nulls.is_valid(row)).map(|row| counts[row]), per_second(*unit)),
            };
            match shown.get_mut(number) {
                Some(known) => *known = own.max(*known),
                None => shown.push(own),
            }
            start = end;
        }
        before += rows;
    }
    shown
}
