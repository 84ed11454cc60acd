//! Rows with their numbers.

use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use crate::exchange::gather;
use airloom_compute::data::record_batch;
use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use futures::StreamExt;
use std::sync::Arc;

struct Number {
    start: i64,
    schema: SchemaRef,
}

/// The rows with their number as a last column.
pub fn number(plan: Arc<dyn ExecutionPlan>, name: &str, start: i64) -> Arc<dyn ExecutionPlan> {
    let mut fields: Vec<Field> = plan.schema().fields().iter().map(|f| f.as_ref().clone()).collect();
    fields.push(Field::new(name, DataType::Int64, true));
    let schema = Arc::new(Schema::new(fields));
    OperatorExec::plan(Number { start, schema: schema.clone() }, vec![gather(plan)], schema, 1)
}

impl Operator for Number {
    fn name(&self) -> &'static str {
        "Number"
    }

    fn describe(&self) -> String {
        format!("from {}", self.start)
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (mut next, schema) = (self.start, self.schema.clone());
        let rows = inputs[0].execute(partition, context.clone())?.map(move |batch| {
            let batch = batch?;
            let count = batch.num_rows();
            let first = next;
            next = next.wrapping_add(count as i64);
            let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..count as i64).map(|at| first.wrapping_add(at))));
            let columns = batch.columns().iter().cloned().chain([numbers]).collect();
            Ok(record_batch(&schema, columns, count))
        });
        Ok(stream_of(self.schema.clone(), rows))
    }
}
