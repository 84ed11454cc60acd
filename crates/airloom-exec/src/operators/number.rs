//! Rows with their numbers, or with their positions.

use crate::adapter::{Operator, OperatorExec, Stream, rows_of, stream_of};
use crate::exchange::gather;
use airloom_compute::data::record_batch;
use airloom_plan::value::Position;
use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

struct Number {
    /// The number of the first row of each partition.
    firsts: Vec<i64>,
    schema: SchemaRef,
}

/// The rows with their number as a last column, in one partition.
pub fn number(plan: Arc<dyn ExecutionPlan>, name: &str, start: i64) -> Arc<dyn ExecutionPlan> {
    let schema = with_number(&plan, name);
    OperatorExec::plan(Number { firsts: vec![start], schema: schema.clone() }, vec![gather(plan)], schema, 1)
}

/// The rows with their number as a last column: in the partitions they are in where it is known how many rows each has, else in one.
pub fn number_in_place(plan: Arc<dyn ExecutionPlan>, name: &str, start: i64) -> Arc<dyn ExecutionPlan> {
    let partitions = plan.output_partitioning().partition_count();
    let mut next = start;
    let first = |partition: usize| {
        let first = next;
        next = next.wrapping_add(rows_of(&plan, partition)? as i64);
        Some(first)
    };
    let Some(firsts) = (0..partitions).map(first).collect::<Option<Vec<i64>>>() else { return number(plan, name, start) };
    let schema = with_number(&plan, name);
    OperatorExec::plan(Number { firsts, schema: schema.clone() }, vec![plan], schema, partitions)
}

struct Positions {
    schema: SchemaRef,
}

/// The rows with their position as a last column: a number that rises as rows follow one another, with gaps. Unlike their number it needs no other rows.
pub fn positions(plan: Arc<dyn ExecutionPlan>, name: &str) -> Arc<dyn ExecutionPlan> {
    let partitions = plan.output_partitioning().partition_count();
    let schema = with_number(&plan, name);
    OperatorExec::plan(Positions { schema: schema.clone() }, vec![plan], schema, partitions)
}

/// The columns of a plan, and one of numbers.
fn with_number(plan: &Arc<dyn ExecutionPlan>, name: &str) -> SchemaRef {
    let mut fields: Vec<Field> = plan.schema().fields().iter().map(|f| f.as_ref().clone()).collect();
    fields.push(Field::new(name, DataType::Int64, true));
    Arc::new(Schema::new(fields))
}

/// The rows of a stream, numbered from a number on.
fn numbered(rows: Stream, schema: SchemaRef, first: i64) -> Stream {
    let (mut next, made) = (first, schema.clone());
    let rows = rows.map(move |batch| {
        let batch = batch?;
        let count = batch.num_rows();
        let first = next;
        next = next.wrapping_add(count as i64);
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..count as i64).map(|at| first.wrapping_add(at))));
        Ok(record_batch(&made, batch.columns().iter().cloned().chain([numbers]).collect(), count))
    });
    stream_of(schema, rows)
}

impl Operator for Positions {
    fn name(&self) -> &'static str {
        "Positions"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let first = Position::first(partition).number() as i64;
        Ok(numbered(inputs[0].execute(partition, context.clone())?, self.schema.clone(), first))
    }
}

impl Operator for Number {
    fn name(&self) -> &'static str {
        "Number"
    }

    fn describe(&self) -> String {
        format!("from {}", self.firsts[0])
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        Ok(numbered(inputs[0].execute(partition, context.clone())?, self.schema.clone(), self.firsts[partition]))
    }
}
