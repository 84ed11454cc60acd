//! Rows that are already in memory, as the leaf of a plan.

use crate::adapter::{Operator, OperatorExec, Stream, stream_of};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use std::sync::Arc;

struct Batches {
    schema: SchemaRef,
    partitions: Vec<Vec<RecordBatch>>,
}

/// A plan of these rows, cut into contiguous partitions of nearly equal length and batches of at most `morsel` rows.
pub fn batches(schema: &SchemaRef, rows: &[RecordBatch], partitions: usize, morsel: usize) -> Arc<dyn ExecutionPlan> {
    let total: usize = rows.iter().map(RecordBatch::num_rows).sum();
    let share = total.div_ceil(partitions.max(1)).max(1).next_multiple_of(morsel.max(1)).max(1);
    let mut cut: Vec<Vec<RecordBatch>> = vec![Vec::new()];
    let mut room = share;
    for batch in rows {
        let mut at = 0;
        while at < batch.num_rows() {
            if room == 0 {
                cut.push(Vec::new());
                room = share;
            }
            let length = (batch.num_rows() - at).min(morsel).min(room);
            cut.last_mut().expect("there is a first").push(batch.slice(at, length));
            at += length;
            room -= length;
        }
    }
    let count = cut.len();
    OperatorExec::plan(Batches { schema: schema.clone(), partitions: cut }, Vec::new(), schema.clone(), count)
}

impl Operator for Batches {
    fn name(&self) -> &'static str {
        "Memory"
    }

    fn describe(&self) -> String {
        format!("{} rows", self.partitions.iter().flatten().map(RecordBatch::num_rows).sum::<usize>())
    }

    fn rows(&self, partition: usize, _: &[Arc<dyn ExecutionPlan>]) -> Option<usize> {
        self.partitions.get(partition).map(|rows| rows.iter().map(RecordBatch::num_rows).sum())
    }

    fn run(&self, partition: usize, _: &[Arc<dyn ExecutionPlan>], _: &Arc<TaskContext>) -> Result<Stream> {
        let rows = self.partitions[partition].clone();
        Ok(stream_of(self.schema.clone(), futures::stream::iter(rows.into_iter().map(Ok))))
    }
}
