//! Where a program is cut: which nodes are computed together.

use super::bound::is_leaf;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use std::collections::BTreeMap;

/// The backends that take nodes, by their number; who is not here is the engine's.
pub(super) type Assignment = BTreeMap<NodeId, usize>;

/// The nodes of each part, children before parents, the last of them the one that others read. A part comes after those it reads.
pub(super) struct Regions {
    pub(super) parts: Vec<Vec<NodeId>>,
}

impl Regions {
    /// Cuts what `result` is made of. A node is in the part of those that read it, where that is one part of its own backend; else others need it, and it is the
    /// last of a part. So a part has one result, no node is in two, and no two parts wait for each other.
    pub(super) fn new(graph: &Graph, result: NodeId, assignment: &Assignment) -> Regions {
        let order = graph.block_order(&[result]);
        let mut lasts: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        // What the parts that read a node have in common: the last node of the only one, or nothing.
        let mut readers: BTreeMap<NodeId, Option<NodeId>> = BTreeMap::new();
        for &id in order.iter().rev() {
            if is_leaf(graph, id) && id != result {
                continue;
            }
            let last = match readers.get(&id) {
                Some(&Some(last)) if assignment.get(&last) == assignment.get(&id) => last,
                _ => id,
            };
            lasts.insert(id, last);
            if graph.op(id) == Op::Core(Core::Lambda) {
                continue;
            }
            for &arg in graph.args(id) {
                if graph.op(arg) == Op::Core(Core::Source) && assignment.contains_key(&id) {
                    // Only the engine reads sources: what another reads of one is a part of its own.
                    lasts.insert(arg, arg);
                }
                readers.entry(arg).and_modify(|known| *known = known.filter(|&known| known == last)).or_insert(Some(last));
            }
        }
        let mut parts: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for &id in &order {
            if let Some(&last) = lasts.get(&id) {
                parts.entry(last).or_default().push(id);
            }
        }
        Regions { parts: order.iter().filter_map(|last| parts.remove(last)).collect() }
    }
}
