//! Which columns are worth looking at: what is known of a column that is only carried along, or added up, changes no plan.

use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use std::collections::{BTreeMap, BTreeSet};

/// The names of columns by which rows are chosen, compared, joined, grouped or sorted, or from which such columns are made; `None` where that is not known. A
/// name means every column of that name, wherever in the program.
pub(super) fn names_that_matter(graph: &Graph) -> Option<BTreeSet<Name>> {
    let mut open: Vec<Name> = Vec::new();
    // What each name is made of, as far as it is written in bodies; all else passes columns on under their names.
    let mut made_of: BTreeMap<Name, Vec<NodeId>> = BTreeMap::new();
    for id in graph.ids() {
        if let Some(row) = graph.as_row(id) {
            for (name, &value) in row.names.iter().zip(graph.args(id)) {
                made_of.entry(name.clone()).or_default().push(value);
            }
        }
        let mut bodies = graph.args(id).iter().copied().filter(|&arg| graph.op(arg) == Op::Core(Core::Lambda));
        let deciding: Vec<NodeId> = match graph.op(id).name() {
            "rel.filter" | "rel.join" | "rel.sort" | "rel.top" | "rel.distinct" | "rel.window" => bodies.collect(),
            "rel.group" => bodies.next().into_iter().collect(),
            "rel.project" | "rel.slice" | "rel.concat" | "rel.number" | "rel.rows" | "rel.unordered" => Vec::new(),
            other if other.starts_with("rel.") || other.starts_with("par.") || other.starts_with("seq.") => return None,
            _ => Vec::new(),
        };
        for body in deciding {
            open.extend(names_read(graph, graph.result_of(body))?);
        }
    }
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if found.contains(&name) {
            continue;
        }
        for &value in made_of.get(&name).map_or(&[][..], Vec::as_slice) {
            open.extend(names_read(graph, value)?);
        }
        found.insert(name);
    }
    Some(found)
}

/// The names of the fields that an expression reads; `None` where it takes a row as a whole.
fn names_read(graph: &Graph, expression: NodeId) -> Option<Vec<Name>> {
    let is_param = |id: NodeId| graph.op(id) == Op::Core(Core::Param);
    if is_param(expression) {
        return None;
    }
    let mut names = Vec::new();
    for id in graph.post_order(&[expression]) {
        if let Some(get) = graph.as_get(id) {
            names.push(get.field.clone());
        } else if let Some(pick) = graph.as_pick(id) {
            names.extend(pick.names.iter().cloned());
        } else if graph.args(id).iter().any(|&arg| is_param(arg)) {
            return None;
        }
    }
    Some(names)
}
