//! Bodies over all rows of each key: windows, pivots, irreducible groups, distinct rows.

use super::build::{Lowered, NewNode};
use super::key_facts::key_facts;
use super::relation::Relations;
use crate::bodies::{ColumnSet, all, fields_of, holds_no_relation, reads};
use crate::value::{Body, Column, Kind, Pivot, PlanId, Window};
use airloom_ir::graph::{Graph, NodeId};

/// What bodies read of their rows.
fn read_by(graph: &Graph, bodies: &[NodeId]) -> ColumnSet {
    bodies.iter().flat_map(|&body| reads(graph, &[graph.result_of(body)], 0)).collect()
}

/// What a grouping by a body reads of its input.
pub(super) fn group_needs(graph: &Graph, id: NodeId) -> ColumnSet {
    let group = graph.as_group(id).expect("it is one");
    match holds_no_relation(graph, group.aggregates) {
        true => read_by(graph, &[group.keys, group.aggregates]),
        false => all(fields_of(graph, group.input).len()),
    }
}

/// What a pivot reads of its input.
pub(super) fn pivot_needs(graph: &Graph, id: NodeId) -> ColumnSet {
    let pivot = graph.as_pivot(id).expect("it is one");
    match holds_no_relation(graph, pivot.aggregate) {
        true => read_by(graph, &[pivot.keys, pivot.on, pivot.aggregate]),
        false => all(fields_of(graph, pivot.input).len()),
    }
}

/// What a window reads of its input.
pub(super) fn window_needs(graph: &Graph, id: NodeId, wanted: &ColumnSet) -> ColumnSet {
    let window = graph.as_window(id).expect("it is one");
    let width = fields_of(graph, window.input).len();
    if !holds_no_relation(graph, window.columns) {
        return all(width);
    }
    let read = read_by(graph, &[window.partition, window.order, window.columns]);
    wanted.iter().copied().filter(|&at| at < width).chain(read).collect()
}

/// A node over rows that are partitioned by keys, in order again where that is observed.
fn keyed(relations: &mut Relations<'_, '_, '_>, id: NodeId, keys: &Body, kind: Kind, input: PlanId, columns: Vec<Column>) -> PlanId {
    let partitioned = relations.partition(id, keys, input);
    let node = relations.push(NewNode { relation: id, kind, inputs: &[partitioned], columns });
    relations.merged(id, node)
}

/// A grouping by a body over each group.
pub(super) fn group(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let group = graph.as_group(id).expect("it is one");
    if !holds_no_relation(graph, group.aggregates) {
        return relations.interpret(id, vec![input], wanted);
    }
    let block = relations.block.lowering.block_id(group.aggregates);
    let keys = relations.body(group.keys, &group.captures);
    let aggregates = relations.body(group.aggregates, &group.captures);
    let width = fields_of(graph, id).len();
    let columns = relations.fields(id, 0..width);
    let node = keyed(relations, id, &keys.clone(), Kind::GroupApply { keys, aggregates, block }, input.node, columns);
    Lowered { node, fields: (0..width).collect(), depth: input.depth + 1 }
}

/// A pivot.
pub(super) fn pivot(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let pivot = graph.as_pivot(id).expect("it is one");
    if !holds_no_relation(graph, pivot.aggregate) {
        return relations.interpret(id, vec![input], wanted);
    }
    let block = relations.block.lowering.block_id(pivot.aggregate);
    let keys = relations.body(pivot.keys, &pivot.captures);
    let on = relations.body(pivot.on, &pivot.captures);
    let aggregate = relations.body(pivot.aggregate, &pivot.captures);
    let width = fields_of(graph, id).len();
    let columns = relations.fields(id, 0..width);
    let kind = Kind::Pivot(Pivot { keys: keys.clone(), on, aggregate, block, names: pivot.names.clone() });
    let node = keyed(relations, id, &keys, kind, input.node, columns);
    Lowered { node, fields: (0..width).collect(), depth: input.depth + 1 }
}

/// A window.
pub(super) fn window(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let window = graph.as_window(id).expect("it is one");
    if !holds_no_relation(graph, window.columns) {
        return relations.interpret(id, vec![input], wanted);
    }
    let block = relations.block.lowering.block_id(window.columns);
    let keys = relations.body(window.partition, &window.captures);
    let order = relations.body(window.order, &window.captures);
    let made = relations.body(window.columns, &window.captures);
    let width = fields_of(graph, window.input).len();
    let added = fields_of(graph, graph.result_of(window.columns)).len();
    let fields: Vec<usize> = input.fields.iter().copied().chain(width..width + added).collect();
    let columns = relations.fields(id, fields.iter().copied());
    let kind = Kind::Window(Window { keys: keys.clone(), order, by: window.by.clone(), columns: made, block });
    let node = keyed(relations, id, &keys, kind, input.node, columns);
    Lowered { node, fields, depth: input.depth + 1 }
}

/// Distinct rows.
pub(super) fn distinct(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered) -> Lowered {
    let graph = relations.graph();
    let distinct = graph.as_distinct(id).expect("it is one");
    let keys = relations.body(distinct.keys, &distinct.captures);
    let known = key_facts(relations, distinct.input, distinct.keys);
    let columns = relations.columns(input.node).to_vec();
    let node = keyed(relations, id, &keys.clone(), Kind::Distinct { keys, keep: distinct.keep, known }, input.node, columns);
    Lowered { node, depth: input.depth + 1, ..input }
}
