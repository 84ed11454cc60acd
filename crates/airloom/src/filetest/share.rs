//! Programs shared out between the oracle and the engine, so that cutting them is tested as well as running them.

use crate::backend::{Backend, Compiled, Failure, OracleBackend, Refusal};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::oracle::Limits;
use std::sync::Arc;

/// How much of a program the oracle runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// No node.
    Nothing,
    /// One node in two, by a hash of its position in the graph.
    Half,
    /// Every node that may leave the engine.
    Everything,
}

/// The oracle as a backend that takes a share of every program.
pub struct SharingOracle {
    share: Share,
    oracle: OracleBackend,
}

impl SharingOracle {
    /// An oracle that takes this share, and works for so long.
    pub fn new(share: Share, limits: Limits) -> SharingOracle {
        SharingOracle { share, oracle: OracleBackend::new(limits) }
    }
}

impl Backend for SharingOracle {
    fn name(&self) -> &str {
        self.oracle.name()
    }

    fn supports(&self, _: &Module, node: NodeId) -> Result<Result<(), Refusal>, Failure> {
        // The highest bit of a product with an odd number near 2⁶⁴ divided by the golden ratio: neighbours fall into both halves.
        let heads = (node.index() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1;
        let taken = match self.share {
            Share::Nothing => false,
            Share::Half => heads,
            Share::Everything => true,
        };
        Ok(if taken { Ok(()) } else { Err(Refusal::new(self.name(), "it is not in its share")) })
    }

    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        self.oracle.compile(program, function)
    }
}
