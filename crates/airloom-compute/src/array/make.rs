//! Arrays made from values, extents and other arrays.

use super::call::{ArrayCall, datum_to_value};
use super::element_loop::Own;
use super::elements::spread;
use super::fill::filled;
use super::shape::{extents, room};
use crate::data::values::{no_values, repeated};
use crate::data::{Datum, Failure, NdArray, Vector, values_to_array};
use airloom_ir::oracle::Raised;
use airloom_ir::oracle::formula::{broadcast_steps, extent, show};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, Int64Array};
use std::sync::Arc;

/// How many rows a body runs over at once: what they need stays in the cache.
pub(super) const CHUNK: usize = 16_384;

pub(super) fn of(call: &ArrayCall<'_>) -> Option<Datum> {
    let values: Vec<Value> = call.args.iter().zip(&call.arg_types).map(|(arg, &ty)| datum_to_value(call.types, ty, arg)).collect();
    Some(Datum::Array(NdArray::flat(values_to_array(call.types, call.result_element(), &values))))
}

pub(super) fn fill(call: &ArrayCall<'_>) -> Option<Datum> {
    let shape = extents(&call.args[1..]).ok()?;
    let size = room(&shape).ok()?;
    let value = datum_to_value(call.types, call.arg_types[0], &call.args[0]);
    let items =
        if size == 0 { no_values(call.types, call.result_element()) } else { repeated(call.types, call.result_element(), &value, size) };
    Some(Datum::Array(NdArray { items, shape }))
}

pub(super) fn iota(call: &ArrayCall<'_>) -> Option<Datum> {
    let size = room(&[extent(call.int(0)?).ok()?]).ok()?;
    Some(Datum::Array(NdArray::flat(numbers(0, size))))
}

/// The numbers from one up to another.
pub(super) fn numbers(from: usize, to: usize) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(from as i64..to as i64))
}

pub(super) fn dim(call: &ArrayCall<'_>) -> Option<Datum> {
    let axis: i64 = call.attr(0);
    Some(Datum::Value(Value::Int(call.array(0).shape[axis as usize] as i128)))
}

pub(super) fn broadcast(call: &ArrayCall<'_>) -> Option<Datum> {
    let array = call.array(0);
    let shape = extents(&call.args[1..]).ok()?;
    let axes: Arc<[i64]> = call.attr(0);
    let steps = broadcast_steps(&array.shape, &shape, &axes).ok()?;
    let size = room(&shape).ok()?;
    if size == 0 {
        return Some(Datum::Array(NdArray { items: array.items.slice(0, 0), shape }));
    }
    Some(Datum::Array(NdArray { items: spread(&array.items, &shape, &steps, size)?, shape }))
}

pub(super) fn map(call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    let (parts, types) = (call.gathered(0), call.gathered_types(0));
    let arrays: Vec<NdArray> = parts.iter().zip(&types).map(|(part, &ty)| part_to_array(call, ty, part)).collect();
    let shape = arrays[0].shape.clone();
    if let Some(other) = arrays.iter().find(|array| array.shape != shape) {
        return Err(Raised::new(format!("the arrays must have one shape, found {} and {}", show(&shape), show(&other.shape))).into());
    }
    let size = room(&shape)?;
    let element = call.result_of(0);
    let items = filled(call, element, &Own::Elements(arrays), size)?;
    Ok(Datum::Array(NdArray { items, shape }))
}

fn part_to_array(call: &ArrayCall<'_>, ty: TyId, part: &Datum) -> NdArray {
    match (part, call.types.get(ty)) {
        (Datum::Array(array), _) => array.clone(),
        (Datum::Value(Value::Arr(array)), Ty::Arr(element, _)) => NdArray::from_value(call.types, *element, array),
        (other, _) => panic!("invariant `values have their node's type`: expected an array, found {other:?}"),
    }
}

/// The elements that `make` gives, chunk by chunk.
pub(super) fn chunked(
    call: &ArrayCall<'_>,
    element: TyId,
    size: usize,
    mut make: impl FnMut(usize, usize) -> Result<Vector, Failure>,
) -> Result<ArrayRef, Failure> {
    let mut chunks: Vec<ArrayRef> = Vec::with_capacity(size.div_ceil(CHUNK));
    for from in (0..size).step_by(CHUNK) {
        call.run.check()?;
        let count = CHUNK.min(size - from);
        chunks.push(make(from, count)?.to_array(call.types, element, count));
    }
    Ok(joined(call, element, chunks))
}

/// Chunks as one array.
pub(super) fn joined(call: &ArrayCall<'_>, element: TyId, mut chunks: Vec<ArrayRef>) -> ArrayRef {
    match chunks.len() {
        0 => no_values(call.types, element),
        1 => chunks.remove(0),
        _ => {
            let chunks: Vec<&dyn arrow::array::Array> = chunks.iter().map(|chunk| &**chunk).collect();
            arrow::compute::concat(&chunks).expect("invariant `columns hold values`: chunks of one type are joined")
        }
    }
}
