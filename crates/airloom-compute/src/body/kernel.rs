//! The seam between bodies and who computes them: the interpreter, the oracle, compilers.

use super::fold::{FoldKernel, FoldSpec};
use crate::data::{RunContext, Selection, Vector};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::oracle::Stop;
use std::sync::Arc;

/// A body made ready to be computed over batches. It is immutable: one kernel serves all threads and all runs.
pub trait Kernel: Send + Sync {
    /// A vector for each root over the selected rows, in their order. `given` holds the vectors of what the body reads, over all rows of the batch.
    ///
    /// Values under null are unspecified: they must not change what happens.
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Exit>;
}

/// Why a kernel did not compute all rows.
#[derive(Debug)]
pub enum Exit {
    /// It hands over to the next kernel.
    Deopt(Deopt),
    /// The run ends.
    Stop(Stop),
}

/// A kernel hands over at a row: those before it are done, this one and all after it are not. A kernel need not know why; that a row raises, and what it says, is
/// for the oracle to tell.
#[derive(Debug)]
pub struct Deopt {
    /// The number of the row, among the selected ones.
    pub row: usize,
    /// The vectors of the roots over the rows before it.
    pub done: Vec<Vector>,
}

/// Makes kernels.
pub trait Compiler: Send + Sync {
    /// A kernel that computes `roots` from the vectors of `given`; `None` where it does not take them.
    fn compile(&self, graph: &Arc<Graph>, given: &[NodeId], roots: &[NodeId]) -> Option<Arc<dyn Kernel>>;

    /// A kernel that folds; `None` where it does not take the values or the folds.
    fn fold(&self, _: &Arc<Graph>, _: &FoldSpec) -> Option<Arc<dyn FoldKernel>> {
        None
    }

    /// By what a body is computed: for people.
    fn how_computed(&self, _: &Graph, _given: &[NodeId], _roots: &[NodeId]) -> HowComputed {
        HowComputed::Interpreted("nothing is compiled".into())
    }

    /// By what values are folded, of several groups or one: for people.
    fn how_folded(&self, _: &Graph, _: &FoldSpec, _several: bool) -> HowComputed {
        HowComputed::Interpreted("nothing is folded".into())
    }
}

/// By what something of each row is computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HowComputed {
    /// By compiled code, once there are rows enough.
    Compiled,
    /// By compiled code, but for parts that the interpreter computes before, for this reason.
    Partly(String),
    /// By the interpreter, for this reason.
    Interpreted(String),
}

/// Whether a body calls functions of the host: those are called as often as the program says, so no row of it is computed twice.
pub(super) fn calls_host(graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> bool {
    let mut stack = graph.block_order_above(given, roots);
    while let Some(id) = stack.pop() {
        match graph.op(id) {
            Op::Core(Core::Host) => return true,
            // Functions nest only so deep.
            Op::Core(Core::Lambda) => stack.extend(graph.block_order(&[graph.result_of(id)])),
            _ => (),
        }
    }
    false
}
