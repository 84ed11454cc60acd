//! What every part of one run shares.

use crate::explain::Watch;
use crate::operators::Sorting;
use crate::options::ExecOptions;
use airloom_compute::data::RunContext;
use airloom_ir::attrs::SortKey;
use airloom_ir::graph::Graph;
use airloom_ir::types::TyId;
use arrow::datatypes::SchemaRef;
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

impl Shared {
    /// A sort of rows of this run.
    pub(super) fn sorting(&self, kept: SchemaRef, own: usize, key_types: Vec<TyId>, by: Vec<SortKey>) -> Sorting {
        let (graph, cancel, options) = (self.graph.clone(), self.context.cancel.clone(), self.options.clone());
        Sorting { graph, cancel, options, kept, own, key_types, by }
    }
}
