//! What can go wrong at the edge: reading a source, writing a sink.

use datafusion_common::DataFusionError;
use std::fmt;
use std::path::Path;

/// Whose fault an error is, which decides how it reaches the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The program is wrong: a column nobody has, a value that does not fit the type asked for.
    User,
    /// The world failed: a file that is not there, a disk that is full, a file cut short, a database that went away.
    World,
    /// We cannot do this, and know it: another way must be found.
    Refused,
    /// We are broken: an invariant of ours does not hold.
    Broken,
}

/// An error of a source or a sink: what was found, what was expected and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// Whose fault it is.
    pub kind: ErrorKind,
    /// What to tell the user.
    pub message: String,
    /// What the operating system said, where a file or a disk failed.
    pub io: Option<std::io::ErrorKind>,
}

impl SourceError {
    /// The program is wrong.
    pub fn user(message: impl Into<String>) -> SourceError {
        SourceError { kind: ErrorKind::User, message: message.into(), io: None }
    }

    /// The world failed.
    pub fn world(message: impl Into<String>) -> SourceError {
        SourceError { kind: ErrorKind::World, message: message.into(), io: None }
    }

    /// We cannot do this.
    pub fn refused(message: impl Into<String>) -> SourceError {
        SourceError { kind: ErrorKind::Refused, message: message.into(), io: None }
    }

    /// We are broken.
    pub fn broken(message: impl Into<String>) -> SourceError {
        SourceError { kind: ErrorKind::Broken, message: message.into(), io: None }
    }

    /// The same error, saying first where it happened.
    pub fn at(mut self, place: impl fmt::Display) -> SourceError {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// There is no such file.
    pub fn missing(doing: &str, path: &str) -> SourceError {
        SourceError::system(format!("cannot {doing} `{path}`: no such file or directory"), std::io::ErrorKind::NotFound)
    }

    /// The world failed, as the operating system says.
    fn system(message: impl Into<String>, io: std::io::ErrorKind) -> SourceError {
        SourceError { io: Some(io), ..SourceError::world(message) }
    }

    /// An error of the file system while doing something with `path`.
    pub fn io(doing: &str, path: &Path, error: &std::io::Error) -> SourceError {
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file or directory".to_string(),
            std::io::ErrorKind::StorageFull => "the disk is full".to_string(),
            _ => error.to_string(),
        };
        SourceError::system(format!("cannot {doing} `{}`: {what}", path.display()), error.kind())
    }

    /// An error of an object store while doing something with `url`.
    pub fn store(doing: &str, url: &str, error: &object_store::Error) -> SourceError {
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

    /// What an error that came up through a plan was: an error of ours is given back as it was made.
    pub fn from_plan(error: &DataFusionError) -> SourceError {
        let mut at: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = at {
            if let Some(ours) = error.downcast_ref::<SourceError>() {
                return ours.clone();
            }
            // A boxed or shared error hides what it holds from `source`, so those are opened by hand.
            at = match error.downcast_ref::<DataFusionError>() {
                Some(DataFusionError::External(inner)) => Some(inner.as_ref()),
                Some(DataFusionError::ArrowError(inner, _)) => Some(inner.as_ref()),
                Some(DataFusionError::Shared(inner)) => Some(inner.as_ref()),
                Some(DataFusionError::Context(_, inner)) => Some(inner.as_ref()),
                Some(DataFusionError::ParquetError(inner)) => return SourceError::world(inner.to_string()),
                Some(DataFusionError::ObjectStore(inner)) => return SourceError::store("read", "a file", inner),
                Some(DataFusionError::IoError(inner)) => return SourceError::system(inner.to_string(), inner.kind()),
                Some(DataFusionError::ResourcesExhausted(message)) => return SourceError::world(message.clone()),
                Some(DataFusionError::Execution(message)) => return SourceError::world(message.clone()),
                _ => match error.downcast_ref::<arrow::error::ArrowError>() {
                    Some(arrow::error::ArrowError::ExternalError(inner)) => Some(inner.as_ref()),
                    Some(arrow::error::ArrowError::ParquetError(message)) => return SourceError::world(message.clone()),
                    Some(other) => return SourceError::world(other.to_string()),
                    None => error.source(),
                },
            };
        }
        SourceError::broken(error.strip_backtrace())
    }
}

/// The error of the operating system inside another, if there is one: the innermost, since libraries wrap one in another of no particular kind.
pub fn io_inside<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a std::io::Error> {
    let (mut at, mut found) = (Some(error), None);
    while let Some(error) = at {
        at = match error.downcast_ref::<std::io::Error>() {
            Some(io) => {
                found = Some(io);
                io.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static))
            }
            None => error.source(),
        };
    }
    found
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SourceError {}

impl From<SourceError> for DataFusionError {
    fn from(error: SourceError) -> DataFusionError {
        DataFusionError::External(Box::new(error))
    }
}
