//! From a graph to a plan: a pure function of the graph, what is known of its sources, and what they can do.

mod asof;
mod blocks;
mod build;
mod compared;
mod dynamic_filters;
mod group;
mod join;
mod key_facts;
mod needs;
mod ordered;
mod over_keys;
mod relation;
mod scan;
mod shared_scans;

use crate::value::{Plan, Query};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Locations;
use airloom_opt::facts::Facts;
use blocks::Lowering;
use std::sync::Arc;

/// What planning asks of sources besides their statistics. Its answers depend on nothing that running changes.
pub trait Catalog {
    /// The query by which a database computes a relation of its tables exactly as we would.
    fn query(&self, graph: &Graph, relation: NodeId) -> Option<Query>;
}

/// A catalog of sources that compute nothing themselves.
pub struct NoQueries;

impl Catalog for NoQueries {
    fn query(&self, _: &Graph, _: NodeId) -> Option<Query> {
        None
    }
}

/// The plan of a closed function.
pub fn lower(graph: &Arc<Graph>, function: NodeId, facts: &mut Facts, catalog: &dyn Catalog) -> Plan {
    let mut lowering = Lowering::new(graph, facts, catalog);
    lowering.block_id(function);
    let (blocks, nodes, filters) = lowering.finish();
    Plan { graph: graph.clone(), blocks, nodes: nodes.into(), filters, lines: Vec::new() }
}

impl Plan {
    /// The plan with the lines of the user's program that each node computes. Nodes that rules made have no line of their own: they have those of what reads them.
    pub fn with_lines(mut self, locations: &Locations) -> Plan {
        let nearest = locations.nearest(&self.graph);
        let lines = |&id: &NodeId| nearest[id.index()].map_or(&[][..], |located| locations.of(located)).to_vec();
        self.lines = self
            .nodes
            .iter()
            .map(|node| {
                let mut found: Vec<_> = node.origin.iter().flat_map(lines).collect();
                found.sort();
                found.dedup();
                found
            })
            .collect();
        self
    }
}
