//! What one run works with.

use super::Catalog;
use airloom_compute::data::{Cancel, Host, NoHost};
use std::sync::Arc;

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
}

impl Run {
    /// A run over these sources, on the engine's threads, without functions of a host.
    pub fn over(sources: Catalog) -> Run {
        Run { sources, host: Arc::new(NoHost), cancel: Cancel::default(), schedule: Schedule::Pool }
    }
}

/// Where a run is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// On the thread that asks, until it is done; it cannot be stopped. For programs that take less time than handing them over does.
    Inline,
    /// On the threads of the engine.
    Pool,
}
