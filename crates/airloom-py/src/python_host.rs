//! Python's functions in a running program.

use crate::hosts::Hosts;
use airloom::Cancel;
use airloom::data::Lane;
use airloom::host::{Cause, Host, HostError, Raised};
use airloom::ir::types::{TyId, Types};
use airloom::ir::value::Value;
use pyo3::PyErr;
use std::sync::Arc;

/// Python's functions, as the engine and the oracle call them.
pub(crate) struct PythonHost {
    hosts: Arc<Hosts>,
    cancel: Cancel,
}

impl PythonHost {
    /// For one run.
    pub(crate) fn new(hosts: Arc<Hosts>, cancel: Cancel) -> PythonHost {
        PythonHost { hosts, cancel }
    }
}

/// What Python raised, in words and as it is.
pub(crate) fn cause_of(error: PyErr) -> (String, Cause) {
    (error.to_string(), Cause::Host(Arc::new(error)))
}

fn failed(error: PyErr) -> HostError {
    let (message, cause) = cause_of(error);
    HostError { message, cause: Some(cause) }
}

fn unknown() -> HostError {
    "there is no Python function of this name; hint: `hosts=`".into()
}

impl Host for PythonHost {
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, HostError> {
        self.cancel.check().map_err(|raised| HostError { message: raised.message, cause: raised.cause })?;
        self.hosts.get(name).ok_or_else(unknown)?.call_values(args).map_err(failed)
    }

    fn lanes(&self, name: &str, types: &Types, args: &[Lane], arg_types: &[TyId], ty: TyId, lanes: usize) -> Result<Lane, Raised> {
        self.cancel.check()?;
        let Some(function) = self.hosts.get(name) else {
            return if lanes == 0 { Ok(Lane::from_values(types, ty, &[])) } else { Err(Raised::host(name, unknown())) };
        };
        let arrays: Vec<_> = args.iter().zip(arg_types).map(|(lane, &ty)| lane.to_array(types, ty, lanes)).collect();
        function.call_arrays(&arrays, lanes, &self.cancel).map(Lane::Many).map_err(|error| Raised::host(name, failed(error)))
    }

    fn functions(&self) -> usize {
        self.hosts.count()
    }
}
