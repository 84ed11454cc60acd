//! Rolling windows.

use super::decay::one_beside_the_other;
use crate::attrs::Closed;
use crate::oracle::call::Call;
use crate::oracle::stop::{Stop, raise};
use crate::value::Value;

pub(super) fn rolling(call: &Call<'_>) -> Result<Value, Stop> {
    let items = &call.array(0).items;
    let width = call.int(1);
    if width < 0 {
        return raise(format!("the width of a window must not be negative, found {width}"));
    }
    let (min_count, centred, closed): (i64, bool, Closed) = (call.attr(0), call.attr(1), call.attr(2));
    let mut results = Vec::with_capacity(items.len());
    for at in 0..items.len() {
        let (from, to) = window_bounds(at, items.len(), width, centred, closed);
        results.push(over(call, &items[from..to], min_count)?);
    }
    Ok(Value::arr(results))
}

pub(super) fn windows(call: &Call<'_>) -> Result<Value, Stop> {
    let (items, starts, ends) = (&call.array(0).items, &call.array(1).items, &call.array(2).items);
    one_beside_the_other(starts.len(), ends.len())?;
    let min_count: i64 = call.attr(0);
    let mut results = Vec::with_capacity(starts.len());
    for (start, end) in starts.iter().zip(ends.iter()) {
        let place = |value: &Value| if let Value::Int(place) = value { *place } else { 0 };
        let (from, to) = window_between(place(start), place(end), items.len());
        results.push(over(call, &items[from..to], min_count)?);
    }
    Ok(Value::arr(results))
}

fn over(call: &Call<'_>, window: &[Value], min_count: i64) -> Result<Value, Stop> {
    call.spend(window.len())?;
    let present = window.iter().filter(|item| !item.is_null()).count();
    let enough = present as i128 >= i128::from(min_count);
    if enough { call.run(0, &[Value::arr(window.to_vec())]) } else { Ok(Value::Null) }
}

/// A window of an array of `count` elements, without what lies outside.
#[inline]
pub fn window_between(start: i128, end: i128, count: usize) -> (usize, usize) {
    let (start, end) = (start.clamp(0, count as i128) as usize, end.clamp(0, count as i128) as usize);
    (start.min(end), end)
}

/// Where the window at a position begins and ends, as in pandas.
#[inline]
pub fn window_bounds(at: usize, count: usize, width: i128, centred: bool, closed: Closed) -> (usize, usize) {
    if width == 0 {
        return (at, at);
    }
    let after = if centred { (width - 1) / 2 } else { 0 };
    let mut end = at as i128 + 1 + after;
    let mut start = end - width;
    if matches!(closed, Closed::Left | Closed::Both) {
        start -= 1;
    }
    if matches!(closed, Closed::Left | Closed::Neither) {
        end -= 1;
    }
    window_between(start, end, count)
}
