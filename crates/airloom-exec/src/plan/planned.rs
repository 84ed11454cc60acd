//! A relation on its way to a plan.

use crate::adapter::{Operator, OperatorExec};
use crate::explain::Watch;
use crate::operators::{Rows, Step};
use crate::plan::Shared;
use airloom_ir::graph::NodeId;
use arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::sync::Arc;

/// A plan, steps over its rows that have not become a node yet, and which fields of the relation its columns are.
#[derive(Clone)]
pub struct Planned {
    base: Arc<dyn ExecutionPlan>,
    steps: Vec<Arc<Step>>,
    schema: SchemaRef,
    /// For each column, the place of the field it is.
    pub columns: Vec<usize>,
    /// How many nodes stand above one another.
    pub depth: usize,
    /// The nodes of the program that the steps compute, and how many rows are expected after them; for who watches.
    computes: (Vec<NodeId>, Option<u64>),
}

impl Planned {
    /// A plan whose columns are these fields.
    pub fn new(plan: Arc<dyn ExecutionPlan>, columns: Vec<usize>, depth: usize) -> Planned {
        Planned { schema: plan.schema(), base: plan, steps: Vec::new(), columns, depth, computes: (Vec::new(), None) }
    }

    /// The columns of its rows.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// With one more step, after which its columns are these fields.
    pub fn with_step(mut self, step: Step, schema: SchemaRef, columns: Vec<usize>) -> Planned {
        self.steps.push(Arc::new(step));
        Planned { schema, columns, ..self }
    }

    /// The place of each of so many fields among the columns.
    pub fn places(&self, fields: usize) -> Vec<Option<usize>> {
        let mut places = vec![None; fields];
        self.columns.iter().enumerate().for_each(|(at, &field)| places[field] = Some(at));
        places
    }

    /// Whether it is a plan without steps over it.
    pub fn is_sealed(&self) -> bool {
        self.steps.is_empty()
    }

    /// The plan, with its steps as a node.
    pub fn seal(self, shared: &Arc<Shared>) -> Arc<dyn ExecutionPlan> {
        if self.steps.is_empty() {
            return self.base;
        }
        let partitions = self.base.output_partitioning().partition_count();
        let rows = Rows {
            graph: shared.graph.clone(),
            cancel: shared.context.cancel.clone(),
            steps: self.steps.into(),
            schema: self.schema.clone(),
        };
        let plan = OperatorExec::plan(rows, vec![self.base], self.schema, partitions);
        if let Some(watch) = &shared.watch {
            watch.computes(&plan, &self.computes.0, self.computes.1);
        }
        plan
    }

    /// Tells who watches that it is a relation of the program.
    pub(super) fn computes(&mut self, watch: &Watch, node: NodeId, estimate: Option<u64>) {
        match self.steps.is_empty() {
            true => watch.computes(&self.base, &[node], estimate),
            false => {
                self.computes.0.push(node);
                self.computes.1 = estimate;
            }
        }
    }

    /// An operator over it, with as many partitions, whose columns are these fields.
    pub fn under(self, shared: &Arc<Shared>, operator: impl Operator, schema: SchemaRef, columns: Vec<usize>) -> Planned {
        let depth = self.depth + 1;
        let input = self.seal(shared);
        let partitions = input.output_partitioning().partition_count();
        Planned::new(OperatorExec::plan(operator, vec![input], schema, partitions), columns, depth)
    }
}

/// The schema of some columns of another, in this order.
pub(super) fn schema_part(schema: &SchemaRef, places: &[usize]) -> SchemaRef {
    Arc::new(Schema::new(places.iter().map(|&at| schema.field(at).clone()).collect::<Vec<Field>>()))
}
