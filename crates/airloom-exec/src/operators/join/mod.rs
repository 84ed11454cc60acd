//! Hash join by equal keys: the build side is collected into a hash table, and the probe side looks its rows up in it. Rows of the probe side keep their order,
//! and so do the matches of each.

mod dynamic_filter;
mod hash_table;
mod predicate;
mod probe;
mod spilled;

use crate::adapter::{Operator, Stream, all_selected, execute_selected, stream_of};
use crate::exchange::Materialized;
use crate::options::ExecOptions;
use crate::schedule::{Once, TaskSet};
use airloom_compute::data::{Cancel, Selected, record_batch};
use airloom_compute::keys::DynamicFilter;
use airloom_io::metrics::SelectedStream;
use airloom_ir::graph::Graph;
pub use dynamic_filter::DynamicFilterProbe;
use hash_table::{BuildSide, JoinHashTable};
pub use predicate::Predicate;

use super::BoundBody;
use airloom_ir::attrs::Side;
use airloom_ir::types::TyId;
use arrow::array::{ArrayRef, BooleanArray, RecordBatch, UInt32Array, new_null_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{filter, take};
use arrow::datatypes::SchemaRef;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{StreamExt, TryStreamExt};
use predicate::ProbeRows;
use probe::{HandOn, Pairs};
use std::future::Future;
use std::sync::Arc;

/// The two sides of a join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinSide {
    /// The one that probes the hash table.
    Probe,
    /// The one that the hash table is built of.
    Build,
}

/// Which rows a join makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinKind {
    /// Pairs of rows; rows without a match alone, of the sides that are kept.
    Pairs {
        /// Of the probe side.
        keep_probe: bool,
        /// Of the build side; they come last.
        keep_build: bool,
    },
    /// The rows of the probe side that have a match, or those that have none.
    Probe {
        /// Those that have one.
        matched: bool,
    },
    /// The rows of the build side that have a match, or those that have none.
    Build {
        /// Those that have one.
        matched: bool,
    },
}

/// A join of a probe side (the first input) and a build side (the second).
pub struct Join {
    /// The program, for its types.
    pub graph: Arc<Graph>,
    /// What may stop it.
    pub cancel: Cancel,
    /// How it runs.
    pub options: Arc<ExecOptions>,
    /// Makes the keys of the probe side.
    pub probe_keys: BoundBody,
    /// Makes the keys of the build side.
    pub build_keys: BoundBody,
    /// The types of the keys.
    pub key_types: Vec<TyId>,
    /// Whether a null equals a null.
    pub nulls_equal: bool,
    /// What else must hold of a pair.
    pub predicate: Option<Predicate>,
    /// Which rows it makes.
    pub kind: JoinKind,
    /// The rows it makes.
    pub shape: Shape,
    /// Which side of the program's join is the build side.
    pub gathered: Side,
    /// Whether the order of its rows is observed.
    pub ordered: bool,
    /// The keys, by number, that have a dynamic filter.
    pub learned: Vec<(usize, Arc<DynamicFilter>)>,
}

/// The columns of a join's rows.
#[derive(Clone)]
pub struct Shape {
    /// Of which side each is, and which of it.
    pub output: Vec<(JoinSide, usize)>,
    /// Their names and types.
    pub schema: SchemaRef,
}

/// A join with its build side.
pub struct JoinExec {
    join: Arc<Join>,
    partitions: usize,
    built: Arc<Once<BuildSide>>,
    /// A permit for each partition of the probe side that has come to its end.
    ended: Arc<tokio::sync::Semaphore>,
    /// The result, where it has rows of the build side only.
    result: Once<Materialized>,
}

impl Join {
    /// The operator, for `probe_partitions` partitions of the probe side; and how many output partitions it has.
    pub fn operator(self, probe_partitions: usize) -> (JoinExec, usize) {
        let partitions = match self.kind {
            JoinKind::Pairs { keep_build: true, .. } => probe_partitions + 1,
            JoinKind::Build { .. } => self.options.threads,
            _ => probe_partitions,
        };
        let ended = Arc::new(tokio::sync::Semaphore::new(0));
        (JoinExec { join: Arc::new(self), partitions, built: Arc::default(), ended, result: Once::default() }, partitions)
    }

    /// Rows of the result from pairs of rows; `u32::MAX` is no row.
    fn rows(&self, shape: &Shape, probe: &ProbeRows, build: &RecordBatch, pairs: Pairs) -> RecordBatch {
        let count = pairs.probe.len();
        let identity = probe.is_whole(&pairs.probe);
        let probe_rows = UInt32Array::from(probe.numbers_in_batch(pairs.probe));
        let build_rows: UInt32Array = if pairs.unmatched {
            let matched = BooleanBuffer::collect_bool(count, |at| pairs.build[at] != u32::MAX);
            let rows: Vec<u32> = pairs.build.iter().map(|&row| if row == u32::MAX { 0 } else { row }).collect();
            UInt32Array::new(rows.into(), Some(NullBuffer::new(matched)))
        } else {
            UInt32Array::from(pairs.build)
        };
        let column = |&(side, at): &(JoinSide, usize)| -> ArrayRef {
            match side {
                JoinSide::Probe if identity => probe.batch.column(at).clone(),
                JoinSide::Probe => take(probe.batch.column(at), &probe_rows, None).expect("rows of the batch"),
                JoinSide::Build => take(build.column(at), &build_rows, None).expect("rows that were gathered"),
            }
        };
        record_batch(&shape.schema, shape.output.iter().map(column).collect(), count)
    }

    /// Build-side rows that found no match, beside nulls.
    fn leftover(&self, shape: &Shape, built: &JoinHashTable) -> RecordBatch {
        let mask = built.matched_mask(false);
        let build: Vec<ArrayRef> = built.rows.columns().iter().map(|c| filter(c, &mask).expect("a mask of its rows")).collect();
        let count = mask.true_count();
        let column = |(at, &(side, column)): (usize, &(JoinSide, usize))| match side {
            JoinSide::Probe => new_null_array(shape.schema.field(at).data_type(), count),
            JoinSide::Build => build[column].clone(),
        };
        record_batch(&shape.schema, shape.output.iter().enumerate().map(column).collect(), count)
    }

    /// Build-side rows by whether they found a match.
    fn gathered(&self, shape: &Shape, built: &JoinHashTable, matched: bool) -> RecordBatch {
        let mask: BooleanArray = built.matched_mask(matched);
        let column = |&(_, at): &(JoinSide, usize)| filter(built.rows.column(at), &mask).expect("a mask of its rows");
        record_batch(&shape.schema, shape.output.iter().map(column).collect(), mask.true_count())
    }
}

impl Operator for JoinExec {
    fn name(&self) -> &'static str {
        "Join"
    }

    fn describe(&self) -> String {
        let side = if self.join.gathered == Side::Left { "left" } else { "right" };
        format!("the {side} side, second here, is gathered into a table")
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        if let JoinKind::Build { matched } = self.join.kind {
            return Ok(self.run_marking(partition, matched, inputs, context));
        }
        let rows = self.probed(partition, inputs, context, HandOn::Rows).map(|rows| Ok(rows?.compact()));
        Ok(stream_of(self.join.shape.schema.clone(), rows))
    }

    fn run_selected(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<SelectedStream> {
        if let JoinKind::Build { .. } = self.join.kind {
            return Ok(all_selected(self.run(partition, inputs, context)?));
        }
        Ok(self.probed(partition, inputs, context, HandOn::Selected))
    }
}

/// Signals the semaphore when it is dropped: a partition has ended, or no more of it is wanted.
struct Ended(Arc<tokio::sync::Semaphore>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl JoinExec {
    /// The rows of a partition of the probe side with what they found; those of the build side without a match are a partition of their own.
    fn probed(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>, hand_on: HandOn) -> SelectedStream {
        let probes = inputs[0].output_partitioning().partition_count();
        let built = self.build(&inputs[1], context);
        let (join, ended, probe, context) = (self.join.clone(), self.ended.clone(), inputs[0].clone(), context.clone());
        let rows = async move {
            match built.await?.as_ref() {
                BuildSide::Table(built) if partition == probes => {
                    let all = ended.acquire_many(probes as u32).await;
                    all.map_err(|e| DataFusionError::Internal(e.to_string()))?.forget();
                    let rows = Selected::all(join.leftover(&join.shape, built));
                    Ok::<SelectedStream, DataFusionError>(futures::stream::iter([Ok(rows)]).boxed())
                }
                BuildSide::Table(built) => {
                    let input = execute_selected(&probe, partition, &context)?;
                    Ok(probe::stream(join, built.clone(), input, Ended(ended), hand_on))
                }
                BuildSide::Spilled(files) if partition == 0 => {
                    Ok(all_selected(spilled::Spilled { join, probe, context }.rows(files).await?))
                }
                BuildSide::Spilled(_) => Ok(futures::stream::empty().boxed()),
            }
        };
        futures::stream::once(rows).try_flatten().boxed()
    }

    fn build(
        &self,
        plan: &Arc<dyn ExecutionPlan>,
        context: &Arc<TaskContext>,
    ) -> impl Future<Output = Result<Arc<BuildSide>>> + Send + 'static {
        let (join, plan, context) = (self.join.clone(), plan.clone(), context.clone());
        self.built.get(move || BuildSide::gather(join, plan, context))
    }

    /// Build-side rows by whether they have a match on the probe side: all of that is read first.
    fn run_marking(&self, partition: usize, matched: bool, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Stream {
        let built = self.build(&inputs[1], context);
        let (join, probe, context, ended) = (self.join.clone(), inputs[0].clone(), context.clone(), self.ended.clone());
        let made = self.result.get(move || async move {
            match built.await?.as_ref() {
                BuildSide::Table(built) => {
                    let mut tasks: TaskSet<()> = TaskSet::default();
                    for partition in 0..probe.output_partitioning().partition_count() {
                        let input = execute_selected(&probe, partition, &context)?;
                        let mut rows = probe::stream(join.clone(), built.clone(), input, Ended(ended.clone()), HandOn::Rows);
                        tasks.spawn(async move {
                            while let Some(batch) = rows.next().await {
                                batch?;
                            }
                            Ok(())
                        });
                    }
                    tasks.in_order().await?;
                    Ok(Materialized::rows(join.gathered(&join.shape, built, matched)))
                }
                BuildSide::Spilled(files) => {
                    let spilled = spilled::Spilled { join, probe, context };
                    Ok(Materialized::spilled(spilled.rows(files).await?))
                }
            }
        });
        Materialized::partition(made, self.join.shape.schema.clone(), partition, self.partitions, self.join.options.morsel_rows)
    }
}
