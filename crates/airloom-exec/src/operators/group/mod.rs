//! Grouping in two phases. First each partition takes its rows: into groups of its own where these are few, otherwise to the parts that their keys belong to
//! ([`partial`]). Then the groups of each part are made of what all partitions left, in the order of the partitions ([`parts`]), and put into the order of their
//! first rows where that is observed ([`super::rank`]).

mod columns;
mod folded;
mod groups;
mod part_of;
mod partial;
mod parts;
mod sample;
mod scatter;
mod spilled;

use super::{BoundBody, rank};
use crate::adapter::{Operator, Stream};
use crate::exchange::Materialized;
use crate::memory::SPILL_PARTITIONS;
use crate::options::ExecOptions;
use crate::schedule::{Once, claimed};
use airloom_compute::body::BoundProgram;
use airloom_compute::data::{Cancel, Failure, Selection, Vector, gather, record_batch};
use airloom_compute::reduce::ReductionSpec;
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::Graph;
use airloom_ir::types::TyId;
use airloom_plan::value::KeyFacts;
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
pub use folded::{FoldGiven, GroupFold};
use groups::Reduced;
use partial::Partial;
use parts::{Part, Parts};
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
    /// Computes and adds up the values of all reductions at once, where there is code for that.
    pub fold: Option<GroupFold>,
    /// How many rows there are expected to be, where something is known of the data.
    pub rows: Option<f64>,
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
            let left = partial::partials(&spec, &input, &context).await?;
            if merges_serially(&spec, &left.partials)
                && left.partials.iter().all(|partial| partial.blocks.is_none() && partial.spilled.is_none())
            {
                let groups =
                    parts::put_together(&spec, left.partials).and_then(|groups| groups.reduced(spec.graph.types(), spec.options.threads));
                let rows = groups.and_then(|groups| finished(groups, &finish, &schema)).map_err(to_datafusion)?;
                return Ok(Materialized::rows(rows));
            }
            let (threads, morsel) = (spec.options.threads, spec.options.morsel_rows);
            let parts = Arc::new(Parts::new(spec, left));
            if parts.is_spilled() {
                let spilled = spilled::Spilled { parts, finish, schema, context, threads, morsel };
                return Ok(Materialized::spilled(if ordered { spilled.rows_in_order().await? } else { spilled.rows() }));
            }
            let rows =
                if ordered { in_order(parts, finish, schema, threads).await? } else { in_parts(parts, finish, schema, threads).await? };
            Ok(Materialized::batches(rows))
        });
        Ok(Materialized::partition(made, self.schema.clone(), partition, self.partitions, self.inputs.options.morsel_rows))
    }
}

/// From how many threads on the groups of partitions are merged part by part, which moves all of them once more.
const MERGING_THREADS: usize = 4;

/// Whether the groups of all partitions are merged one partition after the other.
fn merges_serially(spec: &GroupInputs, partials: &[Partial]) -> bool {
    let groups: usize = partials.iter().map(|partial| partial.groups.table.len()).sum();
    let by_group = spec.reductions.iter().all(|(reduction, _)| reduction.merges_by_group(spec.graph.types()));
    let parallel = spec.options.threads >= MERGING_THREADS && groups > spec.options.parts_rows && by_group;
    spec.key_types.is_empty() || partials.len() == 1 || !parallel
}

/// The groups of each part as they are.
async fn in_parts(parts: Arc<Parts>, finish: Finish, schema: SchemaRef, threads: usize) -> Result<Vec<RecordBatch>> {
    let part = move |part| {
        let (parts, finish, schema) = (parts.clone(), finish.clone(), schema.clone());
        async move { finished(parts.part(part).await?.reduced, &finish, &schema).map_err(to_datafusion) }
    };
    claimed(threads, SPILL_PARTITIONS, part).await
}

/// The groups of all parts, in the order of their first rows.
async fn in_order(parts: Arc<Parts>, finish: Finish, schema: SchemaRef, threads: usize) -> Result<Vec<RecordBatch>> {
    let part = move |part| {
        let parts = parts.clone();
        async move { parts.part(part).await }
    };
    let made: Arc<[Part]> = claimed(threads, SPILL_PARTITIONS, part).await?.into();
    let firsts: Vec<&[u64]> = made.iter().map(|part| part.firsts.as_slice()).collect();
    if let Some(order) = rank::one_after_the_other(&firsts) {
        let count = order.len();
        let part = move |at: usize| {
            let (groups, finish, schema) = (made[order[at]].reduced.clone(), finish.clone(), schema.clone());
            async move { finished(groups, &finish, &schema).map_err(to_datafusion) }
        };
        return claimed(threads, count, part).await;
    }
    let ranges = rank::ranges(&firsts, threads);
    let count = ranges.len();
    let range = move |at: usize| {
        let (made, finish, schema, range) = (made.clone(), finish.clone(), schema.clone(), ranges[at].clone());
        async move {
            let firsts: Vec<&[u64]> = made.iter().map(|part| part.firsts.as_slice()).collect();
            let order = rank::in_range(&firsts, range);
            let (keys, values) = (&made[0].reduced.keys, &made[0].reduced.values);
            let column = |of: &dyn Fn(&Reduced) -> &ArrayRef| {
                let columns: Vec<&dyn Array> = made.iter().map(|part| of(&part.reduced).as_ref()).collect();
                gather(&columns, &order)
            };
            let keys = (0..keys.len()).map(|at| column(&|part| &part.keys[at])).collect();
            let values = (0..values.len()).map(|at| column(&|part| &part.values[at])).collect();
            finished(Reduced { keys, values, count: order.len() }, &finish, &schema).map_err(to_datafusion)
        }
    };
    claimed(threads, count, range).await
}

/// From the keys, the reductions and the number of groups to the columns of the result.
pub(super) type Finish = Arc<dyn Fn(&[ArrayRef], Vec<ArrayRef>, usize) -> Result<Vec<ArrayRef>, Failure> + Send + Sync>;

fn finished(groups: Reduced, finish: &Finish, schema: &SchemaRef) -> Result<RecordBatch, Failure> {
    Ok(record_batch(schema, finish(&groups.keys, groups.values, groups.count)?, groups.count))
}
