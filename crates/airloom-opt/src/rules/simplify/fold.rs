//! Constants computed while compiling.

use crate::context::Cx;
use crate::rule::{Rule, rule};
use airloom_ir::attrs::{Attrs, Effect};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::{self, Make, Op};
use airloom_ir::oracle::{self, Call};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

/// The op families whose ops are computed from values alone.
fn foldable() -> Vec<Op> {
    let scalar = |family: &str| matches!(family, "number" | "logic" | "text" | "temporal" | "nested");
    ops::all().filter(|def| scalar(def.family) && def.bodies.is_empty()).map(|def| def.op).collect()
}

/// The rule that calls the oracle.
pub(super) fn fold_constants() -> Rule {
    use airloom_ir::ops::number::Number;
    let mut rule = rule! {
        /// An op on constants is the constant that the oracle says it is.
        ///
        ///     add(1, 2)   →   3
        ///
        /// What would raise is left to raise when it runs, if it runs.
        Simplify "fold-constants" at [Number::Add] |cx, node| { folded(cx, node) }
    };
    rule.roots = foldable();
    rule
}

/// The constant that a node on constants is.
fn folded(cx: &mut Cx<'_>, node: NodeId) -> Option<NodeId> {
    let args = cx.args(node);
    let values: Option<Vec<Value>> = args.iter().map(|&a| cx.const_value(a).cloned()).collect();
    let values = values?;
    if cx.effect(node) == Effect::Effectful || !cx.types().is_value(cx.ty_id(node)) {
        return None;
    }
    let types: Vec<TyId> = args.iter().map(|&a| cx.ty_id(a)).collect();
    let found = cx.node(node);
    let call = Call::plain(cx.types(), found.attrs(), &values, &types, found.ty());
    let value = oracle::apply(found.op(), &call).ok()?;
    // A long text or list is cheaper to make than to carry.
    let small = match &value {
        Value::Str(s) => s.len() <= 256,
        Value::Bytes(b) => b.len() <= 256,
        Value::List(l) => l.len() <= 64,
        _ => true,
    };
    let ty = found.ty();
    if small { cx.constant(value, ty) } else { None }
}

/// The constant that an op makes of constants, its attributes being what they are when not written.
pub(super) fn computed(cx: &mut Cx<'_>, op: Op, args: &[NodeId]) -> Option<NodeId> {
    let attrs: Option<Attrs> = op.def().attrs.iter().map(|spec| spec.default.map(|default| default())).collect();
    computed_with(cx, op, attrs?, args)
}

/// The constant that an op with these attributes makes of constants.
pub(super) fn computed_with(cx: &mut Cx<'_>, op: Op, attrs: Attrs, args: &[NodeId]) -> Option<NodeId> {
    let node = cx.make(op, attrs, args)?;
    folded(cx, node)
}
