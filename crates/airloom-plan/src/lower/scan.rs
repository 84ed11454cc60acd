//! Sources as scans.

use super::blocks::Lowering;
use super::build::{Lowered, NewNode};
use super::relation::Relations;
use crate::bodies::{ColumnSet, fields_of};
use crate::value::{Column, FilterUse, Kind, Node, Order, Partitioning, PlanId, Properties, Scan};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::NodeId;

/// The scan of a source, with the filter over it where nothing else reads the source. Where the filter may raise, every row must reach it.
pub(super) fn scan(relations: &mut Relations<'_, '_, '_>, source: NodeId, wanted: ColumnSet) -> Lowered {
    let graph = relations.graph();
    let reads: Vec<usize> = wanted.into_iter().collect();
    let mut fields = reads.clone();
    let filter = relations.filters.get(&source).copied().filter(|_| relations.is_read_once(source));
    let filter = filter.and_then(|id| graph.as_filter(id).map(|filter| (id, filter)));
    let filter = filter.filter(|(_, filter)| graph.effect(graph.result_of(filter.predicate)) == Effect::Pure);
    let mut relation = source;
    let body = filter.map(|(id, filter)| {
        relations.applied.insert(id);
        let above = relations.wanted(id);
        fields.retain(|field| above.contains(field));
        relation = id;
        relations.body(filter.predicate, &filter.captures)
    });
    let names = fields_of(graph, source);
    let uses = relations.dynamic.of_source.remove(&source).unwrap_or_default();
    let uses = uses.into_iter().filter(|(field, _)| reads.contains(field));
    let dynamic: Vec<FilterUse> =
        uses.map(|(field, filter)| FilterUse { filter, column: names.get(field).expect("a field").name.clone() }).collect();
    relations.dynamic.used.extend(dynamic.iter().map(|used| used.filter));
    let columns = relations.fields(source, fields.iter().copied());
    let name = graph.as_source(source).expect("it is one").name;
    let kind = Kind::Scan(Scan { source: name, ty: graph.ty_id(source), reads, filter: body, dynamic });
    let node = relations.push(NewNode { relation, kind, inputs: &[], columns });
    if relation != source {
        relations.block.lowering.nodes[node.index()].origin = vec![source, relation];
    }
    Lowered { node, fields, depth: 1 }
}

/// All of a source, for bodies that the interpreter computes.
pub(super) fn whole_source(lowering: &mut Lowering<'_>, source: NodeId) -> PlanId {
    let graph = lowering.graph;
    let fields = fields_of(graph, source);
    let columns: Vec<Column> = fields.iter().map(|field| Column { name: field.name.clone(), ty: field.ty }).collect();
    let properties =
        Properties { partitioning: Partitioning::Contiguous, order: Order::Exact, rows: None, row_bytes: 0.0, effect: Effect::Pure };
    let name = graph.as_source(source).expect("it is one").name;
    let scan = Scan { source: name, ty: graph.ty_id(source), reads: (0..fields.len()).collect(), filter: None, dynamic: Vec::new() };
    let id = PlanId::new(lowering.nodes.len());
    lowering.nodes.push(Node { kind: Kind::Scan(scan), inputs: Vec::new(), columns, properties, origin: vec![source] });
    id
}
