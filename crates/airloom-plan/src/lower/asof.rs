//! `rel.asof`.

use super::build::{Lowered, NewNode};
use super::relation::Relations;
use crate::bodies::{ColumnSet, fields_of, reads};
use crate::value::{Asof, Kind};
use airloom_ir::graph::{Graph, NodeId};

/// What an as-of join reads of its inputs.
pub(super) fn needs(graph: &Graph, id: NodeId, wanted: &ColumnSet) -> Vec<ColumnSet> {
    let asof = graph.as_asof(id).expect("it is one");
    let width = fields_of(graph, asof.left).len();
    let read = |bodies: [NodeId; 2]| bodies.into_iter().flat_map(|body| reads(graph, &[graph.result_of(body)], 0)).collect::<ColumnSet>();
    let left = wanted.iter().copied().filter(|&at| at < width).chain(read([asof.left_on, asof.left_by])).collect();
    let right = wanted.iter().filter_map(|&at| at.checked_sub(width)).chain(read([asof.right_on, asof.right_by])).collect();
    vec![left, right]
}

/// Lowers an as-of join.
pub(super) fn asof(relations: &mut Relations<'_, '_, '_>, id: NodeId, left: Lowered, right: Lowered) -> Lowered {
    let graph = relations.graph();
    let asof = graph.as_asof(id).expect("it is one");
    let mut body = |function: NodeId| relations.body(function, &asof.captures);
    let (left_on, right_on, left_by, right_by) = (body(asof.left_on), body(asof.right_on), body(asof.left_by), body(asof.right_by));
    let tolerance = relations.block.slot(asof.tolerance);
    let width = fields_of(graph, asof.left).len();
    let fields: Vec<usize> = left.fields.iter().copied().chain(right.fields.iter().map(|at| at + width)).collect();
    let columns = relations.fields(id, fields.iter().copied());
    let inputs = [left.node, right.node].map(|input| relations.push_same(id, Kind::Gather, input));
    let kind = Asof { left_on, right_on, left_by, right_by, direction: asof.direction, exact: asof.exact, tolerance };
    let node = relations.push(NewNode { relation: id, kind: Kind::AsofJoin(kind), inputs: &inputs, columns });
    let node = relations.merged(id, node);
    Lowered { node, fields, depth: left.depth.max(right.depth) + 1 }
}
