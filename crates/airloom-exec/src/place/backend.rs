//! What a backend is.

use crate::run::Run;
use airloom_compute::data::{Datum, Failure};
use airloom_ir::graph::NodeId;
use airloom_ir::module::{Location, Module};
use std::fmt;
use std::sync::Arc;

/// Something that runs parts of programs.
pub trait Backend: Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// Whether it takes a node with its bodies, its arguments apart. It is asked before anything runs; an error ends the run.
    fn supports(&self, program: &Module, node: NodeId) -> Result<Result<(), Refusal>, Failure>;

    /// As [`Backend::supports`], of many nodes: for a backend to which a program must be brought before it can look at it.
    fn supports_each(&self, program: &Module, nodes: &[NodeId]) -> Result<Vec<Result<(), Refusal>>, Failure> {
        nodes.iter().map(|&node| self.supports(program, node)).collect()
    }

    /// Makes a function ready to run. It is made of nodes that the backend supports, and of constants; its parameters are what it reads.
    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure>;
}

/// A function that a backend has made ready to run, as often as it is asked to.
pub trait Compiled: Send + Sync {
    /// The result for these inputs, in the physical form of its type. It ends soon after the run's `cancel` says so.
    fn run(&self, inputs: Vec<Datum>, run: &Run) -> Result<Datum, Failure>;
}

/// Why a backend does not take a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The backend.
    pub backend: String,
    /// What it cannot do.
    pub reason: String,
}

impl Refusal {
    /// A refusal of the backend of this name.
    pub fn new(backend: &str, reason: impl Into<String>) -> Refusal {
        Refusal { backend: backend.to_string(), reason: reason.into() }
    }
}

/// A refusal, and of what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Who refused, and why.
    pub refusal: Refusal,
    /// The op of the node.
    pub op: &'static str,
    /// Where in the user's file the node was written.
    pub place: Option<Location>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not take `{}`: {}", self.refusal.backend, self.op, self.refusal.reason)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}
