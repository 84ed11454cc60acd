//! What bodies read of their rows, so that nothing else is computed or carried.

use super::origin::{Origin, origin};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::{Fields, Ty};
use std::collections::BTreeSet;

/// Fields of a relation, by their positions in its type.
pub type ColumnSet = BTreeSet<usize>;

/// The fields of a relation, struct or row.
pub fn fields_of(graph: &Graph, id: NodeId) -> &Fields {
    match graph.types().plain(graph.ty_id(id)) {
        Ty::Rel(fields) | Ty::Struct(fields) => fields,
        other => panic!("invariant `values have their node's type`: expected fields, found {other:?}"),
    }
}

/// The first `n` fields.
pub fn all(n: usize) -> ColumnSet {
    (0..n).collect()
}

/// Which fields of a body's parameter its nodes read; all of them where the parameter is used as a whole.
pub fn reads(graph: &Graph, roots: &[NodeId], param: i64) -> ColumnSet {
    let mut found = ColumnSet::new();
    let is_param = |id: NodeId| graph.as_param(id).is_some_and(|p| p.number == param);
    for &root in roots {
        if is_param(root) {
            return all(fields_of(graph, root).len());
        }
        let mut whole = None;
        graph.visit_open(root, |id| {
            for &arg in graph.args(id).iter().filter(|&&arg| is_param(arg)) {
                match graph.as_get(id) {
                    Some(get) => {
                        found.insert(fields_of(graph, arg).position(&get.field).expect("the type rule found the field"));
                    }
                    None => whole = Some(arg),
                }
            }
        });
        if let Some(param) = whole {
            return all(fields_of(graph, param).len());
        }
    }
    found
}

/// What a body reads to make some fields of its result.
pub fn reads_for(graph: &Graph, function: NodeId, wanted: &ColumnSet) -> ColumnSet {
    let result = graph.result_of(function);
    let fields = fields_of(graph, result);
    let mut found = ColumnSet::new();
    for &field in wanted {
        match origin(graph, result, &fields.get(field).expect("a wanted field").name) {
            Origin::Field(at) => {
                found.insert(at);
            }
            Origin::Node(id) | Origin::Part(id, _) => found.extend(reads(graph, &[id], 0)),
        }
    }
    found
}
