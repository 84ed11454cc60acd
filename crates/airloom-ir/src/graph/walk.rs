//! Walks over a graph, all without recursion: programs made by loops are deep.

use super::{Graph, NodeId};
use crate::ops::Op;
use crate::ops::core::Core;

impl Graph {
    /// For each node, whether it or anything below it, bodies included, is a source.
    pub fn reads_sources(&self) -> Vec<bool> {
        let mut reads = Vec::with_capacity(self.len());
        for id in self.ids() {
            reads.push(self.op(id) == Op::Core(Core::Source) || self.args(id).iter().any(|arg| reads[arg.index()]));
        }
        reads
    }

    /// Everything `roots` are made of, bodies included, children before parents, each node once; in the order of a left-to-right walk.
    pub fn post_order(&self, roots: &[NodeId]) -> Vec<NodeId> {
        self.ordered(roots, |_| true)
    }

    /// As [`Graph::post_order`], without going into functions: the nodes that are computed together.
    pub fn block_order(&self, roots: &[NodeId]) -> Vec<NodeId> {
        self.ordered(roots, |id| self.op(id) != Op::Core(Core::Lambda))
    }

    /// As [`Graph::block_order`], without what is given, and what only that reads.
    pub fn block_order_above(&self, given: &[NodeId], roots: &[NodeId]) -> Vec<NodeId> {
        let mut seen = Seen::new(self);
        given.iter().for_each(|&id| {
            seen.insert(id);
        });
        self.ordered_after(seen, roots, |id| self.op(id) != Op::Core(Core::Lambda))
    }

    fn ordered(&self, roots: &[NodeId], enter: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        self.ordered_after(Seen::new(self), roots, enter)
    }

    fn ordered_after(&self, mut seen: Seen, roots: &[NodeId], enter: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut stack: Vec<(NodeId, usize)> = Vec::new();
        for &root in roots {
            if seen.insert(root) {
                stack.push((root, 0));
            }
            while let Some((id, next)) = stack.last_mut() {
                let args = if enter(*id) { self.args(*id) } else { &[] };
                match args.get(*next) {
                    Some(&arg) => {
                        *next += 1;
                        if seen.insert(arg) {
                            stack.push((arg, 0));
                        }
                    }
                    None => {
                        order.push(*id);
                        stack.pop();
                    }
                }
            }
        }
        order
    }

    /// Calls `visit` once for each node at or below `root` that mentions a parameter of the body it is in.
    pub fn visit_open(&self, root: NodeId, mut visit: impl FnMut(NodeId)) {
        let mut seen = Seen::new(self);
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !self.node(id).is_open() || !seen.insert(id) {
                continue;
            }
            visit(id);
            stack.extend(self.args(id).iter().rev());
        }
    }
}

/// Graphs of more nodes than this have sets that are hashed: in smaller ones a bit for each node is made faster than it is thought about.
const BITS: usize = 1 << 14;

/// A set of nodes.
pub(crate) enum Seen {
    /// A bit for each node of the graph.
    Bits(Vec<u64>),
    /// Hashed.
    Table(hashbrown::HashTable<NodeId>),
}

impl Seen {
    /// No node of a graph.
    pub(crate) fn new(graph: &Graph) -> Seen {
        if graph.len() <= BITS { Seen::Bits(vec![0; graph.len().div_ceil(64)]) } else { Seen::Table(hashbrown::HashTable::new()) }
    }

    /// Puts a node in; false where it was in already.
    #[inline]
    pub(crate) fn insert(&mut self, id: NodeId) -> bool {
        match self {
            Seen::Bits(bits) => {
                let (word, bit) = (&mut bits[id.index() / 64], 1u64 << (id.index() % 64));
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            Seen::Table(table) => match table.entry(crate::hash::hash_of(&id), |&other| other == id, crate::hash::hash_of) {
                hashbrown::hash_table::Entry::Occupied(_) => false,
                hashbrown::hash_table::Entry::Vacant(place) => {
                    place.insert(id);
                    true
                }
            },
        }
    }
}
