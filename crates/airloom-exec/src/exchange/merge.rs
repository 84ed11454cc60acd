//! Merging of streams that are each sorted.

use crate::adapter::stream_of;
use airloom_compute::data::record_batch;
use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};
use datafusion_physical_plan::sorts::streaming_merge::StreamingMergeBuilder;
use futures::StreamExt;
use std::sync::Arc;

/// A schema with the position of each row as a last column.
pub fn with_position(schema: &SchemaRef) -> SchemaRef {
    let place = Arc::new(Field::new("place", DataType::UInt64, true));
    Arc::new(Schema::new(schema.fields().iter().map(Arc::clone).chain([place]).collect::<Vec<_>>()))
}

/// The rows of all streams in the order of their positions. The last column of each stream is the position, which ascends; the result does not have it.
pub fn merge_by_position(
    streams: Vec<SendableRecordBatchStream>,
    schema: SchemaRef,
    context: &TaskContext,
    rows: usize,
) -> Result<SendableRecordBatchStream> {
    if streams.is_empty() {
        return Ok(stream_of(schema, futures::stream::empty()));
    }
    let width = schema.fields().len();
    let kept = schema.clone();
    let merged = merge(streams, with_position(&schema), width, context, rows)?.map(move |batch| {
        let batch = batch?;
        Ok(record_batch(&kept, batch.columns()[..width].to_vec(), batch.num_rows()))
    });
    Ok(stream_of(schema, merged))
}

/// The rows of all streams in the order of a column that ascends in each.
fn merge(
    streams: Vec<SendableRecordBatchStream>,
    schema: SchemaRef,
    column: usize,
    context: &TaskContext,
    rows: usize,
) -> Result<SendableRecordBatchStream> {
    let key = PhysicalSortExpr::new(
        Arc::new(Column::new(schema.field(column).name(), column)),
        SortOptions { descending: false, nulls_first: false },
    );
    let ordering = LexOrdering::new([key]).ok_or_else(|| DataFusionError::Internal("a merge by one column".into()))?;
    StreamingMergeBuilder::new()
        .with_streams(streams)
        .with_schema(schema)
        .with_expressions(&ordering)
        .with_metrics(BaselineMetrics::new(&ExecutionPlanMetricsSet::new(), 0))
        .with_batch_size(rows)
        .with_reservation(MemoryConsumer::new("merging spilled rows").register(context.memory_pool()))
        .build()
}
