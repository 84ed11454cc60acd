//! Which bodies can be computed over vectors, a whole batch at a time.

use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::nested::Nested;
use airloom_ir::types::{Ty, TyId, Types};
use std::collections::BTreeSet;

/// Whether `roots` can be computed over vectors from the vectors of `given`. Where they cannot, a body is computed row by row.
pub fn interpretable(graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> bool {
    if given.iter().any(|&id| graph.op(id) != Op::Core(Core::Lambda) && !is_vector(graph.types(), graph.ty_id(id))) {
        return false;
    }
    let mut seen: BTreeSet<NodeId> = given.iter().copied().collect();
    let mut stack: Vec<NodeId> = roots.to_vec();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let op = graph.op(id);
        let Some(parts) = op.def().parts(graph.args(id)) else { return false };
        if !is_computable(graph, id, op) {
            return false;
        }
        // Functions nest only so deep: this may recurse.
        let function = (op == Op::Core(Core::Call)).then(|| parts.fixed[0]);
        if !parts.bodies.iter().copied().chain(function).all(|body| interpretable(graph, &params(graph, body), &[graph.result_of(body)])) {
            return false;
        }
        match reduced_list(graph, id) {
            Some(list) => stack.push(list),
            None => stack.extend(parts.fixed.iter().chain(parts.tail).filter(|&&arg| graph.op(arg) != Op::Core(Core::Lambda))),
        }
    }
    true
}

/// The list whose elements a node reduces: where the array that it reduces is a list, and whatever else it takes is the same in every row.
pub fn reduced_list(graph: &Graph, id: NodeId) -> Option<NodeId> {
    let (&array, rest) = graph.args(id).split_first()?;
    let constant = |&arg: &NodeId| matches!(graph.op(arg), Op::Core(Core::Const | Core::Placeholder));
    let reduces = matches!(graph.op(id), Op::Reduce(_)) && graph.op(array) == Op::Nested(Nested::Array);
    (reduces && rest.iter().all(constant)).then(|| graph.args(array)[0])
}

/// The nodes of a function's parameters. One that is not read has no node: the function stands for it, which nothing in its body is.
pub fn params(graph: &Graph, function: NodeId) -> Vec<NodeId> {
    let mut found = vec![function; graph.params_of(function).len()];
    graph.visit_open(graph.result_of(function), |id| {
        if let Some(param) = graph.as_param(id) {
            found[param.number as usize] = id;
        }
    });
    found
}

/// Whether values of a type make a vector: single values, and tuples and structs of them.
fn is_vector(types: &Types, ty: TyId) -> bool {
    match types.get(ty) {
        Ty::Tuple(parts) => parts.iter().all(|&part| is_vector(types, part)),
        _ => types.is_value(ty),
    }
}

fn is_computable(graph: &Graph, id: NodeId, op: Op) -> bool {
    if !is_vector(graph.types(), graph.ty_id(id)) {
        return false;
    }
    match op {
        Op::Core(
            Core::Const | Core::Placeholder | Core::Tuple | Core::Item | Core::Row | Core::Get | Core::With | Core::Pick | Core::Without,
        ) => true,
        Op::Core(Core::Call) => graph.op(graph.args(id)[0]) == Op::Core(Core::Lambda),
        Op::Core(Core::Host) => graph.as_host(id).is_some_and(|host| host.effect != Effect::Effectful),
        Op::Number(_) | Op::Logic(_) | Op::Text(_) | Op::Temporal(_) => true,
        Op::Nested(op) => op != Nested::Array,
        Op::Reduce(_) => reduced_list(graph, id).is_some(),
        Op::Control(Control::If | Control::Check) => true,
        _ => false,
    }
}
