//! Sorting: in memory where the rows fit, and by way of the disk where they do not; and the first few rows of many.

mod disk;
mod memory;
mod ranges;
mod top;

use crate::options::ExecOptions;
use airloom_compute::data::{Cancel, Failure, record_batch};
use airloom_compute::order::Comparison;
use airloom_ir::attrs::SortKey;
use airloom_ir::graph::Graph;
use airloom_ir::types::{Ty, TyId};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_physical_plan::ExecutionPlan;
use memory::in_memory;
use std::sync::Arc;

/// How rows are sorted: their first `own` columns are theirs, the others are their keys.
pub struct Sorting {
    /// The program, for its types.
    pub graph: Arc<Graph>,
    /// What may stop it.
    pub cancel: Cancel,
    /// How it runs.
    pub options: Arc<ExecOptions>,
    /// The columns that are the rows' own.
    pub kept: SchemaRef,
    /// How many these are.
    pub own: usize,
    /// Those and the keys.
    pub keyed: SchemaRef,
    /// For each key, which of the rows' own columns it is, where it is one.
    pub copies: Vec<Option<usize>>,
    /// The types of the keys.
    pub key_types: Vec<TyId>,
    /// The direction of each.
    pub by: Vec<SortKey>,
}

impl Sorting {
    fn comparison(&self) -> Comparison<'_> {
        Comparison { types: self.graph.types(), own: self.own, key_types: &self.key_types, by: &self.by }
    }

    /// The rows without their keys.
    fn own_columns(&self, batch: &RecordBatch) -> RecordBatch {
        record_batch(&self.kept, batch.columns()[..self.own].to_vec(), batch.num_rows())
    }
}

/// The rows of a plan in the order of their keys; only the first `fetch` where it is given. Rows with equal keys stay in their order.
pub fn sorted(plan: Arc<dyn ExecutionPlan>, sorting: Sorting, fetch: Option<usize>) -> Result<Arc<dyn ExecutionPlan>, Failure> {
    let (options, kept) = (sorting.options.clone(), sorting.kept.clone());
    if fetch == Some(0) {
        // No row is wanted, but all are computed: one of them may raise.
        let nothing = kept.clone();
        return Ok(super::single_partition(&options, "Sort", vec![plan], kept, move |_| Ok(RecordBatch::new_empty(nothing.clone()))));
    }
    let types = sorting.graph.types();
    if sorting.key_types.iter().any(|&ty| matches!(types.plain(ty), Ty::List(_) | Ty::Struct(_))) {
        return Ok(super::single_partition(&options, "Sort", vec![plan], kept, nested_sort(sorting, fetch)));
    }
    if let Some(count) = fetch.filter(|&count| count <= top::MOST && !options.always_spill && !sorting.by.is_empty()) {
        return Ok(top::top(plan, sorting, count));
    }
    let sorted = in_memory(plan, sorting);
    Ok(fetch.map_or_else(|| sorted.clone(), |count| super::slice::first(sorted.clone(), count)))
}

/// A sort by nested keys, which have no order in Arrow: on the oracle's.
fn nested_sort(sorting: Sorting, fetch: Option<usize>) -> impl Fn(&[RecordBatch]) -> Result<RecordBatch, Failure> + Send + Sync + 'static {
    move |inputs| {
        let Sorting { graph, kept, own, key_types, by, .. } = &sorting;
        let (own, rows, types) = (*own, &inputs[0], graph.types());
        let key = |row: usize| -> Vec<_> {
            key_types.iter().enumerate().map(|(at, &ty)| airloom_compute::data::value_at(types, ty, rows.column(own + at), row)).collect()
        };
        let keys: Vec<Vec<_>> = (0..rows.num_rows()).map(key).collect();
        let mut order: Vec<u32> = (0..rows.num_rows() as u32).collect();
        order.sort_by(|&a, &b| airloom_ir::oracle::order::by_keys(&keys[a as usize], &keys[b as usize], by));
        order.truncate(fetch.unwrap_or(usize::MAX));
        let order = arrow::array::UInt32Array::from(order);
        let columns = rows.columns()[..own].iter().map(|c| arrow::compute::take(c, &order, None).expect("rows there are")).collect();
        Ok(record_batch(kept, columns, order.len()))
    }
}
