//! Which row of which source a field of a relation comes from.

use super::relation::inputs;
use crate::bodies::{Origin, fields_of, origin};
use airloom_ir::attrs::JoinHow;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation;

/// A field of a source, and the way to it: fields with the same source and the same way come from the same row of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lineage {
    pub(super) source: NodeId,
    pub(super) field: usize,
    /// The joins on the way, and whether it went left: a table may be joined with itself.
    way: Vec<(NodeId, bool)>,
}

impl Lineage {
    /// Whether another field comes from the same row of the same source.
    pub(super) fn same_source_row(&self, other: &Lineage) -> bool {
        self.source == other.source && self.way == other.way
    }
}

/// Where a field of a relation comes from, if every row of the relation has one of a source's rows in it.
pub(super) fn lineage(graph: &Graph, relation: NodeId, field: usize) -> Option<Lineage> {
    let (mut at, mut field, mut way) = (relation, field, Vec::new());
    loop {
        match graph.op(at) {
            Op::Core(Core::Source) => return Some(Lineage { source: at, field, way }),
            Op::Relation(Relation::Unordered | Relation::Filter | Relation::Sort | Relation::Top | Relation::Slice) => {
                at = *inputs(graph, at).first()?;
            }
            Op::Relation(Relation::Project) => {
                let project = graph.as_project(at)?;
                let result = graph.result_of(project.row);
                let Origin::Field(below) = origin(graph, result, &fields_of(graph, result).get(field)?.name) else { return None };
                (at, field) = (project.input, below);
            }
            Op::Relation(Relation::Join) => {
                let join = graph.as_join(at)?;
                let width = fields_of(graph, join.left).len();
                let left = field < width;
                // A side that may be null in a row is no row of its source there.
                let whole = match join.how {
                    JoinHow::Inner | JoinHow::Cross => true,
                    JoinHow::Left | JoinHow::Semi | JoinHow::Anti => left,
                    JoinHow::Right => !left,
                    JoinHow::Outer => false,
                };
                if !whole {
                    return None;
                }
                way.push((at, left));
                (at, field) = if left { (join.left, field) } else { (join.right, field - width) };
            }
            _ => return None,
        }
    }
}
