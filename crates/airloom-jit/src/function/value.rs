//! Values of a function while its code is written.

use super::Layout;
use crate::kind::Kind;
use crate::llvm::Value;

/// A value: single ones are in registers, arrays are in memory.
#[derive(Clone)]
pub(super) enum Val {
    Scalar(Value, Kind),
    /// A version of an array.
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

    /// The same with other single values and other arrays, each in order.
    pub(super) fn with(&self, leaves: &mut impl Iterator<Item = Value>, arrays: &mut impl Iterator<Item = (usize, u32)>) -> Val {
        match self {
            Val::Scalar(_, kind) => Val::Scalar(leaves.next().expect("invariant `a value keeps its shape`"), *kind),
            Val::Array { .. } => {
                let (object, version) = arrays.next().expect("invariant `a value keeps its shape`");
                Val::Array { object, version }
            }
            Val::Tuple(parts) => Val::Tuple(parts.iter().map(|part| part.with(leaves, arrays)).collect()),
        }
    }

    pub(super) fn scalar(&self) -> Result<(Value, Kind), String> {
        match self {
            Val::Scalar(value, kind) => Ok((*value, *kind)),
            _ => Err("an op of single values is given an array or a tuple".into()),
        }
    }
}

/// An array in memory: one that was given, one that the function made, or one of several, which is known as it runs.
#[derive(Clone)]
pub(super) struct Object {
    pub(super) pointer: Value,
    pub(super) extents: Vec<Value>,
    /// In bytes.
    pub(super) strides: Vec<Value>,
    pub(super) kind: Kind,
    pub(super) layout: Layout,
    /// The version that is in memory.
    pub(super) current: u32,
    /// Which array it is to the caller: the number of its parameter, or its address where the function made it.
    pub(super) identity: Value,
    /// The parameter that it is, where it is always the same one.
    pub(super) param: Option<usize>,
    /// Whether the function made it: nobody sees what is stored to it, should the function be left.
    pub(super) is_made: bool,
    /// What no access to other memory touches, where that is known.
    pub(super) scope: Option<usize>,
}
