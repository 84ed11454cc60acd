//! A graph without its garbage.

use super::{Args, Graph, NodeId};
use std::collections::BTreeMap;

/// A copy that holds only what some roots need.
pub struct Compacted {
    /// The copy: its ids are dense again.
    pub graph: Graph,
    /// Where each copied node went.
    pub moved: BTreeMap<NodeId, NodeId>,
}

impl Graph {
    /// What `roots` are made of, copied: rewriting leaves dead nodes behind, and this is how they go. Types stay as they are, ids and all.
    pub fn compact(&self, roots: &[NodeId]) -> Compacted {
        let mut graph = Graph { types: self.types.clone(), holes: self.holes, expected: self.expected.clone(), ..Graph::default() };
        let mut moved = BTreeMap::new();
        for id in self.post_order(roots) {
            let mut node = self.node(id).clone();
            node.args = node.args.iter().map(|a| moved[a]).collect::<Args>();
            let hash = node.key_hash();
            let new = NodeId::new(graph.nodes.len());
            graph.nodes.push(node);
            let nodes = &graph.nodes;
            graph.table.insert_unique(hash, new, |&id| nodes[id.index()].key_hash());
            moved.insert(id, new);
        }
        Compacted { graph, moved }
    }
}
