//! Native code for bodies, by LLVM: each body is one vector loop, made for the processor it runs on.
//!
//! A body of the graph is [lowered](lower) to a shape, which knows single values of a fixed width alone; the shape is [emitted](emit) as one loop of LLVM's IR, and
//! compiled by [`llvm`]; [`code`] calls it. What is only reduced is computed and reduced by one loop: a [`fold`]. What has no kernel is refused with a reason, and computed by the interpreter, as are rows that raise.
//!
//! Compiled code is kept by its shape for the whole process. Where a program runs before its code is there, the interpreter computes, and batches that come later use
//! the code: the answers are the same to the bit, and [`Native::Verify`](airloom_compute::data::Native) compares them.

mod beside;
mod cache;
mod code;
mod disk;
mod emit;
mod fold;
mod fork;
mod function;
mod functions;
mod kernel;
mod kind;
mod llvm;
mod lower;
mod perf;
mod shape;
mod support;
mod table;
mod verify;

pub use cache::Counts;
pub use disk::{DiskCounts, disk_counts, keep_code_in};
pub use function::{CompiledFunction, Failed, Layout, Memory, Raise, Schedule, register_loop, register_object_mode};
pub use perf::name_code_for_perf;
pub use table::table;

use airloom_compute::body::{Compiler, FoldKernel, FoldSpec, HowComputed, Kernel};
use airloom_ir::graph::{Graph, NodeId};
use beside::BesidePrograms;
use fold::FoldBody;
use kernel::Body;
use std::sync::{Arc, OnceLock, RwLock};

/// A text of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Text {
    /// The IR of LLVM.
    Ir,
    /// The assembly of this machine.
    Assembly,
}

/// Compiles bodies by LLVM, when the run that computes them says. All of a process share what they have compiled.
#[derive(Clone, Copy, Debug, Default)]
pub struct LlvmCompiler;

impl LlvmCompiler {
    /// The kernel of a body as text, for vectors of all rows without constants, with nulls where its types have them; or why it has no kernel.
    pub fn text(graph: &Graph, given: &[NodeId], roots: &[NodeId], form: Text) -> Result<String, String> {
        code::text(&lower::lower(graph, given, roots)?, graph, form)
    }

    /// Why a body has no kernel, where it has none.
    pub fn refusal(graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> Option<String> {
        lower::lower(graph, given, roots).err()
    }

    /// What was compiled in this process so far.
    pub fn counts() -> Counts {
        cache::cache().counts()
    }
}

impl Compiler for LlvmCompiler {
    fn compile(&self, graph: &Arc<Graph>, given: &[NodeId], roots: &[NodeId]) -> Option<Arc<dyn Kernel>> {
        let lowered = lower::lower(graph, given, roots).ok()?;
        Some(Arc::new(Body {
            graph: graph.clone(),
            given: given.to_vec(),
            roots: roots.to_vec(),
            beside: BesidePrograms::new(&lowered.beside),
            lowered,
            known: RwLock::default(),
            plain: OnceLock::new(),
        }))
    }

    fn fold(&self, graph: &Arc<Graph>, spec: &FoldSpec) -> Option<Arc<dyn FoldKernel>> {
        Some(Arc::new(FoldBody::new(graph, lower::lower_fold(graph, spec).ok()?)))
    }

    fn how_computed(&self, graph: &Graph, given: &[NodeId], roots: &[NodeId]) -> HowComputed {
        match lower::lower(graph, given, roots) {
            Err(reason) => HowComputed::Interpreted(reason),
            Ok(lowered) => match lowered.shape.not_worth() {
                Some(reason) => HowComputed::Interpreted(reason.into()),
                None => compiled(lowered.reasons),
            },
        }
    }

    fn how_folded(&self, graph: &Graph, spec: &FoldSpec, several: bool) -> HowComputed {
        match lower::lower_fold(graph, spec) {
            Err(reason) => HowComputed::Interpreted(reason),
            Ok(lowered) if lowered.shape.fold_works(several) => compiled(lowered.reasons),
            Ok(_) => HowComputed::Interpreted("what is computed of each row is too little".into()),
        }
    }
}

/// By code, but for what has none for the first of these reasons.
fn compiled(reasons: Vec<String>) -> HowComputed {
    reasons.into_iter().next().map_or(HowComputed::Compiled, HowComputed::Partly)
}
