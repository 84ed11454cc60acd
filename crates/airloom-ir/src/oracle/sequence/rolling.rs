//! Rolling windows.

use crate::attrs::Closed;
use crate::oracle::call::{Call, Raised, raise};
use crate::value::Value;

pub(super) fn rolling(call: &Call<'_>) -> Result<Value, Raised> {
    let items = &call.array(0).items;
    let width = call.int(1);
    if width < 0 {
        return raise(format!("the width of a window must not be negative, found {width}"));
    }
    let (min_count, centred, closed): (i64, bool, Closed) = (call.attr(0), call.attr(1), call.attr(2));
    let mut results = Vec::with_capacity(items.len());
    for at in 0..items.len() {
        let (from, to) = window_bounds(at, items.len(), width, centred, closed);
        let window = &items[from..to];
        call.spend(window.len())?;
        let present = window.iter().filter(|item| !item.is_null()).count();
        let enough = present as i128 >= i128::from(min_count);
        results.push(if enough { call.run(0, &[Value::arr(window.to_vec())])? } else { Value::Null });
    }
    Ok(Value::arr(results))
}

/// Where the window at a place begins and ends, as in pandas.
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
    let (start, end) = (start.clamp(0, count as i128) as usize, end.clamp(0, count as i128) as usize);
    (start.min(end), end)
}
