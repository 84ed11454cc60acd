//! What can go wrong while a program is prepared and run.

use crate::source::{ErrorKind, SourceError};
use airloom_ir::oracle::Raised;
use datafusion_common::DataFusionError;
use std::fmt;
use std::sync::Arc;

/// An error of the engine, by who can mend it.
#[derive(Clone, Debug)]
pub enum Error {
    /// The program, or what it was given, is wrong.
    Program(String),
    /// The program raised while running.
    Raised(Raised),
    /// The world failed: a file, a disk, a database.
    World(String),
    /// More memory was needed than the budget has, where nothing could be spilled.
    Memory(String),
    /// It was asked to stop.
    Cancelled,
    /// We are broken.
    Broken(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program(message) | Error::World(message) | Error::Memory(message) | Error::Broken(message) => f.write_str(message),
            Error::Raised(raised) => write!(f, "{raised}"),
            Error::Cancelled => f.write_str(super::cancel::CANCELLED),
        }
    }
}

impl std::error::Error for Error {}

impl From<Raised> for Error {
    fn from(raised: Raised) -> Error {
        if raised.message == super::cancel::CANCELLED { Error::Cancelled } else { Error::Raised(raised) }
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Error {
        match error.kind {
            ErrorKind::User => Error::Program(error.message),
            ErrorKind::World => Error::World(error.message),
            ErrorKind::Refused => Error::Program(error.message),
            ErrorKind::Broken => Error::Broken(error.message),
        }
    }
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Error {
        if let Some(found) = find(&error) {
            return found;
        }
        match error.find_root() {
            DataFusionError::ResourcesExhausted(message) => Error::Memory(message.clone()),
            DataFusionError::IoError(e) => Error::World(e.to_string()),
            DataFusionError::ObjectStore(e) => Error::World(e.to_string()),
            DataFusionError::ParquetError(e) => Error::World(e.to_string()),
            DataFusionError::ExecutionJoin(e) => Error::Broken(e.to_string()),
            other @ (DataFusionError::Execution(_) | DataFusionError::ArrowError(..)) => Error::World(other.strip_backtrace()),
            other => Error::Broken(other.to_string()),
        }
    }
}

/// An error of ours somewhere inside one of DataFusion's.
fn find(error: &DataFusionError) -> Option<Error> {
    let mut stack: Vec<&DataFusionError> = vec![error];
    while let Some(error) = stack.pop() {
        match error {
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => stack.push(inner),
            DataFusionError::Shared(inner) => stack.push(inner),
            DataFusionError::Collection(all) => stack.extend(all.first()),
            DataFusionError::External(inner) => {
                if let Some(raised) = inner.downcast_ref::<Raised>() {
                    return Some(raised.clone().into());
                }
                if let Some(source) = inner.downcast_ref::<SourceError>() {
                    return Some(source.clone().into());
                }
                if let Some(ours) = inner.downcast_ref::<Error>() {
                    return Some(ours.clone());
                }
                if let Some(nested) = inner.downcast_ref::<DataFusionError>() {
                    stack.push(nested);
                } else if let Some(nested) = inner.downcast_ref::<Arc<DataFusionError>>() {
                    stack.push(nested);
                }
            }
            _ => (),
        }
    }
    None
}

/// An error of the program on its way through DataFusion's streams.
pub fn raised_to_datafusion(raised: Raised) -> DataFusionError {
    DataFusionError::External(Box::new(raised))
}
