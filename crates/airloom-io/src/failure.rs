//! Failures on their way through DataFusion's streams: a failure of ours is always an `External` with a [`Failure`] in it, and is taken out in one place.

use airloom_compute::data::{Failure, SourceError};
use arrow::error::ArrowError;
use datafusion_common::DataFusionError;
use std::error::Error;
use std::sync::Arc;

/// A failure as DataFusion's streams carry it.
pub fn to_datafusion(failure: impl Into<Failure>) -> DataFusionError {
    DataFusionError::External(Box::new(failure.into()))
}

/// What an error that came out of a plan was: a failure of ours as it was made, others by who can mend them.
pub fn from_datafusion(error: &DataFusionError) -> Failure {
    let mut at: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = at {
        if let Some(ours) = error.downcast_ref::<Failure>() {
            return ours.clone();
        }
        // A boxed or shared error hides what it holds from `source`, so those are opened by hand.
        at = match (error.downcast_ref::<DataFusionError>(), error.downcast_ref::<ArrowError>()) {
            (Some(DataFusionError::External(inner)), _) => Some(inner.as_ref()),
            (Some(DataFusionError::ArrowError(inner, _)), _) => Some(inner.as_ref()),
            (Some(DataFusionError::Shared(inner)), _) => Some(inner.as_ref()),
            (Some(DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner)), _) => Some(inner.as_ref()),
            (Some(DataFusionError::Collection(all)), _) => all.first().map(|first| first as &(dyn Error + 'static)),
            (Some(DataFusionError::ParquetError(inner)), _) => return world(error, inner.to_string()),
            (Some(DataFusionError::ObjectStore(inner)), _) => return store_error("read", "a file", inner).into(),
            (Some(DataFusionError::IoError(inner)), _) => return world(error, inner.to_string()),
            (Some(DataFusionError::ResourcesExhausted(message)), _) => return Failure::Memory(message.clone()),
            (Some(DataFusionError::Execution(message)), _) => return world(error, message.clone()),
            (Some(DataFusionError::ExecutionJoin(inner)), _) => return Failure::Bug(inner.to_string()),
            (_, Some(ArrowError::ExternalError(inner))) => Some(inner.as_ref()),
            (_, Some(ArrowError::ParquetError(message))) => return world(error, message.clone()),
            (_, Some(other)) => return world(error, other.to_string()),
            (None, None) => match error.downcast_ref::<Arc<DataFusionError>>() {
                Some(shared) => Some(shared.as_ref()),
                None => error.source(),
            },
            (Some(_), None) => error.source(),
        };
    }
    Failure::Bug(error.strip_backtrace())
}

/// An error of an object store while doing something with `url`.
pub(crate) fn store_error(doing: &str, url: &str, error: &object_store::Error) -> SourceError {
    match error {
        object_store::Error::NotFound { .. } => SourceError::missing(doing, url),
        object_store::Error::AlreadyExists { .. } => SourceError::user(format!("cannot {doing} `{url}`: it exists already")),
        other => match io_inside(other).map(std::io::Error::kind) {
            Some(io @ std::io::ErrorKind::StorageFull) => SourceError::system(format!("cannot {doing} `{url}`: the disk is full"), io),
            Some(io) => SourceError::system(format!("cannot {doing} `{url}`: {other}"), io),
            None => SourceError::world(format!("cannot {doing} `{url}`: {other}")),
        },
    }
}

/// The error of the operating system inside another, if there is one: the innermost, since libraries wrap one in another of no particular kind.
pub fn io_inside<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a std::io::Error> {
    let (mut at, mut found) = (Some(error), None);
    while let Some(error) = at {
        at = match error.downcast_ref::<std::io::Error>() {
            Some(io) => {
                found = Some(io);
                io.get_ref().map(|inner| inner as &(dyn Error + 'static))
            }
            None => error.source(),
        };
    }
    found
}

/// A failure of the world inside an error of a library, with what the operating system said.
fn world(error: &(dyn Error + 'static), message: String) -> Failure {
    match io_inside(error) {
        Some(io) if io.kind() == std::io::ErrorKind::StorageFull => SourceError::system("the disk is full", io.kind()).into(),
        Some(io) => SourceError::system(format!("a file failed: {io}"), io.kind()).into(),
        None => SourceError::world(message).into(),
    }
}
