//! What goes wrong, in the kinds that Python sees. The classes are Python's own, so that they can be what users expect to catch: an ill-typed node is a
//! `TypeError` too, and a missing file a `FileNotFoundError`.

use airloom::source::SourceError;
use airloom::{Error as AirloomError, WorldError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::io::ErrorKind;

/// What went wrong.
pub(crate) enum Error {
    /// Airloom says so.
    Airloom(AirloomError),
    /// Python code of a rule raised.
    Rule(String, Option<PyErr>),
    /// Python's own, passed on as it is.
    Python(PyErr),
}

impl From<AirloomError> for Error {
    fn from(error: AirloomError) -> Error {
        Error::Airloom(error)
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Error {
        Error::Python(error)
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Error {
        AirloomError::from(error).into()
    }
}

impl Error {
    /// Nothing here can do it.
    pub(crate) fn refused(message: String) -> Error {
        AirloomError::Refused(message).into()
    }

    /// We are broken.
    pub(crate) fn broken(message: String) -> Error {
        AirloomError::Broken { message, report: None }.into()
    }

    /// The exception for Python.
    pub(crate) fn into_py(self, py: Python<'_>) -> PyErr {
        match self {
            Error::Airloom(error) => airloom_to_python(py, error),
            Error::Rule(message, cause) => caused(py, "RuleError", message, cause),
            Error::Python(error) => error,
        }
    }
}

fn airloom_to_python(py: Python<'_>, error: AirloomError) -> PyErr {
    match error {
        AirloomError::Program(message) => instance(py, "ProgramError", message),
        AirloomError::Refused(message) => instance(py, "RefusedError", message),
        AirloomError::Raised(raised) => {
            let cause = raised.cause.as_ref().and_then(|cause| cause.downcast_ref::<PyErr>()).map(|error| error.clone_ref(py));
            caused(py, "RaisedError", raised.message, cause)
        }
        AirloomError::World(error) => world_error(py, error),
        AirloomError::Memory(message) => instance(py, "MemoryLimitError", message),
        AirloomError::Cancelled => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        AirloomError::Rule(message) => instance(py, "RuleError", message),
        AirloomError::Broken { message, report: None } => instance(py, "BrokenError", message),
        AirloomError::Broken { message, report: Some(path) } => {
            let hint = format!("hint: this is a bug of airloom; the program that shows it is in {}", path.display());
            instance(py, "BrokenError", format!("{message}\n\n{hint}"))
        }
    }
}

/// Files and disks that fail are what Python calls an `OSError`, with its number where that is well known.
fn world_error(py: Python<'_>, error: WorldError) -> PyErr {
    let (class, number) = match error.io {
        None => ("WorldError", None),
        Some(ErrorKind::NotFound) => ("MissingFileError", Some("ENOENT")),
        Some(ErrorKind::PermissionDenied) => ("FileError", Some("EACCES")),
        Some(ErrorKind::StorageFull) => ("FileError", Some("ENOSPC")),
        Some(ErrorKind::FileTooLarge) => ("FileError", Some("EFBIG")),
        Some(ErrorKind::ReadOnlyFilesystem) => ("FileError", Some("EROFS")),
        Some(_) => ("FileError", None),
    };
    let made = instance(py, class, error.message);
    let numbered = number.map_or(Ok(()), |name| made.value(py).setattr("errno", py.import("errno")?.getattr(name)?));
    numbered.map_or_else(|failed| failed, |()| made)
}

fn caused(py: Python<'_>, class: &str, message: String, cause: Option<PyErr>) -> PyErr {
    let error = instance(py, class, message);
    error.set_cause(py, cause);
    error
}

/// An exception of the same class with another message, where it is one of ours but not of the program.
pub(crate) fn same_kind(py: Python<'_>, error: &PyErr, message: &str) -> Option<PyErr> {
    let ours = ["RaisedError", "RefusedError", "WorldError", "FileError", "MissingFileError", "MemoryLimitError", "BrokenError"];
    let class = ours.into_iter().find(|class| error.get_type(py).is(instance(py, class, String::new()).get_type(py)))?;
    let made = instance(py, class, message.to_string());
    if let Ok(number) = error.value(py).getattr("errno") {
        made.value(py).setattr("errno", number).ok()?;
    }
    Some(made)
}

/// The program is wrong.
pub(crate) fn program_error(py: Python<'_>, message: impl Into<String>) -> PyErr {
    instance(py, "ProgramError", message.into())
}

/// A node or type is refused: also a `TypeError`.
pub(crate) fn ill_typed(py: Python<'_>, message: impl Into<String>) -> PyErr {
    instance(py, "IllTypedError", message.into())
}

/// A rule cannot be one, or does not keep its promise.
pub(crate) fn rule_error(py: Python<'_>, message: impl Into<String>) -> PyErr {
    instance(py, "RuleError", message.into())
}

fn instance(py: Python<'_>, class: &str, message: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("airloom.errors").map(Bound::unbind));
    let found = module.and_then(|m| m.bind(py).getattr(class)).and_then(|c| c.cast_into::<PyType>().map_err(PyErr::from));
    match found {
        Ok(class) => PyErr::from_type(class, message),
        Err(error) => error,
    }
}
