//! What all runs of a plan share.

use airloom_compute::body::{Compiler, Programs};
use airloom_ir::graph::NodeId;
use airloom_plan::value::{BlockId, Kind, Plan, StepKind};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A plan with the programs of its bodies, which are compiled when they are first run.
pub struct Executable {
    plan: Plan,
    programs: Programs,
    /// The blocks of bodies.
    blocks: OnceLock<BTreeMap<NodeId, BlockId>>,
}

impl Executable {
    /// Of a plan whose bodies a compiler is asked to compile.
    pub fn new(plan: Plan, compiler: Option<Arc<dyn Compiler>>) -> Executable {
        Executable { programs: Programs::new(&plan.graph, compiler), plan, blocks: OnceLock::new() }
    }

    /// The programs of its bodies.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// The block of a body that is run on its own.
    pub(super) fn block_of(&self, body: NodeId) -> Option<BlockId> {
        self.blocks.get_or_init(|| blocks(&self.plan)).get(&body).copied()
    }
}

impl Deref for Executable {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

/// The blocks of all bodies of a plan.
fn blocks(plan: &Plan) -> BTreeMap<NodeId, BlockId> {
    let graph = &plan.graph;
    let mut found = BTreeMap::new();
    for step in plan.blocks.iter().flat_map(|block| &block.steps) {
        match &step.kind {
            StepKind::Apply(apply) if !apply.blocks.is_empty() => {
                let parts = graph.op(apply.node).def().parts(graph.args(apply.node)).expect("a node has the arguments its op takes");
                found.extend(parts.bodies.iter().copied().zip(apply.blocks.iter().copied()));
            }
            StepKind::Function { function, block } => {
                found.insert(*function, *block);
            }
            _ => (),
        }
    }
    for node in plan.nodes.iter() {
        match &node.kind {
            Kind::Window(window) => found.insert(window.columns.function, window.block),
            Kind::Pivot(pivot) => found.insert(pivot.aggregate.function, pivot.block),
            Kind::GroupApply { aggregates, block, .. } => found.insert(aggregates.function, *block),
            _ => None,
        };
    }
    found
}
