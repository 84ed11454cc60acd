//! Values: the constants of a program, and what the oracle computes with.

use crate::graph::NodeId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value of any type. The type is kept beside it, never in it: `Int` is also a date's days or a decimal's digits.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// Of `bool`.
    Bool(bool),
    /// Of the integer types; the unscaled digits of a decimal; the count of a date, time, timestamp or duration; the position of a category.
    Int(i128),
    /// Of `f32`.
    F32(f32),
    /// Of `f64`.
    F64(f64),
    /// Of `str`.
    Str(Arc<str>),
    /// Of `bytes`.
    Bytes(Arc<[u8]>),
    /// Of a list.
    List(Arc<[Value]>),
    /// Of a struct, field by field.
    Struct(Arc<[Value]>),
    /// Of a tuple.
    Tuple(Arc<[Value]>),
    /// Of a relation.
    Rel(Arc<Table>),
    /// Of an array.
    Arr(Arc<Array>),
    /// A closed function of the graph.
    Func(NodeId),
    /// The order of effects.
    Token,
}

/// A relation: its rows, each as wide as its type says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// How many columns there are, for the sake of tables without rows.
    pub width: usize,
    /// The rows, in order.
    pub rows: Vec<Arc<[Value]>>,
}

/// An array in row-major order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    /// The extent of each axis.
    pub shape: Vec<usize>,
    /// The elements; as many as the product of the extents.
    pub items: Vec<Value>,
}

impl Value {
    /// Text.
    pub fn str(text: &str) -> Value {
        Value::Str(Arc::from(text))
    }

    /// An integer.
    pub fn int(value: impl Into<i128>) -> Value {
        Value::Int(value.into())
    }

    /// A relation.
    pub fn rel(width: usize, rows: Vec<Arc<[Value]>>) -> Value {
        Value::Rel(Arc::new(Table { width, rows }))
    }

    /// An array of one axis.
    pub fn arr(items: Vec<Value>) -> Value {
        Value::Arr(Arc::new(Array { shape: vec![items.len()], items }))
    }

    /// An array.
    pub fn nd(shape: Vec<usize>, items: Vec<Value>) -> Value {
        Value::Arr(Arc::new(Array { shape, items }))
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether it is a NaN.
    pub fn is_nan(&self) -> bool {
        match self {
            Value::F32(x) => x.is_nan(),
            Value::F64(x) => x.is_nan(),
            _ => false,
        }
    }
}

/// The bits that identify a float: every NaN is the same, `0.0` and `-0.0` are not.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

/// Identity, not the program's `eq`: null is itself, NaN is itself, and `-0.0` is not `0.0`.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) | (Value::Token, Value::Token) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::F32(a), Value::F32(b)) => bits(f64::from(*a)) == bits(f64::from(*b)),
            (Value::F64(a), Value::F64(b)) => bits(*a) == bits(*b),
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::List(a), Value::List(b)) | (Value::Struct(a), Value::Struct(b)) | (Value::Tuple(a), Value::Tuple(b)) => a == b,
            (Value::Rel(a), Value::Rel(b)) => a == b,
            (Value::Arr(a), Value::Arr(b)) => a == b,
            (Value::Func(a), Value::Func(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Null | Value::Token => (),
            Value::Bool(b) => b.hash(state),
            Value::Int(i) => i.hash(state),
            Value::F32(x) => bits(f64::from(*x)).hash(state),
            Value::F64(x) => bits(*x).hash(state),
            Value::Str(s) => s.hash(state),
            Value::Bytes(b) => b.hash(state),
            Value::List(v) | Value::Struct(v) | Value::Tuple(v) => v.hash(state),
            Value::Rel(t) => t.hash(state),
            Value::Arr(a) => a.hash(state),
            Value::Func(id) => id.hash(state),
        }
    }
}
