//! Groups and their reductions.

use super::{Builder, Built};
use crate::adapter::OperatorExec;
use crate::operators::{AggregateInputs, FoldGiven, Group, GroupFold, GroupInputs, InputColumn};
use crate::schedule::Once;
use airloom_compute::body::{FoldInput, FoldSpec, vector_part};
use airloom_compute::data::{Failure, Selection, Vector};
use airloom_compute::reduce::{Fold, ReductionSpec};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::{Ty, TyId};
use airloom_plan::bodies::{AggregateInput, Aggregates, Reduction, fields_of, params, split_aggregates};
use airloom_plan::value::{self, Aggregate, Body, Node, Order, Phase, PlanId};
use arrow::array::ArrayRef;
use std::sync::Arc;

impl Builder<'_> {
    /// Grouping. A partial phase is built with the final one: its rows are those of its input here.
    pub(super) fn aggregate(&mut self, id: PlanId, node: &Node, aggregate: &Aggregate) -> Result<Built, Failure> {
        let input = match aggregate.phase {
            Phase::Partial => return Ok(self.input_of(node).clone()),
            Phase::Single => node.inputs[0],
            Phase::Final => {
                let exchange = self.plan.node(node.inputs[0]);
                self.plan.node(exchange.inputs[0]).inputs[0]
            }
        };
        let graph = self.plan.graph.clone();
        let columns = &self.plan.node(input).columns;
        let function = aggregate.aggregates.function;
        let split = split_aggregates(&graph, function).expect("invariant `aggregates are reductions`");
        let captures = self.captures(&aggregate.aggregates);
        let values = self.value_steps(&split, &aggregate.aggregates, &captures, columns)?;
        let reductions: Vec<NodeId> = split.reductions.iter().map(|reduction| reduction.node).collect();
        let given: Vec<NodeId> = reductions.into_iter().chain(params(&graph, function).into_iter().skip(1)).collect();
        let finish = self.bound(self.plan.programs().of_nodes(&given, &[graph.result_of(function)]));
        let fold = self.fold(&split, function, &values);
        let (keys, key_types) = self.row_body(&aggregate.keys, columns);
        let known = aggregate.known.clone();
        let reductions = split.reductions.iter().map(|reduction| (spec(&graph, reduction), reduction.input)).collect();
        let (cancel, options) = (self.context.cancel.clone(), self.options.clone());
        let rows = self.plan.node(input).properties.rows;
        let inputs = GroupInputs { graph: graph.clone(), cancel, options, keys, key_types, known, values, reductions, fold, rows };
        // The keys' fields, then the row that is made of the reductions.
        let reduced_types: Vec<TyId> = fields_of(&graph, graph.result_of(function)).iter().map(|field| field.ty).collect();
        let finish = move |keys: &[ArrayRef], reduced: Vec<ArrayRef>, count: usize| {
            let given: Vec<Vector> = reduced.into_iter().map(Vector::Flat).chain(captures.iter().cloned()).collect();
            let row = finish.run(&given, &Selection::All(count))?;
            let types = graph.types();
            let made = reduced_types.iter().enumerate().map(|(at, &ty)| vector_part(&row, at).to_array(types, ty, count));
            Ok(keys.iter().cloned().chain(made).collect())
        };
        let schema = self.schema(&node.columns);
        let (below, partitions) = (self.sealed(input), self.options.threads);
        let operator = Group {
            inputs: Arc::new(inputs),
            finish: Arc::new(finish),
            schema: schema.clone(),
            partitions,
            ordered: node.properties.order != Order::Free,
            result: Once::default(),
        };
        Ok(self.operator(id, OperatorExec::plan(operator, vec![below], schema, partitions)))
    }

    /// The steps that compute what reductions read from the columns of a batch.
    fn value_steps(
        &self,
        split: &Aggregates,
        body: &Body,
        captures: &[Vector],
        columns: &[value::Column],
    ) -> Result<AggregateInputs, Failure> {
        let positions = self.positions(body.function, 0, columns);
        let step = |input: &AggregateInput| {
            Ok(match input {
                AggregateInput::Field(at) => InputColumn::Column(positions[*at].expect("invariant `what a body reads is there`")),
                AggregateInput::Map { body: map, inputs, captures: own } => InputColumn::Map {
                    program: self.bound(self.plan.programs().of_function(*map)),
                    inputs: inputs.clone(),
                    captures: own.iter().map(|&id| self.outside(body.function, id, captures)).collect::<Result<_, Failure>>()?,
                },
            })
        };
        Ok(AggregateInputs { steps: split.inputs.iter().map(step).collect::<Result<_, Failure>>()? })
    }

    /// Code that computes and adds up what all reductions read, where there is some.
    fn fold(&self, split: &Aggregates, function: NodeId, values: &AggregateInputs) -> Option<GroupFold> {
        let graph = &self.plan.graph;
        let kernel = self.plan.programs().of_aggregates(function, || fold_spec(graph, function, split))?;
        let given = values.steps.iter().flat_map(|step| match step {
            InputColumn::Column(at) => vec![FoldGiven::Column(*at)],
            InputColumn::Map { captures, .. } => captures.iter().cloned().map(FoldGiven::Captured).collect(),
        });
        Some(GroupFold { kernel, context: self.context.clone(), given: given.collect() })
    }

    /// The value of a node of an aggregate body that depends only on what the body captures.
    fn outside(&self, function: NodeId, id: NodeId, captures: &[Vector]) -> Result<Vector, Failure> {
        let graph = &self.plan.graph;
        let program = self.bound(self.plan.programs().of_nodes(&params(graph, function)[1..], &[id]));
        let value = program.run(captures, &Selection::All(1))?;
        Ok(Vector::Constant(value.value(graph.types(), graph.ty_id(id), 0)))
    }
}

/// What a reduction of an aggregate body is.
fn spec(graph: &Graph, reduction: &Reduction) -> ReductionSpec {
    let constant = |&arg: &NodeId| graph.const_value(arg).expect("invariant `a reduction's level is constant`").clone();
    let rest = graph.args(reduction.node)[1..].iter().map(constant).collect();
    ReductionSpec::of_node(graph, reduction.node, reduction.element, rest).expect("invariant `aggregates are reductions`")
}

/// What is folded for the reductions of an aggregate body, or why they are not.
pub(super) fn fold_spec(graph: &Graph, function: NodeId, split: &Aggregates) -> Result<FoldSpec, String> {
    let fold = |reduction: &Reduction| Ok((spec(graph, reduction).fold(graph.types())?, reduction.input));
    let folds = split.reductions.iter().map(fold).collect::<Result<Vec<(Fold, usize)>, String>>()?;
    let input = |input: &AggregateInput| match input {
        AggregateInput::Field(at) => FoldInput::Column(element_of(graph, function, *at)),
        AggregateInput::Map { body, inputs, .. } => FoldInput::Map { function: *body, inputs: inputs.clone() },
    };
    Ok(FoldSpec { inputs: split.inputs.iter().map(input).collect(), folds })
}

/// The type of the elements of a column of a group.
fn element_of(graph: &Graph, function: NodeId, at: usize) -> TyId {
    let types = graph.types();
    let Ty::Struct(fields) = types.get(graph.params_of(function)[0]) else {
        panic!("invariant `aggregates read columns`: a group is a struct")
    };
    match types.get(fields.get(at).expect("invariant `what a body reads is there`").ty) {
        Ty::Arr(element, _) => *element,
        other => panic!("invariant `aggregates read columns`: found {other:?}"),
    }
}
