//! Arrays made from values, extents and other arrays.

use super::shape::{advance, extent, extents, gather, room, show, strides, visits};
use crate::oracle::call::{Call, as_array, as_int, mismatch};
use crate::oracle::stop::{Raised, Stop, raise};
use crate::value::Value;
use std::sync::Arc;

pub(super) fn of(call: &Call<'_>) -> Result<Value, Stop> {
    room(call, &[call.args.len()])?;
    Ok(Value::arr(call.args.to_vec()))
}

pub(super) fn fill(call: &Call<'_>) -> Result<Value, Stop> {
    let shape = extents((1..call.args.len()).map(|at| call.i64(at)))?;
    let size = room(call, &shape)?;
    Ok(Value::nd(shape, vec![call.args[0].clone(); size]))
}

pub(super) fn iota(call: &Call<'_>) -> Result<Value, Stop> {
    let size = room(call, &[extent(call.i64(0))?])?;
    Ok(Value::arr((0..size).map(|at| Value::Int(at as i128)).collect()))
}

pub(super) fn dim(call: &Call<'_>) -> Result<Value, Stop> {
    let axis: i64 = call.attr(0);
    Ok(Value::Int(call.array(0).shape[axis as usize] as i128))
}

pub(super) fn broadcast(call: &Call<'_>) -> Result<Value, Stop> {
    let array = call.array(0);
    let shape = extents((1..call.args.len()).map(|at| call.i64(at)))?;
    let axes: Arc<[i64]> = call.attr(0);
    let steps = broadcast_steps(&array.shape, &shape, &axes)?;
    gather(call, array, shape, &steps)
}

/// How far apart in an array of shape `from` the neighbours along each axis of `to` are, where the axes of `from` become these axes and the others repeat.
pub fn broadcast_steps(from: &[usize], to: &[usize], axes: &[i64]) -> Result<Vec<usize>, Raised> {
    let old = strides(from);
    let mut steps = vec![0; to.len()];
    for (axis, &target) in axes.iter().enumerate() {
        let target = target as usize;
        match from[axis] {
            same if same == to[target] => steps[target] = old[axis],
            1 => (),
            other => {
                return raise(format!(
                    "axis {axis} of extent {other} cannot be repeated to extent {}: only an extent of 1 can",
                    to[target]
                ));
            }
        }
    }
    Ok(steps)
}

pub(super) fn map(call: &Call<'_>) -> Result<Value, Stop> {
    let Value::Tuple(parts) = &call.args[0] else { mismatch("a tuple", &call.args[0]) };
    let arrays: Vec<_> = parts.iter().map(as_array).collect();
    let shape = &arrays[0].shape;
    if let Some(other) = arrays.iter().find(|a| a.shape != *shape) {
        return raise(format!("the arrays must have one shape, found {} and {}", show(shape), show(&other.shape)));
    }
    let size = room(call, shape)?;
    let mut items = Vec::with_capacity(size);
    for at in 0..size {
        let own: Vec<Value> = arrays.iter().map(|a| a.items[at].clone()).collect();
        items.push(call.run(0, &own)?);
    }
    Ok(Value::nd(shape.clone(), items))
}

/// The values of body 0 at every position of a shape, in row-major order, each given to `take`. Shared with the parallel loops.
pub(in crate::oracle) fn tabulate(call: &Call<'_>, shape: &[usize], mut take: impl FnMut(Value) -> Result<(), Stop>) -> Result<(), Stop> {
    let size = visits(call, shape)?;
    let mut place = vec![0; shape.len()];
    for _ in 0..size {
        let own: Vec<Value> = place.iter().map(|&at| Value::Int(at as i128)).collect();
        take(call.run(0, &own)?)?;
        advance(&mut place, shape);
    }
    Ok(())
}

/// The extents of a variadic argument.
pub(in crate::oracle) fn gathered(call: &Call<'_>, at: usize) -> Result<Vec<usize>, Stop> {
    let Value::Tuple(parts) = &call.args[at] else { mismatch("a tuple", &call.args[at]) };
    Ok(extents(parts.iter().map(|part| as_int(part) as i64))?)
}
