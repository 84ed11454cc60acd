//! Comparison, booleans, nulls, choice and conversion.

mod cast;
mod cast_text;
mod choose;
mod compare;
mod hash;
mod member;
mod truth;

pub(super) use choose::pick;

use super::call::KernelCall;
use crate::data::Vector;
use airloom_ir::ops::logic::Logic;

/// The result in every row, where there is a kernel for it and no row raises.
pub(super) fn fast(op: Logic, call: &KernelCall<'_>) -> Option<Vector> {
    match op {
        Logic::Eq | Logic::Ne | Logic::Lt | Logic::Le | Logic::Gt | Logic::Ge => compare::compare(op, call),
        Logic::Same => compare::same(call),
        Logic::And | Logic::Or => truth::decided_by(call, op == Logic::Or),
        Logic::Xor => truth::xor(call),
        Logic::Not => truth::not(call),
        Logic::IsNull => truth::is_null(call),
        Logic::IsTrue => truth::is_true(call),
        Logic::Coalesce => choose::coalesce(call),
        Logic::NanToNull => choose::nan_to_null(call),
        Logic::NullToNan => choose::null_to_nan(call),
        Logic::Select => choose::select(call),
        Logic::IsIn => member::is_in(call),
        Logic::Cast => cast::cast(call),
        Logic::Hash => hash::hash(call),
    }
}
