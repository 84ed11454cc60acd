//! Constants that meet across an op.

use super::fold::{computed, computed_with};
use crate::context::Cx;
use crate::rule::{Rule, RuleError, rule};
use airloom_ir::attrs::{AttrType, Overflow};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::number::{BuildNumber, Number};
use airloom_ir::ops::{self, Make, Op};
use airloom_ir::types::{IntTy, Ty};
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [merge_terms(), merge_factors(), merge_associated(), sign_into_constant(), divide_by_power_of_two(), square_int()].map(Ok).into()
}

/// The width of an integer that wraps.
fn wrapping(graph: &Graph, id: NodeId) -> Option<IntTy> {
    let Ty::Int(int) = *graph.types().plain(graph.ty_id(id)) else { return None };
    (graph.node(id).attrs().first() == Some(&Overflow::Wrap.to_attr())).then_some(int)
}

/// The constant integer that a node is, whatever its width.
fn whole(graph: &Graph, id: NodeId) -> Option<i128> {
    match graph.const_value(id)? {
        Value::Int(i) => Some(*i),
        _ => None,
    }
}

/// `of` or its negative, and a constant.
struct Linear {
    negative: bool,
    of: NodeId,
    plus: i128,
}

fn linear(graph: &Graph, id: NodeId) -> Option<Linear> {
    wrapping(graph, id)?;
    let (op, args) = (graph.op(id), graph.args(id));
    let at = |n: usize| whole(graph, args[n]);
    Some(match op {
        Op::Number(Number::Neg) => Linear { negative: true, of: args[0], plus: 0 },
        Op::Number(Number::Add) => match (at(0), at(1)) {
            (None, Some(plus)) => Linear { negative: false, of: args[0], plus },
            (Some(plus), None) => Linear { negative: false, of: args[1], plus },
            _ => return None,
        },
        Op::Number(Number::Sub) => match (at(0), at(1)) {
            (None, Some(less)) => Linear { negative: false, of: args[0], plus: -less },
            (Some(plus), None) => Linear { negative: true, of: args[1], plus },
            _ => return None,
        },
        _ => return None,
    })
}

fn merge_terms() -> Rule {
    rule! {
        /// Constants that are added one after the other are added once.
        ///
        ///     add(sub(x, 1), 3)   →   add(x, 2)
        ///     sub(1, add(x, 2))   →   sub(-1, x)
        ///
        /// Only of integers that wrap: of floats the sums are rounded, and what raises would raise at another number.
        Simplify "merge-terms" at [Number::Add, Number::Sub, Number::Neg] |cx, node| {
            let outer = linear(cx, node)?;
            let inner = linear(cx, outer.of)?;
            let int = wrapping(cx, node)?;
            let plus = int.wrap(outer.plus + if outer.negative { -inner.plus } else { inner.plus });
            let ty = cx.types().strip(cx.ty_id(inner.of));
            let less = int.wrap(-plus);
            let made = if outer.negative != inner.negative {
                let plus = cx.constant(Value::Int(plus), ty)?;
                cx.sub(plus, inner.of, Overflow::Wrap)?
            } else if plus == 0 {
                inner.of
            } else if less > 0 && (plus < 0 || less < plus) {
                let less = cx.constant(Value::Int(less), ty)?;
                cx.sub(inner.of, less, Overflow::Wrap)?
            } else {
                let plus = cx.constant(Value::Int(plus), ty)?;
                cx.add(inner.of, plus, Overflow::Wrap)?
            };
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}

fn merge_factors() -> Rule {
    rule! {
        /// Constants that multiply one after the other multiply once.
        ///
        ///     mul(mul(x, 2), 3)   →   mul(x, 6)
        ///
        /// Only of integers that wrap.
        Simplify "merge-factors" at [Number::Mul] |cx, node| {
            let (inner, outer) = with_constant(cx, node)?;
            let (x, first) = with_constant(cx, inner)?;
            if cx.op(inner) != cx.op(node) || wrapping(cx, node).is_none() || wrapping(cx, inner).is_none() {
                return None;
            }
            let factor = computed(cx, Number::Mul.into(), &[first, outer])?;
            cx.mul(x, factor, Overflow::Wrap)
        }
    }
}

/// What is not constant and what is, of two arguments.
fn with_constant(graph: &Graph, id: NodeId) -> Option<(NodeId, NodeId)> {
    let &[left, right] = graph.args(id) else { return None };
    match (graph.const_value(left).is_some(), graph.const_value(right).is_some()) {
        (false, true) => Some((left, right)),
        (true, false) => Some((right, left)),
        _ => None,
    }
}

fn merge_associated() -> Rule {
    let mut rule = rule! {
        /// Constants that meet across an op that associates and commutes are put together.
        ///
        ///     least(least(x, 3), 2)      →   least(x, 2)
        ///     bitor(bitor(x, 1), 4)      →   bitor(x, 5)
        Simplify "merge-associated" at [Number::Least] |cx, node| {
            let (inner, outer) = with_constant(cx, node)?;
            let (x, first) = with_constant(cx, inner)?;
            let (op, attrs) = (cx.op(node), cx.node(node).attrs());
            if cx.op(inner) != op || cx.node(inner).attrs() != attrs {
                return None;
            }
            let attrs: airloom_ir::attrs::Attrs = attrs.into();
            let both = computed_with(cx, op, attrs.clone(), &[first, outer])?;
            let made = cx.make(op, attrs, &[x, both])?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    };
    let scalar = |def: &ops::OpDef| matches!(def.family, "number" | "logic");
    rule.roots = ops::all().filter(|def| def.commutative && def.associative && scalar(def)).map(|def| def.op).collect();
    rule
}

fn sign_into_constant() -> Rule {
    rule! {
        /// A sign goes into the constant that multiplies or divides.
        ///
        ///     mul(neg(x), 2.0)   →   mul(x, -2.0)
        ///     div(3.0, neg(x))   →   div(-3.0, x)
        ///
        /// Of floats, whose sign is apart from their size, and of integers that wrap.
        Simplify "sign-into-constant" at [Number::Mul, Number::Div] |cx, node| {
            let (negative, constant) = with_constant(cx, node)?;
            let x = cx.as_neg(negative)?.value;
            let float = matches!(cx.types().plain(cx.ty_id(x)), Ty::F32 | Ty::F64);
            if !float && (wrapping(cx, node).is_none() || wrapping(cx, negative).is_none()) {
                return None;
            }
            let constant_first = cx.args(node)[0] == constant;
            let opposite = computed(cx, Number::Neg.into(), &[constant])?;
            let (op, attrs) = (cx.op(node), cx.node(node).attrs().into());
            let sides = if constant_first { [opposite, x] } else { [x, opposite] };
            cx.make(op, attrs, &sides)
        }
    }
}

fn divide_by_power_of_two() -> Rule {
    rule! {
        /// Division by a power of two is multiplication by its inverse, which is one too.
        ///
        ///     div(x, 8.0)   →   mul(x, 0.125)
        ///
        /// Both are the float nearest to the same number. The inverse of the least powers does not fit, so those stay.
        Simplify "divide-by-power-of-two" at [Number::Div] |cx, node| {
            let div = cx.as_div(node)?;
            let inverse = match *cx.const_value(div.right)? {
                Value::F32(x) => inverse(f64::from(x)).map(|y| y as f32).filter(|y| y.is_finite() && *y != 0.0).map(Value::F32)?,
                Value::F64(x) => Value::F64(inverse(x)?),
                _ => return None,
            };
            let ty = cx.ty_id(div.right);
            let factor = cx.constant(inverse, ty)?;
            cx.mul(div.left, factor, Overflow::Wrap)
        }
    }
}

/// One divided by a power of two, where both are exact.
fn inverse(x: f64) -> Option<f64> {
    // A power of two has no fraction bits; a subnormal one has an inverse that is too great.
    let power = x.is_normal() && x.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
    Some(1.0 / x).filter(|_| power)
}

fn square_int() -> Rule {
    rule! {
        /// The second power of an integer is a product.
        ///
        ///     pow(x, 2)   →   mul(x, x)
        ///
        /// Of floats `pow` may differ in the last bit. Only of what is read, not computed, so that nothing looks larger than it was.
        Simplify "square-int" at [Number::Pow] |cx, node| {
            let pow = cx.as_pow(node)?;
            let int = matches!(cx.types().plain(cx.ty_id(pow.base)), Ty::Int(_));
            if !int || whole(cx, pow.exponent) != Some(2) || !is_read(cx, pow.base) {
                return None;
            }
            let made = cx.mul(pow.base, pow.base, pow.overflow)?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}

/// Whether a node is a parameter, or a part of one.
fn is_read(cx: &Cx<'_>, id: NodeId) -> bool {
    let mut at = id;
    // Records nest, but not deeper than this in a program somebody wrote.
    for _ in 0..8 {
        at = match cx.op(at) {
            Op::Core(Core::Get | Core::Item) => cx.args(at)[0],
            op => return matches!(op, Op::Core(Core::Param | Core::Hole)),
        };
    }
    false
}
