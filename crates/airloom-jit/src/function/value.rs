//! Values of a function while its code is written.

use crate::kind::Kind;
use crate::llvm::Value;

/// A value: single ones are in registers, arrays are in the caller's memory.
#[derive(Clone)]
pub(super) enum Val {
    Scalar(Value, Kind),
    /// A version of an array that was given.
    Array {
        object: usize,
        version: u32,
    },
    Tuple(Vec<Val>),
}

impl Val {
    /// Its single values, in order.
    pub(super) fn leaves(&self) -> Vec<(Value, Kind)> {
        match self {
            Val::Scalar(value, kind) => vec![(*value, *kind)],
            Val::Array { .. } => Vec::new(),
            Val::Tuple(parts) => parts.iter().flat_map(Val::leaves).collect(),
        }
    }

    /// Its arrays and their versions, in order.
    pub(super) fn arrays(&self) -> Vec<(usize, u32)> {
        match self {
            Val::Scalar(..) => Vec::new(),
            Val::Array { object, version } => vec![(*object, *version)],
            Val::Tuple(parts) => parts.iter().flat_map(Val::arrays).collect(),
        }
    }

    /// The same with other single values, in order, and other versions of its arrays.
    pub(super) fn with(&self, leaves: &mut impl Iterator<Item = Value>, version: &impl Fn(usize) -> u32) -> Val {
        match self {
            Val::Scalar(_, kind) => Val::Scalar(leaves.next().expect("invariant `a value keeps its shape`"), *kind),
            Val::Array { object, .. } => Val::Array { object: *object, version: version(*object) },
            Val::Tuple(parts) => Val::Tuple(parts.iter().map(|part| part.with(leaves, version)).collect()),
        }
    }

    pub(super) fn scalar(&self) -> Result<(Value, Kind), String> {
        match self {
            Val::Scalar(value, kind) => Ok((*value, *kind)),
            _ => Err("an op of single values is given an array or a tuple".into()),
        }
    }
}

/// An array that was given.
pub(super) struct Object {
    pub(super) pointer: Value,
    pub(super) extents: Vec<Value>,
    /// In bytes.
    pub(super) strides: Vec<Value>,
    pub(super) kind: Kind,
    /// The version that is in memory.
    pub(super) current: u32,
}
