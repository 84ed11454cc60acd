//! Elements moved, and nulls filled from their neighbours.

use crate::oracle::call::Call;
use crate::value::Value;

pub(super) fn shift(call: &Call<'_>) -> Value {
    let items = &call.array(0).items;
    let (by, fill) = (i128::from(call.i64(1)), &call.args[2]);
    let from = |at: usize| usize::try_from(at as i128 - by).ok().and_then(|at| items.get(at)).unwrap_or(fill);
    Value::arr((0..items.len()).map(|at| from(at).clone()).collect())
}

pub(super) fn fill_forward(call: &Call<'_>) -> Value {
    let mut items = call.array(0).items.clone();
    fill(items.iter_mut(), call.attr(0));
    Value::arr(items)
}

pub(super) fn fill_backward(call: &Call<'_>) -> Value {
    let mut items = call.array(0).items.clone();
    fill(items.iter_mut().rev(), call.attr(0));
    Value::arr(items)
}

/// Replaces each null by the value that came last, at most `limit` in a row.
fn fill<'v>(items: impl Iterator<Item = &'v mut Value>, limit: i64) {
    let mut last = Value::Null;
    let mut filled = 0;
    for item in items {
        if !item.is_null() {
            last = item.clone();
            filled = 0;
        } else if limit < 0 || filled < limit {
            *item = last.clone();
            filled += 1;
        }
    }
}
