//! What every part of one run shares.

use crate::options::ExecOptions;
use airloom_compute::data::RunContext;
use airloom_ir::graph::Graph;
use std::sync::Arc;

/// The bodies of a plan, and what they run with.
pub struct Shared {
    /// The graph that holds the bodies.
    pub graph: Arc<Graph>,
    /// The host, and what may stop the run.
    pub context: Arc<RunContext>,
    /// How it runs.
    pub options: Arc<ExecOptions>,
}
