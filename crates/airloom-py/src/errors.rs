//! What goes wrong, in the kinds that Python sees. The classes are Python's own, so that they can be what users expect to catch: an ill-typed node is a
//! `TypeError` too.

use airloom_compute::data::{ErrorKind, SourceError};
use airloom_ir::oracle::{Cause, Raised};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// What went wrong while running.
pub(crate) enum Error {
    /// The program, or what it is given, is wrong.
    Program(String),
    /// The program raised; the exception of a Python function behind it, where there is one.
    Raised(String, Option<PyErr>),
    /// Nothing here can do it, and the options say that this is an error.
    Refused(String),
    /// We are broken. The text of the program stands beside it.
    Broken(String),
    /// More memory was needed than the budget has.
    Memory(String),
    /// Python code of a rule raised.
    Rule(String, Option<PyErr>),
    /// The user asked to stop.
    Cancelled,
    /// Python's own, passed on as it is.
    Python(PyErr),
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Error {
        Error::Python(error)
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Error {
        match error.kind {
            ErrorKind::User => Error::Program(error.message),
            ErrorKind::World => Error::Raised(error.message, None),
            ErrorKind::Refused => Error::Refused(error.message),
            ErrorKind::Broken => Error::Broken(error.message),
        }
    }
}

impl Error {
    /// The exception for Python.
    pub(crate) fn into_py(self, py: Python<'_>) -> PyErr {
        let caused = |class: &str, message: String, cause: Option<PyErr>| {
            let error = instance(py, class, message);
            error.set_cause(py, cause);
            error
        };
        match self {
            Error::Program(message) => instance(py, "ProgramError", message),
            Error::Raised(message, cause) => caused("RaisedError", message, cause),
            Error::Refused(message) => instance(py, "RefusedError", message),
            Error::Memory(message) => instance(py, "MemoryLimitError", message),
            Error::Broken(message) => instance(py, "BrokenError", message),
            Error::Rule(message, cause) => caused("RuleError", message, cause),
            Error::Cancelled => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
            Error::Python(error) => error,
        }
    }
}

/// An exception of Python in a running program, which comes back to Python as it was.
pub(crate) fn raised(error: PyErr) -> Raised {
    Raised { message: error.to_string(), node: None, cause: Some(Cause::new(error)) }
}

/// The exception behind an error of a run, where there is one.
pub(crate) fn cause_of(raised: &Raised) -> Option<PyErr> {
    let error = raised.cause.as_ref()?.downcast_ref::<PyErr>()?;
    Some(Python::attach(|py| error.clone_ref(py)))
}

/// An exception of the same class with another message, where it is one of ours but not of the program.
pub(crate) fn same_kind(py: Python<'_>, error: &PyErr, message: &str) -> Option<PyErr> {
    let ours = ["RaisedError", "RefusedError", "MemoryLimitError", "BrokenError"];
    let class = ours.into_iter().find(|class| error.get_type(py).is(instance(py, class, String::new()).get_type(py)))?;
    Some(instance(py, class, message.to_string()))
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
