//! Arrays by position: parts of them, other shapes, one after the other.

use super::shape::{Blocks, blocks, gather, position, room, show, strides};
use crate::oracle::call::{Call, as_array, as_int};
use crate::oracle::stop::{Raised, Stop, raise};
use crate::value::{Array, Value};
use std::sync::Arc;

pub(super) fn slice(call: &Call<'_>) -> Result<Value, Stop> {
    let array = call.array(0);
    let axis = call.attr::<i64>(0) as usize;
    let bound = |at: usize| if call.args[at].is_null() { None } else { Some(call.int(at)) };
    let step = bound(3).unwrap_or(1);
    if step == 0 {
        return raise("the step of a slice must not be zero");
    }
    let (first, count) = slice_positions(bound(1), bound(2), step, array.shape[axis] as i128);
    let mut shape = array.shape.clone();
    shape[axis] = count;
    room(call, &shape)?;
    let picked: Vec<usize> = (0..count as i128).map(|k| (first + k * step) as usize).collect();
    Ok(along(array, axis, &picked, shape))
}

/// Where a Python slice of `extent` elements begins, and how many it takes.
pub fn slice_positions(start: Option<i128>, stop: Option<i128>, step: i128, extent: i128) -> (i128, usize) {
    // Going down, the position before the first is -1, which no written bound can name.
    let (lowest, highest) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let place = |bound: i128| if bound < 0 { (bound + extent).max(lowest) } else { bound.min(highest) };
    let start = start.map_or(if step > 0 { lowest } else { highest }, place);
    let stop = stop.map_or(if step > 0 { highest } else { lowest }, place);
    let span = if step > 0 { stop - start } else { start - stop };
    let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
    (start, count as usize)
}

/// The elements at these positions of an axis. The caller has made room for `shape`.
fn along(array: &Array, axis: usize, picked: &[usize], shape: Vec<usize>) -> Value {
    let size = shape.iter().product();
    let mut items = Vec::with_capacity(size);
    if size > 0 {
        let Blocks { outer, extent, inner } = blocks(&array.shape, axis);
        for run in 0..outer {
            for &at in picked {
                let from = (run * extent + at) * inner;
                items.extend_from_slice(&array.items[from..from + inner]);
            }
        }
    }
    Value::nd(shape, items)
}

pub(super) fn take(call: &Call<'_>) -> Result<Value, Stop> {
    let (array, indices) = (call.array(0), call.array(1));
    let axis = call.attr::<i64>(0) as usize;
    let extent = array.shape[axis];
    let picked: Vec<usize> = indices.items.iter().map(|i| position(as_int(i) as i64, extent, axis)).collect::<Result<_, _>>()?;
    let mut shape = array.shape.clone();
    shape[axis] = picked.len();
    room(call, &shape)?;
    Ok(along(array, axis, &picked, shape))
}

pub(super) fn at(call: &Call<'_>) -> Result<Value, Stop> {
    let array = call.array(0);
    Ok(array.items[offset(call, &array.shape, 1)?].clone())
}

pub(super) fn put(call: &Call<'_>) -> Result<Value, Stop> {
    let array = call.array(0);
    let at = offset(call, &array.shape, 2)?;
    call.spend(array.items.len())?;
    let mut items = array.items.clone();
    items[at] = call.args[1].clone();
    Ok(Value::nd(array.shape.clone(), items))
}

/// Where the element at a position is, whose indices are the arguments from `first` on.
fn offset(call: &Call<'_>, shape: &[usize], first: usize) -> Result<usize, Stop> {
    let mut offset = 0usize;
    for (axis, &extent) in shape.iter().enumerate() {
        // Every axis has a position only where there are elements, so what saturates here is never looked at.
        offset = offset.saturating_mul(extent).saturating_add(position(call.i64(first + axis), extent, axis)?);
    }
    Ok(offset)
}

pub(super) fn reshape(call: &Call<'_>) -> Result<Value, Stop> {
    let array = call.array(0);
    let wanted: Vec<i64> = (1..call.args.len()).map(|at| call.i64(at)).collect();
    let shape = reshaped(&array.shape, array.items.len(), &wanted)?;
    room(call, &shape)?;
    Ok(Value::nd(shape, array.items.clone()))
}

/// The extents that an array of `size` elements is given, of which one may be -1: what is left over.
pub fn reshaped(from: &[usize], size: usize, wanted: &[i64]) -> Result<Vec<usize>, Raised> {
    let written = || wanted.iter().map(i64::to_string).collect::<Vec<_>>().join(" by ");
    let misfit = || Raised::new(format!("an array of {} elements cannot be reshaped to {}", show(from), written()));
    if let Some(wrong) = wanted.iter().find(|&&extent| extent < -1) {
        return raise(format!("an extent must not be negative, found {wrong}; only -1 stands for what is left over"));
    }
    let known = wanted.iter().filter(|&&e| e >= 0).try_fold(1usize, |size, &e| size.checked_mul(e as usize)).ok_or_else(misfit)?;
    let left_over = match wanted.iter().filter(|&&e| e == -1).count() {
        0 if known == size => 0,
        // Of no elements by no elements, any extent would do: it is not known which one is meant.
        1 if known > 0 && size.is_multiple_of(known) => size / known,
        0 | 1 => return Err(misfit()),
        many => return raise(format!("one extent may be -1, found {many}")),
    };
    Ok(wanted.iter().map(|&e| if e == -1 { left_over } else { e as usize }).collect())
}

pub(super) fn transpose(call: &Call<'_>) -> Result<Value, Stop> {
    let array = call.array(0);
    let axes: Arc<[i64]> = call.attr(0);
    let old = strides(&array.shape);
    let shape = axes.iter().map(|&a| array.shape[a as usize]).collect();
    let steps: Vec<usize> = axes.iter().map(|&a| old[a as usize]).collect();
    gather(call, array, shape, &steps)
}

pub(super) fn concat(call: &Call<'_>) -> Result<Value, Stop> {
    let arrays: Vec<&Array> = call.args.iter().map(|value| &**as_array(value)).collect();
    let along = call.attr::<i64>(0) as usize;
    let shapes: Vec<&[usize]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let shape = joined(&shapes, along)?;
    let size = room(call, &shape)?;
    let mut items = Vec::with_capacity(size);
    if size > 0 {
        for run in 0..blocks(&shape, along).outer {
            for array in &arrays {
                let Blocks { extent, inner, .. } = blocks(&array.shape, along);
                let length = extent * inner;
                items.extend_from_slice(&array.items[run * length..(run + 1) * length]);
            }
        }
    }
    Ok(Value::nd(shape, items))
}

/// The shape of arrays put one after the other along an axis, of which there is at least one.
pub fn joined(shapes: &[&[usize]], along: usize) -> Result<Vec<usize>, Raised> {
    let mut shape = shapes[0].to_vec();
    for other in &shapes[1..] {
        let differs = |axis: &usize| *axis != along && shape[*axis] != other[*axis];
        if let Some(axis) = (0..shape.len()).find(differs) {
            return raise(format!("the arrays differ along axis {axis}: extent {} and {}", shape[axis], other[axis]));
        }
        shape[along] = shape[along].saturating_add(other[along]);
    }
    Ok(shape)
}
