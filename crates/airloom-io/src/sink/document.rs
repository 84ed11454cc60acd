//! Rows as a document of JSON, as pandas writes it: pieces of them on every core.

use super::cells::{self, Values};
use super::clock::{self, Shown};
use super::number::{write_decimals, write_whole};
use arrow::array::{Array, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use std::ops::Range;

/// All rows, each as these fields, after words of their own. A document has one of it, or one for each column.
#[derive(Clone, Debug)]
pub struct JsonPart {
    /// What is written before the rows.
    pub header: Vec<u8>,
    /// What is written between rows.
    pub between: Vec<u8>,
    /// The fields of each row.
    pub fields: Vec<JsonField>,
    /// What ends each row.
    pub close: Vec<u8>,
}

/// A field of each row.
#[derive(Clone, Debug)]
pub struct JsonField {
    /// What is written before it.
    pub before: Vec<u8>,
    /// Which column of the rows it is of. Not used where the rows are only counted.
    pub place: usize,
    /// How its values are written.
    pub kind: JsonKind,
}

/// How values are written. What is missing, or no number that JSON has, is null.
#[derive(Clone, Debug)]
pub enum JsonKind {
    /// Numbers, booleans and text, as they are.
    Value,
    /// Integers that encode values, which are already as they are written in the text. A negative one is missing.
    Words(Vec<Vec<u8>>),
    /// Timestamps and durations as numbers, and how many units a second has.
    Count(i64),
    /// Timestamps as ISO 8601 has them: how many units a second has, which decides the fraction, and whether they are in UTC.
    Timestamp(i64, bool),
    /// The number of the row times the second, and the first added.
    Row(i64, i64),
}

/// A document.
#[derive(Debug)]
pub struct JsonDocument {
    parts: Vec<JsonPart>,
    batches: Vec<RecordBatch>,
    /// How many digits floats have after the point.
    digits: usize,
    /// Whether letters beyond ASCII are escaped.
    ascii: bool,
}

/// Some of it: what is written before the rows of a part, or rows.
#[derive(Clone, Debug)]
pub struct JsonPiece {
    part: usize,
    batch: usize,
    rows: Range<usize>,
    /// How many rows come before the batch.
    before: usize,
    header: bool,
}

/// About this many fields are written at a time.
const FIELDS: usize = 1 << 17;

impl JsonDocument {
    /// A document of these rows; or why it cannot be written.
    pub fn new(batches: &[RecordBatch], parts: Vec<JsonPart>, digits: usize, ascii: bool) -> Result<JsonDocument, String> {
        let batches = batches.iter().map(cells::plain).collect::<Result<Vec<_>, _>>()?;
        for field in parts.iter().flat_map(|part| &part.fields) {
            for batch in &batches {
                check(field, batch)?;
            }
        }
        Ok(JsonDocument { parts, batches, digits, ascii })
    }

    /// Pieces of it, in order.
    pub fn pieces(&self) -> Vec<JsonPiece> {
        let mut pieces = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            pieces.push(JsonPiece { part: number, batch: 0, rows: 0..0, before: 0, header: true });
            let step = (FIELDS / part.fields.len().max(1)).clamp(1 << 8, 1 << 15);
            let mut before = 0;
            for (batch, rows) in self.batches.iter().map(RecordBatch::num_rows).enumerate() {
                let starts = (0..rows).step_by(step);
                pieces.extend(starts.map(|start| JsonPiece {
                    part: number,
                    batch,
                    rows: start..rows.min(start + step),
                    before,
                    header: false,
                }));
                before += rows;
            }
        }
        pieces
    }

    /// Appends a piece.
    pub fn write(&self, piece: &JsonPiece, out: &mut Vec<u8>) {
        let part = &self.parts[piece.part];
        if piece.header {
            out.extend_from_slice(&part.header);
            return;
        }
        let batch = &self.batches[piece.batch];
        let cells: Vec<Cells<'_>> = part.fields.iter().map(|field| Cells::of(field, batch)).collect();
        for row in piece.rows.clone() {
            if piece.before + row > 0 {
                out.extend_from_slice(&part.between);
            }
            for (field, cells) in part.fields.iter().zip(&cells) {
                out.extend_from_slice(&field.before);
                if let JsonKind::Row(start, step) = field.kind {
                    write_whole(start + step * (piece.before + row) as i64, out);
                } else if cells.nulls.is_some_and(|nulls| nulls.is_null(row)) {
                    out.extend_from_slice(b"null");
                } else {
                    cells.write(row, &field.kind, self.digits, self.ascii, out);
                }
            }
            out.extend_from_slice(&part.close);
        }
    }
}

/// Refuses values that pandas writes otherwise, or not at all.
fn check(field: &JsonField, batch: &RecordBatch) -> Result<(), String> {
    if matches!(field.kind, JsonKind::Row(..)) {
        return Ok(());
    }
    let array = batch.column(field.place);
    match field.kind {
        JsonKind::Timestamp(..) if !cells::all_within(array, &clock::FOUR_DIGITS) => {
            Err("timestamps of years that are not written alike everywhere".into())
        }
        JsonKind::Count(to) => {
            let (DataType::Timestamp(unit, _) | DataType::Duration(unit)) = array.data_type() else { return Ok(()) };
            let times = to / cells::per_second(*unit).min(to);
            let counts = cells::counts(array).unwrap_or_default();
            let fits = counts.iter().enumerate().all(|(row, count)| array.is_null(row) || count.checked_mul(times).is_some());
            if fits { Ok(()) } else { Err("timestamps that a finer unit does not hold".into()) }
        }
        _ => Ok(()),
    }
}

/// The values of a field.
struct Cells<'a> {
    values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Cells<'a> {
    fn of(field: &JsonField, batch: &'a RecordBatch) -> Cells<'a> {
        if matches!(field.kind, JsonKind::Row(..)) {
            return Cells { values: Values::Nothing, nulls: None };
        }
        let array = batch.column(field.place);
        Cells { values: Values::of(array), nulls: array.nulls().filter(|nulls| nulls.null_count() > 0) }
    }

    #[inline]
    fn write(&self, row: usize, kind: &JsonKind, digits: usize, ascii: bool, out: &mut Vec<u8>) {
        if let JsonKind::Words(words) = kind {
            let word = usize::try_from(self.values.code(row)).ok().and_then(|code| words.get(code));
            out.extend_from_slice(word.map_or(b"null", Vec::as_slice));
            return;
        }
        if let Some(text) = self.values.text(row) {
            write_text(text, ascii, out);
            return;
        }
        if self.values.write_whole(row, out) {
            return;
        }
        match &self.values {
            Values::Bool(values) => out.extend_from_slice(if values.value(row) { b"true" } else { b"false" }),
            Values::F32(values) => write_float(f64::from(values[row]), digits, out),
            Values::F64(values) => write_float(values[row], digits, out),
            Values::Time(counts, per_second) => write_time(counts[row], *per_second, kind, out),
            _ => out.extend_from_slice(b"null"),
        }
    }
}

#[inline]
fn write_float(number: f64, digits: usize, out: &mut Vec<u8>) {
    if number.is_finite() {
        write_decimals(number, digits, out);
    } else {
        out.extend_from_slice(b"null");
    }
}

fn write_time(count: i64, per_second: i64, kind: &JsonKind, out: &mut Vec<u8>) {
    match kind {
        JsonKind::Timestamp(to, utc) => {
            let shown = match to {
                1 => Shown::Second,
                1_000 => Shown::Milli,
                1_000_000 => Shown::Micro,
                _ => Shown::Nano,
            };
            out.push(b'"');
            let start = out.len();
            clock::write_instant(count, per_second, shown, out);
            // Years have four digits, months and days two, and two hyphens separate them.
            out[start + 10] = b'T';
            if *utc {
                out.push(b'Z');
            }
            out.push(b'"');
        }
        JsonKind::Count(to) if *to < per_second => write_whole(count.div_euclid(per_second / to), out),
        JsonKind::Count(to) => write_whole(count * (to / per_second), out),
        _ => write_whole(count, out),
    }
}

/// Appends a text with quotes round it, and what needs it escaped.
pub(crate) fn write_text(text: &str, ascii: bool, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    if !bytes.iter().fold(false, |found, &byte| found | needs_escape(byte, ascii)) {
        out.extend_from_slice(bytes);
    } else {
        text.chars().for_each(|letter| write_letter(letter, ascii, out));
    }
    out.push(b'"');
}

#[inline]
fn needs_escape(byte: u8, ascii: bool) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\' || byte == b'/' || (ascii && byte >= 0x80)
}

fn write_letter(letter: char, ascii: bool, out: &mut Vec<u8>) {
    let short = match letter {
        '"' | '\\' | '/' => letter as u8,
        '\u{8}' => b'b',
        '\u{c}' => b'f',
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        '\0'..='\u{1f}' | '\u{80}'.. if ascii || letter.is_ascii() => {
            letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                out.extend_from_slice(b"\\u");
                let digit = |shift: u16| b"0123456789abcdef"[usize::from(unit >> shift & 15)];
                out.extend_from_slice(&[digit(12), digit(8), digit(4), digit(0)]);
            });
            return;
        }
        _ => {
            out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::write_text;

    #[test]
    fn texts_are_escaped_as_pandas_escapes_them() {
        let text = |text: &str, ascii: bool| {
            let mut out = Vec::new();
            write_text(text, ascii, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text("plain <&>\u{7f}", true), "\"plain <&>\u{7f}\"");
        assert_eq!(text("a/b\"\\\u{1}\n\0", true), r#""a\/b\"\\\u0001\n\u0000""#);
        assert_eq!(text("ä€😀", true), r#""\u00e4\u20ac\ud83d\ude00""#);
        assert_eq!(text("ä€😀/", false), r#""ä€😀\/""#);
    }
}
