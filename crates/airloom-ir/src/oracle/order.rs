//! Order and sameness of values: one definition for sorting, grouping, joining, ranking and comparing.

use crate::attrs::SortKey;
use crate::value::Value;
use std::cmp::Ordering;

/// The total order of two values of one type: NaN is the maximum and equals itself, zeros are equal, null comes before everything (callers that place nulls
/// elsewhere do so first).
pub fn total(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::F32(x), Value::F32(y)) => floats(f64::from(*x), f64::from(*y)),
        (Value::F64(x), Value::F64(y)) => floats(*x, *y),
        (Value::Str(x), Value::Str(y)) => x.cmp(y),
        (Value::Bytes(x), Value::Bytes(y)) => x.cmp(y),
        (Value::List(x), Value::List(y)) | (Value::Struct(x), Value::Struct(y)) => {
            let parts = x.iter().zip(y.iter()).map(|(x, y)| total(x, y)).find(|o| o.is_ne());
            parts.unwrap_or_else(|| x.len().cmp(&y.len()))
        }
        _ => panic!("invariant `values have their node's type`: {a:?} and {b:?} are not of one type"),
    }
}

fn floats(x: f64, y: f64) -> Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
}

/// The order of two values under a sort key.
pub fn by_key(a: &Value, b: &Value, key: SortKey) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => {
            if key.nulls_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (false, true) => {
            if key.nulls_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (false, false) if key.descending => total(b, a),
        (false, false) => total(a, b),
    }
}

/// The order of two lists of values under as many sort keys.
pub fn by_keys(a: &[Value], b: &[Value], keys: &[SortKey]) -> Ordering {
    a.iter().zip(b).zip(keys).map(|((a, b), &key)| by_key(a, b, key)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// Whether two values are the same: null and NaN are themselves, zeros of both signs are one.
pub fn same(a: &Value, b: &Value) -> bool {
    canonical(a) == canonical(b)
}

/// A value by which those that are `same` are identical: what grouping, joining and hashing go by.
pub fn canonical(value: &Value) -> Value {
    match value {
        // Adding zero turns `-0.0` into `0.0` and leaves every other number.
        Value::F32(x) => Value::F32(x + 0.0),
        Value::F64(x) => Value::F64(x + 0.0),
        Value::List(items) => Value::List(items.iter().map(canonical).collect()),
        Value::Struct(items) => Value::Struct(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}
