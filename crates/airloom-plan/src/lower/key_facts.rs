//! What is known of the keys of groups and of distinct rows.

use super::lineage::{Lineage, lineage};
use super::relation::Relations;
use crate::bodies::{Origin, fields_of, origin};
use crate::value::KeyFacts;
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::{IntTy, Ty};
use airloom_ir::value::Value;

/// The largest array of groups by the value of their key, in entries, whatever the number of rows.
const SMALL_RANGE: u64 = 1 << 20;

/// What is known of the values of keys that are integer columns, and whether an array by the value of a single one is small beside the rows.
pub(super) fn key_facts(relations: &mut Relations<'_, '_, '_>, input: NodeId, keys: NodeId) -> KeyFacts {
    let graph = relations.graph();
    let result = graph.result_of(keys);
    let keys = fields_of(graph, result);
    let facts = relations.block.lowering.facts.relation(graph, input);
    let range = |key: &Name| {
        let Origin::Field(at) = origin(graph, result, key) else { return None };
        let known = facts.columns.get(&fields_of(graph, input).get(at)?.name)?;
        let (Some(Value::Int(min)), Some(Value::Int(max))) = (&known.min, &known.max) else { return None };
        let (min, max) = (i64::try_from(*min).ok()?, i64::try_from(*max).ok()?);
        (min <= max).then_some((min, max))
    };
    let ranges: Vec<Option<(i64, i64)>> = keys.names().map(range).collect();
    let determinants = determinants(relations, input, result);
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
fn determinants(relations: &mut Relations<'_, '_, '_>, input: NodeId, result: NodeId) -> Option<Vec<usize>> {
    let graph = relations.graph();
    let lineages: Vec<Option<Lineage>> = fields_of(graph, result)
        .names()
        .map(|key| match origin(graph, result, key) {
            Origin::Field(at) => lineage(graph, input, at),
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
