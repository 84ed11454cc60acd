//! Sorting rows that do not fit into memory, and finding the first few of many: DataFusion's sort, which spills, over keys brought into our order.

use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::exchange::first_error;
use crate::operators::compact::compact;
use airloom_compute::data::record_batch;
use airloom_compute::order::canonical;
use airloom_ir::attrs::SortKey;
use arrow::array::{ArrayRef, UInt64Array};
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::TaskContext;
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// The rows of a plan whose first `own` columns are theirs and whose others are their keys, in the order of the keys; only the first `fetch` where it is given.
pub(super) fn external(
    plan: Arc<dyn ExecutionPlan>,
    kept: SchemaRef,
    own: usize,
    by: &[SortKey],
    fetch: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
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

/// Keys in our order, and the position of each row as the last key: DataFusion's sort is not stable.
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
