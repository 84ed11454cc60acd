//! A source of which nothing was given: a plan can be shown without its rows, not run.

use crate::adapter::{Operator, OperatorExec, Stream};
use arrow::datatypes::SchemaRef;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use std::sync::Arc;

struct Missing;

/// The plan of such a source, with these columns.
pub(crate) fn missing(schema: SchemaRef) -> Arc<dyn ExecutionPlan> {
    OperatorExec::plan(Missing, Vec::new(), schema, 1)
}

impl Operator for Missing {
    fn name(&self) -> &'static str {
        "Missing"
    }

    fn describe(&self) -> String {
        "its rows are not given".into()
    }

    fn run(&self, _: usize, _: &[Arc<dyn ExecutionPlan>], _: &Arc<TaskContext>) -> Result<Stream> {
        Err(DataFusionError::Internal("a plan that was only shown is run".into()))
    }
}
