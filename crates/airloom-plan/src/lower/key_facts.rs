//! What is known of the keys of groups and of distinct rows.

use super::relation::Relations;
use crate::bodies::{Origin, fields_of, origin};
use crate::value::KeyFacts;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use airloom_opt::facts::RelFacts;
use std::collections::BTreeSet;

/// The largest array of groups by the value of their key, in entries, whatever the number of rows.
const SMALL_RANGE: u64 = 1 << 20;

/// What is known of the values of keys that are columns, and whether an array by the value of a single integer is small beside the rows.
pub(super) fn key_facts(relations: &mut Relations<'_, '_, '_>, input: NodeId, keys: NodeId) -> KeyFacts {
    let graph = relations.graph();
    let result = graph.result_of(keys);
    let keys = fields_of(graph, result);
    let facts = relations.block.lowering.facts.relation(graph, input);
    let column = |key: &Name| match origin(graph, result, key) {
        Origin::Field(at) => fields_of(graph, input).get(at).and_then(|field| facts.columns.get(&field.name)),
        _ => None,
    };
    let range = |key: &Name| {
        let known = column(key)?;
        let (Some(Value::Int(min)), Some(Value::Int(max))) = (&known.min, &known.max) else { return None };
        let (min, max) = (i64::try_from(*min).ok()?, i64::try_from(*max).ok()?);
        (min <= max).then_some((min, max))
    };
    let ranges: Vec<Option<(i64, i64)>> = keys.names().map(range).collect();
    let is_not_null = |(_, key): &(usize, &Name)| {
        keys.ty(key).is_some_and(|ty| graph.types().nullable(ty)) && column(key).is_some_and(|known| known.no_nulls)
    };
    let not_null: Vec<usize> = keys.names().enumerate().filter(is_not_null).map(|(at, _)| at).collect();
    let determinants = determinants(graph, &facts, input, result);
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
        let types = graph.types();
        KeyFacts::is_countable(types, keys.get(at).expect("a key").ty) && ranges[at].as_ref().is_some_and(small)
    };
    KeyFacts { dense: only.is_some_and(is_small), ranges, determinants, not_null }
}

/// The keys that the others depend on functionally, where some do. Of those that depend on each other the first integer is left: it can be looked up by value.
fn determinants(graph: &Graph, facts: &RelFacts, input: NodeId, result: NodeId) -> Option<Vec<usize>> {
    let (keys, columns) = (fields_of(graph, result), fields_of(graph, input));
    let column = |key: &Name| match origin(graph, result, key) {
        Origin::Field(at) => columns.get(at).map(|field| &field.name),
        _ => None,
    };
    let column_of: Vec<Option<&Name>> = keys.names().map(column).collect();
    let is_integer = |at: &usize| keys.get(*at).is_some_and(|key| matches!(graph.types().get(graph.types().strip(key.ty)), Ty::Int(_)));
    let (integers, others): (Vec<usize>, Vec<usize>) = (0..keys.len()).rev().partition(is_integer);
    let mut kept: Vec<usize> = (0..keys.len()).collect();
    for at in others.into_iter().chain(integers) {
        let Some(dependent) = column_of[at] else { continue };
        let rest: BTreeSet<Name> = kept.iter().filter(|&&other| other != at).filter_map(|&other| column_of[other].cloned()).collect();
        let depends =
            !rest.is_empty() && (rest.contains(dependent) || facts.is_unique(&rest) || facts.determined(&rest).contains(dependent));
        if depends {
            kept.retain(|&other| other != at);
        }
    }
    (kept.len() < keys.len()).then_some(kept)
}
