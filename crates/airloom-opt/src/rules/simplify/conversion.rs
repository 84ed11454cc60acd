//! Conversions.

use super::compared::{Comparison, as_comparison};
use crate::context::Cx;
use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::attrs::CastMode;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Make;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::{BuildLogic, Logic};
use airloom_ir::types::{IntTy, Ty, TyId};
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// A value is of its own type already.
        "cast-to-same": "cast(?x:value)" => "?x";
    } };
    all.extend([cast_of_cast(), compare_before_cast()].map(Ok));
    all
}

/// Whether every number of one type is one of another, exactly.
fn holds_all(from: &Ty, to: &Ty) -> bool {
    // How many bits a float has for an integer, its sign apart.
    let whole_bits = |to: &Ty| match to {
        Ty::F32 => 24,
        Ty::F64 => 53,
        _ => 0,
    };
    match (from, to) {
        (Ty::Bool, Ty::Int(_) | Ty::F32 | Ty::F64) | (Ty::F32, Ty::F64) => true,
        (Ty::Int(a), Ty::Int(b)) => b.lowest() <= a.lowest() && a.highest() <= b.highest(),
        (Ty::Int(a), Ty::F32 | Ty::F64) => a.bits() - u32::from(a.signed()) <= whole_bits(to),
        _ => false,
    }
}

/// Whether a conversion on to `last` can be made from `first` at once, where `middle` holds all of `first`.
fn skips(first: &Ty, middle: &Ty, last: &Ty, mode: CastMode) -> bool {
    let number = matches!(last, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. });
    match (first, middle) {
        // An integer is the same count and the same text in every width.
        (Ty::Int(_), Ty::Int(_)) => true,
        // Text tells floats from integers and truth from numbers; and where an integer wraps, a float saturates.
        (Ty::Int(_), Ty::F32 | Ty::F64) => number && mode != CastMode::Wrap,
        _ => number,
    }
}

fn cast_of_cast() -> Rule {
    rule! {
        /// A conversion that loses nothing, before another, is not needed.
        ///
        ///     cast{to: f64}(cast{to: i64}(x: i32))   →   cast{to: f64}(x)
        ///
        /// Nor is one that drops bits before another that drops those and more.
        Simplify "cast-of-cast" at [Logic::Cast] |cx, node| {
            let outer = cx.as_cast(node)?;
            let inner = cx.as_cast(outer.value)?;
            let types = cx.types();
            let (first, middle, last) = (types.plain(cx.ty_id(inner.value)), types.plain(inner.to), types.plain(outer.to));
            let exact = holds_all(first, middle) && skips(first, middle, last, outer.mode);
            let narrows = inner.mode == CastMode::Wrap && outer.mode == CastMode::Wrap && narrower(first, middle, last);
            if !exact && !narrows {
                return None;
            }
            // Truth does not convert to everything that numbers do.
            let made = cx.graph_mut().cast(inner.value, outer.to, outer.mode).ok()?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}

fn narrower(first: &Ty, middle: &Ty, last: &Ty) -> bool {
    match (first, middle, last) {
        (Ty::Int(_), Ty::Int(middle), Ty::Int(last)) => last.bits() <= middle.bits(),
        _ => false,
    }
}

fn compare_before_cast() -> Rule {
    rule! {
        /// A number is compared with a constant as it is, not as a wider one.
        ///
        ///     lt(cast{to: i64}(x: i32), 7)           →   lt(x, 7: i32)
        ///     eq(cast{to: i64}(x), cast{to: i64}(y)) →   eq(x, y)
        ///
        /// Where its own type holds the constant, and the wider one every number of it.
        Simplify "compare-before-cast" at [Logic::Eq, Logic::Ne, Logic::Lt, Logic::Le, Logic::Gt, Logic::Ge] |cx, node| {
            let Comparison { op, left, right, .. } = as_comparison(cx, node)?;
            let (x, y) = match (widened(cx, left), widened(cx, right)) {
                (Some(x), Some(y)) if cx.types().strip(cx.ty_id(x)) == cx.types().strip(cx.ty_id(y)) => (x, y),
                (Some(x), None) => (x, narrowed(cx, right, x)?),
                (None, Some(y)) => (narrowed(cx, left, y)?, y),
                _ => return None,
            };
            let attrs = cx.node(node).attrs().into();
            let made = cx.make(op.into(), attrs, &[x, y])?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}

/// What was converted to a wider type of number.
fn widened(cx: &Cx<'_>, id: NodeId) -> Option<NodeId> {
    let cast = cx.as_cast(id)?;
    let types = cx.types();
    holds_all(types.plain(cx.ty_id(cast.value)), types.plain(cast.to)).then_some(cast.value)
}

/// The same number as a constant of the type of `like`.
fn narrowed(cx: &mut Cx<'_>, constant: NodeId, like: NodeId) -> Option<NodeId> {
    let types = cx.types();
    let ty: TyId = types.strip(cx.ty_id(like));
    let whole = |int: IntTy, x: f64| (x.trunc() == x && x.abs() < 1e15 && int.holds(x as i128)).then_some(Value::Int(x as i128));
    let value = match (types.get(ty), cx.const_value(constant)?) {
        (Ty::Int(int), Value::Int(i)) if int.holds(*i) => Value::Int(*i),
        (Ty::Int(int), Value::F32(x)) => whole(*int, f64::from(*x))?,
        (Ty::Int(int), Value::F64(x)) => whole(*int, *x)?,
        (Ty::F32, Value::F64(x)) if f64::from(*x as f32) == *x || x.is_nan() => Value::F32(*x as f32),
        _ => return None,
    };
    cx.constant(value, ty)
}
