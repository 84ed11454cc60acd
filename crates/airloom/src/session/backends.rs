//! Backends of an embedder: they are asked first, and run the parts that they support.

use super::error::Error;
use super::session::{Common, Session, locked};
use crate::backend::{Backend, ENGINE, Refused};
use std::sync::{Arc, PoisonError};

impl Common {
    /// The backends, in the order they are asked.
    pub(super) fn backends(&self) -> Vec<Arc<dyn Backend>> {
        self.backends.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Session {
    /// Adds a backend to those that are asked which parts of programs they take, after those that are there. The engine takes what is left.
    ///
    /// ```
    /// use airloom::backend::OracleBackend;
    /// use airloom::ir::{oracle::Limits, value::Value};
    /// use airloom::{Session, SessionOptions};
    /// use std::sync::Arc;
    ///
    /// let session = Session::new(SessionOptions::from_environment()?)?;
    /// let oracle = Arc::new(OracleBackend::new(Limits::EXAMPLES));
    /// session.add_backend(oracle.clone())?;
    /// assert_eq!(session.add_backend(oracle).err().unwrap().to_string(), "there is a backend `oracle` already");
    ///
    /// let module = session.parse("func @twice(x: i64) -> i64 { return add(x, x) }", None)?;
    /// assert!(session.explain(&module, "twice")?.contains("on `oracle`:"));
    /// assert_eq!(session.run(&module, "twice", &[Value::int(21)])?, Value::int(42));
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn add_backend(&self, backend: Arc<dyn Backend>) -> Result<(), Error> {
        let mut backends = self.inner.common.backends.write().unwrap_or_else(PoisonError::into_inner);
        let name = backend.name();
        if name == ENGINE || backends.iter().any(|known| known.name() == name) {
            return Err(Error::Program(format!("there is a backend `{name}` already")));
        }
        backends.push(backend);
        Ok(())
    }

    /// What backends did not take of the program that ran last, and why.
    pub fn refusals(&self) -> Vec<Refused> {
        locked(&self.inner.common.refused).clone()
    }
}
