//! What ends a run before it has a result.

use crate::graph::NodeId;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An error of the program that runs: what it divided, indexed or converted does not allow it.
#[derive(Clone, Debug)]
pub struct Raised {
    /// What was found and what was expected.
    pub message: String,
    /// The node that raised, where it is known.
    pub node: Option<NodeId>,
    /// What the host raised, where it did: it comes back to the host as it was.
    pub cause: Option<Cause>,
}

impl Raised {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Raised {
        Raised { message: message.into(), node: None, cause: None }
    }

    /// The error of a node, where it does not say already of which.
    pub fn at(self, node: NodeId) -> Raised {
        Raised { node: self.node.or(Some(node)), ..self }
    }
}

/// Causes are the host's, and are not compared.
impl PartialEq for Raised {
    fn eq(&self, other: &Raised) -> bool {
        (&self.message, self.node) == (&other.message, other.node)
    }
}

impl Eq for Raised {}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Raised {}

/// An error of the host, of a type that only the host knows.
#[derive(Clone)]
pub struct Cause(Arc<dyn Any + Send + Sync>);

impl Cause {
    /// An error of the host.
    pub fn new(error: impl Any + Send + Sync) -> Cause {
        Cause(Arc::new(error))
    }

    /// The error, where it is of this type.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cause")
    }
}

/// Why a run ended before it had a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program raised.
    Raised(Raised),
    /// It was asked to stop.
    Cancelled,
    /// It took as many steps as it may.
    OutOfSteps(u64),
}

impl Stop {
    /// An error of a node, where it does not say already of which.
    pub fn at(self, node: NodeId) -> Stop {
        match self {
            Stop::Raised(raised) => Stop::Raised(raised.at(node)),
            other => other,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Raised(raised) => raised.fmt(f),
            Stop::Cancelled => f.write_str("the run was cancelled"),
            Stop::OutOfSteps(steps) => write!(f, "the run was stopped after {steps} steps: the program may never end"),
        }
    }
}

impl std::error::Error for Stop {}

impl From<Raised> for Stop {
    fn from(raised: Raised) -> Stop {
        Stop::Raised(raised)
    }
}

/// `Err` with a message.
pub(super) fn raise<T, E: From<Raised>>(message: impl Into<String>) -> Result<T, E> {
    Err(Raised::new(message).into())
}
