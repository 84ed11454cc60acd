//! Columns of a source as wide as the program asks for.

use crate::adapter::{Operator, OperatorExec, Stream, rows_of, stream_of};
use airloom_compute::data::record_batch;
use arrow::compute::cast;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

struct Widened {
    schema: SchemaRef,
}

/// The plan with its columns in the types of a schema, into each of which every value fits.
pub fn widened(plan: Arc<dyn ExecutionPlan>, schema: SchemaRef) -> Arc<dyn ExecutionPlan> {
    let same = plan.schema().fields().iter().zip(schema.fields()).all(|(a, b)| a.data_type() == b.data_type());
    if same {
        return plan;
    }
    let partitions = plan.output_partitioning().partition_count();
    OperatorExec::plan(Widened { schema: schema.clone() }, vec![plan], schema, partitions)
}

impl Operator for Widened {
    fn name(&self) -> &'static str {
        "Widen"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn rows(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>]) -> Option<usize> {
        rows_of(&inputs[0], partition)
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let schema = self.schema.clone();
        let rows = inputs[0].execute(partition, context.clone())?.map(move |batch| {
            let batch = batch?;
            let columns =
                batch.columns().iter().zip(schema.fields()).map(|(c, f)| cast(c, f.data_type())).collect::<Result<Vec<_>, _>>()?;
            Ok(record_batch(&schema, columns, batch.num_rows()))
        });
        Ok(stream_of(self.schema.clone(), rows))
    }
}
