//! Where the fields of a body's result come from.

use super::reads::{ColumnSet, fields_of};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;

/// Where a field of a body's result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A node of the body.
    Node(NodeId),
    /// A part of a node of the body.
    Part(NodeId, usize),
    /// A field of the body's first parameter, as it is.
    Field(usize),
}

/// Where a field of the row that a body makes comes from, seen through what only takes rows apart and makes rows of their parts.
pub fn origin(graph: &Graph, result: NodeId, name: &Name) -> Origin {
    let mut at = result;
    loop {
        let position = || fields_of(graph, at).position(name).expect("a field of the result");
        if graph.types().nullable(graph.ty_id(at)) {
            return Origin::Part(at, position());
        }
        match graph.op(at) {
            Op::Core(Core::Row) => {
                let value = graph.args(at)[position()];
                return match graph.as_get(value) {
                    Some(get) if is_row(graph, get.record) => {
                        Origin::Field(fields_of(graph, get.record).position(&get.field).expect("a field"))
                    }
                    _ => Origin::Node(value),
                };
            }
            Op::Core(Core::With) => {
                let with = graph.as_with(at).expect("it is one");
                at = if fields_of(graph, with.changes).contains(name) { with.changes } else { with.base };
            }
            Op::Core(Core::Pick | Core::Without) => at = graph.args(at)[0],
            _ if is_row(graph, at) => return Origin::Field(position()),
            _ => return Origin::Part(at, position()),
        }
    }
}

fn is_row(graph: &Graph, id: NodeId) -> bool {
    graph.as_param(id).is_some_and(|p| p.number == 0)
}

/// The fields of a body's result that may raise.
pub fn raising(graph: &Graph, function: NodeId) -> ColumnSet {
    let result = graph.result_of(function);
    if graph.effect(result) == Effect::Pure {
        return ColumnSet::new();
    }
    let raises = |name: &Name| match origin(graph, result, name) {
        Origin::Field(_) => false,
        Origin::Node(id) | Origin::Part(id, _) => graph.effect(id) != Effect::Pure,
    };
    fields_of(graph, result).names().enumerate().filter(|(_, name)| raises(name)).map(|(at, _)| at).collect()
}
