//! Truth values and nulls.

use crate::data::Lane;
use crate::data::bits;
use crate::functions::call::KernelCall;
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{and_kleene, not as arrow_not, or_kleene};
use std::sync::Arc;

/// Kleene's `and` (decided by false) and `or` (decided by true).
pub(super) fn decided_by(call: &KernelCall<'_>, deciding: bool) -> Option<Lane> {
    if call.args.iter().any(|arg| matches!(arg, Lane::One(Value::Bool(b)) if *b == deciding)) {
        return KernelCall::one(Value::Bool(deciding));
    }
    // The value that does not decide leaves the other as it is.
    match [&call.args[0], &call.args[1]] {
        [Lane::One(Value::Bool(_)), other] | [other, Lane::One(Value::Bool(_))] => return Some(other.clone()),
        _ => (),
    }
    let (left, right) = (call.array(0), call.array(1));
    let (left, right) = (left.as_boolean_opt()?, right.as_boolean_opt()?);
    let both = if deciding { or_kleene(left, right) } else { and_kleene(left, right) };
    Some(Lane::Many(Arc::new(both.ok()?)))
}

pub(super) fn xor(call: &KernelCall<'_>) -> Option<Lane> {
    match [&call.args[0], &call.args[1]] {
        [Lane::One(Value::Bool(false)), other] | [other, Lane::One(Value::Bool(false))] => Some(other.clone()),
        [Lane::One(Value::Bool(true)), Lane::Many(array)] | [Lane::Many(array), Lane::One(Value::Bool(true))] => {
            opposite(array.as_boolean_opt()?)
        }
        [Lane::Many(left), Lane::Many(right)] => {
            let bits = left.as_boolean_opt()?.values() ^ right.as_boolean_opt()?.values();
            Some(Lane::Many(bits::truths(bits, call.nulls())))
        }
        _ => None,
    }
}

pub(super) fn not(call: &KernelCall<'_>) -> Option<Lane> {
    opposite(call.many(0)?.as_boolean_opt()?)
}

fn opposite(array: &BooleanArray) -> Option<Lane> {
    Some(Lane::Many(Arc::new(arrow_not(array).ok()?)))
}

pub(super) fn is_null(call: &KernelCall<'_>) -> Option<Lane> {
    let Lane::Many(array) = &call.args[0] else { return KernelCall::one(Value::Bool(false)) };
    match array.nulls() {
        Some(nulls) => Some(Lane::Many(bits::truths(!nulls.inner(), None))),
        None => Some(Lane::Many(bits::truths(BooleanBuffer::new_unset(call.lanes), None))),
    }
}

pub(super) fn is_true(call: &KernelCall<'_>) -> Option<Lane> {
    Some(Lane::Many(bits::truths(bits::is_true(call.many(0)?.as_boolean_opt()?), None)))
}
