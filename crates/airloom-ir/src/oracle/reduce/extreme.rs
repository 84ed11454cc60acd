//! The minimum and the maximum.

use super::cells::{passes_over, taken};
use crate::attrs::Skip;
use crate::oracle::order::total;
use crate::value::Value;
use std::cmp::Ordering;

/// The smaller of two values, NaN where either is; of zeros, the negative one, so that it does not matter which comes first.
pub(in crate::oracle) fn least(left: &Value, right: &Value) -> Value {
    pick(left, right, Ordering::Greater)
}

/// The greater of two values, NaN where either is; of zeros, the positive one.
pub(in crate::oracle) fn greatest(left: &Value, right: &Value) -> Value {
    pick(left, right, Ordering::Less)
}

fn pick(left: &Value, right: &Value, give_way: Ordering) -> Value {
    if left.is_nan() {
        return left.clone();
    }
    let order = total(left, right).then_with(|| is_negative(right).cmp(&is_negative(left)));
    if right.is_nan() || order == give_way { right.clone() } else { left.clone() }
}

fn is_negative(value: &Value) -> bool {
    match value {
        Value::F32(x) => x.is_sign_negative(),
        Value::F64(x) => x.is_sign_negative(),
        _ => false,
    }
}

pub(super) fn extreme(skip: Skip, cell: &[&Value], pick: fn(&Value, &Value) -> Value) -> Value {
    let Some(items) = taken(skip, cell) else { return Value::Null };
    let mut items = items.into_iter();
    let Some(first) = items.next() else { return Value::Null };
    items.fold(first.clone(), |so_far, item| pick(&so_far, item))
}

/// The position of the first element that no other surpasses, NaN surpassing everything. Zeros of both signs are equal.
pub(super) fn position(skip: Skip, cell: &[&Value], surpasses: Ordering) -> Value {
    let mut best: Option<(usize, &Value)> = None;
    for (at, &item) in cell.iter().enumerate().filter(|(_, item)| !passes_over(skip, item)) {
        if item.is_null() {
            return Value::Null;
        }
        let better = best.is_none_or(|(_, old)| !old.is_nan() && (item.is_nan() || total(item, old) == surpasses));
        if better {
            best = Some((at, item));
        }
    }
    best.map_or(Value::Null, |(at, _)| Value::Int(at as i128))
}
