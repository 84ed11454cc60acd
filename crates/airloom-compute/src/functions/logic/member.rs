//! Whether a value is among others.

use super::compare;
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Side, Width, by_width};
use crate::functions::call::KernelCall;
use airloom_ir::attrs::{AttrType, NanOrder, NullMatch};
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::or_kleene;
use std::collections::HashSet;
use std::sync::Arc;

/// Up to this many items are compared one after the other.
const FEW: usize = 8;

pub(super) fn is_in(call: &KernelCall<'_>) -> Option<Vector> {
    if call.args.iter().any(|arg| matches!(arg, Vector::Row(_))) {
        return None;
    }
    let nulls: NullMatch = call.attr(0);
    let items = &call.args[1..];
    let array = match &call.args[0] {
        Vector::Flat(array) => array,
        Vector::Constant(Value::Null) if nulls == NullMatch::Never => return KernelCall::one(Value::Null),
        _ => return one_by_one(call, nulls),
    };
    let constants: Option<Vec<&Value>> =
        items.iter().map(|item| if let Vector::Constant(value) = item { Some(value) } else { None }).collect();
    let Some(constants) = constants else { return one_by_one(call, nulls) };
    let found = match call.plain(0) {
        Ty::Str if constants.len() > FEW => {
            let texts = array.as_string_view_opt()?;
            let wanted: HashSet<&str> =
                constants.iter().filter_map(|v| if let Value::Str(text) = v { Some(&**text) } else { None }).collect();
            BooleanBuffer::collect_bool(call.rows, |at| wanted.contains(texts.value(at)))
        }
        Ty::Str | Ty::Bool | Ty::Bytes | Ty::List(_) | Ty::Struct(_) => return one_by_one(call, nulls),
        ty => by_width!(Width::of(ty)?, N => among::<N>(&call.args[0], &constants, nulls)?),
    };
    Some(answered(call, found, constants.iter().any(|v| v.is_null()), nulls))
}

/// The answer by where the value was found, of values that may be null, among items of which one may be.
fn answered(call: &KernelCall<'_>, found: BooleanBuffer, null_item: bool, nulls: NullMatch) -> Vector {
    let valid = call.many(0).and_then(|array| array.nulls()).filter(|nulls| nulls.null_count() > 0);
    let bits = match (nulls, valid) {
        (NullMatch::Equal, None) => return Vector::Flat(bits::truths(found, None)),
        // A null is found where an item is null.
        (NullMatch::Equal, Some(valid)) if null_item => &found | &!valid.inner(),
        (NullMatch::Equal, Some(valid)) => &found & valid.inner(),
        (NullMatch::Never, _) => {
            let unknown = if null_item { !&found } else { BooleanBuffer::new_unset(call.rows) };
            return Vector::Flat(bits::truths(found, bits::with_nulls(valid, &unknown)));
        }
    };
    Vector::Flat(bits::truths(bits, None))
}

/// A number by which those that are the same are identical.
trait Key: Native {
    type Key: Eq + std::hash::Hash + Copy;
    fn key(self) -> Self::Key;
    fn nan(self) -> bool;
}

macro_rules! whole_key {
    ($($N:ident),+) => { $(
        impl Key for $N {
            type Key = $N;
            fn key(self) -> $N {
                self
            }
            fn nan(self) -> bool {
                false
            }
        }
    )+ };
}
whole_key!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

macro_rules! float_key {
    ($N:ident $bits:ident) => {
        impl Key for $N {
            type Key = $bits;
            #[inline(always)]
            fn key(self) -> $bits {
                // Adding zero turns `-0.0` into `0.0`.
                if self.is_nan() { $N::NAN.to_bits() } else { (self + 0.0).to_bits() }
            }
            fn nan(self) -> bool {
                self.is_nan()
            }
        }
    };
}
float_key!(f32 u32);
float_key!(f64 u64);

fn among<N: Key>(row: &Vector, constants: &[&Value], nulls: NullMatch) -> Option<BooleanBuffer> {
    let Side::Many(numbers) = Side::<N>::of(row)? else { return None };
    // NaN is found where null is, and never where null is not.
    let wanted = constants.iter().filter_map(|value| N::of(value)).filter(|x| nulls == NullMatch::Equal || !x.nan());
    let mut wanted: Vec<N::Key> = wanted.map(N::key).collect();
    if wanted.len() > FEW {
        let wanted: HashSet<N::Key> = wanted.into_iter().collect();
        return Some(bits::test(&numbers, |x| wanted.contains(&x.key())));
    }
    // Any that is wanted twice is wanted: the loop has a fixed number of comparisons.
    let Some(&first) = wanted.first() else { return Some(BooleanBuffer::new_unset(numbers.len())) };
    wanted.resize(FEW, first);
    let few: [N::Key; FEW] = wanted.try_into().ok()?;
    Some(match constants.len() {
        0..=2 => bits::test(&numbers, |x| (x.key() == few[0]) | (x.key() == few[1])),
        3..=4 => bits::test(&numbers, |x| few[..4].iter().fold(false, |found, y| found | (x.key() == *y))),
        _ => bits::test(&numbers, |x| few.iter().fold(false, |found, y| found | (x.key() == *y))),
    })
}

/// The value against each item in turn.
fn one_by_one(call: &KernelCall<'_>, nulls: NullMatch) -> Option<Vector> {
    let nan = [NanOrder::Ieee.to_attr()];
    let mut found: Option<BooleanArray> = None;
    for at in 1..call.args.len() {
        let args = [call.args[0].clone(), call.args[at].clone()];
        let arg_types = [call.arg_types[0], call.arg_types[at]];
        let (op, attrs): (Logic, &[_]) = if nulls == NullMatch::Equal { (Logic::Same, &[]) } else { (Logic::Eq, &nan) };
        let pair = KernelCall { op: Op::Logic(op), attrs, args: &args, arg_types: &arg_types, ..*call };
        let answer = if args.iter().any(|arg| matches!(arg, Vector::Flat(_))) && !(op == Logic::Eq && args.iter().any(is_one_null)) {
            if op == Logic::Same { compare::same(&pair)? } else { compare::compare(op, &pair)? }
        } else {
            Vector::Constant(pair.oracle(0).ok()?)
        };
        let answer = answer.to_array(call.types, call.ty, call.rows).as_boolean_opt()?.clone();
        found = Some(match found {
            Some(before) => or_kleene(&before, &answer).ok()?,
            None => answer,
        });
    }
    match found {
        Some(found) => Some(Vector::Flat(Arc::new(found))),
        // Among nothing nothing is found; a null is not even looked for.
        None => Some(answered(call, BooleanBuffer::new_unset(call.rows), false, nulls)),
    }
}

fn is_one_null(row: &Vector) -> bool {
    matches!(row, Vector::Constant(Value::Null))
}
