//! From the top: which columns are more than compared with one another. Numbers of rows that only sorts look at need not be numbers: positions, which have gaps and need no
//! other rows, put rows in the same order, and rows may be dropped before they have one.

use super::join;
use super::relation::{Relations, inputs};
use crate::bodies::{ColumnSet, Origin, all, fields_of, origin, raising, reads, reads_for};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use std::collections::{BTreeMap, BTreeSet};

/// The relations that number rows, and whose numbers nobody sees: they only put rows in order.
pub(super) fn unseen_numbers(relations: &Relations<'_, '_, '_>, order: &[NodeId]) -> BTreeSet<NodeId> {
    let graph = relations.graph();
    let mut seen: BTreeMap<NodeId, ColumnSet> = BTreeMap::new();
    let mut unseen = BTreeSet::new();
    if !order.iter().any(|&id| graph.op(id) == Op::Relation(Relation::Number)) {
        return unseen;
    }
    if let Some(&root) = order.last() {
        seen.insert(root, all(fields_of(graph, root).len()));
    }
    for &id in order.iter().rev() {
        if relations.queries.contains_key(&id) || relations.block.known(id).is_some() {
            continue;
        }
        let Op::Relation(op) = graph.op(id) else { continue };
        let own = seen.entry(id).or_default().clone();
        if op == Relation::Number && !own.contains(&(fields_of(graph, id).len() - 1)) {
            unseen.insert(id);
        }
        let below = inputs(graph, id);
        let seen_below = seen_below(relations, id, op, &own);
        for (at, &input) in below.iter().enumerate() {
            let more = match &seen_below {
                Some(sets) => sets[at].clone(),
                None => all(fields_of(graph, input).len()),
            };
            seen.entry(input).or_default().extend(more);
        }
    }
    unseen
}

/// What a relation sees of each of its inputs, where `own` is seen of itself. Unknown where it may see all.
fn seen_below(relations: &Relations<'_, '_, '_>, id: NodeId, op: Relation, own: &ColumnSet) -> Option<Vec<ColumnSet>> {
    let graph = relations.graph();
    let with = |more: ColumnSet| own.iter().copied().chain(more).collect::<ColumnSet>();
    let body = |number: usize| graph.result_of(graph.op(id).def().parts(graph.args(id)).expect("its parts").bodies[number]);
    Some(match op {
        Relation::Unordered | Relation::Slice => vec![own.clone()],
        Relation::Filter => vec![with(reads(graph, &[body(0)], 0))],
        Relation::Sort | Relation::Top => vec![with(computed_from(graph, body(0)))],
        Relation::Number => {
            let width = fields_of(graph, inputs(graph, id)[0]).len();
            vec![own.iter().copied().filter(|&at| at < width).collect()]
        }
        Relation::Project => {
            let row = graph.as_project(id)?.row;
            let wanted = relations.wanted(id).into_iter().chain(raising(graph, row));
            let result = graph.result_of(row);
            let names = fields_of(graph, result);
            let passes_on = |at: usize| names.get(at).is_some_and(|field| matches!(origin(graph, result, &field.name), Origin::Field(_)));
            let made: ColumnSet = wanted.filter(|&at| own.contains(&at) || !passes_on(at)).collect();
            vec![reads_for(graph, row, &made)]
        }
        Relation::Join => {
            let width = fields_of(graph, graph.as_join(id)?.left).len();
            join::needs(graph, id, own, width)
        }
        _ => return None,
    })
}

/// What the keys of a sort are computed from. Keys that are columns as they are only compare them.
fn computed_from(graph: &Graph, keys: NodeId) -> ColumnSet {
    let mut found = ColumnSet::new();
    for field in fields_of(graph, keys).iter() {
        match origin(graph, keys, &field.name) {
            Origin::Field(_) => {}
            Origin::Node(id) | Origin::Part(id, _) => found.extend(reads(graph, &[id], 0)),
        }
    }
    found
}
