//! The functions that a plan refers to, by number.

use crate::value::{Apply, Interpret};
use airloom_ir::graph::{Graph, NodeId, TypeError};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::{Make, Op};
use std::collections::BTreeMap;

/// Functions in the order in which they are first referred to.
pub(crate) struct Functions {
    pub(crate) graph: Graph,
    pub(crate) list: Vec<NodeId>,
    numbers: BTreeMap<NodeId, usize>,
}

impl Functions {
    pub(crate) fn new(graph: &Graph) -> Functions {
        Functions { graph: graph.clone(), list: Vec::new(), numbers: BTreeMap::new() }
    }

    /// The number of a function.
    pub(crate) fn number(&mut self, function: NodeId) -> usize {
        *self.numbers.entry(function).or_insert_with(|| {
            self.list.push(function);
            self.list.len() - 1
        })
    }

    /// The number of a function of one op: that of a node, with a parameter for each argument that is no body.
    pub(crate) fn op(&mut self, node: NodeId) -> Result<usize, TypeError> {
        let graph = &self.graph;
        let bodies: Vec<NodeId> = bodies_of(graph, node);
        let (op, attrs, args) = (graph.op(node), graph.node(node).attrs().iter().cloned().collect(), graph.args(node).to_vec());
        let types: Vec<_> = args.iter().filter(|arg| !bodies.contains(arg)).map(|&arg| graph.ty_id(arg)).collect();
        let params = self.graph.params(&types)?;
        let mut params = params.into_iter();
        let args: Vec<NodeId> =
            args.iter().map(|&arg| if bodies.contains(&arg) { arg } else { params.next().expect("as many as types") }).collect();
        let made = self.graph.make(op, attrs, &args)?;
        let function = self.graph.lambda(made, types.into())?;
        Ok(self.number(function))
    }
}

fn bodies_of(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    graph.op(node).def().parts(graph.args(node)).map_or_else(Vec::new, |parts| parts.bodies.to_vec())
}

/// The node that a function of one op applies, where it is one.
pub(crate) fn op_of(graph: &Graph, function: NodeId) -> Result<NodeId, String> {
    if graph.op(function) != Op::Core(Core::Lambda) {
        return Err("expected a function".into());
    }
    let node = graph.result_of(function);
    let bodies = bodies_of(graph, node);
    for (number, &arg) in graph.args(node).iter().filter(|arg| !bodies.contains(arg)).enumerate() {
        if graph.as_param(arg).is_none_or(|param| usize::try_from(param.number) != Ok(number)) {
            return Err(format!("expected a function of one op, found more than `{}`", graph.op(node).name()));
        }
    }
    Ok(node)
}

impl Apply {
    pub(crate) fn number(&self, functions: &mut Functions) -> Result<usize, TypeError> {
        functions.op(self.node)
    }
}

impl Interpret {
    pub(crate) fn number(&self, functions: &mut Functions) -> Result<usize, TypeError> {
        functions.op(self.node)
    }
}
