//! What a plan is: blocks of steps over slots, nodes that read one another, and what is known of each.

mod block;
mod body;
mod ids;
mod kind;
mod node;
mod position;

pub use block::{Apply, Block, Slot, SlotSource, Step, StepKind};
pub use body::{Body, KeyFacts};
pub use ids::{BlockId, FilterId, PlanId, SlotId};
pub use kind::{
    Aggregate, Argument, Asof, FilterUse, HashBuild, HashProbe, Interpret, Kind, PartitionKeys, Phase, Pivot, Published, Query, Scan,
    Window,
};
pub use node::{Column, Node, Order, Partitioning, Properties};
pub use position::Position;

use airloom_ir::graph::Graph;
use airloom_ir::module::Location;
use airloom_ir::value::Value;
use std::sync::Arc;

/// A physical plan. Everything in it refers backwards: a node reads earlier nodes, a step earlier steps.
#[derive(Clone)]
pub struct Plan {
    /// The graph that holds the bodies: closed functions.
    pub graph: Arc<Graph>,
    /// The functions of the program that run as steps. The first is the program itself.
    pub blocks: Vec<Block>,
    /// The nodes of all blocks, inputs before readers.
    pub nodes: Arc<[Node]>,
    /// How many dynamic filters joins publish.
    pub filters: u32,
    /// For each node the lines of the user's program that it computes, as far as they are attached.
    pub lines: Vec<Vec<Location>>,
}

impl Plan {
    /// A node.
    pub fn node(&self, id: PlanId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// Every node with its id, inputs before readers.
    pub fn ids(&self) -> impl Iterator<Item = PlanId> + use<> {
        (0..self.nodes.len()).map(PlanId::new)
    }

    /// The plan with these values for its placeholders; `graph` is its own graph, bound to them as well.
    pub fn bind(&self, graph: Arc<Graph>, values: &[Value]) -> Plan {
        let mut bound = Plan { graph, ..self.clone() };
        for slot in bound.blocks.iter_mut().flat_map(|block| &mut block.slots) {
            if let SlotSource::Placeholder(number) = slot.source {
                slot.source = SlotSource::Literal(values[number].clone());
            }
        }
        bound
    }

    /// The plan with the values that its placeholders stood for when they were taken out of the program.
    pub fn bind_expected(&self) -> Plan {
        self.bind(Arc::new(self.graph.bind_expected()), self.graph.expected())
    }

    /// How many nodes and steps read each node.
    pub fn readers(&self) -> Vec<usize> {
        let mut readers = vec![0; self.nodes.len()];
        let steps = self.blocks.iter().flat_map(|block| &block.steps);
        let roots = steps.filter_map(|step| if let StepKind::Relation(root) = step.kind { Some(root) } else { None });
        let inputs = self.nodes.iter().flat_map(|node| node.inputs.iter().copied());
        roots.chain(inputs).for_each(|id| readers[id.index()] += 1);
        readers
    }
}
