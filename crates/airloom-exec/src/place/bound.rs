//! What only the engine may compute: what cannot leave it, or may not be computed twice.

use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Ty, TyId, Types};

/// Whether a node belongs to no part: it is an input, or is copied into every part that reads it.
pub(super) fn is_leaf(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.op(id), Op::Core(Core::Const | Core::Placeholder | Core::Param | Core::Lambda | Core::Token | Core::Source))
}

/// Finds out what is bound to the engine.
pub(super) struct Bound<'a> {
    graph: &'a Graph,
    reads_sources: Vec<bool>,
}

impl<'a> Bound<'a> {
    pub(super) fn new(graph: &'a Graph) -> Bound<'a> {
        Bound { graph, reads_sources: graph.reads_sources() }
    }

    /// Why no other backend may compute a node, where that is so.
    pub(super) fn reason(&self, id: NodeId) -> Option<&'static str> {
        let graph = self.graph;
        if !travels(graph.types(), graph.ty_id(id)) {
            return Some("functions and the order of effects stay in the engine");
        }
        for &arg in graph.args(id) {
            if graph.op(arg) != Op::Core(Core::Lambda) {
                if !travels(graph.types(), graph.ty_id(arg)) {
                    return Some("functions and the order of effects stay in the engine");
                }
            } else if graph.effect(arg) == Effect::Effectful {
                return Some("its body has effects");
            } else if self.reads_sources[arg.index()] {
                return Some("its body reads a source");
            }
        }
        None
    }
}

/// Whether values of a type may go from one backend to another. Types nest so deep and no deeper.
fn travels(types: &Types, ty: TyId) -> bool {
    match types.get(ty) {
        Ty::Fn(..) | Ty::Token => false,
        Ty::Tuple(parts) => parts.iter().all(|&part| travels(types, part)),
        Ty::Struct(fields) => fields.iter().all(|field| travels(types, field.ty)),
        _ => true,
    }
}
