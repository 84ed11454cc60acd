//! Python's functions in a running program.

use crate::errors::Kept;
use crate::hosts::Hosts;
use airloom_compute::data::{Cancel, Host, Lane};
use airloom_ir::oracle::Raised;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// Python's functions, as the engine and the oracle call them.
pub(crate) struct PythonHost {
    hosts: Arc<Hosts>,
    raised: Kept,
    cancel: Cancel,
}

impl PythonHost {
    /// For one run; what functions raise is kept.
    pub(crate) fn new(hosts: Arc<Hosts>, raised: Kept, cancel: Cancel) -> PythonHost {
        PythonHost { hosts, raised, cancel }
    }
}

impl Host for PythonHost {
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, String> {
        self.cancel.check().map_err(|raised| raised.message)?;
        let function = self.hosts.get(name).ok_or_else(|| "there is no Python function of this name; hint: `hosts=`".to_string())?;
        function.call_values(args).map_err(|error| self.raised.keep(error))
    }

    fn lanes(&self, name: &str, types: &Types, args: &[Lane], arg_types: &[TyId], ty: TyId, lanes: usize) -> Result<Lane, Raised> {
        self.cancel.check()?;
        let failed = |message: String| Raised::new(format!("host function `{name}`: {message}"));
        let Some(function) = self.hosts.get(name) else {
            let message = "there is no Python function of this name; hint: `hosts=`".to_string();
            return if lanes == 0 { Ok(Lane::from_values(types, ty, &[])) } else { Err(failed(message)) };
        };
        let arrays: Vec<_> = args.iter().zip(arg_types).map(|(lane, &ty)| lane.to_array(types, ty, lanes)).collect();
        function.call_arrays(&arrays, lanes, &self.cancel).map(Lane::Many).map_err(|error| failed(self.raised.keep(error)))
    }
}
