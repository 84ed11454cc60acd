//! What the nodes of a plan did in a run.

use super::Operators;
use super::scan::partition;
use crate::adapter::OperatorExec;
use airloom_compute::data::critical_path::CriticalPath;
use airloom_io::metrics::{FOLDED_ROWS, PEAK_MEMORY};
use airloom_io::source::SplitsExec;
use airloom_plan::explain::{Counts, Partition};
use airloom_plan::value::{Kind, Plan, PlanId};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::metrics::MetricValue;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The operators of a run. A node that a loop computes again and again has several.
#[derive(Default)]
pub struct Trace {
    operators: Mutex<Vec<Operators>>,
    path: Mutex<CriticalPath>,
}

impl Trace {
    /// Adds the operators of one relation, which are about to run.
    pub fn add(&self, operators: Operators) {
        self.operators.lock().unwrap_or_else(PoisonError::into_inner).push(operators);
    }

    /// Adds the critical path of a relation, which was computed after those before it.
    pub fn follow(&self, path: &CriticalPath) {
        let mut all = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        *all = std::mem::take(&mut *all).then(path);
    }

    /// How long the chain of what had to be done one after the other was.
    pub fn span(&self) -> Duration {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).length()
    }

    /// What each partition of each scan read of files. Of several scans of a node, the last one's.
    pub fn partitions(&self) -> BTreeMap<PlanId, Vec<Partition>> {
        let operators = self.operators.lock().unwrap_or_else(PoisonError::into_inner);
        let computed = operators.iter().flat_map(|operators| &operators.computed);
        let sizes = |(nodes, plan): &(Vec<PlanId>, Arc<dyn ExecutionPlan>)| {
            let sizes = plan.downcast_ref::<SplitsExec>()?.sizes();
            (!sizes.is_empty()).then_some((*nodes.last()?, sizes.into_iter().map(partition).collect()))
        };
        computed.filter_map(sizes).collect()
    }

    /// What each node did: of several operators that compute a node, the last one's rows, and the time of all.
    pub fn counts(&self, plan: &Plan) -> BTreeMap<PlanId, Counts> {
        let path = self.path.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut found: BTreeMap<PlanId, Counts> = BTreeMap::new();
        for operators in self.operators.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let known: HashSet<usize> = operators.computed.iter().map(|(_, plan)| address(plan)).collect();
            let mut relation: BTreeMap<PlanId, Counts> = BTreeMap::new();
            for (nodes, operator) in &operators.computed {
                let counts = with_parts(operator, &known, &path);
                // Steps over rows are one operator: what they do is reported for the last.
                for (at, &node) in nodes.iter().enumerate() {
                    let own = if at + 1 == nodes.len() { counts } else { Counts { rows: counts.rows, ..Counts::default() } };
                    let own = match relation.remove(&node) {
                        // Several operators, the last of which gives the node's rows. A scan's first one reads them.
                        Some(before) => Counts {
                            rows: own.rows,
                            rows_read: before.rows_read.or(matches!(plan.node(node).kind, Kind::Scan(_)).then_some(before.rows)),
                            batches: own.batches,
                            bytes: own.bytes,
                            ..sum(before, own)
                        },
                        None => own,
                    };
                    relation.insert(node, own);
                }
            }
            for (node, counts) in relation {
                let before = found.remove(&node).unwrap_or_default();
                found.insert(node, sum(before, counts));
            }
        }
        found
    }
}

fn sum(one: Counts, other: Counts) -> Counts {
    Counts {
        rows: one.rows + other.rows,
        rows_read: one.rows_read.into_iter().chain(other.rows_read).reduce(|one, other| one + other),
        batches: one.batches + other.batches,
        bytes: one.bytes + other.bytes,
        time: one.time + other.time,
        span: one.span + other.span,
        spilled_bytes: one.spilled_bytes + other.spilled_bytes,
        spilled_files: one.spilled_files + other.spilled_files,
        folded_rows: one.folded_rows.into_iter().chain(other.folded_rows).reduce(|one, other| one + other),
        peak_memory: one.peak_memory.into_iter().chain(other.peak_memory).reduce(|one, other| one + other),
    }
}

/// Operators are identified by their address.
fn address(plan: &Arc<dyn ExecutionPlan>) -> usize {
    Arc::as_ptr(plan).cast::<()>() as usize
}

/// What an operator counted, with the operators below it that are parts of it: those that make the keys of a sort.
fn with_parts(plan: &Arc<dyn ExecutionPlan>, known: &HashSet<usize>, path: &CriticalPath) -> Counts {
    let mut counts = counted(plan, path);
    let mut stack: Vec<Arc<dyn ExecutionPlan>> = plan.children().into_iter().cloned().collect();
    while let Some(part) = stack.pop() {
        if known.contains(&address(&part)) {
            continue;
        }
        let own = counted(&part, path);
        counts.spilled_bytes += own.spilled_bytes;
        counts.spilled_files += own.spilled_files;
        if part.is::<OperatorExec>() {
            counts.time += own.time;
            counts.span += own.span;
        }
        stack.extend(part.children().into_iter().cloned());
    }
    counts
}

/// What an operator counted.
fn counted(plan: &Arc<dyn ExecutionPlan>, path: &CriticalPath) -> Counts {
    let (metrics, id) = match (plan.downcast_ref::<SplitsExec>(), plan.downcast_ref::<OperatorExec>()) {
        (Some(scan), _) => (scan.counted(), Some(scan.id())),
        (_, operator) => (plan.metrics().unwrap_or_default(), operator.map(OperatorExec::id)),
    };
    let sum = |wanted: fn(&MetricValue) -> bool| metrics.sum(|metric| wanted(metric.value())).map_or(0, |value| value.as_usize() as u64);
    Counts {
        rows: metrics.output_rows().unwrap_or(0) as u64,
        rows_read: None,
        batches: sum(|value| matches!(value, MetricValue::OutputBatches(_))),
        bytes: sum(|value| matches!(value, MetricValue::OutputBytes(_))),
        time: Duration::from_nanos(metrics.elapsed_compute().unwrap_or(0) as u64),
        span: id.map_or(Duration::ZERO, |id| path.of(id)),
        spilled_bytes: metrics.spilled_bytes().unwrap_or(0) as u64,
        spilled_files: metrics.spill_count().unwrap_or(0) as u64,
        folded_rows: metrics.sum_by_name(FOLDED_ROWS).map(|value| value.as_usize() as u64).filter(|&rows| rows > 0),
        peak_memory: metrics.sum_by_name(PEAK_MEMORY).map(|value| value.as_usize() as u64).filter(|&bytes| bytes > 0),
    }
}
