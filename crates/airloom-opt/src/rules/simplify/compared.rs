//! Comparisons whose outcome is known, or that are known by another.

use super::fold::computed;
use super::membership::has_floats;
use crate::rule::{Rule, RuleError, rule};
use airloom_ir::attrs::{AttrType, Effect, NanOrder, Overflow};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [compare_self(), not_of_comparison(), compare_with_nan(), compare_with_limit(), equal_to_sum()].map(Ok).into()
}

/// A comparison taken apart.
pub(super) struct Comparison {
    pub(super) op: Logic,
    pub(super) left: NodeId,
    pub(super) right: NodeId,
    pub(super) nan: NanOrder,
}

pub(super) fn as_comparison(graph: &Graph, id: NodeId) -> Option<Comparison> {
    let Op::Logic(op @ (Logic::Eq | Logic::Ne | Logic::Lt | Logic::Le | Logic::Gt | Logic::Ge)) = graph.op(id) else { return None };
    let &[left, right] = graph.args(id) else { return None };
    let nan = NanOrder::from_attr(graph.node(id).attrs().first()?)?;
    Some(Comparison { op, left, right, nan })
}

/// Whether a node is never null and does nothing but give its value.
fn sure(graph: &Graph, id: NodeId) -> bool {
    !graph.types().nullable(graph.ty_id(id)) && graph.effect(id) == Effect::Pure
}

fn compare_self() -> Rule {
    rule! {
        /// A value that is never null is equal to itself, and neither before nor after.
        ///
        ///     le(x, x)   →   true
        ///
        /// Not where it may be NaN that is unequal to itself.
        Simplify "compare-self" at [Logic::Eq, Logic::Ne, Logic::Lt, Logic::Le, Logic::Gt, Logic::Ge] |cx, node| {
            let Comparison { op, left, right, nan } = as_comparison(cx, node)?;
            let ieee = nan == NanOrder::Ieee && has_floats(cx.types(), cx.ty_id(left));
            // A float is not before itself either, NaN or not.
            if left != right || !sure(cx, left) || (ieee && !matches!(op, Logic::Lt | Logic::Gt)) {
                return None;
            }
            Some(cx.graph_mut().truth(matches!(op, Logic::Eq | Logic::Le | Logic::Ge)))
        }
    }
}

fn not_of_comparison() -> Rule {
    rule! {
        /// What is not before is after or equal.
        ///
        ///     not(lt(x, y))   →   ge(x, y)
        ///
        /// Not of floats that may be NaN in no order: then neither holds.
        Simplify "not-of-comparison" at [Logic::Not] |cx, node| {
            let value = cx.as_not(node)?.value;
            let Comparison { op, left, right, nan } = as_comparison(cx, value)?;
            let opposite = match op {
                Logic::Lt => Logic::Ge,
                Logic::Le => Logic::Gt,
                Logic::Gt => Logic::Le,
                Logic::Ge => Logic::Lt,
                _ => return None,
            };
            if nan == NanOrder::Ieee && has_floats(cx.types(), cx.ty_id(left)) {
                return None;
            }
            let attrs = cx.node(value).attrs().into();
            cx.make(opposite.into(), attrs, &[left, right])
        }
    }
}

fn compare_with_nan() -> Rule {
    rule! {
        /// A float differs from NaN, and is neither before nor after it.
        ///
        ///     lt(x, nan)   →   false
        ///
        /// Not where NaN is taken for the greatest number.
        Simplify "compare-with-nan" at [Logic::Eq, Logic::Ne, Logic::Lt, Logic::Le, Logic::Gt, Logic::Ge] |cx, node| {
            let Comparison { op, left, right, nan } = as_comparison(cx, node)?;
            let is_nan = |id: NodeId| cx.const_value(id).is_some_and(Value::is_nan);
            if nan == NanOrder::Total || !(is_nan(left) || is_nan(right)) || !sure(cx, left) || !sure(cx, right) {
                return None;
            }
            Some(cx.graph_mut().truth(op == Logic::Ne))
        }
    }
}

fn compare_with_limit() -> Rule {
    rule! {
        /// No integer is below the least of its type, nor above the greatest.
        ///
        ///     ge(x, 0: u8)   →   true
        Simplify "compare-with-limit" at [Logic::Lt, Logic::Le, Logic::Gt, Logic::Ge] |cx, node| {
            let Comparison { op, left, right, .. } = as_comparison(cx, node)?;
            let Ty::Int(int) = *cx.types().plain(cx.ty_id(left)) else { return None };
            let is = |id: NodeId, limit: i128| cx.const_value(id) == Some(&Value::Int(limit));
            if !sure(cx, left) || !sure(cx, right) {
                return None;
            }
            let holds = match op {
                Logic::Lt if is(right, int.lowest()) || is(left, int.highest()) => false,
                Logic::Gt if is(right, int.highest()) || is(left, int.lowest()) => false,
                Logic::Le if is(right, int.highest()) || is(left, int.lowest()) => true,
                Logic::Ge if is(right, int.lowest()) || is(left, int.highest()) => true,
                _ => return None,
            };
            Some(cx.graph_mut().truth(holds))
        }
    }
}

fn equal_to_sum() -> Rule {
    rule! {
        /// An equation with constants is solved for what is not one.
        ///
        ///     eq(add(x, 1), 3)   →   eq(x, 2)
        ///     ne(sub(1, x), 3)   →   ne(x, -2)
        ///
        /// Only of integers that wrap, and only equality: `x + 1 < 3` holds of the greatest `x`, `x < 2` does not.
        Simplify "equal-to-sum" at [Logic::Eq, Logic::Ne] |cx, node| {
            let Comparison { op, left, right, .. } = as_comparison(cx, node)?;
            let is_const = |id: NodeId| cx.const_value(id).is_some();
            let (sum, total) = if is_const(right) { (left, right) } else { (right, left) };
            let Op::Number(inner @ (Number::Add | Number::Sub | Number::BitXor)) = cx.op(sum) else { return None };
            let wraps = inner == Number::BitXor || cx.node(sum).attrs().first() == Some(&Overflow::Wrap.to_attr());
            let &[first, second] = cx.args(sum) else { return None };
            if !is_const(total) || !wraps || !matches!(cx.types().plain(cx.ty_id(sum)), Ty::Int(_)) {
                return None;
            }
            let (x, known, solved) = match (is_const(first), is_const(second), inner) {
                (false, true, Number::Add) => (first, second, Number::Sub),
                (true, false, Number::Add) => (second, first, Number::Sub),
                (false, true, Number::Sub) => (first, second, Number::Add),
                (true, false, Number::Sub) => (second, first, Number::Sub),
                (false, true, Number::BitXor) => (first, second, Number::BitXor),
                (true, false, Number::BitXor) => (second, first, Number::BitXor),
                _ => return None,
            };
            // `1 - x == 3` is `x == 1 - 3`; in all others the constant goes to the other side.
            let sides = if inner == Number::Sub && known == first { [known, total] } else { [total, known] };
            let solution = computed(cx, solved.into(), &sides)?;
            let attrs = cx.node(node).attrs().into();
            let made = cx.make(op.into(), attrs, &[x, solution])?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}
