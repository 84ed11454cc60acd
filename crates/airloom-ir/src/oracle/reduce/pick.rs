//! Reductions that count, pick and collect.

use super::cells::{kept, passes_over};
use crate::attrs::Skip;
use crate::oracle::order::canonical;
use crate::value::Value;
use std::collections::HashSet;

pub(super) fn count(skip: Skip, cell: &[&Value]) -> Value {
    Value::Int(kept(skip, cell).len() as i128)
}

pub(super) fn count_distinct(skip: Skip, cell: &[&Value]) -> Value {
    let distinct: HashSet<Value> = kept(skip, cell).into_iter().map(canonical).collect();
    Value::Int(distinct.len() as i128)
}

/// The element of this number, from the end when negative.
pub(super) fn nth(skip: Skip, cell: &[&Value], number: i64) -> Value {
    let kept = kept(skip, cell);
    let at = if number < 0 { i128::from(number) + kept.len() as i128 } else { i128::from(number) };
    usize::try_from(at).ok().and_then(|at| kept.get(at)).map_or(Value::Null, |&item| item.clone())
}

/// `decisive` where one element is it, else null where one is null, else the other boolean: `any` is decided by true, `all` by false.
pub(super) fn decided_by(decisive: bool, skip: Skip, cell: &[&Value]) -> Value {
    let mut unknown = false;
    for item in cell.iter().filter(|item| !passes_over(skip, item)) {
        match item {
            Value::Bool(b) if *b == decisive => return Value::Bool(decisive),
            Value::Null => unknown = true,
            _ => (),
        }
    }
    if unknown { Value::Null } else { Value::Bool(!decisive) }
}

pub(super) fn list(skip: Skip, cell: &[&Value]) -> Value {
    Value::List(kept(skip, cell).into_iter().cloned().collect())
}
