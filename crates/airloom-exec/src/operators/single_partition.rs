//! Operators that need all rows before they make any.

use super::compact::compact;
use crate::adapter::{Operator, OperatorExec, Stream};
use crate::exchange::{Materialized, collect_partitions};
use crate::options::ExecOptions;
use crate::schedule::Once;
use airloom_compute::data::Failure;
use airloom_io::failure::to_datafusion;
use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use datafusion_physical_plan::ExecutionPlan;
use std::sync::Arc;

/// What is made of all rows of the inputs.
type Make = dyn Fn(&[RecordBatch]) -> Result<RecordBatch, Failure> + Send + Sync;

struct SinglePartition {
    name: &'static str,
    morsel_rows: usize,
    make: Arc<Make>,
    schema: SchemaRef,
    partitions: usize,
    result: Once<Materialized>,
}

/// A plan that collects its inputs, makes one relation of them, and emits it in as many partitions as there are threads.
pub fn single_partition(
    options: &ExecOptions,
    name: &'static str,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    schema: SchemaRef,
    make: impl Fn(&[RecordBatch]) -> Result<RecordBatch, Failure> + Send + Sync + 'static,
) -> Arc<dyn ExecutionPlan> {
    let (partitions, morsel_rows) = (options.threads, options.morsel_rows);
    let operator = SinglePartition { name, morsel_rows, make: Arc::new(make), schema: schema.clone(), partitions, result: Once::default() };
    OperatorExec::plan(operator, inputs, schema, partitions)
}

impl Operator for SinglePartition {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (inputs, context, make, name) = (inputs.to_vec(), context.clone(), self.make.clone(), self.name);
        let made = self.result.get(move || async move {
            let reservation = Arc::new(MemoryConsumer::new(name).register(context.memory_pool()));
            let mut gathered = Vec::with_capacity(inputs.len());
            for input in &inputs {
                let rows: Vec<RecordBatch> = collect_partitions(input, &context, Some(&reservation)).await?.into_iter().flatten().collect();
                gathered.push(compact(concat_batches(&input.schema(), &rows)?));
            }
            Materialized::in_memory(vec![make(&gathered).map_err(to_datafusion)?], reservation)
        });
        Ok(Materialized::partition(made, self.schema.clone(), partition, self.partitions, self.morsel_rows))
    }
}
