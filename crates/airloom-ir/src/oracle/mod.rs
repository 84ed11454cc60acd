//! The oracle: what a graph means, computed the plain way.
//!
//! It is the reference for every backend and for every rule, and constant folding is a call of [`apply`]: no op has a second definition.

mod array;
mod call;
mod cast;
mod control;
pub mod convert;
mod core;
pub mod formula;
mod hash;
mod logic;
mod machine;
mod nested;
mod number;
pub mod order;
mod pairwise;
mod reduce;
mod relation;
mod sequence;
mod stop;
mod temporal;
mod text;
pub mod zones;

pub use call::Call;
pub use machine::{Host, Limits, Oracle, Roots, Source};
pub use stop::{Cause, Raised, Stop};
pub(crate) use temporal::{check_readable, check_writable};

use crate::ops::{Nulls, Op};
use crate::value::Value;

/// What an op makes of its arguments: its one definition.
pub fn apply(op: Op, call: &Call<'_>) -> Result<Value, Stop> {
    if op.def().nulls == Nulls::Propagate && call.args.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    match op {
        Op::Core(op) => core::apply(op, call),
        Op::Number(op) => Ok(number::apply(op, call)?),
        Op::Logic(op) => Ok(logic::apply(op, call)?),
        Op::Text(op) => Ok(text::apply(op, call)?),
        Op::Temporal(op) => Ok(temporal::apply(op, call)?),
        Op::Nested(op) => Ok(nested::apply(op, call)?),
        Op::Relation(op) => relation::apply(op, call),
        Op::Array(op) => array::apply(op, call),
        Op::Reduce(op) => reduce::apply(op, call),
        Op::Sequence(op) => sequence::apply(op, call),
        Op::Control(op) => control::apply(op, call),
    }
}
