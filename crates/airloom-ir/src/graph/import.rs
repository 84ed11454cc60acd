//! Nodes of one graph in another.

use super::{Args, Graph, NodeId, TypeError};
use crate::attrs::Attr;
use crate::ops::Make;
use std::collections::BTreeMap;

impl Graph {
    /// Makes what `roots` of another graph are made of here too: equal programs come to equal ids, wherever they were built.
    pub fn import(&mut self, other: &Graph, roots: &[NodeId]) -> Result<Vec<NodeId>, TypeError> {
        let mut types = BTreeMap::new();
        let mut nodes: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for id in other.post_order(roots) {
            let node = other.node(id);
            let attrs = node.attrs().iter().map(|attr| match attr {
                Attr::Ty(ty) => Attr::Ty(self.types_mut().import(other.types(), *ty, &mut types)),
                Attr::Tys(tys) => Attr::Tys(tys.iter().map(|&ty| self.types_mut().import(other.types(), ty, &mut types)).collect()),
                other => other.clone(),
            });
            let attrs = attrs.collect();
            let args: Args = node.args().iter().map(|a| nodes[a]).collect();
            let made = self.make(node.op(), attrs, &args)?;
            nodes.insert(id, made);
        }
        Ok(roots.iter().map(|root| nodes[root]).collect())
    }
}
