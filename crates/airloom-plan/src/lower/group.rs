//! `rel.group`: reductions in phases where the aggregates are reductions of what is mapped, a body over each group otherwise.

use super::build::{Lowered, NewNode};
use super::lineage::{Lineage, lineage};
use super::over_keys;
use super::relation::Relations;
use crate::bodies::{ColumnSet, Origin, fields_of, origin, reads, split_aggregates};
use crate::value::{Aggregate, KeyFacts, Kind, PartitionKeys, Phase};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::types::{IntTy, Ty};
use airloom_ir::value::Value;

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

/// The largest array of groups by the value of their key, in entries, whatever the number of rows.
const SMALL_RANGE: u64 = 1 << 20;

/// Lowers a grouping.
pub(super) fn group(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let group = graph.as_group(id).expect("it is one");
    let Some(split) = split_aggregates(graph, group.aggregates) else { return over_keys::group(relations, id, input, wanted) };
    let mergeable = split.reductions.iter().all(|reduction| reduction.ignores_order(graph));
    let keys = relations.body(group.keys, &group.captures);
    let aggregates = relations.body(group.aggregates, &group.captures);
    let known = key_facts(relations, id);
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

/// What is known of the values of keys that are integer columns, and whether an array by the value of a single one is small beside the rows.
fn key_facts(relations: &mut Relations<'_, '_, '_>, id: NodeId) -> KeyFacts {
    let graph = relations.graph();
    let group = graph.as_group(id).expect("it is one");
    let result = graph.result_of(group.keys);
    let keys = fields_of(graph, result);
    let facts = relations.block.lowering.facts.relation(graph, group.input);
    let range = |key: &Name| {
        let Origin::Field(at) = origin(graph, result, key) else { return None };
        let known = facts.columns.get(&fields_of(graph, group.input).get(at)?.name)?;
        let (Some(Value::Int(min)), Some(Value::Int(max))) = (&known.min, &known.max) else { return None };
        let (min, max) = (i64::try_from(*min).ok()?, i64::try_from(*max).ok()?);
        (min <= max).then_some((min, max))
    };
    let ranges: Vec<Option<(i64, i64)>> = keys.names().map(range).collect();
    let determinants = determinants(relations, id);
    let small = |&(min, max): &(i64, i64)| {
        let width = max.abs_diff(min).saturating_add(1);
        (width <= SMALL_RANGE || (width as f64) <= facts.rows.estimate * 4.0) && width < u64::from(u32::MAX)
    };
    let only = match (keys.len(), determinants.as_deref()) {
        (1, None) => Some(0),
        (_, Some([only])) => Some(*only),
        _ => None,
    };
    let is_small = |at: usize| {
        let ty = keys.get(at).expect("a key").ty;
        matches!(graph.types().get(ty), Ty::Int(IntTy::I64)) && ranges[at].as_ref().is_some_and(small)
    };
    KeyFacts { dense: only.is_some_and(is_small), ranges, determinants }
}

/// The keys that the others depend on functionally, where some do: what comes from the same row of a source as a key that is unique there depends on it.
fn determinants(relations: &mut Relations<'_, '_, '_>, id: NodeId) -> Option<Vec<usize>> {
    let graph = relations.graph();
    let group = graph.as_group(id).expect("it is one");
    let result = graph.result_of(group.keys);
    let lineages: Vec<Option<Lineage>> = fields_of(graph, result)
        .names()
        .map(|key| match origin(graph, result, key) {
            Origin::Field(at) => lineage(graph, group.input, at),
            _ => None,
        })
        .collect();
    let mut is_unique = |lineage: &Lineage| {
        let field = fields_of(graph, lineage.source).get(lineage.field).expect("a field of the source");
        // Values that are `same` without being identical, or that are null, are left alone.
        let plain = matches!(graph.types().get(field.ty), Ty::Int(_) | Ty::Str | Ty::Date);
        plain && relations.block.lowering.facts.relation(graph, lineage.source).is_unique(&[field.name.clone()].into())
    };
    let mut kept: Vec<usize> = (0..lineages.len()).collect();
    for (at, known) in lineages.iter().enumerate() {
        let Some(known) = known.as_ref().filter(|known| kept.contains(&at) && is_unique(known)) else { continue };
        kept.retain(|&other| other == at || !lineages[other].as_ref().is_some_and(|other| other.same_source_row(known)));
    }
    (kept.len() < lineages.len()).then_some(kept)
}
