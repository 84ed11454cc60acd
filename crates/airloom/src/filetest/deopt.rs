//! A compiler for tests: its kernels compute as the interpreter does, and hand over at random rows. Whatever a body is part of, the answers must be the same.

use airloom_compute::body::{Compiler, Deopt, Exit, Kernel, Program, Programs};
use airloom_compute::data::{RunContext, Selection, Vector};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::oracle::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct RandomDeopts {
    pub(super) seed: u64,
}

struct HandingOver {
    program: Arc<Program>,
    state: AtomicU64,
}

impl Compiler for RandomDeopts {
    fn compile(&self, graph: &Arc<Graph>, given: &[NodeId], roots: &[NodeId]) -> Option<Arc<dyn Kernel>> {
        let program = Programs::new(graph, None).of_nodes(given, roots);
        Some(Arc::new(HandingOver { program, state: AtomicU64::new(self.seed) }))
    }
}

impl HandingOver {
    /// A number from 0 up to and with `most`.
    fn random(&self, most: usize) -> usize {
        let state = self.state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 31)) % (most as u64 + 1)) as usize
    }
}

impl Kernel for HandingOver {
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Exit> {
        let row = self.random(rows.len());
        let before: Vec<Vector> = given.iter().map(|vector| airloom_compute::body::slice(&rows.vector(vector), 0, row)).collect();
        match self.program.run(context, &before, &Selection::All(row)) {
            Ok(done) => Err(Exit::Deopt(Deopt { row, done })),
            // What a row raises is not for a kernel to say.
            Err(Stop::Raised(_)) => Err(Exit::Deopt(Deopt { row: 0, done: Vec::new() })),
            Err(stop) => Err(Exit::Stop(stop)),
        }
    }
}
