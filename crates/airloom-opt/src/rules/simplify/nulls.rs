//! Null and NaN.

use crate::context::Cx;
use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::{BuildLogic, Logic};
use airloom_ir::ops::{self, Make, Nulls};
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// What is never null is not null.
        "is-null-sure": "is_null(?x:value!)" => "false";
        /// The first of one is that one.
        "coalesce-one": "coalesce(?x)" => "?x";
        /// What is never null is the first that is not.
        "coalesce-sure": "coalesce(?x:value!, ..?rest)" => "?x";
        /// False instead of null is what `is_true` is for.
        "coalesce-false": "coalesce(?p:bool, false)" => "is_true(?p)";
        /// After the first time there is no NaN left.
        "nan-to-null-twice": "nan_to_null(nan_to_null(?x))" => "nan_to_null(?x)";
        /// What was just made null is made NaN again.
        "null-to-nan-of-nan-to-null": "null_to_nan(nan_to_null(?x))" => "null_to_nan(?x)";
        /// What was just made NaN is made null again.
        "nan-to-null-of-null-to-nan": "nan_to_null(null_to_nan(?x))" => "nan_to_null(?x)";
        /// What is never null is never made NaN.
        "null-to-nan-sure": "null_to_nan(?x:float!)" => "?x";
    } };
    all.extend([tidy_coalesce(), is_null_of_strict(), null_in_null_out()].map(Ok));
    all
}

fn is_null(graph: &Graph, id: NodeId) -> bool {
    graph.const_value(id) == Some(&Value::Null)
}

/// How many values are chosen from at once: each step on the way to a long chain is a list of them.
const MOST: usize = 64;

fn tidy_coalesce() -> Rule {
    rule! {
        /// A choice of the first that is not null, without those that cannot be it.
        ///
        ///     coalesce(x, coalesce(y, z))   →   coalesce(x, y, z)
        ///     coalesce(x, null, x, y)       →   coalesce(x, y)
        ///     coalesce(x, 1, y)             →   coalesce(x, 1)
        ///
        /// What may raise stays, though nobody reads its value.
        Simplify "tidy-coalesce" at [Logic::Coalesce] |cx, node| {
            let coalesce = cx.as_coalesce(node)?;
            let mut kept = Args::new();
            let mut stack: Args = coalesce.values.iter().rev().copied().collect();
            let mut decided = false;
            while let Some(id) = stack.pop() {
                if kept.len() + stack.len() > MOST {
                    return None;
                }
                let may_be_it = !decided && !is_null(cx, id) && !kept.contains(&id);
                if !may_be_it && cx.effect(id) == Effect::Pure {
                    continue;
                }
                match cx.as_coalesce(id) {
                    Some(inner) => stack.extend(inner.values.iter().rev().copied()),
                    None if kept.contains(&id) => (),
                    None => {
                        decided |= !cx.types().nullable(cx.ty_id(id));
                        kept.push(id);
                    }
                }
            }
            let nested = coalesce.values.iter().any(|&v| cx.as_coalesce(v).is_some());
            if kept.is_empty() || (kept.len() == coalesce.values.len() && !nested) {
                return None;
            }
            let made = cx.coalesce(&kept)?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}

fn is_null_of_strict() -> Rule {
    rule! {
        /// What gives null for null, and only for it, is null where its argument is.
        ///
        ///     is_null(add(x, 1))   →   is_null(x)
        ///
        /// Only where one argument can be null, so that the question does not become two; and not where the op makes nulls of its own.
        Simplify "is-null-of-strict" at [Logic::IsNull] |cx, node| {
            let value = cx.as_is_null(node)?.value;
            let op = cx.op(value);
            if op.def().nulls != Nulls::Propagate || cx.effect(value) != Effect::Pure {
                return None;
            }
            let nullable: Args = cx.args(value).iter().copied().filter(|&a| cx.types().nullable(cx.ty_id(a))).collect();
            let &[only] = nullable.as_slice() else { return None };
            if gives_null(cx, value)? { None } else { cx.is_null(only) }
        }
    }
}

/// Whether an op may give null for arguments that are not null.
fn gives_null(cx: &mut Cx<'_>, node: NodeId) -> Option<bool> {
    let (op, attrs, args) = (cx.op(node), cx.node(node).attrs().into(), Args::from_slice(cx.args(node)));
    let mut sure = Args::new();
    for (at, &arg) in args.iter().enumerate() {
        let ty = cx.types().strip(cx.ty_id(arg));
        sure.push(cx.slot(u8::try_from(at).ok()?, ty)?);
    }
    let made = cx.make(op, attrs, &sure)?;
    Some(cx.types().nullable(cx.ty_id(made)))
}

fn null_in_null_out() -> Rule {
    let mut rule = rule! {
        /// What gives null for null gives it for the constant too.
        ///
        ///     add(x, null: i64?)   →   null: i64?
        Simplify "null-in-null-out" at [Logic::Not] |cx, node| {
            let args = cx.args(node);
            if !args.iter().any(|&a| is_null(cx, a)) || args.iter().any(|&a| cx.effect(a) != Effect::Pure) {
                return None;
            }
            let ty = cx.ty_id(node);
            if cx.types().nullable(ty) { cx.constant(Value::Null, ty) } else { None }
        }
    };
    rule.roots = ops::all().filter(|def| def.nulls == Nulls::Propagate && def.bodies.is_empty()).map(|def| def.op).collect();
    rule
}
