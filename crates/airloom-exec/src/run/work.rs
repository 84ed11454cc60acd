//! What one run works with.

use super::Catalog;
use airloom_compute::data::{Cancel, Failure, Host, NoHost};
use airloom_io::sink::{Target, Written};
use arrow::array::RecordBatch;
use std::sync::{Arc, OnceLock};

/// What one run works with, besides its program and its arguments. The engine keeps nothing of it.
#[derive(Clone)]
pub struct Run {
    /// The data that the program reads by name.
    pub sources: Catalog,
    /// The functions that `host.call` names.
    pub host: Arc<dyn Host>,
    /// How it may be stopped.
    pub cancel: Cancel,
    /// Where it is computed.
    pub schedule: Schedule,
    /// Where the rows of its result go; they are the result itself where this is `None`.
    pub output: Option<Arc<Output>>,
}

impl Run {
    /// A run over these sources, on the engine's threads, without functions of a host.
    pub fn over(sources: Catalog) -> Run {
        Run { sources, host: Arc::new(NoHost), cancel: Cancel::default(), schedule: Schedule::Pool, output: None }
    }

    /// The same run, of which the result is held.
    pub fn held(&self) -> Run {
        Run { output: None, ..self.clone() }
    }
}

/// Where the rows of a result go as they are computed, in their order: they are not held, and the result has none.
pub enum Output {
    /// Into files: all of them, or nothing.
    Files {
        /// Where the files are.
        target: Target,
        /// What was written.
        written: OnceLock<Written>,
    },
    /// To whoever asked for them.
    Batches(Box<TakeBatch>),
}

/// Takes the next rows of a result, on the thread that began the run.
pub type TakeBatch = dyn Fn(RecordBatch) -> Result<(), Failure> + Send + Sync;

/// Where a run is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// On the thread that asks, until it is done; it cannot be stopped. For programs that take less time than handing them over does.
    Inline,
    /// On the threads of the engine.
    Pool,
}
