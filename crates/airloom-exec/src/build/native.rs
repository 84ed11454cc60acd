//! Which nodes of a plan native code computes, for people.

use super::group::fold_spec;
use airloom_compute::body::{Compiler, HowComputed};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_plan::bodies::{fields_of, params, split_aggregates};
use airloom_plan::explain::NativeCode;
use airloom_plan::value::{Aggregate, Kind, Phase, Plan, PlanId};

/// Whether native code computes what a node computes of rows; `None` where it computes nothing.
pub(crate) fn native_code(plan: &Plan, id: PlanId, compiler: &dyn Compiler) -> Option<NativeCode> {
    let graph = &plan.graph;
    let how = match &plan.node(id).kind {
        Kind::Filter(body) | Kind::Project(body) => {
            let (given, roots) = (params(graph, body.function), [graph.result_of(body.function)]);
            if !computes(graph, &given, &roots) {
                return None;
            }
            compiler.how_computed(graph, &given, &roots)
        }
        Kind::Aggregate(aggregate) if aggregate.phase != Phase::Partial => of_group(graph, aggregate, compiler),
        _ => return None,
    };
    Some(match how {
        HowComputed::Compiled => NativeCode::Compiled,
        HowComputed::Partly(reason) => NativeCode::Partly(reason),
        HowComputed::Interpreted(reason) => NativeCode::Interpreted(reason),
    })
}

/// By what the reductions of groups are computed.
fn of_group(graph: &Graph, aggregate: &Aggregate, compiler: &dyn Compiler) -> HowComputed {
    let function = aggregate.aggregates.function;
    let split = split_aggregates(graph, function).expect("invariant `aggregates are reductions`");
    let several = !fields_of(graph, graph.result_of(aggregate.keys.function)).is_empty();
    match fold_spec(graph, function, &split) {
        Err(reason) => HowComputed::Interpreted(reason),
        Ok(spec) => compiler.how_folded(graph, &spec, several),
    }
}

/// Whether a body does more than to choose columns.
fn computes(graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> bool {
    graph.block_order_above(given, roots).iter().any(|&id| !matches!(graph.op(id), Op::Core(_)))
}
