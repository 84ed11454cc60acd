//! Columns of text as other libraries know them best: one buffer of bytes and where in it each value ends.

use crate::cores::{parallel_map, parts_for};
use airloom::arrow::array::{Array, ArrayRef, AsArray, BooleanBufferBuilder, LargeStringArray, StringViewArray};
use airloom::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use airloom::arrow::compute::cast;
use airloom::arrow::datatypes::DataType;
use std::sync::Arc;

/// The pieces of a column of text, of `rows` rows in all, in large strings: as they are where they are such, else made on every core.
pub(crate) fn to_large_strings(pieces: &[ArrayRef], rows: usize) -> Result<Vec<ArrayRef>, String> {
    let text = |ty: &DataType| matches!(ty, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    if let Some(other) = pieces.iter().map(|piece| piece.data_type()).find(|ty| match ty {
        DataType::Dictionary(_, words) => !text(words),
        other => !text(other),
    }) {
        return Err(format!("it is not text but Arrow's `{other}`"));
    }
    if !pieces.iter().all(|piece| *piece.data_type() == DataType::Utf8View) {
        return pieces.iter().map(|piece| cast(piece, &DataType::LargeUtf8).map_err(|e| e.to_string())).collect();
    }
    Ok(parallel_map(shares(pieces, rows), |share| Arc::new(joined(&share)) as ArrayRef))
}

/// The pieces in as many parts as there are cores to work on them, of about as many rows each.
fn shares(pieces: &[ArrayRef], rows: usize) -> Vec<Vec<StringViewArray>> {
    let share = rows.div_ceil(parts_for(rows * 16)).max(1);
    let mut shares = Vec::new();
    let mut open = Vec::new();
    let mut left = share;
    for piece in pieces {
        let mut rest = piece.as_string_view().clone();
        while rest.len() >= left {
            open.push(rest.slice(0, left));
            rest = rest.slice(left, rest.len() - left);
            shares.push(std::mem::take(&mut open));
            left = share;
        }
        left -= rest.len();
        open.push(rest);
    }
    if open.iter().any(|part| !part.is_empty()) {
        shares.push(open);
    }
    shares
}

/// Short values are copied this many bytes at a time, which is one instruction, and what is too much is taken back: calling for a copy takes longer than the
/// copy.
const WIDE: usize = 32;

/// These values one after the other.
fn joined(parts: &[StringViewArray]) -> LargeStringArray {
    let rows = parts.iter().map(|part| part.len()).sum();
    let bytes: usize = parts.iter().map(bytes_of).sum();
    let mut ends: Vec<i64> = Vec::with_capacity(rows + 1);
    let mut values: Vec<u8> = Vec::with_capacity(bytes + WIDE);
    ends.push(0);
    for part in parts {
        let (buffers, views) = (part.data_buffers(), part.views());
        match part.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => views.iter().for_each(|&view| {
                append(&mut values, view, buffers);
                ends.push(values.len() as i64);
            }),
            Some(nulls) => views.iter().zip(nulls).for_each(|(&view, valid)| {
                if valid {
                    append(&mut values, view, buffers);
                }
                ends.push(values.len() as i64);
            }),
        }
    }
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    // SAFETY: the ends rise from zero to the length of the values, and what is between two of them is one string, or nothing.
    unsafe { LargeStringArray::new_unchecked(ends, Buffer::from_vec(values), nulls_of(parts, rows)) }
}

/// Appends the bytes of a view.
fn append(values: &mut Vec<u8>, view: u128, buffers: &[Buffer]) {
    let (length, before) = (view as u32 as usize, values.len());
    if length <= 12 {
        // The bytes are in the view itself, after the length.
        values.extend_from_slice(&(view >> 32).to_le_bytes());
        values.truncate(before + length);
        return;
    }
    let (buffer, start) = (&buffers[(view >> 64) as u32 as usize], (view >> 96) as usize);
    match buffer.get(start..start + WIDE).and_then(|bytes| bytes.first_chunk::<WIDE>()) {
        Some(wide) if length <= WIDE => {
            values.extend_from_slice(wide);
            values.truncate(before + length);
        }
        _ => values.extend_from_slice(&buffer[start..start + length]),
    }
}

/// How many bytes the values have.
fn bytes_of(part: &StringViewArray) -> usize {
    match part.nulls() {
        // The lower half of a view's first word is the length.
        None => part.views().iter().map(|&view| view as u32 as usize).sum(),
        // Where a value is null anything may be stored.
        Some(_) => part.iter().flatten().map(str::len).sum(),
    }
}

fn nulls_of(parts: &[StringViewArray], rows: usize) -> Option<NullBuffer> {
    if parts.iter().all(|part| part.null_count() == 0) {
        return None;
    }
    let mut bits = BooleanBufferBuilder::new(rows);
    for part in parts {
        match part.nulls() {
            Some(nulls) => bits.append_buffer(nulls.inner()),
            None => bits.append_n(part.len(), true),
        }
    }
    Some(NullBuffer::new(bits.finish()))
}
