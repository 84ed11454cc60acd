//! Aggregate bodies split: what is computed for each row, what is reduced, and what is computed for each group.

use super::interpretable::{interpretable, params};
use super::reads::fields_of;
use airloom_ir::attrs::Attr;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::{Ty, TyId};
use std::collections::BTreeMap;

/// An aggregate body whose reductions are brought up to date batch by batch.
pub struct Aggregates {
    /// What the reductions read.
    pub inputs: Vec<AggregateInput>,
    /// The reductions. What is made of them for each group is the body's result, computed from their nodes and what the body captures.
    pub reductions: Vec<Reduction>,
}

/// A column that reductions read.
pub enum AggregateInput {
    /// A field of the input.
    Field(usize),
    /// A body over inputs before this one.
    Map {
        /// The body.
        body: NodeId,
        /// What its first parameters are.
        inputs: Vec<usize>,
        /// What it captures: nodes of the aggregate body that depend on what that captures, and on nothing of the group.
        captures: Vec<NodeId>,
    },
}

/// One reduction.
pub struct Reduction {
    /// Its node.
    pub node: NodeId,
    /// Which one it is.
    pub op: Reduce,
    /// The number of the input that it reduces.
    pub input: usize,
    /// The type of its elements.
    pub element: TyId,
}

/// An aggregate body split, or `None` where it does more with the columns of a group than reduce what is mapped over them.
pub fn split_aggregates(graph: &Graph, function: NodeId) -> Option<Aggregates> {
    let split = inputs_and_reductions(graph, function)?;
    let captured = params(graph, function);
    let mut outside =
        split.inputs.iter().flat_map(|input| if let AggregateInput::Map { captures, .. } = input { captures.as_slice() } else { &[] });
    let known = outside.all(|&id| interpretable(graph, &captured[1..], &[id]));
    let given: Vec<NodeId> = split.reductions.iter().map(|reduction| reduction.node).chain(captured.into_iter().skip(1)).collect();
    (known && interpretable(graph, &given, &[graph.result_of(function)])).then_some(split)
}

fn inputs_and_reductions(graph: &Graph, function: NodeId) -> Option<Aggregates> {
    let mut split = Aggregates { inputs: Vec::new(), reductions: Vec::new() };
    let mut numbers: BTreeMap<NodeId, usize> = BTreeMap::new();
    for id in graph.block_order(&[graph.result_of(function)]) {
        match graph.op(id) {
            Op::Core(Core::Lambda | Core::Param) => (),
            Op::Core(Core::Get) if is_group(graph, graph.args(id)[0]) => {
                let field = fields_of(graph, graph.args(id)[0]).position(&graph.as_get(id)?.field)?;
                numbers.insert(id, split.inputs.len());
                split.inputs.push(AggregateInput::Field(field));
            }
            Op::Array(Array::Map) => {
                let map = graph.as_arr_map(id)?;
                let inputs: Option<Vec<usize>> = graph.args(map.arrays).iter().map(|a| numbers.get(a).copied()).collect();
                if map.captures.iter().any(|&c| !is_outside(graph, c)) {
                    return None;
                }
                numbers.insert(id, split.inputs.len());
                split.inputs.push(AggregateInput::Map { body: map.element, inputs: inputs?, captures: map.captures.to_vec() });
            }
            Op::Core(Core::Tuple) if graph.args(id).iter().all(|a| numbers.contains_key(a)) && !graph.args(id).is_empty() => (),
            Op::Reduce(op) => {
                let args = graph.args(id);
                let input = *numbers.get(&args[0])?;
                let Ty::Arr(element, _) = graph.ty(args[0]) else { return None };
                if args[1..].iter().any(|&a| graph.const_value(a).is_none()) || matches!(graph.ty(id), Ty::Arr(..)) {
                    return None;
                }
                split.reductions.push(Reduction { node: id, op, input, element: *element });
            }
            _ if !graph.types().is_value(graph.ty_id(id)) && !matches!(graph.ty(id), Ty::Tuple(_)) => return None,
            _ => (),
        }
    }
    Some(split)
}

/// Whether a node is the parameter that holds a group's columns.
fn is_group(graph: &Graph, id: NodeId) -> bool {
    graph.as_param(id).is_some_and(|p| p.number == 0)
}

/// Whether a node of an aggregate body depends on nothing of the group: only on what the body captures.
fn is_outside(graph: &Graph, id: NodeId) -> bool {
    let mut outside = true;
    graph.visit_open(id, |node| outside &= !is_group(graph, node) && !matches!(graph.op(node), Op::Reduce(_)));
    outside && graph.types().is_value(graph.ty_id(id))
}

impl Aggregates {
    /// The fields of the input that are read.
    pub fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().filter_map(|input| if let AggregateInput::Field(at) = input { Some(*at) } else { None })
    }
}

impl Reduction {
    /// Whether the result is the same, to the bit, whatever the order in which rows are taken in.
    pub fn ignores_order(&self, graph: &Graph) -> bool {
        let (plain, reassoc) = (graph.types().plain(self.element), reassoc(self.op, graph.node(self.node).attrs()));
        match self.op {
            Reduce::Count | Reduce::CountDistinct | Reduce::Min | Reduce::Max | Reduce::Any | Reduce::All => true,
            Reduce::Sum => reassoc || !matches!(plain, Ty::F32 | Ty::F64),
            Reduce::Mean => reassoc || matches!(plain, Ty::Decimal { .. }),
            Reduce::Var | Reduce::Std => reassoc,
            _ => false,
        }
    }
}

/// Whether the attributes of a reduction allow floats to be added in another order than that of the rows.
pub fn reassoc(op: Reduce, attrs: &[Attr]) -> bool {
    let given = match op {
        Reduce::Sum | Reduce::Var | Reduce::Std => attrs.get(3),
        Reduce::Mean => attrs.get(2),
        _ => None,
    };
    matches!(given, Some(Attr::Bool(true)))
}
