//! Streams that are in order, each by itself, as one.

use arrow::compute::SortOptions;
use arrow::datatypes::SchemaRef;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};
use datafusion_physical_plan::sorts::streaming_merge::StreamingMergeBuilder;
use std::sync::Arc;

/// The rows of all streams in the order of a column that rises in each.
pub fn merge(
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
