//! Columns to rows.

use crate::adapter::{Operator, Stream, stream_of};
use airloom_compute::data::record_batch;
use arrow::array::{ArrayRef, StringViewArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use futures::StreamExt;
use std::sync::Arc;

/// The rows that one of the columns becomes.
pub struct Unpivot {
    /// The columns of the result.
    pub columns: Vec<Unpivoted>,
    /// The column's name.
    pub name: String,
    /// The rows it makes.
    pub schema: SchemaRef,
}

/// A column of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpivoted {
    /// A column of the input.
    Column(usize),
    /// The name, for every row.
    Name,
}

impl Operator for Unpivot {
    fn name(&self) -> &'static str {
        "Unpivot"
    }

    fn describe(&self) -> String {
        self.name.clone()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (columns, schema) = (self.columns.clone(), self.schema.clone());
        let name = StringViewArray::from_iter_values([&self.name]);
        let rows = inputs[0].execute(partition, context.clone())?.map(move |batch| {
            let batch = batch?;
            let count = batch.num_rows();
            let column = |column: &Unpivoted| -> ArrayRef {
                match *column {
                    Unpivoted::Column(at) => batch.column(at).clone(),
                    Unpivoted::Name => {
                        take(&name, &UInt32Array::from(vec![0; count]), None).expect("every index is 0, and there is one name")
                    }
                }
            };
            Ok(record_batch(&schema, columns.iter().map(column).collect(), count))
        });
        Ok(stream_of(self.schema.clone(), rows))
    }
}
