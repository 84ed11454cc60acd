//! What can go wrong at the edge: reading a source, writing a sink.

use std::fmt;
use std::path::Path;

/// Whose fault an error is, which decides how it reaches the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The program is wrong: a column that does not exist, a value that does not fit the type asked for.
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
    /// The message for the user.
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
    pub fn system(message: impl Into<String>, io: std::io::ErrorKind) -> SourceError {
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
}

/// A failure of the world: a missing file, a full disk, a database that went away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorldError {
    /// The message for the user.
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

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SourceError {}
