//! What every part of one run shares.

use crate::explain::Watch;
use crate::options::ExecOptions;
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
    pub options: Arc<ExecOptions>,
    /// Who wants to know how it is run, if anybody does.
    pub watch: Option<Arc<Watch>>,
}
