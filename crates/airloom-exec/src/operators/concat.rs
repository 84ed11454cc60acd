//! One relation after the other.

use crate::adapter::{Operator, OperatorExec, Stream};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::sync::Arc;

struct Concat;

/// The partitions of the first, then those of the second, and so on.
pub fn concat(inputs: Vec<Arc<dyn ExecutionPlan>>) -> Arc<dyn ExecutionPlan> {
    let partitions = inputs.iter().map(|i| i.output_partitioning().partition_count()).sum();
    let schema = inputs[0].schema();
    OperatorExec::plan(Concat, inputs, schema, partitions)
}

impl Operator for Concat {
    fn name(&self) -> &'static str {
        "Concat"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let mut at = partition;
        for input in inputs {
            let count = input.output_partitioning().partition_count();
            if at < count {
                return input.execute(at, context.clone());
            }
            at -= count;
        }
        panic!("invariant `a plan is asked for partitions it has`: {partition}")
    }
}
