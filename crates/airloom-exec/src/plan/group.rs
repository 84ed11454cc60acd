//! `rel.group` as a plan.

use super::aggregates::{last_part, take_apart};
use super::body::row_body;
use super::gathered;
use super::planned::Planned;
use super::planner::Planner;
use super::reads::{Origin, Places, all, fields_at, origin, reads};
use super::rows_of::{Standing, standing};
use crate::adapter::OperatorExec;
use crate::operators::{Group, GroupInputs};
use crate::plan::Shared;
use crate::schedule::Once;
use airloom_compute::data::{Failure, Lane, schema_of};
use airloom_compute::keys::{KeyFacts, KeyRange};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::types::{IntTy, Ty, TyId};
use airloom_ir::value::Value;
use arrow::array::ArrayRef;
use std::sync::Arc;

/// What grouping reads of its input.
pub(super) fn needs(planner: &Planner<'_>, id: NodeId) -> Places {
    let graph = &planner.shared.graph;
    let group = graph.as_group(id).expect("it is one");
    let mut found = reads(graph, &[graph.result_of(group.keys)], 0);
    match take_apart(planner.shared, group.aggregates) {
        Some(parts) => found.extend(parts.reads()),
        None => return gathered::group_needs(graph, id),
    }
    found
}

/// Whether there is more than one group.
pub(super) fn has_keys(shared: &Shared, id: NodeId) -> bool {
    let group = shared.graph.as_group(id).expect("it is one");
    !fields_at(&shared.graph, shared.graph.result_of(group.keys)).is_empty()
}

/// Whether the reductions of a grouping come to the same whatever the order of rows.
pub(super) fn ignores_order(shared: &Arc<Shared>, id: NodeId) -> bool {
    let group = shared.graph.as_group(id).expect("it is one");
    let types = shared.graph.types();
    // Of keys that are `same` but not identical, such as zeros, the first to stand is the one that is given out.
    let keys = fields_at(&shared.graph, shared.graph.result_of(group.keys));
    let exact = keys.iter().all(|f| !matches!(types.plain(f.ty), Ty::F32 | Ty::F64 | Ty::List(_) | Ty::Struct(_)));
    exact && take_apart(shared, group.aggregates).is_some_and(|parts| parts.reductions.iter().all(|(spec, _)| spec.ignores_order(types)))
}

/// The largest table of groups by the value of their key, in entries, whatever the number of rows.
const SMALL_RANGE: u64 = 1 << 20;

/// The plan of a grouping.
pub(super) fn plan(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let group = graph.as_group(id).expect("it is one");
    let types = graph.types();
    let input_width = fields_at(graph, group.input).len();
    let lanes = planner.captures(&group.captures)?;
    let key_fields = fields_at(graph, graph.result_of(group.keys)).len();
    let places = input.places(input_width);
    let Some(parts) = take_apart(&shared, group.aggregates) else {
        return gathered::group(planner, id, input, wanted);
    };
    let values = parts.steps(&shared, group.aggregates, &places, &lanes)?;
    let last =
        last_part(&shared, group.aggregates, &parts.nodes).expect("invariant `a body is taken apart where its parts can be computed`");
    let (keys, key_types) = row_body(&shared, group.keys, &all(key_fields), &input, input_width, lanes.clone());
    let known = key_facts(planner, id, &key_types);
    let inputs = GroupInputs {
        graph: shared.graph.clone(),
        cancel: shared.context.cancel.clone(),
        options: shared.options.clone(),
        keys,
        key_types,
        known,
        values,
        reductions: parts.reductions,
    };
    // The keys' fields, then the row that the last part makes of the reductions.
    let schema = schema_of(types, fields_at(graph, id));
    let reduced_types: Vec<TyId> = fields_at(graph, graph.result_of(group.aggregates)).iter().map(|f| f.ty).collect();
    let finish_shared = shared.clone();
    let finish = move |keys: &[ArrayRef], reduced: Vec<ArrayRef>, count: usize| {
        let given: Vec<Lane> = reduced.into_iter().map(Lane::Many).chain(lanes.iter().cloned()).collect();
        let row = last.run(&given, count)?;
        let types = finish_shared.graph.types();
        let made = reduced_types.iter().enumerate().map(|(at, &ty)| airloom_compute::body::lane_part(&row, at).to_array(types, ty, count));
        Ok(keys.iter().cloned().chain(made).collect())
    };
    let depth = input.depth + 1;
    let input = input.seal(&shared);
    let partitions = shared.options.threads;
    let operator = Group {
        inputs: Arc::new(inputs),
        finish: Arc::new(finish),
        schema: schema.clone(),
        partitions,
        ordered: !planner.order_is_free(id),
        result: Once::default(),
    };
    let columns: Vec<usize> = (0..schema.fields().len()).collect();
    Ok(Planned::new(OperatorExec::plan(operator, vec![input], schema, partitions), columns, depth))
}

/// What is known of the values of keys that are columns of whole numbers; and whether a table by the value of a single one is small beside the rows.
fn key_facts(planner: &mut Planner<'_>, id: NodeId, key_types: &[TyId]) -> KeyFacts {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let group = graph.as_group(id).expect("it is one");
    let result = graph.result_of(group.keys);
    let facts = planner.facts.relation(graph, group.input);
    let range = |key: &Name| {
        let Origin::Field(at) = origin(graph, result, key) else { return None };
        let known = facts.columns.get(&fields_at(graph, group.input).get(at)?.name)?;
        let (Some(Value::Int(least)), Some(Value::Int(greatest))) = (&known.min, &known.max) else { return None };
        let range = KeyRange { least: i64::try_from(*least).ok()?, greatest: i64::try_from(*greatest).ok()? };
        (range.least <= range.greatest).then_some(range)
    };
    let each: Vec<Option<KeyRange>> = fields_at(graph, result).names().map(range).collect();
    let telling = telling_keys(planner, id);
    let worth = |range: &KeyRange| {
        (range.width() <= SMALL_RANGE || (range.width() as f64) <= facts.rows.estimate * 4.0) && range.width() < u64::from(u32::MAX)
    };
    let only = match (key_types, telling.as_deref()) {
        ([_], None) => Some(0),
        (_, Some([only])) => Some(*only),
        _ => None,
    };
    let dense =
        only.is_some_and(|at| matches!(graph.types().get(key_types[at]), Ty::Int(IntTy::I64)) && each[at].as_ref().is_some_and(worth));
    KeyFacts { each, telling, dense }
}

/// The keys that tell groups apart, where some do not: what stands in the same row of a source as a key that is unique there.
fn telling_keys(planner: &mut Planner<'_>, id: NodeId) -> Option<Vec<usize>> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let group = graph.as_group(id).expect("it is one");
    let result = graph.result_of(group.keys);
    let standings: Vec<Option<Standing>> = fields_at(graph, result)
        .names()
        .map(|key| match origin(graph, result, key) {
            Origin::Field(at) => standing(graph, group.input, at),
            _ => None,
        })
        .collect();
    let mut is_unique = |standing: &Standing| {
        let field = fields_at(graph, standing.source).get(standing.field).expect("a field of the source");
        // Values that are `same` without being identical, or that are null, are left alone.
        let plain = matches!(graph.types().get(field.ty), Ty::Int(_) | Ty::Str | Ty::Date);
        plain && planner.facts.relation(graph, standing.source).is_unique(&[field.name.clone()].into())
    };
    let mut telling: Vec<usize> = (0..standings.len()).collect();
    for (at, known) in standings.iter().enumerate() {
        let Some(known) = known.as_ref().filter(|known| telling.contains(&at) && is_unique(known)) else { continue };
        telling.retain(|&other| other == at || !standings[other].as_ref().is_some_and(|other| other.is_beside(known)));
    }
    (telling.len() < standings.len()).then_some(telling)
}
