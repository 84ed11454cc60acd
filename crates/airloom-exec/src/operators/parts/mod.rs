//! Bodies that see the columns of some rows as arrays, over many such parts of a relation: groups, partitions of windows, cells of pivots.

mod each;
mod known;
mod sequences;
mod together;

use crate::eval::Evaluator;
use crate::plan::Shared;
use airloom_compute::data::{Datum, Failure, Lane};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_opt::facts::{Facts, Statistics};
use arrow::array::ArrayRef;
use each::NoWorld;
use std::sync::Arc;

/// A body over the columns of each part.
pub struct PartBody {
    /// What it shares with the run.
    pub shared: Arc<Shared>,
    /// The body: the columns, then what it captures.
    pub body: NodeId,
    /// What it captures.
    pub captures: Vec<Datum>,
}

/// The columns that a body sees, field by field, the rows of one part after those of the other. Fields it does not read are not there.
pub type PartColumns = Vec<Option<ArrayRef>>;

/// Whether a body can be run over parts: only one that holds relations of its own cannot.
pub fn runs_over_parts(graph: &Graph, body: NodeId) -> bool {
    let holds_none = |&id: &NodeId| !matches!(graph.op(id), Op::Relation(_) | Op::Core(Core::Source));
    graph.post_order(&[graph.result_of(body)]).iter().all(holds_none)
}

impl PartBody {
    /// The columns it makes, each as long as all parts together. `ends` says where each part ends.
    pub fn columns(&self, columns: &PartColumns, ends: &[usize]) -> Result<Vec<ArrayRef>, Failure> {
        self.either(
            |evaluator| Ok(together::run(self, evaluator, columns, ends)?.and_then(together::into_columns)),
            |evaluator| each::columns(self, evaluator, columns, ends),
        )
    }

    /// The value it makes of each part.
    pub fn values(&self, columns: &PartColumns, ends: &[usize]) -> Result<Lane, Failure> {
        self.either(
            |evaluator| Ok(together::run(self, evaluator, columns, ends)?.and_then(|made| together::into_lane(self, made))),
            |evaluator| each::values(self, evaluator, columns, ends),
        )
    }

    /// All parts at once where that is possible; else, or where that raises, one part after the other, so that the first part that raises is heard.
    fn either<T>(
        &self,
        together: impl FnOnce(&Evaluator<'_>) -> Result<Option<T>, Failure>,
        each: impl FnOnce(&Evaluator<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let world = NoWorld;
        let evaluator = Evaluator::new(&self.shared, &world, Facts::new(Statistics::default()));
        if let Ok(Some(made)) = together(&evaluator) {
            return Ok(made);
        }
        self.shared.context.cancel.check()?;
        each(&Evaluator::new(&self.shared, &world, Facts::new(Statistics::default())))
    }
}
