//! What the ops of lists mean.

use super::call::Call;
use super::order;
use super::stop::Raised;
use crate::attrs::SortKey;
use crate::ops::nested::Nested;
use crate::value::Value;
use std::collections::HashSet;
use std::ops::Range;

pub(super) fn apply(op: Nested, call: &Call<'_>) -> Result<Value, Raised> {
    Ok(match op {
        Nested::Of => Value::List(call.args.into()),
        Nested::Len => Value::Int(call.list(0).len() as i128),
        Nested::At => {
            let items = call.list(0);
            place(call.i64(1), items.len()).map_or(Value::Null, |at| items[at].clone())
        }
        Nested::Slice => {
            let items = call.list(0);
            Value::List(items[clip(call.i64(1), call.i64(2), items.len())].into())
        }
        Nested::Contains => Value::Bool(call.list(0).iter().any(|item| order::same(item, &call.args[1]))),
        Nested::Concat => Value::List(call.list(0).iter().chain(call.list(1)).cloned().collect()),
        Nested::Sort => {
            let key = SortKey { descending: call.attr(0), nulls_first: false };
            let mut items = call.list(0).to_vec();
            items.sort_by(|a, b| order::by_key(a, b, key));
            Value::List(items.into())
        }
        Nested::Unique => {
            let mut seen = HashSet::new();
            Value::List(call.list(0).iter().filter(|item| seen.insert(order::canonical(item))).cloned().collect())
        }
        Nested::Reverse => Value::List(call.list(0).iter().rev().cloned().collect()),
        Nested::Array => match &call.args[0] {
            Value::Null => Value::arr(Vec::new()),
            _ => Value::arr(call.list(0).to_vec()),
        },
    })
}

/// The position of an index among `length` elements, counted from the end when negative.
pub(super) fn place(index: i64, length: usize) -> Option<usize> {
    usize::try_from(from_start(index, length)).ok().filter(|at| *at < length)
}

/// What Python's `[start:stop]` takes of `length` elements: ends outside are moved in, and a stop before the start takes nothing.
pub(super) fn clip(start: i64, stop: i64, length: usize) -> Range<usize> {
    let end = |index: i64| from_start(index, length).clamp(0, length as i128) as usize;
    let start = end(start);
    start..end(stop).max(start)
}

fn from_start(index: i64, length: usize) -> i128 {
    i128::from(index) + if index < 0 { length as i128 } else { 0 }
}
