//! Parts written as functions of what they read.

use super::placed::Input;
use super::regions::{Assignment, Regions};
use airloom_ir::graph::{NodeId, TypeError};
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::TyId;
use std::collections::BTreeMap;

/// A part as a function.
pub(super) struct Written {
    /// The number of the backend that takes it; none where the engine does.
    pub(super) taker: Option<usize>,
    pub(super) function: NodeId,
    pub(super) inputs: Vec<Input>,
}

impl Written {
    /// The parts that it reads.
    pub(super) fn read(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().filter_map(|input| if let Input::Part(number) = *input { Some(number) } else { None })
    }
}

/// Writes every part of a function, in order.
pub(super) fn write(module: &mut Module, function: NodeId, cut: &Regions, assignment: &Assignment) -> Result<Vec<Written>, TypeError> {
    let mut numbers: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut written = Vec::with_capacity(cut.parts.len());
    for (number, nodes) in cut.parts.iter().enumerate() {
        let last = *nodes.last().expect("a part has a node");
        let taker = assignment.get(&last).copied();
        let mut part = Writing { module, function, numbers: &numbers, taker, inputs: Vec::new(), params: Vec::new(), names: Vec::new() };
        let function = part.part(nodes)?;
        written.push(Written { taker, function, inputs: part.inputs });
        numbers.insert(last, number);
    }
    Ok(written)
}

/// A part while it is written.
struct Writing<'a> {
    module: &'a mut Module,
    /// The function of which it is a part.
    function: NodeId,
    /// The numbers of the parts before it, by their last nodes.
    numbers: &'a BTreeMap<NodeId, usize>,
    taker: Option<usize>,
    inputs: Vec<Input>,
    params: Vec<TyId>,
    names: Vec<Name>,
}

impl Writing<'_> {
    fn part(&mut self, nodes: &[NodeId]) -> Result<NodeId, TypeError> {
        let mut done: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for &id in nodes {
            let made = match self.module.graph.op(id) {
                Op::Core(Core::Const | Core::Placeholder | Core::Lambda | Core::Token | Core::Source | Core::Param) => self.read(id)?,
                op => {
                    let node = self.module.graph.node(id);
                    let (attrs, args) = (node.attrs().into(), node.args().to_vec());
                    let args = args.iter().map(|arg| done.get(arg).copied().map_or_else(|| self.read(*arg), Ok));
                    let args = args.collect::<Result<Vec<NodeId>, TypeError>>()?;
                    self.module.graph.make(op, attrs, &args)?
                }
            };
            self.module.locations.inherit(id, made);
            self.module.hints.inherit(id, made);
            done.insert(id, made);
        }
        let last = nodes.last().expect("a part has a node");
        let lambda = self.module.graph.lambda(done[last], self.params.as_slice().into())?;
        self.module.hints.name_params(lambda, std::mem::take(&mut self.names));
        Ok(lambda)
    }

    /// What replaces a node of another part, or for a leaf.
    fn read(&mut self, id: NodeId) -> Result<NodeId, TypeError> {
        let graph = &self.module.graph;
        let (input, name) = match graph.op(id) {
            Op::Core(Core::Const | Core::Placeholder | Core::Lambda) => return Ok(id),
            Op::Core(Core::Token | Core::Source) if self.taker.is_none() => return Ok(id),
            Op::Core(Core::Param) => {
                let number = graph.as_param(id).expect("it is one").number as usize;
                let name = self.module.hints.param(self.function, number).cloned();
                (Input::Argument(number), name.unwrap_or_else(|| Name::new(&format!("argument_{}", number + 1))))
            }
            _ => {
                let number = self.numbers[&id];
                (Input::Part(number), Name::new(&format!("part_{}", number + 1)))
            }
        };
        let ty = graph.ty_id(id);
        let place = self.inputs.iter().position(|known| *known == input).unwrap_or_else(|| {
            self.inputs.push(input);
            self.params.push(ty);
            self.names.push(name);
            self.inputs.len() - 1
        });
        self.module.graph.param(place as i64, ty)
    }
}
