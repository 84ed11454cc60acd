//! What can go wrong while writing.

use crate::source::{ErrorKind, SourceError};
use datafusion_common::DataFusionError;
use std::fmt;

/// Why nothing was written.
#[derive(Debug)]
pub enum SinkError {
    /// What was to be written could not be computed.
    Plan(Box<DataFusionError>),
    /// It could not be written.
    Sink(SourceError),
}

impl SinkError {
    /// Whose fault it is, where it is known without looking into the plan.
    pub fn kind(&self) -> ErrorKind {
        match self {
            SinkError::Plan(error) => SourceError::from_plan(error).kind,
            SinkError::Sink(error) => error.kind,
        }
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SinkError::Plan(error) => f.write_str(&error.strip_backtrace()),
            SinkError::Sink(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SinkError {}

impl From<SourceError> for SinkError {
    fn from(error: SourceError) -> SinkError {
        SinkError::Sink(error)
    }
}

impl From<DataFusionError> for SinkError {
    fn from(error: DataFusionError) -> SinkError {
        SinkError::Plan(Box::new(error))
    }
}
