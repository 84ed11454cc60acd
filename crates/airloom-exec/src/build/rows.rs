//! Filters, projections and rows that are in memory.

use super::{Builder, Built};
use crate::adapter::OperatorExec;
use crate::operators::{self, BoundBody, Explode, FilterStep, Output, Unpivot, Unpivoted, single_partition};
use airloom_compute::data::{Datum, Failure, Relation, record_batch};
use airloom_ir::attrs::EmptyList;
use airloom_ir::name::Name;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_plan::value::{Argument, Body, Interpret, Node, PlanId, SlotId};
use arrow::datatypes::Schema;
use datafusion_physical_plan::ExecutionPlanProperties;
use std::sync::Arc;

impl Builder<'_> {
    pub(super) fn input(&mut self, id: PlanId, node: &Node, slot: SlotId) -> Result<Built, Failure> {
        match self.datum(slot) {
            Datum::Table(relation) => {
                let rows = self.rows(&relation, node.columns.iter().map(|column| column.name.as_str()))?;
                Ok(self.operator(id, rows))
            }
            other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a relation, found {other:?}"))),
        }
    }

    /// Some columns of rows that are in memory.
    pub(super) fn rows<'n>(
        &self,
        relation: &Relation,
        names: impl ExactSizeIterator<Item = &'n str>,
    ) -> Result<Arc<dyn datafusion_physical_plan::ExecutionPlan>, Failure> {
        let options = self.options;
        let same = names.len() == relation.schema.fields().len();
        let positions: Vec<usize> = names
            .map(|name| relation.schema.index_of(name).map_err(|_| Failure::Bug(format!("invariant `rows have their columns`: `{name}`"))))
            .collect::<Result<_, _>>()?;
        if same && positions.iter().enumerate().all(|(at, &position)| at == position) {
            return Ok(operators::batches(&relation.schema, &relation.batches, options.threads, options.morsel_rows));
        }
        let batches: Vec<_> = relation.batches.iter().map(|batch| batch.project(&positions).expect("columns of the relation")).collect();
        let schema = Arc::new(relation.schema.project(&positions).expect("columns of the relation"));
        Ok(operators::batches(&schema, &batches, options.threads, options.morsel_rows))
    }

    pub(super) fn filter(&mut self, id: PlanId, node: &Node, body: &Body) -> Built {
        let input = self.input_of(node).clone();
        let columns = &self.plan.node(node.inputs[0]).columns;
        let step = self.filter_step(body, |roots| self.read_positions(body.function, roots, columns));
        let schema = input.schema.clone();
        input.with_step(id, step, schema)
    }

    pub(super) fn project(&mut self, id: PlanId, node: &Node, body: &Body) -> Built {
        let names: Vec<Name> = node.columns.iter().map(|column| column.name.clone()).collect();
        let body = self.row_body_for(body, &self.plan.node(node.inputs[0]).columns, &names);
        let (schema, types) = (self.schema(&node.columns), node.columns.iter().map(|column| column.ty).collect());
        self.input_of(node).clone().with_step(id, FilterStep::Project { body, types, schema: schema.clone() }, schema)
    }

    pub(super) fn select(&mut self, id: PlanId, node: &Node) -> Built {
        let input = self.input_of(node).clone();
        let names = node.columns.iter().map(|column| column.name.as_str());
        let positions: Vec<usize> = names.map(|name| input.schema.index_of(name).expect("invariant `what is wanted is there`")).collect();
        select(input, id, &positions)
    }

    pub(super) fn unnest(&mut self, id: PlanId, node: &Node, columns: &[Name], empty: EmptyList) -> Built {
        let below = self.sealed(node.inputs[0]);
        let schema = self.schema(&node.columns);
        let list = |name: &Name| {
            let at = below.schema().index_of(name).expect("invariant `what is read is there`");
            (at, name.as_str().to_string())
        };
        let lists = columns.iter().map(list).collect();
        let operator = Explode { cancel: self.context.cancel.clone(), node: self.origin(node), lists, empty, schema: schema.clone() };
        let partitions = below.output_partitioning().partition_count();
        self.operator(id, OperatorExec::plan(Arc::new(operator), vec![below], schema, partitions))
    }

    pub(super) fn unpivot(&mut self, id: PlanId, node: &Node, columns: &[Name], variable: &Name, value: &Name) -> Built {
        let input = self.sealed(node.inputs[0]);
        let schema = self.schema(&node.columns);
        let partitions = input.output_partitioning().partition_count();
        let below = input.schema();
        let there = |name: &str| below.index_of(name).expect("invariant `what is read is there`");
        let one = |name: &Name| {
            let column = |column: &airloom_plan::value::Column| match &column.name {
                own if own == variable => Unpivoted::Name,
                own if own == value => Unpivoted::Column(there(name)),
                own => Unpivoted::Column(there(own)),
            };
            let columns = node.columns.iter().map(column).collect();
            let operator = Unpivot { columns, name: name.as_str().to_string(), schema: schema.clone() };
            OperatorExec::plan(operator, vec![input.clone()], schema.clone(), partitions)
        };
        let rows = operators::concat(columns.iter().map(one).collect());
        self.operator(id, rows)
    }

    /// A relation computed by the oracle from its whole inputs.
    pub(super) fn interpret(&mut self, id: PlanId, node: &Node, interpret: &Interpret) -> Built {
        let graph = self.plan.graph.clone();
        let inputs: Vec<_> = node.inputs.iter().map(|&input| self.sealed(input)).collect();
        let relation = interpret.node;
        let types: Vec<TyId> = graph.args(relation).iter().map(|&arg| graph.ty_id(arg)).collect();
        let arguments = interpret.arguments.clone();
        let args: Vec<Value> =
            arguments.iter().map(|argument| if let Argument::Slot(slot) = argument { self.value(*slot) } else { Value::Null }).collect();
        let Ty::Rel(made) = graph.ty(relation) else { panic!("invariant `a relation makes rows`") };
        let wanted: Vec<usize> =
            node.columns.iter().map(|column| made.position(&column.name).expect("invariant `what is wanted is made`")).collect();
        let (schema, context) = (self.schema(&node.columns), self.context.clone());
        let made_schema = schema.clone();
        let operator = single_partition(self.options, "Oracle", inputs, schema, move |batches| {
            let types_of = graph.types();
            let mut args = args.clone();
            for (at, argument) in arguments.iter().enumerate() {
                if let Argument::Input(number) = argument {
                    let batch = &batches[*number];
                    let rows = Relation { schema: batch.schema(), batches: Arc::from([batch.clone()]) };
                    args[at] = rows.to_value(types_of, types[at]);
                }
            }
            let host = |name: &str, args: &[Value]| context.host.value(name, args);
            let Value::Rel(table) = context.oracle(&graph, &host).apply(relation, &args)? else {
                panic!("invariant `values have their node's type`: a relation")
            };
            let rows = Relation::from_value(types_of, graph.ty_id(relation), &table);
            let columns = wanted.iter().map(|&at| rows.batches[0].column(at).clone()).collect();
            Ok(record_batch(&made_schema, columns, rows.rows()))
        });
        self.operator(id, operator)
    }

    /// The node of the program that errors of an operator name.
    pub(super) fn origin(&self, node: &Node) -> Option<airloom_ir::graph::NodeId> {
        node.origin.last().copied()
    }
}

/// Only these columns, in this order.
pub(super) fn select(input: Built, id: PlanId, positions: &[usize]) -> Built {
    let fields = positions.iter().map(|&at| input.schema.field(at).clone()).collect::<Vec<_>>();
    let schema = Arc::new(Schema::new(fields));
    let outputs = positions.iter().map(|&at| Output::Column(at)).collect();
    let body = BoundBody { program: None, fields: Vec::new(), captures: Vec::new(), outputs };
    let step = FilterStep::Project { body, types: vec![TyId::BOOL; positions.len()], schema: schema.clone() };
    input.with_step(id, step, schema)
}
