//! Functions of the host: Python's, for one.

use super::{FloatExceptions, Vector};
use airloom_ir::oracle::{Raised, Stop};
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;

/// The functions that `host.call` names.
pub trait Host: Send + Sync {
    /// A function on single values.
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, Stop>;

    /// A function in every row; called once for each unless the host knows better.
    fn rows(&self, name: &str, types: &Types, args: &[Vector], arg_types: &[TyId], ty: TyId, rows: usize) -> Result<Vector, Stop> {
        let mut values = Vec::with_capacity(rows);
        for row in 0..rows {
            let args: Vec<Value> = args.iter().zip(arg_types).map(|(a, &ty)| a.value(types, ty, row)).collect();
            values.push(self.value(name, &args).map_err(|stop| of_host(name, stop))?);
        }
        Ok(Vector::from_values(types, ty, &values))
    }

    /// Told which floating-point exceptions the loops over arrays have raised; any number of times, by any thread.
    fn floating(&self, _raised: FloatExceptions) {}

    /// How many functions it has. A rule may give it one more while it rewrites a program; what that rule made is then of use to this run only, and is not kept.
    fn functions(&self) -> usize {
        0
    }
}

/// What a function of the host raised, with its name.
pub fn of_host(name: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Raised(raised) => Raised { message: format!("host function `{name}`: {}", raised.message), ..raised }.into(),
        other => other,
    }
}

/// A host without functions.
pub struct NoHost;

impl Host for NoHost {
    fn value(&self, name: &str, _: &[Value]) -> Result<Value, Stop> {
        Err(Raised::new(format!("there is no host to call `{name}`")).into())
    }
}
