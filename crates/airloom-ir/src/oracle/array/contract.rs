//! Products of elements, added up along the axes that the result does not have.

use super::shape::{advance, places, room, strides};
use crate::oracle::call::{Call, as_int, mismatch};
use crate::oracle::stop::{Raised, Stop, raise};
use crate::types::Ty;
use crate::value::Value;
use std::sync::Arc;

/// A loop over the axes of a result, and inside of it one over the axes that are summed.
pub struct Contraction {
    /// The extents of the result.
    pub shape: Vec<usize>,
    /// The extents that are summed, the outermost first.
    pub summed: Vec<usize>,
    /// How far apart neighbours along each axis of `shape` and then of `summed` are in the first array; 0 where it does not have the axis.
    pub left: Vec<usize>,
    /// The same in the second array.
    pub right: Vec<usize>,
}

/// The loops for two arrays, each with the labels of its axes and its extents.
pub fn contraction(left: (&[i64], &[usize]), right: (&[i64], &[usize]), out: &[i64]) -> Result<Contraction, Raised> {
    let mut known: Vec<(i64, usize)> = Vec::new();
    for (labels, shape) in [left, right] {
        for (&label, &extent) in labels.iter().zip(shape) {
            match known.iter().find(|(found, _)| *found == label) {
                Some((_, found)) if *found != extent => {
                    return raise(format!("the axes labelled {label} have the extents {found} and {extent}"));
                }
                Some(_) => {}
                None => known.push((label, extent)),
            }
        }
    }
    let extent_of = |label: &i64| known.iter().find(|(found, _)| found == label).map_or(0, |(_, extent)| *extent);
    let summed: Vec<i64> = known.iter().map(|(label, _)| *label).filter(|label| !out.contains(label)).collect();
    // An array with a label twice is gone through along its diagonal.
    let steps = |(labels, shape): (&[i64], &[usize])| -> Vec<usize> {
        let own = strides(shape);
        let along = |label: &i64| labels.iter().zip(&own).filter(|(found, _)| *found == label).map(|(_, step)| *step).sum();
        out.iter().chain(&summed).map(along).collect()
    };
    Ok(Contraction {
        shape: out.iter().map(extent_of).collect(),
        summed: summed.iter().map(extent_of).collect(),
        left: steps(left),
        right: steps(right),
    })
}

pub(super) fn contract(call: &Call<'_>) -> Result<Value, Stop> {
    let (first, second) = (call.array(0), call.array(1));
    let (left, right, out): (Arc<[i64]>, Arc<[i64]>, Arc<[i64]>) = (call.attr(0), call.attr(1), call.attr(2));
    let loops = contraction((&left, &first.shape), (&right, &second.shape), &out)?;
    let size = room(call, &loops.shape)?;
    let terms = places(&loops.summed);
    call.spend(size.saturating_mul(terms))?;
    let element = call.types.get(call.element(0));
    let (mut place, mut inner) = (vec![0; loops.shape.len()], vec![0; loops.summed.len()]);
    let mut items = Vec::with_capacity(size);
    for _ in 0..size {
        let mut sum = zero(element);
        for _ in 0..terms {
            let offset = |steps: &[usize]| place.iter().chain(&inner).zip(steps).map(|(at, step)| at * step).sum::<usize>();
            sum = added(element, sum, &first.items[offset(&loops.left)], &second.items[offset(&loops.right)]);
            advance(&mut inner, &loops.summed);
        }
        items.push(sum);
        advance(&mut place, &loops.shape);
    }
    Ok(Value::nd(loops.shape, items))
}

fn zero(element: &Ty) -> Value {
    match element {
        Ty::F32 => Value::F32(0.0),
        Ty::F64 => Value::F64(0.0),
        _ => Value::int(0),
    }
}

fn added(element: &Ty, sum: Value, x: &Value, y: &Value) -> Value {
    match (element, sum, x, y) {
        (Ty::F32, Value::F32(sum), Value::F32(x), Value::F32(y)) => Value::F32(sum + x * y),
        (Ty::F64, Value::F64(sum), Value::F64(x), Value::F64(y)) => Value::F64(sum + x * y),
        // Modulo the width, sums and products may be cut at any time; so 128 bits that wrap are enough.
        (Ty::Int(int), sum, x, y) => Value::Int(int.wrap(as_int(&sum).wrapping_add(as_int(x).wrapping_mul(as_int(y))))),
        (_, sum, ..) => mismatch("a number of the type of the elements", &sum),
    }
}
