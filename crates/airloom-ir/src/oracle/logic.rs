//! What the ops of comparison, booleans, nulls, choice and conversion mean.

use super::call::Call;
use super::stop::Raised;
use super::{cast, hash, order};
use crate::attrs::{NanOrder, NullMatch};
use crate::ops::logic::Logic;
use crate::types::Ty;
use crate::value::Value;
use std::cmp::Ordering;

pub(super) fn apply(op: Logic, call: &Call<'_>) -> Result<Value, Raised> {
    Ok(match op {
        Logic::Eq => Value::Bool(equal(&call.args[0], &call.args[1], call.attr(0))),
        Logic::Ne => Value::Bool(!equal(&call.args[0], &call.args[1], call.attr(0))),
        Logic::Lt => compare(call, Ordering::is_lt),
        Logic::Le => compare(call, Ordering::is_le),
        Logic::Gt => compare(call, Ordering::is_gt),
        Logic::Ge => compare(call, Ordering::is_ge),
        Logic::Same => Value::Bool(order::same(&call.args[0], &call.args[1])),
        Logic::And => decided_by(call, false),
        Logic::Or => decided_by(call, true),
        Logic::Xor => Value::Bool(call.truth(0) != call.truth(1)),
        Logic::Not => Value::Bool(!call.truth(0)),
        Logic::IsNull => Value::Bool(call.args[0].is_null()),
        Logic::IsTrue => Value::Bool(call.truth(0)),
        Logic::Coalesce => call.args.iter().find(|value| !value.is_null()).cloned().unwrap_or(Value::Null),
        Logic::NanToNull => {
            if call.args[0].is_nan() {
                Value::Null
            } else {
                call.args[0].clone()
            }
        }
        Logic::NullToNan => match (&call.args[0], call.plain_result()) {
            (Value::Null, Ty::F32) => Value::F32(f32::NAN),
            (Value::Null, _) => Value::F64(f64::NAN),
            (value, _) => value.clone(),
        },
        Logic::Select => call.args[if call.truth(0) { 1 } else { 2 }].clone(),
        Logic::IsIn => is_in(call),
        Logic::Cast => return cast::cast(call),
        Logic::Hash => Value::int(hash::of(&call.args[0], call.attr(0))),
    })
}

/// Whether two values are equal. Inside lists and structs a null equals a null, since the answer itself is never null.
/// Recursive, but only as deep as types nest.
fn equal(a: &Value, b: &Value, nan: NanOrder) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) | (Value::Struct(a), Value::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b, nan))
        }
        _ if nan == NanOrder::Ieee && (a.is_nan() || b.is_nan()) => false,
        _ => order::total(a, b).is_eq(),
    }
}

fn compare(call: &Call<'_>, holds: fn(Ordering) -> bool) -> Value {
    let (a, b) = (&call.args[0], &call.args[1]);
    let unordered = call.attr::<NanOrder>(0) == NanOrder::Ieee && (a.is_nan() || b.is_nan());
    Value::Bool(!unordered && holds(order::total(a, b)))
}

/// Kleene's `and` and `or`: one side of the deciding value decides; else null on either side is null.
fn decided_by(call: &Call<'_>, deciding: bool) -> Value {
    if call.args.contains(&Value::Bool(deciding)) {
        return Value::Bool(deciding);
    }
    if call.args.contains(&Value::Null) { Value::Null } else { Value::Bool(!deciding) }
}

fn is_in(call: &Call<'_>) -> Value {
    let (value, items) = (&call.args[0], &call.args[1..]);
    match call.attr(0) {
        NullMatch::Equal => Value::Bool(items.iter().any(|item| order::same(value, item))),
        NullMatch::Never if value.is_null() => Value::Null,
        NullMatch::Never if items.iter().any(|item| !item.is_null() && equal(value, item, NanOrder::Ieee)) => Value::Bool(true),
        NullMatch::Never if items.iter().any(Value::is_null) => Value::Null,
        NullMatch::Never => Value::Bool(false),
    }
}
