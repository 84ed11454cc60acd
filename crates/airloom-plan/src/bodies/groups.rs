//! Bodies over the columns of some rows.

use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;

/// Whether a body over the columns of a group can be run group by group: only one that holds relations of its own cannot.
pub fn holds_no_relation(graph: &Graph, body: NodeId) -> bool {
    let is_plain = |&id: &NodeId| !matches!(graph.op(id), Op::Relation(_) | Op::Core(Core::Source));
    graph.post_order(&[graph.result_of(body)]).iter().all(is_plain)
}
