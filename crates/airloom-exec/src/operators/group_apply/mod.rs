//! Operators that look at all rows of a key at once: over all rows in memory where they fit, in parts by the hash of their keys where there are many; else spill
//! partition by spill partition.

mod gathered;
mod parts;
mod pieces;
mod spilled;

use super::BoundBody;
use super::compact::compact;
use crate::adapter::{Operator, OperatorExec, Stream};
use crate::exchange::Materialized;
use crate::options::ExecOptions;
use crate::schedule::Once;
use airloom_compute::data::{Cancel, Failure};
use airloom_compute::keys::{GroupTable, grouped};
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::Graph;
use airloom_ir::types::TyId;
use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use gathered::Gathered;
use spilled::Spilled;
use std::sync::Arc;

/// What is made of rows on `n` threads, given their groups by the keys and the number of each row's. All rows that have one of these keys are among them.
type Make = dyn Fn(&RecordBatch, &GroupTable, &[u32], usize) -> Result<RecordBatch, Failure> + Send + Sync;

/// For what there is a row in what is made, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emit {
    /// For each row.
    Row,
    /// For each key, at the position of its first row.
    Key,
}

/// Where rows may stay where they are, since what is made of a key goes from row to row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stay {
    /// Nowhere: rows of a key must be brought together.
    Nowhere,
    /// Where one thread goes over all of them.
    InPlace,
    /// There, and where several threads have some of them each.
    InPieces,
}

/// What is done with the rows of each key.
pub struct GroupApply {
    /// Its name in plans.
    pub name: &'static str,
    /// Makes the key columns.
    pub keys: BoundBody,
    /// Their types.
    pub key_types: Vec<TyId>,
    /// For what there is a row.
    pub emit: Emit,
    /// Whether rows may stay where they are.
    pub stay: Stay,
    /// What is made of rows.
    pub make: Box<Make>,
}

/// The same in a plan.
struct InPlan {
    keyed: GroupApply,
    graph: Arc<Graph>,
    cancel: Cancel,
    options: Arc<ExecOptions>,
    schema: SchemaRef,
    ordered: bool,
}

struct GroupApplyOperator {
    plan: Arc<InPlan>,
    result: Once<Materialized>,
}

impl GroupApply {
    /// The plan that does it with the rows of another, and emits rows of a schema in as many partitions as there are threads: in order where the order is
    /// observed.
    pub fn over(
        self,
        graph: &Arc<Graph>,
        cancel: &Cancel,
        options: &Arc<ExecOptions>,
        input: Arc<dyn ExecutionPlan>,
        schema: SchemaRef,
        ordered: bool,
    ) -> Arc<dyn ExecutionPlan> {
        let (graph, cancel, threads, options) = (graph.clone(), cancel.clone(), options.threads, options.clone());
        let plan = Arc::new(InPlan { keyed: self, graph, cancel, options, schema: schema.clone(), ordered });
        OperatorExec::plan(GroupApplyOperator { plan, result: Once::default() }, vec![input], schema, threads)
    }
}

impl InPlan {
    fn keys(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>, Failure> {
        let (types, vectors) = (self.graph.types(), self.keyed.keys.run(rows)?);
        Ok(vectors.iter().zip(&self.keyed.key_types).map(|(vector, &ty)| vector.to_array(types, ty, rows.num_rows())).collect())
    }

    /// What one thread makes of rows, and the number of each one's group.
    fn make(&self, rows: &RecordBatch) -> Result<(RecordBatch, Vec<u32>), Failure> {
        let (table, groups) =
            grouped(self.graph.types(), self.options.hashing(), &self.keyed.key_types, &self.keys(rows)?, rows.num_rows());
        Ok(((self.keyed.make)(rows, &table, &groups, 1)?, groups))
    }
}

/// The first row of each group.
fn first_rows(groups: &[u32]) -> UInt32Array {
    let mut next = 0;
    let is_first = |&(_, &group): &(usize, &u32)| {
        let first = group == next;
        next += u32::from(first);
        first
    };
    groups.iter().enumerate().filter(is_first).map(|(row, _)| row as u32).collect::<Vec<_>>().into()
}

impl Operator for GroupApplyOperator {
    fn name(&self) -> &'static str {
        self.plan.keyed.name
    }

    fn describe(&self) -> String {
        format!("keys={}", self.plan.keyed.key_types.len())
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (plan, input, context) = (self.plan.clone(), inputs[0].clone(), context.clone());
        let made = self.result.get(move || async move {
            match gathered::gather(&plan, &input, &context).await? {
                Gathered::Memory(rows, reservation) => {
                    let few = if pieces::may_pay(&plan, &rows) { pieces::numbered(&plan, &rows).map_err(to_datafusion)? } else { None };
                    let made = match few {
                        Some((table, groups)) => {
                            vec![pieces::made(&plan, &input.schema(), &rows, &table, &groups).map_err(to_datafusion)?]
                        }
                        None if parts::pay(&plan, &rows) => parts::rows(plan, input.schema(), rows).await?,
                        None => {
                            let rows = compact(concat_batches(&input.schema(), &rows)?);
                            vec![plan.make(&rows).map_err(to_datafusion)?.0]
                        }
                    };
                    Materialized::in_memory(made, reservation)
                }
                Gathered::Disk(files) => {
                    let spilled = Spilled { plan, schema: input.schema(), files: files.into(), context };
                    Ok(Materialized::spilled(spilled.rows().await?))
                }
            }
        });
        let options = &self.plan.options;
        Ok(Materialized::partition(made, self.plan.schema.clone(), partition, options.threads, options.morsel_rows))
    }
}
