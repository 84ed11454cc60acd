//! Sorting: DataFusion's sort, which spills, over keys brought into our order.

use super::compact::compact;
use super::first_error::first_error;
use super::{Operator, OperatorExec, Stream, record_batch, stream_of};
use crate::run::Shared;
use airloom_ir::attrs::SortKey;
use airloom_ir::types::{Ty, TyId};
use arrow::array::{Array, ArrayRef, AsArray, UInt64Array};
use arrow::compute::{SortOptions, kernels::arity::unary};
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type, Schema, SchemaRef};
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::TaskContext;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
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
) -> Result<Arc<dyn ExecutionPlan>> {
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
    let partitions = plan.output_partitioning().partition_count();
    let mut fields: Vec<Field> = plan.schema().fields().iter().map(|f| f.as_ref().clone()).collect();
    fields.push(Field::new("row", DataType::UInt64, false));
    let schema = Arc::new(Schema::new(fields));
    let ready = OperatorExec::plan(Ready { own, schema: schema.clone() }, vec![plan], schema.clone(), partitions);
    let column = |at: usize, options: SortOptions| PhysicalSortExpr::new(Arc::new(Column::new(schema.field(at).name(), at)), options);
    let keys =
        by.iter().enumerate().map(|(at, key)| column(own + at, SortOptions { descending: key.descending, nulls_first: key.nulls_first }));
    let last = column(schema.fields().len() - 1, SortOptions { descending: false, nulls_first: false });
    let ordering = LexOrdering::new(keys.chain([last])).ok_or_else(|| DataFusionError::Internal("a sort without keys".into()))?;
    let sort = SortExec::new(ordering.clone(), ready).with_preserve_partitioning(true).with_fetch(fetch);
    let merged: Arc<dyn ExecutionPlan> = if partitions > 1 {
        Arc::new(SortPreservingMergeExec::new(ordering, first_error(Arc::new(sort))).with_fetch(fetch))
    } else {
        Arc::new(sort)
    };
    Ok(OperatorExec::plan(Keep { own, schema: kept.clone() }, vec![merged], kept, 1))
}

/// A sort by nested keys, which have no order in Arrow: on the oracle's.
fn nested_sort(
    shared: Arc<Shared>,
    kept: SchemaRef,
    own: usize,
    key_types: Vec<TyId>,
    by: Vec<SortKey>,
    fetch: Option<usize>,
) -> impl Fn(&[arrow::array::RecordBatch]) -> Result<arrow::array::RecordBatch, airloom_ir::oracle::Raised> + Send + Sync + 'static {
    move |inputs| {
        let (rows, types) = (&inputs[0], shared.graph.types());
        let key = |row: usize| -> Vec<_> {
            key_types.iter().enumerate().map(|(at, &ty)| crate::data::value_at(types, ty, rows.column(own + at), row)).collect()
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

/// Keys in our order, and the place of each row as the last key: DataFusion's sort is not stable.
struct Ready {
    own: usize,
    schema: SchemaRef,
}

/// Bits for the number of a row within its partition.
const ROW_BITS: u32 = 44;

impl Operator for Ready {
    fn name(&self) -> &'static str {
        "SortKeys"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (own, schema) = (self.own, self.schema.clone());
        let mut next = (partition as u64) << ROW_BITS;
        let rows = inputs[0].execute(partition, context.clone())?.map(move |batch| {
            // The sort counts every buffer that a batch holds on to.
            let batch = compact(batch?);
            let count = batch.num_rows();
            let places: ArrayRef = Arc::new(UInt64Array::from_iter_values(next..next + count as u64));
            next += count as u64;
            let columns = batch.columns().iter().enumerate().map(|(at, c)| if at < own { c.clone() } else { canonical(c) });
            Ok(record_batch(&schema, columns.chain([places]).collect(), count))
        });
        Ok(stream_of(self.schema.clone(), rows))
    }
}

/// Zeros of both signs are equal to us, and NaN is greater than every number whatever its sign.
pub(super) fn canonical(key: &ArrayRef) -> ArrayRef {
    match key.data_type() {
        DataType::Float64 => {
            let floats = key.as_primitive::<Float64Type>();
            Arc::new(unary::<_, _, Float64Type>(floats, |x| if x.is_nan() { f64::NAN } else { x + 0.0 }))
        }
        DataType::Float32 => {
            let floats = key.as_primitive::<Float32Type>();
            Arc::new(unary::<_, _, Float32Type>(floats, |x| if x.is_nan() { f32::NAN } else { x + 0.0 }))
        }
        _ => key.clone(),
    }
}

/// The rows without their keys.
struct Keep {
    own: usize,
    schema: SchemaRef,
}

impl Operator for Keep {
    fn name(&self) -> &'static str {
        "Keep"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (own, schema) = (self.own, self.schema.clone());
        let rows = inputs[0].execute(partition, context.clone())?.map(move |batch| {
            let batch = batch?;
            Ok(record_batch(&schema, batch.columns()[..own].to_vec(), batch.num_rows()))
        });
        Ok(stream_of(self.schema.clone(), rows))
    }
}
