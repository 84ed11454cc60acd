//! What can go wrong while a program is prepared and run.

use crate::source::{ErrorKind, SourceError, io_inside};
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
    /// The world failed.
    World(WorldError),
    /// More memory was needed than the budget has, where nothing could be spilled.
    Memory(String),
    /// It was asked to stop.
    Cancelled,
    /// We are broken.
    Broken(String),
}

/// A failure of the world: a missing file, a full disk, a database that went away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorldError {
    /// What to tell the user.
    pub message: String,
    /// What the operating system said, where a file or a disk failed.
    pub io: Option<std::io::ErrorKind>,
}

impl From<String> for WorldError {
    fn from(message: String) -> WorldError {
        WorldError { message, io: None }
    }
}

impl From<&str> for WorldError {
    fn from(message: &str) -> WorldError {
        message.to_string().into()
    }
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program(message) | Error::Memory(message) | Error::Broken(message) => f.write_str(message),
            Error::World(error) => write!(f, "{error}"),
            Error::Raised(raised) => write!(f, "{raised}"),
            Error::Cancelled => f.write_str("the run was cancelled"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Raised> for Error {
    fn from(raised: Raised) -> Error {
        if raised.is_cancelled() { Error::Cancelled } else { Error::Raised(raised) }
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Error {
        match error.kind {
            ErrorKind::User => Error::Program(error.message),
            ErrorKind::World => Error::World(WorldError { message: error.message, io: error.io }),
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
        let root = error.find_root();
        let world = |message: String| {
            Error::World(match io_inside(root) {
                Some(io) if io.kind() == std::io::ErrorKind::StorageFull => {
                    WorldError { message: "the disk is full".into(), io: Some(io.kind()) }
                }
                Some(io) => WorldError { message: format!("a file failed: {io}"), io: Some(io.kind()) },
                None => message.into(),
            })
        };
        match root {
            DataFusionError::ResourcesExhausted(message) => Error::Memory(message.clone()),
            DataFusionError::IoError(e) => world(e.to_string()),
            DataFusionError::ObjectStore(e) => world(e.to_string()),
            DataFusionError::ParquetError(e) => world(e.to_string()),
            DataFusionError::ExecutionJoin(e) => Error::Broken(e.to_string()),
            other @ (DataFusionError::Execution(_) | DataFusionError::ArrowError(..)) => world(other.strip_backtrace()),
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
