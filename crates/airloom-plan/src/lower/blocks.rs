//! Functions as blocks: values and arrays are steps, relations become nodes where their rows are needed.

use super::Catalog;
use super::relation::lower_relation;
use crate::value::{Apply, Block, BlockId, Node, PlanId, Slot, SlotId, SlotSource, Step, StepKind};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation;
use airloom_ir::types::Ty;
use airloom_opt::facts::Facts;
use std::collections::{BTreeMap, BTreeSet};

/// What is shared by all blocks while they are lowered.
pub(super) struct Lowering<'a> {
    pub(super) graph: &'a Graph,
    pub(super) facts: &'a mut Facts,
    pub(super) catalog: &'a dyn Catalog,
    pub(super) nodes: Vec<Node>,
    pub(super) filters: u32,
    /// The functions that run as blocks, in the order of their ids.
    functions: Vec<NodeId>,
    ids: BTreeMap<NodeId, BlockId>,
    blocks: Vec<Block>,
    /// For each node, whether it or anything below it, bodies included, is a source.
    reads_sources: Vec<bool>,
    /// Relations that bodies of others capture: they are computed first.
    captured: BTreeSet<NodeId>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(graph: &'a Graph, facts: &'a mut Facts, catalog: &'a dyn Catalog) -> Lowering<'a> {
        Lowering {
            graph,
            facts,
            catalog,
            nodes: Vec::new(),
            filters: 0,
            functions: Vec::new(),
            ids: BTreeMap::new(),
            blocks: Vec::new(),
            reads_sources: graph.reads_sources(),
            captured: captured(graph),
        }
    }

    /// The block of a function; it is lowered before the plan is finished.
    pub(super) fn block_id(&mut self, function: NodeId) -> BlockId {
        if let Some(&id) = self.ids.get(&function) {
            return id;
        }
        let id = BlockId::new(self.functions.len());
        self.functions.push(function);
        self.ids.insert(function, id);
        id
    }

    /// All blocks and nodes.
    pub(super) fn finish(mut self) -> (Vec<Block>, Vec<Node>, u32) {
        while let Some(&function) = self.functions.get(self.blocks.len()) {
            let block = BlockBuilder::lower(&mut self, function);
            self.blocks.push(block);
        }
        (self.blocks, self.nodes, self.filters)
    }
}

/// A block while it is lowered.
pub(super) struct BlockBuilder<'l, 'a> {
    pub(super) lowering: &'l mut Lowering<'a>,
    slots: Vec<Slot>,
    steps: Vec<Step>,
    /// The nodes whose values are in slots.
    known: BTreeMap<NodeId, SlotId>,
    /// The sources that bodies read and that have been provided.
    provided: BTreeSet<NodeId>,
}

impl<'l, 'a> BlockBuilder<'l, 'a> {
    fn lower(lowering: &'l mut Lowering<'a>, function: NodeId) -> Block {
        let graph = lowering.graph;
        let params = graph.params_of(function).iter().enumerate();
        let slots = params.map(|(number, &ty)| Slot { ty, source: SlotSource::Argument(number) }).collect();
        let mut block = BlockBuilder { lowering, slots, steps: Vec::new(), known: BTreeMap::new(), provided: BTreeSet::new() };
        let result = graph.result_of(function);
        for id in graph.block_order(&[result]) {
            block.provide_for(id);
            if is_planned(graph, id) {
                if block.lowering.captured.contains(&id) {
                    block.slot(id);
                }
            } else if graph.op(id) != Op::Core(Core::Lambda) {
                block.value(id);
            }
        }
        let result = block.slot(result);
        Block { slots: block.slots, steps: block.steps, result }
    }

    /// The slot of a node where its value is known by now.
    pub(super) fn known(&self, id: NodeId) -> Option<SlotId> {
        self.known.get(&id).copied()
    }

    /// The slot of a node. A relation is lowered and computed here, where something needs its rows as a whole.
    pub(super) fn slot(&mut self, id: NodeId) -> SlotId {
        if let Some(slot) = self.known(id) {
            return slot;
        }
        let graph = self.lowering.graph;
        if is_planned(graph, id) {
            let root = lower_relation(self, id);
            return self.relation(id, root);
        }
        if graph.op(id) == Op::Core(Core::Lambda) {
            let block = self.lowering.block_id(id);
            return self.step(id, StepKind::Function { function: id, block });
        }
        self.value(id)
    }

    pub(super) fn slots(&mut self, ids: &[NodeId]) -> Vec<SlotId> {
        ids.iter().map(|&id| self.slot(id)).collect()
    }

    /// A step that computes all rows of a plan node, which are those of a relation.
    pub(super) fn relation(&mut self, id: NodeId, root: PlanId) -> SlotId {
        self.step(id, StepKind::Relation(root))
    }

    /// A step that computes some columns of a relation, which is not to be taken for the whole of it.
    pub(super) fn part(&mut self, id: NodeId, root: PlanId) -> SlotId {
        let slot = SlotId::new(self.slots.len());
        self.slots.push(Slot { ty: self.lowering.graph.ty_id(id), source: SlotSource::Step });
        self.steps.push(Step { slot, kind: StepKind::Relation(root), origin: Some(id) });
        slot
    }

    fn step(&mut self, id: NodeId, kind: StepKind) -> SlotId {
        let slot = self.new_slot(id, SlotSource::Step);
        self.steps.push(Step { slot, kind, origin: Some(id) });
        slot
    }

    fn new_slot(&mut self, id: NodeId, source: SlotSource) -> SlotId {
        let slot = SlotId::new(self.slots.len());
        self.slots.push(Slot { ty: self.lowering.graph.ty_id(id), source });
        self.known.insert(id, slot);
        slot
    }

    /// A node that is no relation.
    fn value(&mut self, id: NodeId) -> SlotId {
        let graph = self.lowering.graph;
        let op = graph.op(id);
        if let Some(param) = graph.as_param(id) {
            let slot = SlotId::new(param.number as usize);
            self.known.insert(id, slot);
            return slot;
        }
        if let Some(value) = graph.const_value(id) {
            return self.new_slot(id, SlotSource::Literal(value.clone()));
        }
        if let Some(placeholder) = graph.as_placeholder(id) {
            return self.new_slot(id, SlotSource::Placeholder(placeholder.number as usize));
        }
        let parts = op.def().parts(graph.args(id)).expect("a node has the arguments its op takes");
        let kind = match op {
            Op::Core(Core::Source) => StepKind::Source(graph.as_source(id).expect("it is one").name),
            Op::Core(Core::Call) => {
                let arguments = self.slots(parts.tail);
                match graph.op(parts.fixed[0]) {
                    Op::Core(Core::Lambda) => StepKind::Call { block: self.lowering.block_id(parts.fixed[0]), arguments },
                    _ => StepKind::CallValue { function: self.slot(parts.fixed[0]), arguments },
                }
            }
            _ => {
                let arguments: Vec<SlotId> = parts.fixed.iter().chain(parts.tail).map(|&arg| self.slot(arg)).collect();
                let blocks = parts.bodies.iter().map(|&body| self.lowering.block_id(body)).collect();
                StepKind::Apply(Apply { node: id, arguments, blocks })
            }
        };
        self.step(id, kind)
    }

    /// Provides the sources that bodies of a node read: the interpreter computes such bodies, and sees plain values. Nothing is provided for bodies that run as
    /// blocks, which read what they need when they do.
    fn provide_for(&mut self, id: NodeId) {
        let graph = self.lowering.graph;
        if matches!(graph.op(id), Op::Core(Core::Call | Core::Lambda) | Op::Control(Control::If | Control::While | Control::For)) {
            return;
        }
        for &body in graph.args(id) {
            if graph.op(body) != Op::Core(Core::Lambda) || !self.lowering.reads_sources[body.index()] {
                continue;
            }
            for source in graph.post_order(&[body]) {
                let Some(view) = graph.as_source(source) else { continue };
                if !self.provided.insert(source) {
                    continue;
                }
                let rows = matches!(graph.ty(source), Ty::Rel(_)).then(|| super::scan::whole_source(self.lowering, source));
                let slot = SlotId::new(self.slots.len());
                self.slots.push(Slot { ty: graph.ty_id(source), source: SlotSource::Step });
                self.steps.push(Step { slot, kind: StepKind::Provide { name: view.name, rows }, origin: Some(source) });
            }
        }
    }
}

/// Whether a node becomes part of a plan rather than a value of its own.
pub(super) fn is_planned(graph: &Graph, id: NodeId) -> bool {
    match graph.op(id) {
        Op::Relation(op) => !matches!(op, Relation::Columns | Relation::Pack | Relation::Rows),
        Op::Core(Core::Source) => matches!(graph.ty(id), Ty::Rel(_)),
        _ => false,
    }
}

fn captured(graph: &Graph) -> BTreeSet<NodeId> {
    let mut captured = BTreeSet::new();
    for id in graph.ids().filter(|&id| matches!(graph.op(id), Op::Relation(_))) {
        let parts = graph.op(id).def().parts(graph.args(id)).expect("a node has the arguments its op takes");
        if !parts.bodies.is_empty() {
            captured.extend(parts.tail.iter().copied().filter(|&capture| is_planned(graph, capture)));
        }
    }
    captured
}
