//! What a run ends with that does not end well.

use crate::graph::NodeId;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// An error of the program that runs: what it divided, indexed or converted does not allow it.
#[derive(Clone, Debug)]
pub struct Raised {
    /// What was found and what was expected.
    pub message: String,
    /// The node that raised, where it is known.
    pub node: Option<NodeId>,
    /// What lies behind it, where it is not the program itself.
    pub cause: Option<Cause>,
}

/// What lies behind an error that the program did not raise by itself.
#[derive(Clone, Debug)]
pub enum Cause {
    /// The run was asked to end.
    Cancelled,
    /// What a function of the host failed with, such as an exception of Python.
    Host(Arc<dyn Error + Send + Sync>),
}

/// Why a function of the host failed.
#[derive(Clone, Debug)]
pub struct HostError {
    /// What to tell the user.
    pub message: String,
    /// What it failed with, for those who know its type.
    pub cause: Option<Cause>,
}

impl From<String> for HostError {
    fn from(message: String) -> HostError {
        HostError { message, cause: None }
    }
}

impl From<&str> for HostError {
    fn from(message: &str) -> HostError {
        message.to_string().into()
    }
}

impl Raised {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Raised {
        Raised { message: message.into(), node: None, cause: None }
    }

    /// An error with this message that a node raised.
    pub fn at(message: impl Into<String>, node: NodeId) -> Raised {
        Raised { node: Some(node), ..Raised::new(message) }
    }

    /// What a run raises that was asked to end.
    pub fn cancelled() -> Raised {
        Raised { cause: Some(Cause::Cancelled), ..Raised::new("the run was cancelled") }
    }

    /// What a failing function of the host raises.
    pub fn host(name: &str, error: HostError) -> Raised {
        Raised { cause: error.cause, ..Raised::new(format!("host function `{name}`: {}", error.message)) }
    }

    /// Whether it was raised because the run was asked to end.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.cause, Some(Cause::Cancelled))
    }
}

/// Errors are the same where they tell the same: what lies behind them is not compared.
impl PartialEq for Raised {
    fn eq(&self, other: &Raised) -> bool {
        self.message == other.message && self.node == other.node
    }
}

impl Eq for Raised {}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Raised {}

/// `Err` with a message.
pub(super) fn raise<T>(message: impl Into<String>) -> Result<T, Raised> {
    Err(Raised::new(message))
}
