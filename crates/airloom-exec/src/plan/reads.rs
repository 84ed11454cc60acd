//! What bodies read of their rows, so that nothing else is computed or carried.

use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Fields, Ty};
use std::collections::BTreeSet;

/// Places of fields.
pub(super) type Places = BTreeSet<usize>;

/// The fields of a relation, struct or row.
pub(super) fn fields_at(graph: &Graph, id: NodeId) -> &Fields {
    match graph.types().plain(graph.ty_id(id)) {
        Ty::Rel(fields) | Ty::Struct(fields) => fields,
        other => panic!("invariant `values have their node's type`: expected fields, found {other:?}"),
    }
}

/// All places of so many fields.
pub(super) fn all(count: usize) -> Places {
    (0..count).collect()
}

/// Where a field of a body's result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A node of the body.
    Node(NodeId),
    /// A part of a node of the body.
    Part(NodeId, usize),
    /// A field of the body's first parameter, as it is.
    Field(usize),
}

/// Where a field of the row that a body makes comes from, seen through what only takes rows apart and puts them together.
pub(super) fn origin(graph: &Graph, result: NodeId, name: &Name) -> Origin {
    let mut at = result;
    loop {
        let place = || fields_at(graph, at).position(name).expect("a field of the result");
        if graph.types().nullable(graph.ty_id(at)) {
            return Origin::Part(at, place());
        }
        match graph.op(at) {
            Op::Core(Core::Row) => {
                let value = graph.args(at)[place()];
                return match graph.as_get(value) {
                    Some(get) if is_row(graph, get.record) => {
                        Origin::Field(fields_at(graph, get.record).position(&get.field).expect("a field"))
                    }
                    _ => Origin::Node(value),
                };
            }
            Op::Core(Core::With) => {
                let with = graph.as_with(at).expect("it is one");
                at = if fields_at(graph, with.changes).contains(name) { with.changes } else { with.base };
            }
            Op::Core(Core::Pick | Core::Without) => at = graph.args(at)[0],
            _ if is_row(graph, at) => return Origin::Field(place()),
            _ => return Origin::Part(at, place()),
        }
    }
}

fn is_row(graph: &Graph, id: NodeId) -> bool {
    graph.as_param(id).is_some_and(|p| p.number == 0)
}

/// Which fields of a body's parameter its nodes read; all of them where the parameter is used as a whole.
pub(super) fn reads(graph: &Graph, roots: &[NodeId], param: i64) -> Places {
    let mut found = Places::new();
    let is_param = |id: NodeId| graph.as_param(id).is_some_and(|p| p.number == param);
    for &root in roots {
        if is_param(root) {
            return all(fields_at(graph, root).len());
        }
        let mut whole = None;
        graph.visit_open(root, |id| {
            for &arg in graph.args(id).iter().filter(|&&arg| is_param(arg)) {
                match graph.as_get(id) {
                    Some(get) => {
                        found.insert(fields_at(graph, arg).position(&get.field).expect("the type rule found the field"));
                    }
                    None => whole = Some(arg),
                }
            }
        });
        if let Some(param) = whole {
            return all(fields_at(graph, param).len());
        }
    }
    found
}

/// What a body reads to make some fields of its result.
pub(super) fn reads_for(graph: &Graph, lambda: NodeId, wanted: &Places) -> Places {
    let result = graph.result_of(lambda);
    let fields = fields_at(graph, result);
    let mut found = Places::new();
    for &place in wanted {
        match origin(graph, result, &fields.get(place).expect("a wanted field").name) {
            Origin::Field(at) => {
                found.insert(at);
            }
            Origin::Node(id) | Origin::Part(id, _) => found.extend(reads(graph, &[id], 0)),
        }
    }
    found
}

/// The fields of a body's result that may raise.
pub(super) fn raising(graph: &Graph, lambda: NodeId) -> Places {
    let result = graph.result_of(lambda);
    if graph.effect(result) == Effect::Pure {
        return Places::new();
    }
    let fields = fields_at(graph, result);
    let raises = |name: &Name| match origin(graph, result, name) {
        Origin::Field(_) => false,
        Origin::Node(id) | Origin::Part(id, _) => graph.effect(id) != Effect::Pure,
    };
    fields.names().enumerate().filter(|(_, name)| raises(name)).map(|(at, _)| at).collect()
}
