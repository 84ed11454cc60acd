//! Grouping: each partition makes groups of its own rows; then they are merged, in the order of the partitions, so that groups are in the order of their first
//! rows.

mod resident;
mod spilled;

use super::BoundBody;
use crate::adapter::{Operator, Stream};
use crate::exchange::Materialized;
use crate::options::ExecOptions;
use crate::schedule::Once;
use airloom_compute::body::BoundProgram;
use airloom_compute::data::{Cancel, Failure, Selection, Vector, record_batch};
use airloom_compute::reduce::ReductionSpec;
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::Graph;
use airloom_ir::types::{TyId, Types};
use airloom_plan::value::KeyFacts;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use resident::Groups;
use std::sync::Arc;

/// What is made of each batch: its keys, and the values of each reduction.
pub struct GroupInputs {
    /// The program, for its types.
    pub graph: Arc<Graph>,
    /// What may stop it.
    pub cancel: Cancel,
    /// How it runs.
    pub options: Arc<ExecOptions>,
    /// Makes the key columns.
    pub keys: BoundBody,
    /// Their types.
    pub key_types: Vec<TyId>,
    /// What is known of their values.
    pub known: KeyFacts,
    /// Makes the values of the reductions.
    pub values: AggregateInputs,
    /// The reductions, each of one of the values.
    pub reductions: Vec<(ReductionSpec, usize)>,
}

/// The columns that reductions read, computed from those of a batch.
pub struct AggregateInputs {
    /// One after the other; each may read those before it.
    pub steps: Vec<InputColumn>,
}

/// One of them.
pub enum InputColumn {
    /// A column of the batch.
    Column(usize),
    /// A body over columns made before.
    Map {
        /// The body.
        program: BoundProgram,
        /// Which columns it reads.
        inputs: Vec<usize>,
        /// What it captures.
        captures: Vec<Vector>,
    },
}

impl AggregateInputs {
    fn run(&self, batch: &RecordBatch) -> Result<Vec<Vector>, Failure> {
        let mut made: Vec<Vector> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let vector = match step {
                InputColumn::Column(at) => Vector::Flat(batch.column(*at).clone()),
                InputColumn::Map { program, inputs, captures } => {
                    let given: Vec<Vector> = inputs.iter().map(|&at| made[at].clone()).chain(captures.iter().cloned()).collect();
                    program.run(&given, &Selection::All(batch.num_rows()))?
                }
            };
            made.push(vector);
        }
        Ok(made)
    }
}

/// The grouping of one input.
pub struct Group {
    /// What it groups by and reduces.
    pub inputs: Arc<GroupInputs>,
    /// Makes the columns of the result from the reductions, over groups.
    pub finish: Finish,
    /// The rows it makes.
    pub schema: SchemaRef,
    /// How many partitions it makes.
    pub partitions: usize,
    /// Whether the order of groups is observed.
    pub ordered: bool,
    /// What it has made.
    pub result: Once<Materialized>,
}

impl Operator for Group {
    fn name(&self) -> &'static str {
        "Group"
    }

    fn describe(&self) -> String {
        if self.inputs.known.dense { "looked up by value".into() } else { String::new() }
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (spec, input, context) = (self.inputs.clone(), inputs[0].clone(), context.clone());
        let (finish, schema, ordered) = (self.finish.clone(), self.schema.clone(), self.ordered);
        let made = self.result.get(move || async move {
            let partials = resident::partials(&spec, &input, &context).await?;
            if partials.iter().all(|partial| partial.spilled.is_none()) {
                let groups = resident::put_together(&spec, partials).map_err(to_datafusion)?;
                return finished(spec.graph.types(), groups, &finish, &schema).map(Materialized::rows).map_err(to_datafusion);
            }
            let parts = spilled::Parts { spec, finish, schema, context, partials: partials.into() };
            Ok(Materialized::spilled(parts.rows(ordered).await?))
        });
        Ok(Materialized::partition(made, self.schema.clone(), partition, self.partitions, self.inputs.options.morsel_rows))
    }
}

/// From the keys, the reductions and the number of groups to the columns of the result.
pub(super) type Finish = Arc<dyn Fn(&[ArrayRef], Vec<ArrayRef>, usize) -> Result<Vec<ArrayRef>, Failure> + Send + Sync>;

fn finished(types: &Types, mut groups: Groups, finish: &Finish, schema: &SchemaRef) -> Result<RecordBatch, Failure> {
    let count = groups.table.len();
    let keys = groups.table.keys(types);
    let reduced = groups.states.iter_mut().map(|state| state.finish(count)).collect::<Result<Vec<_>, _>>()?;
    Ok(record_batch(schema, finish(&keys, reduced, count)?, count))
}
