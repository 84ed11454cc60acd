//! Python's functions in a running program.

use crate::hosts::Hosts;
use airloom::Cancel;
use airloom::data::{FloatExceptions, Vector};
use airloom::host::{Cause, Host, Raised, Stop, of_host};
use airloom::ir::types::{TyId, Types};
use airloom::ir::value::Value;
use pyo3::PyErr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Python's functions, as the engine and the oracle call them.
pub(crate) struct PythonHost {
    hosts: Arc<Hosts>,
    cancel: Cancel,
    /// The floating-point exceptions of loops over arrays, so far.
    raised: AtomicU8,
}

impl PythonHost {
    /// For one run.
    pub(crate) fn new(hosts: Arc<Hosts>, cancel: Cancel) -> PythonHost {
        PythonHost { hosts, cancel, raised: AtomicU8::new(0) }
    }

    /// Which floating-point exceptions the loops over arrays have raised, by the bits of NumPy's error handling.
    pub(crate) fn raised(&self) -> u8 {
        self.raised.load(Ordering::Relaxed)
    }
}

/// What Python raised, in words and as it is.
pub(crate) fn raised(error: PyErr) -> Raised {
    let message = error.to_string();
    Raised { cause: Some(Cause::new(error)), ..Raised::new(message) }
}

/// What is said of a function that was not given.
const MISSING: &str = "there is no Python function of this name; hint: `hosts=`";

impl Host for PythonHost {
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, Stop> {
        self.cancel.check()?;
        let function = self.hosts.get(name).ok_or_else(|| Raised::new(MISSING))?;
        Ok(function.call_values(args).map_err(raised)?)
    }

    fn rows(&self, name: &str, types: &Types, args: &[Vector], arg_types: &[TyId], ty: TyId, rows: usize) -> Result<Vector, Stop> {
        self.cancel.check()?;
        let Some(function) = self.hosts.get(name) else {
            return if rows == 0 { Ok(Vector::from_values(types, ty, &[])) } else { Err(of_host(name, Raised::new(MISSING).into())) };
        };
        let arrays: Vec<_> = args.iter().zip(arg_types).map(|(row, &ty)| row.to_array(types, ty, rows)).collect();
        function.call_arrays(&arrays, rows, &self.cancel).map(Vector::Flat).map_err(|error| of_host(name, raised(error).into()))
    }

    fn floating(&self, raised: FloatExceptions) {
        self.raised.fetch_or(raised.bits(), Ordering::Relaxed);
    }

    fn functions(&self) -> usize {
        self.hosts.count()
    }
}
