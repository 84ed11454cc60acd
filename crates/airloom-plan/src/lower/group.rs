//! `rel.group`: reductions in phases where the aggregates are reductions of what is mapped, a body over each group otherwise.

use super::build::{Lowered, NewNode};
use super::key_facts::key_facts;
use super::over_keys;
use super::relation::Relations;
use crate::bodies::{ColumnSet, fields_of, reads, split_aggregates};
use crate::value::{Aggregate, Kind, PartitionKeys, Phase};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::Ty;

/// What grouping reads of its input.
pub(super) fn needs(graph: &Graph, id: NodeId) -> ColumnSet {
    let group = graph.as_group(id).expect("it is one");
    let Some(split) = split_aggregates(graph, group.aggregates) else { return over_keys::group_needs(graph, id) };
    let mut found = reads(graph, &[graph.result_of(group.keys)], 0);
    found.extend(split.reads());
    found
}

/// Whether there may be more than one group.
pub(super) fn has_keys(graph: &Graph, id: NodeId) -> bool {
    let group = graph.as_group(id).expect("it is one");
    !fields_of(graph, graph.result_of(group.keys)).is_empty()
}

/// Whether the reductions of a grouping come to the same whatever the order of rows.
pub(super) fn ignores_order(graph: &Graph, id: NodeId) -> bool {
    let group = graph.as_group(id).expect("it is one");
    // Of keys that are `same` but not identical, such as zeros, the first is the one that is emitted.
    let keys = fields_of(graph, graph.result_of(group.keys));
    let exact = keys.iter().all(|f| !matches!(graph.types().plain(f.ty), Ty::F32 | Ty::F64 | Ty::List(_) | Ty::Struct(_)));
    let ignores =
        |aggregates| split_aggregates(graph, aggregates).is_some_and(|split| split.reductions.iter().all(|r| r.ignores_order(graph)));
    exact && ignores(group.aggregates)
}

/// Lowers a grouping.
pub(super) fn group(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let group = graph.as_group(id).expect("it is one");
    let Some(split) = split_aggregates(graph, group.aggregates) else { return over_keys::group(relations, id, input, wanted) };
    let mergeable = split.reductions.iter().all(|reduction| reduction.ignores_order(graph));
    let keys = relations.body(group.keys, &group.captures);
    let aggregates = relations.body(group.aggregates, &group.captures);
    let known = key_facts(relations, group.input, group.keys);
    let width = fields_of(graph, id).len();
    let columns = relations.fields(id, 0..width);
    let kind = |phase| Kind::Aggregate(Aggregate { phase, keys: keys.clone(), aggregates: aggregates.clone(), known: known.clone() });
    let (mut node, last) = (input.node, if mergeable { Phase::Final } else { Phase::Single });
    let key_fields = fields_of(graph, graph.result_of(group.keys));
    if mergeable && !key_fields.is_empty() {
        node = relations.push(NewNode { relation: id, kind: kind(Phase::Partial), inputs: &[node], columns: columns.clone() });
        let by = PartitionKeys::Columns(key_fields.names().cloned().collect());
        node = relations.push_same(id, Kind::HashPartition(by), node);
    } else {
        if mergeable {
            node = relations.push(NewNode { relation: id, kind: kind(Phase::Partial), inputs: &[node], columns: columns.clone() });
        }
        node = relations.partition(id, &keys, node);
    }
    node = relations.push(NewNode { relation: id, kind: kind(last), inputs: &[node], columns });
    node = relations.merged(id, node);
    Lowered { node, fields: (0..width).collect(), depth: input.depth + 1 }
}
