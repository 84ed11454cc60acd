//! What every part of one run shares.

use super::Options;
use airloom_compute::data::RunContext;
use airloom_ir::graph::Graph;
use std::sync::Arc;

/// The program, and what it runs with.
pub struct Shared {
    /// The program.
    pub graph: Arc<Graph>,
    /// The host, and what may stop the run.
    pub context: Arc<RunContext>,
    /// How it runs.
    pub options: Arc<Options>,
}
