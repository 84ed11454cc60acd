//! Relations in which the order of rows is made, counted or kept.

use super::build::{Lowered, NewNode};
use super::relation::Relations;
use crate::bodies::{ColumnSet, fields_of};
use crate::value::{Kind, PlanId};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::value::Value;

/// One relation after the other.
pub(super) fn concat(relations: &mut Relations<'_, '_, '_>, id: NodeId, inputs: Vec<Lowered>, wanted: &ColumnSet) -> Lowered {
    let depth = inputs.iter().map(|input| input.depth).max().unwrap_or(0) + 1;
    let inputs: Vec<_> = inputs.into_iter().map(|input| relations.arranged(id, input, wanted).node).collect();
    let columns = relations.fields(id, wanted.iter().copied());
    let node = relations.push(NewNode { relation: id, kind: Kind::Concat, inputs: &inputs, columns });
    Lowered { node, fields: wanted.iter().copied().collect(), depth }
}

/// `rel.sort` and `rel.top`.
pub(super) fn sort(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered) -> Lowered {
    let graph = relations.graph();
    let (keys, by, captures, count) = match graph.as_sort(id) {
        Some(sort) => (sort.keys, sort.by, sort.captures.to_vec(), None),
        None => {
            let top = graph.as_top(id).expect("a sort or a top");
            (top.keys, top.by, top.captures.to_vec(), Some(top.count))
        }
    };
    let fetch = count.map(|count| relations.block.slot(count));
    let keys = relations.body(keys, &captures);
    let runs = relations.push_same(id, Kind::SortRuns { keys, by, fetch }, input.node);
    let node = relations.push_same(id, Kind::OrderedMerge, runs);
    Lowered { node, depth: input.depth + 1, ..input }
}

/// As many rows are read one partition after the other: what follows them is not worth spreading.
const FEW: i64 = 1 << 16;

/// `rel.slice`.
pub(super) fn limit(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered) -> Lowered {
    let graph = relations.graph();
    let slice = graph.as_slice(id).expect("it is one");
    let (offset, count) = (relations.block.slot(slice.offset), relations.block.slot(slice.length));
    // Rows that are not in the slice are still computed where that may raise.
    let stops_early = graph.effect(slice.input) == Effect::Pure;
    let ends = |offset: i64, count: i64| offset >= 0 && offset.saturating_add(count) <= FEW;
    let few = graph.const_int(slice.offset).zip(graph.const_int(slice.length)).is_some_and(|(offset, count)| ends(offset, count));
    let gathered = relations.push_same(id, Kind::Gather, input.node);
    let mut node = relations.push_same(id, Kind::Limit { offset, count, stops_early }, gathered);
    if !few || graph.const_value(slice.length) == Some(&Value::Null) {
        node = relations.merged(id, node);
    }
    Lowered { node, depth: input.depth + 1, ..input }
}

/// `rel.number`.
pub(super) fn row_number(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let number = graph.as_number(id).expect("it is one");
    let last = fields_of(graph, id).len() - 1;
    if !wanted.contains(&last) {
        return input;
    }
    let mut fields = input.fields.clone();
    fields.push(last);
    let columns = relations.fields(id, fields.iter().copied());
    if relations.unseen_numbers.contains(&id) {
        let kind = Kind::Position { name: number.name.clone() };
        let node = relations.push(NewNode { relation: id, kind, inputs: &[input.node], columns });
        return Lowered { node, fields, depth: input.depth + 1 };
    }
    let rows = if is_counted(relations, input.node) { input.node } else { relations.push_same(id, Kind::Gather, input.node) };
    let kind = Kind::RowNumber { name: number.name.clone(), start: number.start };
    let node = relations.push(NewNode { relation: id, kind, inputs: &[rows], columns });
    Lowered { node, fields, depth: input.depth + 1 }
}

/// Whether it is known before anything is read how many rows each partition of a node may have: all rows of a source, whatever is made of each. Then partitions are
/// numbered apart from one another.
fn is_counted(relations: &Relations<'_, '_, '_>, mut node: PlanId) -> bool {
    loop {
        let made = relations.made(node);
        match &made.kind {
            Kind::Scan(scan) => return scan.filter.is_none() && scan.dynamic.is_empty(),
            Kind::Input(_) => return true,
            Kind::Project(_) | Kind::Select => node = made.inputs[0],
            _ => return false,
        }
    }
}

/// `rel.sample`.
pub(super) fn sample(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered) -> Lowered {
    let graph = relations.graph();
    let sample = graph.as_sample(id).expect("it is one");
    let (count, key) = (relations.block.slot(sample.count), relations.block.slot(sample.key));
    let gathered = relations.push_same(id, Kind::Gather, input.node);
    let node = relations.push_same(id, Kind::Sample { count, key, replace: sample.replace }, gathered);
    let node = relations.merged(id, node);
    Lowered { node, depth: input.depth + 1, ..input }
}

/// What an explode reads of its input.
pub(super) fn unnest_needs(graph: &Graph, id: NodeId, wanted: &ColumnSet) -> ColumnSet {
    let explode = graph.as_explode(id).expect("it is one");
    let fields = fields_of(graph, explode.input);
    wanted.iter().copied().chain(explode.columns.iter().filter_map(|name| fields.position(name))).collect()
}

/// `rel.explode`.
pub(super) fn unnest(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered) -> Lowered {
    let graph = relations.graph();
    let explode = graph.as_explode(id).expect("it is one");
    let columns = relations.fields(id, input.fields.iter().copied());
    let kind = Kind::Unnest { columns: explode.columns.clone(), empty: explode.empty };
    let node = relations.push(NewNode { relation: id, kind, inputs: &[input.node], columns });
    Lowered { node, depth: input.depth + 1, ..input }
}

/// The fields of its input that an unpivot keeps.
fn kept(graph: &Graph, id: NodeId) -> Vec<usize> {
    let unpivot = graph.as_unpivot(id).expect("it is one");
    fields_of(graph, unpivot.input).names().enumerate().filter(|(_, name)| !unpivot.columns.contains(name)).map(|(at, _)| at).collect()
}

/// What an unpivot reads of its input.
pub(super) fn unpivot_needs(graph: &Graph, id: NodeId, wanted: &ColumnSet) -> ColumnSet {
    let unpivot = graph.as_unpivot(id).expect("it is one");
    let (fields, kept) = (fields_of(graph, unpivot.input), kept(graph, id));
    let mut found: ColumnSet = wanted.iter().filter_map(|&at| kept.get(at).copied()).collect();
    if wanted.contains(&(kept.len() + 1)) {
        found.extend(unpivot.columns.iter().filter_map(|name| fields.position(name)));
    }
    found
}

/// `rel.unpivot`: what each column becomes, one after the other, over an input that is computed once.
pub(super) fn unpivot(relations: &mut Relations<'_, '_, '_>, id: NodeId, input: Lowered, wanted: &ColumnSet) -> Lowered {
    let graph = relations.graph();
    let unpivot = graph.as_unpivot(id).expect("it is one");
    let mut below = input.node;
    if unpivot.columns.len() > 1 {
        below = relations.push_same(id, Kind::Materialize, below);
    }
    let columns = relations.fields(id, wanted.iter().copied());
    let kind = Kind::Unpivot { columns: unpivot.columns.clone(), variable: unpivot.variable.clone(), value: unpivot.value.clone() };
    let node = relations.push(NewNode { relation: id, kind, inputs: &[below], columns });
    Lowered { node, fields: wanted.iter().copied().collect(), depth: input.depth + 3 }
}
