//! What can go wrong, by who can mend it.

use airloom_compute::data::{ErrorKind, SourceError, WorldError};
use airloom_ir::oracle::Raised;
use std::fmt;
use std::path::PathBuf;

/// What went wrong.
///
/// ```
/// use airloom::{Error, Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::from_environment()?)?;
/// match session.read_parquet("nowhere.parquet") {
///     Err(Error::World(error)) => assert_eq!(error.io, Some(std::io::ErrorKind::NotFound), "{error}"),
///     other => panic!("expected an error of the world, found {other:?}"),
/// }
/// # Ok::<(), airloom::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Error {
    /// The program, or what it was given, is wrong: what was found, what was expected and where.
    Program(String),
    /// We cannot do this, and know it.
    Refused(String),
    /// The program raised while running: it divided by zero, or converted what does not convert, or a function of the host failed, whose own error is its cause.
    Raised(Raised),
    /// The world failed: a file that is missing or is not what it says, a full disk, a database that went away.
    World(WorldError),
    /// More memory was needed than the budget has, where nothing could be spilled.
    Memory(String),
    /// It was asked to stop.
    Cancelled,
    /// A rule that was added to the session does not keep its promise.
    Rule(String),
    /// We are broken: an invariant of ours does not hold.
    Broken {
        /// What was found.
        message: String,
        /// The file with the program that shows it, where one could be written.
        report: Option<PathBuf>,
    },
}

impl Error {
    /// A bug, before its program is written down.
    pub(crate) fn broken(message: impl Into<String>) -> Error {
        Error::Broken { message: message.into(), report: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program(message) | Error::Memory(message) | Error::Rule(message) => f.write_str(message),
            Error::Raised(raised) => write!(f, "{raised}"),
            Error::World(error) => write!(f, "{error}"),
            Error::Refused(message) => write!(f, "refused: {message}"),
            Error::Cancelled => f.write_str("the run was cancelled"),
            Error::Broken { message, report } => {
                write!(f, "airloom is broken: {message}\n\nhint: this is a bug of airloom")?;
                match report {
                    Some(path) => write!(f, "; the program that shows it is in {}", path.display()),
                    None => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Error {
        match error.kind {
            ErrorKind::User => Error::Program(error.message),
            ErrorKind::World => Error::World(WorldError { message: error.message, io: error.io }),
            ErrorKind::Refused => Error::Refused(error.message),
            ErrorKind::Broken => Error::broken(error.message),
        }
    }
}
