//! `rel.join` as a probe of a hash table.

use super::build::{Lowered, NewNode};
use super::relation::Relations;
use crate::bodies::{ColumnSet, all, fields_of, reads};
use crate::value::{HashBuild, HashProbe, Kind, Published};
use airloom_ir::attrs::{Effect, JoinHow, NullMatch, Side};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use airloom_opt::facts::all_columns;

/// What a join reads of its two inputs.
pub(super) fn needs(graph: &Graph, id: NodeId, wanted: &ColumnSet, left_width: usize) -> Vec<ColumnSet> {
    let join = graph.as_join(id).expect("it is one");
    let predicate = graph.result_of(join.predicate);
    if may_raise(graph, join.predicate) {
        return vec![all(left_width), all(fields_of(graph, join.right).len())];
    }
    let mut left: ColumnSet = reads(graph, &[graph.result_of(join.left_keys)], 0);
    let mut right: ColumnSet = reads(graph, &[graph.result_of(join.right_keys)], 0);
    left.extend(reads(graph, &[predicate], 0));
    right.extend(reads(graph, &[predicate], 1));
    left.extend(wanted.iter().copied().filter(|&at| at < left_width));
    right.extend(wanted.iter().filter(|&&at| at >= left_width).map(|at| at - left_width));
    vec![left, right]
}

/// How much more a row of the build side costs than one of the probe side.
const BUILD_COST: f64 = 2.0;

/// How much more a row of the build side costs where several may have the same keys: they are linked, and every probe follows the links. Not much more: a smaller build
/// side drops more rows of the other by its dynamic filters.
const DUPLICATE_COST: f64 = 1.2;

/// Build on the major side, and put rows in order afterwards, if the minor input has over this many times the rows of the major input and of the output.
const SIDE_SWAP_FACTOR: f64 = 4.0;

/// The probe side of a join.
#[derive(Clone, Copy)]
pub(super) struct ProbeSide {
    /// Which it is.
    pub(super) side: Side,
    /// Whether the rows that are made must be put in order.
    restores_order: bool,
}

impl ProbeSide {
    pub(super) fn is_left(self) -> bool {
        self.side == Side::Left
    }
}

/// Which side of a join probes: the major one, so that its order is kept; where the order is not observed, the larger one. Where the minor side is much larger than the
/// major one and than what is made of both, it probes all the same, and the few rows that are made are put in order.
pub(super) fn probe_side(relations: &mut Relations<'_, '_, '_>, id: NodeId) -> ProbeSide {
    let graph = relations.graph();
    let join = graph.as_join(id).expect("it is one");
    let order_unobserved = relations.order_unobserved(id);
    let facts = &mut relations.block.lowering.facts;
    let mut rows = |relation: NodeId| facts.relation(graph, relation).rows.estimate;
    let (left, right, made) = (rows(join.left), rows(join.right), rows(id));
    let mut building = |relation: NodeId, keys: NodeId| {
        let known = facts.relation(graph, relation);
        let is_unique = all_columns(graph, keys).is_some_and(|keys| known.is_unique(&keys));
        known.rows.estimate * if is_unique { 1.0 } else { DUPLICATE_COST }
    };
    let chosen = |left: bool| ProbeSide { side: if left { Side::Left } else { Side::Right }, restores_order: false };
    match join.how {
        // A row is decided at its first match, and what the predicate would raise after it is not raised: so the rows that are decided probe.
        JoinHow::Semi | JoinHow::Anti => chosen(may_raise(graph, join.predicate) || left * BUILD_COST >= right),
        _ if order_unobserved => chosen(building(join.left, join.left_keys) >= building(join.right, join.right_keys)),
        JoinHow::Inner if is_pure(graph, id) => {
            let major_left = join.major == Side::Left;
            let (major, minor) = if major_left { (left, right) } else { (right, left) };
            let restores_order = minor > SIDE_SWAP_FACTOR * major && minor > SIDE_SWAP_FACTOR * made;
            ProbeSide { restores_order, ..chosen(major_left != restores_order) }
        }
        _ => chosen(join.major == Side::Left),
    }
}

/// Whether nothing that a join computes may raise.
pub(super) fn is_pure(graph: &Graph, id: NodeId) -> bool {
    let join = graph.as_join(id).expect("it is one");
    ![join.left_keys, join.right_keys, join.predicate].iter().any(|&body| may_raise(graph, body))
}

fn may_raise(graph: &Graph, body: NodeId) -> bool {
    graph.effect(graph.result_of(body)) != Effect::Pure
}

/// Lowers a join.
pub(super) fn join(relations: &mut Relations<'_, '_, '_>, id: NodeId, left: Lowered, right: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let join = graph.as_join(id).expect("it is one");
    let probe_side = probe_side(relations, id);
    let (left_keys, right_keys) = (relations.body(join.left_keys, &join.captures), relations.body(join.right_keys, &join.captures));
    // A key may be null on one side and never on the other: codes must have room for it on both.
    let types = graph.types();
    let fields = |body: NodeId| fields_of(graph, graph.result_of(body)).iter().map(|field| field.ty);
    let either = |(left, right): (TyId, TyId)| if types.nullable(left) { left } else { right };
    let key_types: Vec<TyId> = fields(join.left_keys).zip(fields(join.right_keys)).map(either).collect();
    let always = matches!(graph.const_value(graph.result_of(join.predicate)), Some(Value::Bool(true)));
    let residual = (!always).then(|| relations.body(join.predicate, &join.captures));
    let depth = left.depth.max(right.depth) + 1;
    let ((probe, probe_keys), (build, build_keys)) =
        if probe_side.is_left() { ((left, left_keys), (right, right_keys)) } else { ((right, right_keys), (left, left_keys)) };
    let published = relations.dynamic.of_join.remove(&id).unwrap_or_default();
    let publishes = published.into_iter().filter(|(_, filter)| relations.dynamic.used.contains(filter));
    let publishes = publishes.map(|(key, filter)| Published { key, filter }).collect();
    let table = HashBuild { keys: build_keys, key_types, nulls_equal: join.nulls == NullMatch::Equal, publishes };
    let broadcast = relations.push_same(id, Kind::Broadcast, build.node);
    let table = relations.push_same(id, Kind::HashBuild(table), broadcast);
    let restores_order = probe_side.restores_order;
    let kind = HashProbe { keys: probe_keys, how: join.how, probe: probe_side.side, residual, restores_order };
    let gives_build_rows = kind.gives_build_rows();
    let columns = relations.fields(id, wanted.iter().copied());
    let mut node = relations.push(NewNode { relation: id, kind: Kind::HashProbe(kind), inputs: &[probe.node, table], columns });
    if restores_order || gives_build_rows {
        node = relations.push_same(id, Kind::OrderedMerge, node);
    }
    Lowered { node, fields: wanted.iter().copied().collect(), depth }
}
