//! Sorting: in memory where the rows fit, and by way of the disk where they do not.

mod external;
mod memory;

use crate::context::Shared;
use airloom_compute::data::{Failure, record_batch};
use airloom_io::failure::from_datafusion;
use airloom_ir::attrs::SortKey;
use airloom_ir::types::{Ty, TyId};
use arrow::datatypes::SchemaRef;
use datafusion_physical_plan::ExecutionPlan;
use external::external;
use memory::in_memory;
use std::sync::Arc;

/// The rows of a plan whose first `own` columns are theirs and whose others are their keys, in the order of the keys; only the first so many where asked.
/// Rows with equal keys stay in their order.
pub fn sorted(
    shared: &Arc<Shared>,
    plan: Arc<dyn ExecutionPlan>,
    kept: SchemaRef,
    own: usize,
    key_types: &[TyId],
    by: &[SortKey],
    fetch: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>, Failure> {
    if fetch == Some(0) {
        // No row is wanted, but all are computed: one of them may raise.
        let nothing = kept.clone();
        return Ok(super::whole(shared, "Sort", vec![plan], kept, move |_| Ok(arrow::array::RecordBatch::new_empty(nothing.clone()))));
    }
    let types = shared.graph.types();
    if key_types.iter().any(|&ty| matches!(types.plain(ty), Ty::List(_) | Ty::Struct(_))) {
        return Ok(super::whole(
            shared,
            "Sort",
            vec![plan],
            kept.clone(),
            nested_sort(shared.clone(), kept, own, key_types.to_vec(), by.to_vec(), fetch),
        ));
    }
    if fetch.is_some() || shared.options.always_spill {
        return external(plan, kept, own, by, fetch).map_err(|error| from_datafusion(&error));
    }
    Ok(in_memory(shared, plan, kept, own, key_types, by))
}

/// A sort by nested keys, which have no order in Arrow: on the oracle's.
fn nested_sort(
    shared: Arc<Shared>,
    kept: SchemaRef,
    own: usize,
    key_types: Vec<TyId>,
    by: Vec<SortKey>,
    fetch: Option<usize>,
) -> impl Fn(&[arrow::array::RecordBatch]) -> Result<arrow::array::RecordBatch, Failure> + Send + Sync + 'static {
    move |inputs| {
        let (rows, types) = (&inputs[0], shared.graph.types());
        let key = |row: usize| -> Vec<_> {
            key_types.iter().enumerate().map(|(at, &ty)| airloom_compute::data::value_at(types, ty, rows.column(own + at), row)).collect()
        };
        let keys: Vec<Vec<_>> = (0..rows.num_rows()).map(key).collect();
        let mut order: Vec<u32> = (0..rows.num_rows() as u32).collect();
        order.sort_by(|&a, &b| airloom_ir::oracle::order::by_keys(&keys[a as usize], &keys[b as usize], &by));
        order.truncate(fetch.unwrap_or(usize::MAX));
        let order = arrow::array::UInt32Array::from(order);
        let columns = rows.columns()[..own].iter().map(|c| arrow::compute::take(c, &order, None).expect("rows there are")).collect();
        Ok(record_batch(&kept, columns, order.len()))
    }
}
