//! Booleans and nulls.

use crate::data::Vector;
use crate::data::bits;
use crate::functions::call::KernelCall;
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{and_kleene, not as arrow_not, or_kleene};
use std::sync::Arc;

/// Kleene's `and` (decided by false) and `or` (decided by true).
pub(super) fn decided_by(call: &KernelCall<'_>, deciding: bool) -> Option<Vector> {
    if call.args.iter().any(|arg| matches!(arg, Vector::Constant(Value::Bool(b)) if *b == deciding)) {
        return KernelCall::one(Value::Bool(deciding));
    }
    // The value that does not decide leaves the other as it is.
    match [&call.args[0], &call.args[1]] {
        [Vector::Constant(Value::Bool(_)), other] | [other, Vector::Constant(Value::Bool(_))] => return Some(other.clone()),
        _ => (),
    }
    let (left, right) = (call.array(0), call.array(1));
    let (left, right) = (left.as_boolean_opt()?, right.as_boolean_opt()?);
    let both = if deciding { or_kleene(left, right) } else { and_kleene(left, right) };
    Some(Vector::Flat(Arc::new(both.ok()?)))
}

pub(super) fn xor(call: &KernelCall<'_>) -> Option<Vector> {
    match [&call.args[0], &call.args[1]] {
        [Vector::Constant(Value::Bool(false)), other] | [other, Vector::Constant(Value::Bool(false))] => Some(other.clone()),
        [Vector::Constant(Value::Bool(true)), Vector::Flat(array)] | [Vector::Flat(array), Vector::Constant(Value::Bool(true))] => {
            opposite(array.as_boolean_opt()?)
        }
        [Vector::Flat(left), Vector::Flat(right)] => {
            let bits = left.as_boolean_opt()?.values() ^ right.as_boolean_opt()?.values();
            Some(Vector::Flat(bits::truths(bits, call.nulls())))
        }
        _ => None,
    }
}

pub(super) fn not(call: &KernelCall<'_>) -> Option<Vector> {
    opposite(call.many(0)?.as_boolean_opt()?)
}

fn opposite(array: &BooleanArray) -> Option<Vector> {
    Some(Vector::Flat(Arc::new(arrow_not(array).ok()?)))
}

pub(super) fn is_null(call: &KernelCall<'_>) -> Option<Vector> {
    let Vector::Flat(array) = &call.args[0] else { return KernelCall::one(Value::Bool(false)) };
    match array.nulls() {
        Some(nulls) => Some(Vector::Flat(bits::truths(!nulls.inner(), None))),
        None => Some(Vector::Flat(bits::truths(BooleanBuffer::new_unset(call.rows), None))),
    }
}

pub(super) fn is_true(call: &KernelCall<'_>) -> Option<Vector> {
    Some(Vector::Flat(bits::truths(bits::is_true(call.many(0)?.as_boolean_opt()?), None)))
}
