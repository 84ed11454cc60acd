//! What a run can end with instead of a result.

use super::{ErrorKind, SourceError};
use airloom_ir::graph::NodeId;
use airloom_ir::oracle::{Raised, Stop};
use std::fmt;

/// Why there is no result, by who can mend it.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program, or what it was given, is wrong.
    Program(String),
    /// The program raised while running.
    Raised(Raised),
    /// The world failed, or a source or sink is not what the program takes it for.
    Source(SourceError),
    /// More memory was needed than the budget has, where nothing could be spilled.
    Memory(String),
    /// It was asked to stop.
    Cancelled,
    /// Its loops took as many steps as they may.
    OutOfSteps(u64),
    /// We are broken.
    Bug(String),
}

impl Failure {
    /// The world failed: a disk, a device, a server.
    pub fn world(message: impl Into<String>) -> Failure {
        Failure::Source(SourceError::world(message))
    }

    /// Who can mend it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Failure::Program(_) | Failure::Raised(_) | Failure::OutOfSteps(_) => ErrorKind::User,
            Failure::Source(error) => error.kind,
            Failure::Memory(_) | Failure::Cancelled => ErrorKind::World,
            Failure::Bug(_) => ErrorKind::Broken,
        }
    }

    /// A failure of a node, where it does not say already of which.
    pub fn at(self, node: NodeId) -> Failure {
        match self {
            Failure::Raised(raised) => Failure::Raised(raised.at(node)),
            other => other,
        }
    }

    /// The same, as a failure of the source that was being read.
    pub fn into_source(self) -> SourceError {
        match self {
            Failure::Source(error) => error,
            other => SourceError { kind: other.kind(), message: other.to_string(), io: None },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Program(message) | Failure::Memory(message) | Failure::Bug(message) => f.write_str(message),
            Failure::Raised(raised) => write!(f, "{raised}"),
            Failure::Source(error) => write!(f, "{error}"),
            Failure::Cancelled => Stop::Cancelled.fmt(f),
            Failure::OutOfSteps(steps) => Stop::OutOfSteps(*steps).fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Raised> for Failure {
    fn from(raised: Raised) -> Failure {
        Failure::Raised(raised)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        match stop {
            Stop::Raised(raised) => Failure::Raised(raised),
            Stop::Cancelled => Failure::Cancelled,
            Stop::OutOfSteps(steps) => Failure::OutOfSteps(steps),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        Failure::Source(error)
    }
}
