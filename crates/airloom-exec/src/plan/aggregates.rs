//! Aggregate bodies taken apart: what is computed for each row, what is reduced, and what is computed for each group.

use super::reads::fields_at;
use crate::operators::{ValueStep, ValueSteps};
use crate::plan::Shared;
use airloom_compute::body::{LaneProgram, params};
use airloom_compute::data::{Failure, Lane};
use airloom_compute::reduce::ReductionSpec;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array as ArrayOp;
use airloom_ir::ops::core::Core;
use airloom_ir::types::Ty;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An aggregate body whose reductions can be brought up to date batch by batch.
pub(super) struct Aggregates {
    /// What the reductions read.
    pub(super) values: Vec<Value>,
    /// Each reduction, and which of the values it reduces.
    pub(super) reductions: Vec<(ReductionSpec, usize)>,
    /// The reductions' nodes, which the last part reads.
    pub(super) nodes: Vec<NodeId>,
}

/// A column that reductions read.
pub(super) enum Value {
    /// A field of the input.
    Field(usize),
    /// A body over values before it.
    Map { body: NodeId, inputs: Vec<usize>, captures: Vec<NodeId> },
}

/// The parts of an aggregate body, or `None` where it does more with the arrays of a group than reduce what is mapped over them.
pub(super) fn take_apart(shared: &Arc<Shared>, lambda: NodeId) -> Option<Aggregates> {
    let parts = arrays_and_reductions(shared, lambda)?;
    let captured = params(&shared.graph, lambda);
    let mut outside = parts.values.iter().flat_map(|value| if let Value::Map { captures, .. } = value { captures.as_slice() } else { &[] });
    let known = outside.all(|&id| LaneProgram::compile(&shared.graph, &shared.context, &captured[1..], &[id]).is_some());
    (known && last_part(shared, lambda, &parts.nodes).is_some()).then_some(parts)
}

/// The program that makes the row of a group from its reductions: they are given first, then what the body captures.
pub(super) fn last_part(shared: &Arc<Shared>, lambda: NodeId, nodes: &[NodeId]) -> Option<LaneProgram> {
    let given: Vec<NodeId> = nodes.iter().copied().chain(params(&shared.graph, lambda).into_iter().skip(1)).collect();
    LaneProgram::compile(&shared.graph, &shared.context, &given, &[shared.graph.result_of(lambda)])
}

fn arrays_and_reductions(shared: &Shared, lambda: NodeId) -> Option<Aggregates> {
    let graph = &shared.graph;
    let mut parts = Aggregates { values: Vec::new(), reductions: Vec::new(), nodes: Vec::new() };
    let mut places: BTreeMap<NodeId, usize> = BTreeMap::new();
    let order = graph.block_order(&[graph.result_of(lambda)]);
    for id in order {
        let ty = graph.ty(id);
        match graph.op(id) {
            Op::Core(Core::Lambda | Core::Param) => (),
            Op::Core(Core::Get) if is_group(shared, graph.args(id)[0]) => {
                let field = fields_at(graph, graph.args(id)[0]).position(&graph.as_get(id)?.field)?;
                places.insert(id, parts.values.len());
                parts.values.push(Value::Field(field));
            }
            Op::Array(ArrayOp::Map) => {
                let map = graph.as_arr_map(id)?;
                let arrays = graph.args(map.arrays);
                let inputs: Option<Vec<usize>> = arrays.iter().map(|a| places.get(a).copied()).collect();
                if map.captures.iter().any(|&c| !is_outside(shared, c)) {
                    return None;
                }
                places.insert(id, parts.values.len());
                parts.values.push(Value::Map { body: map.element, inputs: inputs?, captures: map.captures.to_vec() });
            }
            Op::Core(Core::Tuple) if graph.args(id).iter().all(|a| places.contains_key(a)) && !graph.args(id).is_empty() => (),
            Op::Reduce(op) => {
                let args = graph.args(id);
                let at = *places.get(&args[0])?;
                let Ty::Arr(element, _) = graph.ty(args[0]) else { return None };
                let rest: Option<Vec<_>> = args[1..].iter().map(|&a| graph.const_value(a).cloned()).collect();
                let spec = ReductionSpec {
                    node: id,
                    op,
                    attrs: graph.node(id).attrs().to_vec(),
                    element: *element,
                    ty: graph.ty_id(id),
                    rest: rest?,
                    arg_types: args.iter().map(|&a| graph.ty_id(a)).collect(),
                };
                if matches!(ty, Ty::Arr(..)) {
                    return None;
                }
                parts.reductions.push((spec, at));
                parts.nodes.push(id);
            }
            _ if !graph.types().is_value(graph.ty_id(id)) && !matches!(ty, Ty::Tuple(_)) => return None,
            _ => (),
        }
    }
    Some(parts)
}

/// Whether a node is the parameter that holds a group's columns.
fn is_group(shared: &Shared, id: NodeId) -> bool {
    shared.graph.as_param(id).is_some_and(|p| p.number == 0)
}

/// Whether a node of an aggregate body depends on nothing of the group: only on what the body captures.
fn is_outside(shared: &Shared, id: NodeId) -> bool {
    let graph = &shared.graph;
    let mut outside = true;
    graph.visit_open(id, |node| outside &= !is_group(shared, node) && !matches!(graph.op(node), Op::Reduce(_)));
    outside && graph.types().is_value(graph.ty_id(id))
}

impl Aggregates {
    /// The fields of the input that it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.values.iter().filter_map(|v| if let Value::Field(at) = v { Some(*at) } else { None })
    }

    /// The steps that compute the values from the columns of a batch.
    pub(super) fn steps(
        &self,
        shared: &Arc<Shared>,
        lambda: NodeId,
        places: &[Option<usize>],
        captures: &[Lane],
    ) -> Result<ValueSteps, Failure> {
        let step = |value: &Value| {
            Ok(match value {
                Value::Field(at) => ValueStep::Column(places[*at].expect("invariant `what a body reads is there`")),
                Value::Map { body, inputs, captures: own } => ValueStep::Map {
                    program: LaneProgram::of_function(&shared.graph, &shared.context, *body),
                    inputs: inputs.clone(),
                    captures: own.iter().map(|&id| outside(shared, lambda, id, captures)).collect::<Result<_, Failure>>()?,
                },
            })
        };
        Ok(ValueSteps { steps: self.values.iter().map(step).collect::<Result<_, Failure>>()? })
    }
}

/// The value of a node that depends only on what the body captures.
fn outside(shared: &Arc<Shared>, lambda: NodeId, id: NodeId, captures: &[Lane]) -> Result<Lane, Failure> {
    let graph = &shared.graph;
    let given = params(&shared.graph, lambda);
    let program = LaneProgram::compile(&shared.graph, &shared.context, &given[1..], &[id])
        .expect("invariant `a body is taken apart where its parts can be computed`");
    let value = program.run(captures, 1)?;
    Ok(Lane::One(value.value(graph.types(), graph.ty_id(id), 0)))
}
