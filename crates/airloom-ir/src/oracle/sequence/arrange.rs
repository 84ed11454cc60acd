//! Elements in order, and each once.

use crate::attrs::SortKey;
use crate::oracle::call::Call;
use crate::oracle::order::{by_key, canonical, total};
use crate::value::Value;
use std::collections::HashSet;
use std::sync::Arc;

pub(super) fn sort(call: &Call<'_>) -> Value {
    let items = &call.array(0).items;
    Value::arr(order(call).into_iter().map(|at| items[at].clone()).collect())
}

pub(super) fn argsort(call: &Call<'_>) -> Value {
    Value::arr(order(call).into_iter().map(|at| Value::Int(at as i128)).collect())
}

fn order(call: &Call<'_>) -> Vec<usize> {
    let items = &call.array(0).items;
    let by: Arc<[SortKey]> = call.attr(0);
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by(|&a, &b| by_key(&items[a], &items[b], by[0]));
    places
}

pub(super) fn unique(call: &Call<'_>) -> Value {
    let mut seen = HashSet::new();
    Value::arr(call.array(0).items.iter().filter(|item| seen.insert(canonical(item))).cloned().collect())
}

pub(super) fn search(call: &Call<'_>) -> Value {
    let (items, right): (_, bool) = (&call.array(0).items, call.attr(0));
    let place = |value: &Value| {
        let before = |item: &Value| if right { total(item, value).is_le() } else { total(item, value).is_lt() };
        if value.is_null() { Value::Null } else { Value::Int(items.partition_point(before) as i128) }
    };
    Value::arr(call.array(1).items.iter().map(place).collect())
}
