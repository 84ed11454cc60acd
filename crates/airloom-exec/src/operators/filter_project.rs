//! Rows one by one: filters and projections, as many as follow one another, in one pass over each batch.

use super::{Conjunction, DynamicFilterProbe};
use crate::adapter::{Operator, Stream, execute_selected, rows_of, stream_of};
use airloom_compute::body::{BoundProgram, vector_part};
use airloom_compute::data::{Cancel, Failure, Selected, Selection, Vector, record_batch};
use airloom_io::failure::to_datafusion;
use airloom_io::metrics::SelectedStream;
use airloom_ir::graph::Graph;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use futures::StreamExt;
use std::sync::Arc;

/// Filters and projections in a row.
pub struct FilterProject {
    /// The program, for its types.
    pub graph: Arc<Graph>,
    /// What may stop them.
    pub cancel: Cancel,
    /// One after the other.
    pub steps: Arc<[Arc<FilterStep>]>,
    /// The rows they make.
    pub schema: SchemaRef,
}

/// One of them.
pub enum FilterStep {
    /// Keeps the rows for which the body is true.
    Filter(BoundBody),
    /// Keeps the rows for which all conditions hold.
    Conjunction(Conjunction),
    /// Drops the rows whose keys are on no build side of joins further on.
    DynamicFilter(DynamicFilterProbe),
    /// Makes a column of each root.
    Project {
        /// One root for each column.
        body: BoundBody,
        /// The types of the columns.
        types: Vec<TyId>,
        /// The columns.
        schema: SchemaRef,
    },
}

/// A body of rows: where each field of its row parameter is found in the batch, what it captures, and what it makes.
pub struct BoundBody {
    /// The body: its row, then its captures. `None` where every output is a column.
    pub program: Option<BoundProgram>,
    /// For each field of the row, its position among the columns; `None` for those it does not read.
    pub fields: Vec<Option<usize>>,
    /// What it captures.
    pub captures: Vec<Vector>,
    /// What it makes.
    pub outputs: Vec<Output>,
}

/// One thing that a body makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A root of the program.
    Root(usize),
    /// A part of a root.
    Part(usize, usize),
    /// A column of the batch.
    Column(usize),
}

impl BoundBody {
    /// The row parameter over a batch.
    fn row(&self, batch: &RecordBatch) -> Vector {
        let part = |at: &Option<usize>| at.map_or(Vector::Constant(Value::Null), |at| Vector::Flat(batch.column(at).clone()));
        Vector::Row(self.fields.iter().map(part).collect())
    }

    /// Everything it makes of the rows of a batch.
    pub fn run(&self, batch: &RecordBatch) -> Result<Vec<Vector>, Failure> {
        self.run_selected(batch, &Selection::All(batch.num_rows()))
    }

    /// Everything it makes of the selected rows of a batch.
    pub fn run_selected(&self, batch: &RecordBatch, rows: &Selection) -> Result<Vec<Vector>, Failure> {
        let roots = match &self.program {
            None => Vec::new(),
            Some(program) => {
                let given: Vec<Vector> = std::iter::once(self.row(batch)).chain(self.captures.iter().cloned()).collect();
                program.run_all(&given, rows)?
            }
        };
        let output = |output: &Output| match *output {
            Output::Root(at) => roots[at].clone(),
            Output::Part(at, part) => vector_part(&roots[at], part),
            Output::Column(at) => Vector::Flat(rows.array(batch.column(at))),
        };
        Ok(self.outputs.iter().map(output).collect())
    }
}

impl FilterStep {
    fn apply(&self, graph_types: &Types, input: Selected) -> Result<Selected, Failure> {
        match self {
            FilterStep::Filter(body) => {
                let Selected { batch, rows } = input;
                let kept = match body.run_selected(&batch, &rows)?.pop().expect("a filter has one root") {
                    Vector::Constant(Value::Bool(true)) => rows,
                    Vector::Constant(_) => Selection::none(batch.num_rows()),
                    Vector::Flat(mask) => rows.narrow(mask.as_boolean()),
                    Vector::Row(_) => panic!("invariant `values have their node's type`: a predicate is a boolean"),
                };
                Ok(Selected { batch, rows: kept })
            }
            FilterStep::Conjunction(conditions) => {
                let rows = conditions.select(&input)?;
                Ok(Selected { batch: input.batch, rows })
            }
            FilterStep::DynamicFilter(probe) => {
                let rows = probe.select(&input);
                Ok(Selected { batch: input.batch, rows })
            }
            FilterStep::Project { body: BoundBody { program: None, outputs, .. }, schema, .. } => {
                // Columns that are only chosen stay as they are.
                let column = |output: &Output| match *output {
                    Output::Column(at) => input.batch.column(at).clone(),
                    Output::Root(_) | Output::Part(..) => panic!("invariant `roots are of a program`"),
                };
                let columns = outputs.iter().map(column).collect();
                Ok(Selected { batch: record_batch(schema, columns, input.batch.num_rows()), rows: input.rows })
            }
            FilterStep::Project { body, types, schema } => {
                let (rows, vectors) = (input.rows.len(), body.run_selected(&input.batch, &input.rows)?);
                let columns: Vec<ArrayRef> =
                    vectors.iter().zip(types).map(|(vector, &ty)| vector.to_array(graph_types, ty, rows)).collect();
                Ok(Selected { batch: record_batch(schema, columns, rows), rows: Selection::All(rows) })
            }
        }
    }
}

impl Operator for FilterProject {
    fn name(&self) -> &'static str {
        "FilterProject"
    }

    fn describe(&self) -> String {
        // What filters and projections do, the program says.
        let probe = |step: &Arc<FilterStep>| if let FilterStep::DynamicFilter(probe) = &**step { Some(probe.describe()) } else { None };
        self.steps.iter().filter_map(probe).collect::<Vec<_>>().join("; ")
    }

    fn rows(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>]) -> Option<usize> {
        let keeps = self.steps.iter().all(|step| matches!(**step, FilterStep::Project { .. }));
        if keeps { rows_of(&inputs[0], partition) } else { None }
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let rows = self.run_selected(partition, inputs, context)?.map(|selected| Ok(selected?.compact()));
        Ok(stream_of(self.schema.clone(), rows))
    }

    fn run_selected(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<SelectedStream> {
        let input = execute_selected(&inputs[0], partition, context)?;
        let (graph, cancel, steps) = (self.graph.clone(), self.cancel.clone(), self.steps.clone());
        let made = input.map(move |batch| {
            let mut left = batch?;
            cancel.check().map_err(to_datafusion)?;
            for step in steps.iter() {
                left = step.apply(graph.types(), left).map_err(to_datafusion)?;
                if left.rows.is_empty() {
                    break;
                }
            }
            Ok(left)
        });
        // A batch that a filter emptied never reached the last step: it may have other columns, and is of no use.
        Ok(made.filter(|left| futures::future::ready(left.as_ref().map_or(true, |left| !left.rows.is_empty()))).boxed())
    }
}
