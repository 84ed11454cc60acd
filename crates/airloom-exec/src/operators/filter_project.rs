//! Rows one by one: filters and projections, as many as follow one another, in one pass over each batch.

use super::DynamicFilterProbe;
use crate::adapter::{Operator, Stream, stream_of};
use airloom_compute::body::{Interpreter, vector_part};
use airloom_compute::data::{Cancel, Failure, Vector, record_batch};
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::Graph;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::{filter_record_batch, prep_null_mask_filter};
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
    pub program: Option<Interpreter>,
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
        let roots = match &self.program {
            None => Vec::new(),
            Some(program) => {
                let given: Vec<Vector> = std::iter::once(self.row(batch)).chain(self.captures.iter().cloned()).collect();
                program.run_all(&given, batch.num_rows())?
            }
        };
        let output = |output: &Output| match *output {
            Output::Root(at) => roots[at].clone(),
            Output::Part(at, part) => vector_part(&roots[at], part),
            Output::Column(at) => Vector::Flat(batch.column(at).clone()),
        };
        Ok(self.outputs.iter().map(output).collect())
    }
}

impl FilterStep {
    fn apply(&self, graph_types: &Types, batch: RecordBatch) -> Result<RecordBatch, Failure> {
        match self {
            FilterStep::Filter(body) => {
                let truth = body.run(&batch)?.pop().expect("a filter has one root");
                match truth {
                    Vector::Constant(Value::Bool(true)) => Ok(batch),
                    Vector::Constant(_) => Ok(batch.slice(0, 0)),
                    Vector::Flat(mask) => {
                        let mask = mask.as_boolean();
                        let mask = if mask.null_count() > 0 { prep_null_mask_filter(mask) } else { mask.clone() };
                        let count = mask.true_count();
                        if count == batch.num_rows() {
                            return Ok(batch);
                        }
                        Ok(filter_record_batch(&batch, &mask).expect("a mask as long as the batch"))
                    }
                    Vector::Row(_) => panic!("invariant `values have their node's type`: a predicate is a boolean"),
                }
            }
            FilterStep::DynamicFilter(probe) => Ok(probe.keep(batch)),
            FilterStep::Project { body, types, schema } => {
                let (rows, lanes) = (batch.num_rows(), body.run(&batch)?);
                let columns: Vec<ArrayRef> = lanes.iter().zip(types).map(|(lane, &ty)| lane.to_array(graph_types, ty, rows)).collect();
                Ok(record_batch(schema, columns, rows))
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

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let input = inputs[0].execute(partition, context.clone())?;
        let (graph, cancel, steps) = (self.graph.clone(), self.cancel.clone(), self.steps.clone());
        let made = input.map(move |batch| {
            let mut batch = batch?;
            cancel.check().map_err(to_datafusion)?;
            for step in steps.iter() {
                batch = step.apply(graph.types(), batch).map_err(to_datafusion)?;
                if batch.num_rows() == 0 {
                    break;
                }
            }
            Ok(batch)
        });
        // A batch that a filter emptied never reached the last step: it may have other columns, and is of no use.
        let full = made.filter(|batch| futures::future::ready(batch.as_ref().map_or(true, |b| b.num_rows() > 0)));
        Ok(stream_of(self.schema.clone(), full))
    }
}
