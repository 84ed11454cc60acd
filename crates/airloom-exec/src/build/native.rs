//! Which nodes of a plan native code computes, for people.

use super::group::fold_spec;
use airloom_compute::body::Compiler;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_plan::bodies::{fields_of, params, split_aggregates};
use airloom_plan::explain::NativeCode;
use airloom_plan::value::{Aggregate, Kind, Phase, Plan, PlanId};

/// Whether native code computes what a node computes of rows; `None` where it computes nothing.
pub(crate) fn native_code(plan: &Plan, id: PlanId, compiler: &dyn Compiler) -> Option<NativeCode> {
    let graph = &plan.graph;
    let refusal = match &plan.node(id).kind {
        Kind::Filter(body) | Kind::Project(body) => {
            let (given, roots) = (params(graph, body.function), [graph.result_of(body.function)]);
            if !computes(graph, &given, &roots) {
                return None;
            }
            compiler.why_interpreted(graph, &given, &roots)
        }
        Kind::Aggregate(aggregate) if aggregate.phase != Phase::Partial => of_group(graph, aggregate, compiler),
        _ => return None,
    };
    Some(refusal.map_or(NativeCode::Compiled, NativeCode::Interpreted))
}

/// Why the reductions of groups are not folded, where they are not.
fn of_group(graph: &Graph, aggregate: &Aggregate, compiler: &dyn Compiler) -> Option<String> {
    let function = aggregate.aggregates.function;
    let split = split_aggregates(graph, function).expect("invariant `aggregates are reductions`");
    let several = !fields_of(graph, graph.result_of(aggregate.keys.function)).is_empty();
    match fold_spec(graph, function, &split) {
        Err(reason) => Some(reason),
        Ok(spec) => compiler.why_not_folded(graph, &spec, several),
    }
}

/// Whether a body does more than to choose columns.
fn computes(graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> bool {
    graph.block_order_above(given, roots).iter().any(|&id| !matches!(graph.op(id), Op::Core(_)))
}
