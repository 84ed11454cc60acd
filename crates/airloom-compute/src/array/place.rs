//! Arrays by position: parts of them, other shapes, one after the other.

use super::call::ArrayCall;
use super::elements::{gather, join, spread};
use super::shape::room;
use crate::data::{Datum, NdArray, value_at};
use airloom_ir::oracle::formula::{Blocks, blocks, joined, position, reshaped, slice_positions, strides};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Int64Type;
use std::sync::Arc;

pub(super) fn slice(call: &ArrayCall<'_>) -> Option<Datum> {
    let array = call.array(0);
    let axis = call.attr::<i64>(0) as usize;
    let bound = |at: usize| if let Datum::Value(Value::Int(bound)) = &call.args[at] { Some(*bound) } else { None };
    let step = bound(3).unwrap_or(1);
    if step == 0 {
        return None;
    }
    let (first, count) = slice_positions(bound(1), bound(2), step, array.shape[axis] as i128);
    let mut shape = array.shape.clone();
    shape[axis] = count;
    let size = room(&shape).ok()?;
    // Neighbours that stay neighbours need not be copied.
    let Blocks { outer, inner, .. } = blocks(&array.shape, axis);
    if size > 0 && outer == 1 && (step == 1 || count == 1) {
        return Some(Datum::Array(NdArray { items: array.items.slice(first as usize * inner, count * inner), shape }));
    }
    let picked = (0..count as i128).map(|k| (first + k * step) as usize).collect();
    Some(Datum::Array(NdArray { items: along(&array, axis, picked, size, step == 1)?, shape }))
}

/// The elements at these positions of an axis, which may follow one another.
fn along(array: &NdArray, axis: usize, picked: Vec<usize>, size: usize, together: bool) -> Option<ArrayRef> {
    if size == 0 {
        return Some(array.items.slice(0, 0));
    }
    let Blocks { outer, extent, inner } = blocks(&array.shape, axis);
    if together {
        let (first, length) = (picked[0], picked.len() * inner);
        return Some(join(std::slice::from_ref(&array.items), size, (0..outer).map(|run| (0, (run * extent + first) * inner, length))));
    }
    if inner >= 16 {
        let runs = (0..outer).flat_map(|run| picked.iter().map(move |&at| (0, (run * extent + at) * inner, inner)));
        return Some(join(std::slice::from_ref(&array.items), size, runs));
    }
    let places =
        (0..outer).flat_map(|run| picked.iter().flat_map(move |&at| (0..inner).map(move |within| (run * extent + at) * inner + within)));
    gather(&array.items, places)
}

pub(super) fn take(call: &ArrayCall<'_>) -> Option<Datum> {
    let (array, indices) = (call.array(0), call.array(1));
    let axis = call.attr::<i64>(0) as usize;
    let extent = array.shape[axis];
    let indices = indices.items.as_primitive_opt::<Int64Type>()?;
    let picked: Option<Vec<usize>> = indices.values().iter().map(|&index| position(index, extent, axis).ok()).collect();
    let picked = picked?;
    let mut shape = array.shape.clone();
    shape[axis] = picked.len();
    let size = room(&shape).ok()?;
    Some(Datum::Array(NdArray { items: along(&array, axis, picked, size, false)?, shape }))
}

pub(super) fn at(call: &ArrayCall<'_>) -> Option<Datum> {
    let array = call.array(0);
    let mut offset = 0usize;
    for (axis, &extent) in array.shape.iter().enumerate() {
        // Every axis has a position only where there are elements, so what saturates here is never looked at.
        offset = offset.saturating_mul(extent).saturating_add(position(call.int(axis + 1)?, extent, axis).ok()?);
    }
    Some(Datum::Value(value_at(call.types, call.element(0), &array.items, offset)))
}

pub(super) fn reshape(call: &ArrayCall<'_>) -> Option<Datum> {
    let array = call.array(0);
    let wanted: Option<Vec<i64>> = (1..call.args.len()).map(|at| call.int(at)).collect();
    let shape = reshaped(&array.shape, array.items.len(), &wanted?).ok()?;
    room(&shape).ok()?;
    Some(Datum::Array(NdArray { items: array.items, shape }))
}

pub(super) fn transpose(call: &ArrayCall<'_>) -> Option<Datum> {
    let array = call.array(0);
    let axes: Arc<[i64]> = call.attr(0);
    let old = strides(&array.shape);
    let shape: Vec<usize> = axes.iter().map(|&a| array.shape[a as usize]).collect();
    let steps: Vec<usize> = axes.iter().map(|&a| old[a as usize]).collect();
    let size = room(&shape).ok()?;
    if size == 0 {
        return Some(Datum::Array(NdArray { items: array.items, shape }));
    }
    Some(Datum::Array(NdArray { items: spread(&array.items, &shape, &steps, size)?, shape }))
}

pub(super) fn concat(call: &ArrayCall<'_>) -> Option<Datum> {
    let arrays: Vec<NdArray> = (0..call.args.len()).map(|at| call.array(at)).collect();
    let along = call.attr::<i64>(0) as usize;
    let shapes: Vec<&[usize]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let shape = joined(&shapes, along).ok()?;
    let size = room(&shape).ok()?;
    if size == 0 {
        return Some(Datum::Array(NdArray { items: arrays[0].items.slice(0, 0), shape }));
    }
    let items: Vec<ArrayRef> = arrays.iter().map(|array| array.items.clone()).collect();
    let outer = blocks(&shape, along).outer;
    let lengths: Vec<usize> = arrays.iter().map(|array| array.items.len() / outer).collect();
    let runs = (0..outer).flat_map(|run| lengths.iter().enumerate().map(move |(array, &length)| (array, run * length, length)));
    Some(Datum::Array(NdArray { items: join(&items, size, runs), shape }))
}
