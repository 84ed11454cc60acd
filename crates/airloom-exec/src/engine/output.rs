//! The rows of a result on their way out, where nobody holds them.

use super::{Engine, context};
use crate::exchange;
use crate::operators;
use crate::run::{Output, Run};
use crate::schedule::{LOOK, Process};
use airloom_compute::data::{Cancel, Datum, Failure, Relation};
use airloom_io::failure::from_datafusion;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use futures::StreamExt;
use std::pin::pin;
use std::sync::Arc;
use tracing::field::Empty;
use tracing::{Instrument, info_span};

/// How many batches of a partition wait for whoever takes them: they are not counted in the memory of the run.
const AHEAD: usize = 8;

impl Engine {
    /// A result whose rows have gone where the run says. Rows that were computed without being held are there already.
    pub fn deliver(&self, result: Datum, run: &Run) -> Result<Datum, Failure> {
        let Some(output) = &run.output else { return Ok(result) };
        let Datum::Table(Relation { schema, batches }) = result else {
            return Err(Failure::Program("expected rows to write, found a result that is not a relation".into()));
        };
        let delivered = match output.as_ref() {
            Output::Files { written, .. } => written.get().is_some(),
            Output::Batches(_) => batches.is_empty(),
        };
        if !delivered {
            let rows = operators::batches(&schema, &batches, self.options.threads, self.options.morsel_rows);
            let process = self.process()?;
            stream(output, rows, &process, self.options.threads, context(&process, &self.options, false), &run.cancel)?;
        }
        Ok(Datum::Table(Relation { schema, batches: Arc::default() }))
    }
}

/// Runs operators, and gives their rows away as they are computed.
pub(super) fn stream(
    output: &Output,
    rows: Arc<dyn ExecutionPlan>,
    process: &Process,
    threads: usize,
    context: Arc<TaskContext>,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let runtime = process.threads(threads)?;
    match output {
        Output::Files { target, written } => {
            let span = info_span!("write", url = target.url, rows = Empty);
            let writing = airloom_io::sink::write(rows, context, target);
            let done = runtime.block_on(unless_cancelled(cancel, writing).instrument(span.clone()))??;
            span.record("rows", done.rows);
            written.set(done).map_err(|_| Failure::Bug("invariant `a result is written once`".into()))
        }
        Output::Batches(take) => {
            let entered = runtime.enter();
            let mut stream = exchange::ahead(rows, AHEAD).execute(0, context).map_err(|error| from_datafusion(&error))?;
            drop(entered);
            while let Some(batch) = runtime.block_on(unless_cancelled(cancel, stream.next()))? {
                take(batch.map_err(|error| from_datafusion(&error))?)?;
            }
            Ok(())
        }
    }
}

/// What a future makes, unless the run is cancelled before.
async fn unless_cancelled<T>(cancel: &Cancel, future: impl Future<Output = T>) -> Result<T, Failure> {
    let mut future = pin!(future);
    loop {
        tokio::select! {
            made = &mut future => return Ok(made),
            () = tokio::time::sleep(LOOK) => cancel.check()?,
        }
    }
}
