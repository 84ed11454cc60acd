//! Columns of pieces as arrays of Arrow's.

use super::Records;
use super::column::{Column, Values};
use super::cut::{cut_array, cut_lines};
use super::parse::{Piece, parse};
use airloom_compute::data::parallel_map;
use arrow::array::{ArrayRef, Float64Array, Int64Array, LargeStringArray, UInt8Array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use std::collections::HashMap;
use std::sync::Arc;

/// What a column of records turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordsAs {
    /// Integers.
    Whole,
    /// Floats, NaN where one is missing.
    Float,
    /// Booleans: 0 and 1.
    Truth,
    /// Booleans of which some are missing, or nothing at all: 0, 1, 2 for null, and 3 where a record does not have the key.
    TruthOrMissing,
    /// Text.
    Text,
}

/// A column: its name, what it is, and its rows in pieces.
#[derive(Debug)]
pub struct RecordColumn {
    /// Its name.
    pub name: String,
    /// What it is.
    pub read_as: RecordsAs,
    /// Its rows.
    pub pieces: Vec<ArrayRef>,
}

/// Reads a file as a whole: how many rows there are, and the columns, in the order in which they first occur. An error says why that would not be what pandas
/// reads.
pub fn read_records(request: &Records) -> Result<(usize, Vec<RecordColumn>), String> {
    let bytes = std::fs::read(&request.path).map_err(|error| format!("the file cannot be read: {error}"))?;
    let piece = request.piece.max(1);
    let cuts = if request.lines { cut_lines(&bytes, piece) } else { cut_array(&bytes, piece)? };
    let mut pieces =
        parallel_map(request.threads, cuts.len(), || (), |(), at| parse(&bytes[cuts[at].clone()], request.lines, request.precise))?;
    drop(bytes);
    pieces.retain(|piece| piece.rows > 0);
    let rows = pieces.iter().map(|piece| piece.rows).sum();
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut columns: Vec<Vec<Part>> = Vec::new();
    for (at, Piece { columns: found, .. }) in pieces.iter_mut().enumerate() {
        for column in found.drain(..) {
            let place = *places.entry(column.name.clone()).or_insert(columns.len());
            if place == columns.len() {
                columns.push(Vec::new());
            }
            columns[place].push((at, column));
        }
    }
    if columns.is_empty() {
        return Err("no values in any record".into());
    }
    let sizes: Vec<usize> = pieces.iter().map(|piece| piece.rows).collect();
    Ok((rows, columns.into_iter().map(|parts| column(parts, &sizes)).collect::<Result<_, _>>()?))
}

/// A column of a piece, with the number of the piece.
type Part = (usize, Column);

fn column(parts: Vec<Part>, sizes: &[usize]) -> Result<RecordColumn, String> {
    let name = parts.first().map(|(_, column)| column.name.clone()).unwrap_or_default();
    let name = String::from_utf8(name).map_err(|_| "a name that is not UTF-8")?;
    let gaps = parts.len() < sizes.len() || parts.iter().any(|(_, column)| !column.gaps.is_empty());
    let mut kinds = parts.iter().filter_map(|(_, column)| match column.values {
        Values::Nothing => None,
        Values::Whole(_) if gaps => Some(RecordsAs::Float),
        Values::Whole(_) => Some(RecordsAs::Whole),
        Values::Float(_) => Some(RecordsAs::Float),
        Values::Truth(_) if gaps => Some(RecordsAs::TruthOrMissing),
        Values::Truth(_) => Some(RecordsAs::Truth),
        Values::Text(..) => Some(RecordsAs::Text),
    });
    let first = kinds.next().unwrap_or(RecordsAs::TruthOrMissing);
    let read_as = kinds.try_fold(first, |known, more| match (known, more) {
        (known, more) if known == more => Ok(known),
        (RecordsAs::Whole | RecordsAs::Float, RecordsAs::Whole | RecordsAs::Float) => Ok(RecordsAs::Float),
        _ => Err("a column of mixed types"),
    })?;
    let mut parts = parts.into_iter().peekable();
    let mut pieces = Vec::with_capacity(sizes.len());
    for (at, rows) in sizes.iter().enumerate() {
        let own = parts.next_if(|(piece, _)| *piece == at).map(|(_, column)| column);
        let mut column = own.unwrap_or_else(|| Column::new(Vec::new()));
        column.fill(*rows);
        pieces.push(array(read_as, column));
    }
    Ok(RecordColumn { name, read_as, pieces })
}

fn array(read_as: RecordsAs, column: Column) -> ArrayRef {
    let Column { values, gaps, rows, .. } = column;
    match (read_as, values) {
        (RecordsAs::Whole, Values::Whole(values)) => Arc::new(Int64Array::from(values)),
        (RecordsAs::Float, Values::Float(values)) => Arc::new(Float64Array::from(values)),
        (RecordsAs::Float, Values::Whole(values)) => {
            let mut floats: Vec<f64> = values.into_iter().map(|value| value as f64).collect();
            gaps.iter().for_each(|gap| floats[gap.row] = f64::NAN);
            Arc::new(Float64Array::from(floats))
        }
        (RecordsAs::Float, Values::Nothing) => Arc::new(Float64Array::from(vec![f64::NAN; rows])),
        (RecordsAs::Truth | RecordsAs::TruthOrMissing, values) => {
            let mut codes: Vec<u8> = match values {
                Values::Truth(values) => values.into_iter().map(u8::from).collect(),
                _ => vec![3; rows],
            };
            gaps.iter().for_each(|gap| codes[gap.row] = if gap.null { 2 } else { 3 });
            Arc::new(UInt8Array::from(codes))
        }
        (RecordsAs::Text, Values::Text(ends, bytes)) => {
            let mut valid = vec![true; rows];
            gaps.iter().for_each(|gap| valid[gap.row] = false);
            let nulls = (!gaps.is_empty()).then(|| NullBuffer::new(BooleanBuffer::from(valid)));
            // SAFETY: the ends rise from zero to the length of the bytes, and what is between two of them is what `text` appended at once: whole characters
            // of bytes that were found to be UTF-8, and characters that were escaped.
            Arc::new(unsafe {
                LargeStringArray::new_unchecked(OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(bytes), nulls)
            })
        }
        (RecordsAs::Text, Values::Nothing) => Arc::new(LargeStringArray::new_null(rows)),
        (read_as, values) => unreachable!("a column of {read_as:?} has pieces of that, not {values:?}"),
    }
}
