//! Where the keys of a build side can drop rows of the probe side: as near to the source as the key is found there as it is.

use super::group;
use super::join;
use super::relation::{Relations, inputs};
use crate::bodies::{Origin, fields_of, origin};
use crate::value::FilterId;
use airloom_ir::attrs::{Effect, JoinHow};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation;
use airloom_ir::types::{IntTy, Ty, TyId, Types};
use airloom_opt::facts::aggregates_cannot_raise;
use std::collections::{BTreeMap, BTreeSet};

/// The dynamic filters of one plan: who publishes them, and where they are applied.
#[derive(Default)]
pub(super) struct DynamicFilters {
    /// For each join the keys it publishes, by number.
    pub(super) of_join: BTreeMap<NodeId, Vec<(usize, FilterId)>>,
    /// For each source the fields they are applied to.
    pub(super) of_source: BTreeMap<NodeId, Vec<(usize, FilterId)>>,
    /// For an input of a relation, by its number, the fields they are applied to before it is read.
    pub(super) of_edge: BTreeMap<(NodeId, usize), Vec<(usize, FilterId)>>,
    /// Those that are applied somewhere.
    pub(super) used: BTreeSet<FilterId>,
}

/// With this many times the rows of the build side, a look at a bit for each is worth it before any row of the probe side is looked up: most have no match.
const MANY_PROBES: f64 = 8.0;

/// Where a filter is applied, and to which field there.
enum FilterTarget {
    /// By the scan of a source.
    Source(NodeId, usize),
    /// On the way from a relation that others read too into an input of one, by its number.
    Edge((NodeId, usize), usize),
}

/// Whether a filter can be made of keys of a type: it is a bitmap between their minimum and maximum.
fn is_filterable(types: &Types, ty: TyId) -> bool {
    match types.plain(ty) {
        Ty::Int(int) => *int != IntTy::U64,
        Ty::Date => true,
        _ => false,
    }
}

/// Finds the keys of joins that the probe side reads from a source, as they are. The scan can drop rows that match nothing.
pub(super) fn place_dynamic_filters(relations: &mut Relations<'_, '_, '_>, order: &[NodeId]) -> DynamicFilters {
    let graph = relations.graph();
    let mut filters = DynamicFilters::default();
    for &id in order {
        let Some(join) = graph.as_join(id) else { continue };
        if relations.block.known(id).is_some() || relations.queries.contains_key(&id) {
            continue;
        }
        let left_probes = join::probe_side(relations, id).is_left();
        let drops = match join.how {
            JoinHow::Inner | JoinHow::Semi => true,
            // Rows that match nothing are what is asked for, unless they are on the build side and the others only mark them.
            JoinHow::Anti | JoinHow::Left => !left_probes,
            JoinHow::Right => left_probes,
            JoinHow::Outer | JoinHow::Cross => false,
        };
        if !drops || !join::is_pure(graph, id) {
            continue;
        }
        let (keys, number) = if left_probes { (join.left_keys, 0) } else { (join.right_keys, 1) };
        let facts = &mut relations.block.lowering.facts;
        let mut rows = |side: NodeId| facts.relation(graph, side).rows.estimate;
        let (probe, build) = if left_probes { (rows(join.left), rows(join.right)) } else { (rows(join.right), rows(join.left)) };
        let pays = probe > MANY_PROBES * build;
        let result = graph.result_of(keys);
        for (key, field) in fields_of(graph, result).iter().enumerate() {
            let Origin::Field(at) = origin(graph, result, &field.name) else { continue };
            if !is_filterable(graph.types(), field.ty) {
                continue;
            }
            let Some(target) = target(relations, (id, number), at, pays) else { continue };
            let filter = FilterId::new(relations.block.lowering.filters as usize);
            relations.block.lowering.filters += 1;
            match target {
                FilterTarget::Source(source, at) => filters.of_source.entry(source).or_default().push((at, filter)),
                FilterTarget::Edge(edge, at) => filters.of_edge.entry(edge).or_default().push((at, filter)),
            }
            filters.of_join.entry(id).or_default().push((key, filter));
        }
    }
    filters
}

/// Where a field of an input of a join comes from, as far down as dropping rows by this field drops the rows that have the value and does nothing else: nothing else
/// reads what lies between, and nothing there may raise. Where that is no source, it pays only if there is work in between, or if it `pays` as it is.
fn target(relations: &mut Relations<'_, '_, '_>, edge: (NodeId, usize), field: usize, pays: bool) -> Option<FilterTarget> {
    let graph = relations.graph();
    let (mut edge, mut field, mut pays) = (edge, field, pays);
    loop {
        let at = inputs(graph, edge.0)[edge.1];
        let is_own = relations.is_read_once(at) && relations.block.known(at).is_none() && !relations.queries.contains_key(&at);
        if is_own && graph.op(at) == Op::Core(Core::Source) {
            return Some(FilterTarget::Source(at, field));
        }
        let Some(below) = is_own.then(|| below(relations, at, field)).flatten() else {
            return pays.then_some(FilterTarget::Edge(edge, field));
        };
        pays |= below.works;
        (edge, field) = ((at, below.input), below.field);
    }
}

/// A field of an input that a field of a relation is.
struct Below {
    input: usize,
    field: usize,
    /// Whether the relation does more for each row than passing it on.
    works: bool,
}

/// Where a field of a relation comes from, if rows may as well be dropped there.
fn below(relations: &mut Relations<'_, '_, '_>, at: NodeId, field: usize) -> Option<Below> {
    let graph = relations.graph();
    let pure = |body: NodeId| graph.effect(graph.result_of(body)) == Effect::Pure;
    let through = |body: NodeId| {
        let result = graph.result_of(body);
        match origin(graph, result, &fields_of(graph, result).get(field)?.name) {
            Origin::Field(field) if pure(body) => Some(field),
            _ => None,
        }
    };
    match graph.op(at) {
        Op::Relation(Relation::Unordered) => Some(Below { input: 0, field, works: false }),
        Op::Relation(Relation::Filter) => pure(graph.as_filter(at)?.predicate).then_some(Below { input: 0, field, works: false }),
        Op::Relation(Relation::Project) => Some(Below { input: 0, field: through(graph.as_project(at)?.row)?, works: false }),
        // Where only order is wanted of numbers, those of the rows that are left do as well.
        Op::Relation(Relation::Number) if relations.unseen_numbers.contains(&at) => {
            let width = fields_of(graph, graph.as_number(at)?.input).len();
            (field < width).then_some(Below { input: 0, field, works: false })
        }
        // Rows of a group have the same key: they go or stay together.
        Op::Relation(Relation::Group) => {
            let group = graph.as_group(at)?;
            let is_key = group::has_keys(graph, at) && field < fields_of(graph, graph.result_of(group.keys)).len();
            let rows = relations.block.lowering.facts.relation(graph, group.input);
            let stays = is_key && aggregates_cannot_raise(graph, group.aggregates, &rows);
            Some(Below { input: 0, field: stays.then(|| through(group.keys)).flatten()?, works: true })
        }
        // Rows that are the same by a key go or stay together.
        Op::Relation(Relation::Distinct) => {
            let distinct = graph.as_distinct(at)?;
            let result = graph.result_of(distinct.keys);
            let mut compared = fields_of(graph, result).names();
            let is_key = compared.any(|name| matches!(origin(graph, result, name), Origin::Field(own) if own == field));
            (is_key && pure(distinct.keys)).then_some(Below { input: 0, field, works: true })
        }
        Op::Relation(Relation::Join) if join::is_pure(graph, at) => {
            let join = graph.as_join(at)?;
            let width = fields_of(graph, join.left).len();
            match (field < width, join.how) {
                (true, JoinHow::Inner | JoinHow::Cross | JoinHow::Left | JoinHow::Semi | JoinHow::Anti) => {
                    Some(Below { input: 0, field, works: true })
                }
                (false, JoinHow::Inner | JoinHow::Cross | JoinHow::Right) => Some(Below { input: 1, field: field - width, works: true }),
                _ => None,
            }
        }
        _ => None,
    }
}
