//! Functions of the host: Python's, for one.

use super::Lane;
use airloom_ir::oracle::{HostError, Raised};
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;

/// The functions that `host.call` names.
pub trait Host: Send + Sync {
    /// A function on single values.
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, HostError>;

    /// A function in every lane; once for each unless the host knows better.
    fn lanes(&self, name: &str, types: &Types, args: &[Lane], arg_types: &[TyId], ty: TyId, lanes: usize) -> Result<Lane, Raised> {
        let mut values = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let args: Vec<Value> = args.iter().zip(arg_types).map(|(a, &ty)| a.value(types, ty, lane)).collect();
            values.push(self.value(name, &args).map_err(|error| Raised::host(name, error))?);
        }
        Ok(Lane::from_values(types, ty, &values))
    }

    /// How many functions it has. A rule may give it one more while it rewrites a program; what that rule made is then of use to this run only, and is not kept.
    fn functions(&self) -> usize {
        0
    }
}

/// A host without functions.
pub struct NoHost;

impl Host for NoHost {
    fn value(&self, name: &str, _: &[Value]) -> Result<Value, HostError> {
        Err(format!("there is no host to call `{name}`").into())
    }
}
