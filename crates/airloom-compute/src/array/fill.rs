//! Arrays whose elements a body makes, written by every thread to its own part of the result.

use super::call::ArrayCall;
use super::element_loop::{ElementLoop, Own, chunks};
use super::make::{CHUNK, chunked, joined};
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::data::{Failure, Vector};
use airloom_ir::types::TyId;
use arrow::array::{Array, ArrayRef};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What the first body makes of each of `size` positions.
pub(super) fn filled(call: &ArrayCall<'_>, element: TyId, own: &Own, size: usize) -> Result<ArrayRef, Failure> {
    let body = if size == 0 { None } else { ElementLoop::new(call, 0, own, size) };
    let Some(body) = body else { return chunked(call, element, size, |from, count| call.rows(0, &own.vectors(from, count), count)) };
    call.run.spend(size as u64)?;
    let ranges = chunks(size);
    let width = Width::of(call.types.get(element)).filter(|_| size > CHUNK);
    if let Some(width) = width {
        return by_width!(width, N => numbers::<N>(call, element, own, &body, &ranges, size));
    }
    let array = |number: usize, vector: Vector| Ok(vector.to_array(call.types, element, ranges[number].len()));
    let mut made = Vec::with_capacity(ranges.len());
    for (number, piece) in body.over(&ranges, array)?.into_iter().enumerate() {
        made.push(match piece {
            Some(piece) => piece,
            None => outside(call, element, own, &ranges[number])?,
        });
    }
    Ok(joined(call, element, made))
}

/// A run that reads outside an array: its error is worded where bodies are computed row by row.
fn outside(call: &ArrayCall<'_>, element: TyId, own: &Own, range: &Range<usize>) -> Result<ArrayRef, Failure> {
    Ok(call.rows(0, &own.vectors(range.start, range.len()), range.len())?.to_array(call.types, element, range.len()))
}

/// Numbers, which are never null, in one buffer from the beginning: nothing is joined afterwards.
fn numbers<N: Native>(
    call: &ArrayCall<'_>,
    element: TyId,
    own: &Own,
    body: &ElementLoop<'_>,
    ranges: &[Range<usize>],
    size: usize,
) -> Result<ArrayRef, Failure> {
    let mut numbers: Vec<N> = Vec::with_capacity(size);
    let parts: Vec<Mutex<&mut [MaybeUninit<N>]>> = numbers.spare_capacity_mut()[..size].chunks_mut(CHUNK).map(Mutex::new).collect();
    let write = |number: usize, array: &ArrayRef| {
        let found = N::numbers(array).filter(|found| found.len() == ranges[number].len() && array.null_count() == 0);
        let found = found.ok_or_else(|| Failure::Bug("invariant `values have their node's type`: every element is a number".into()))?;
        parts[number].lock().unwrap_or_else(PoisonError::into_inner).write_copy_of_slice(&found);
        Ok::<(), Failure>(())
    };
    let done = body.over(ranges, |number, vector| write(number, &vector.to_array(call.types, element, ranges[number].len())))?;
    for number in (0..ranges.len()).filter(|&number| done[number].is_none()) {
        write(number, &outside(call, element, own, &ranges[number])?)?;
    }
    drop(parts);
    // SAFETY: each of the parts, which are all of the first `size` elements, was written above, in `over` or in the loop after it; where one was not, an error was returned.
    unsafe { numbers.set_len(size) };
    Ok(numbers_to_array(call.types, element, numbers, None))
}
