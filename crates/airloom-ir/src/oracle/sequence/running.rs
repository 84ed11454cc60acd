//! Running results.

use crate::attrs::Skip;
use crate::oracle::call::Call;
use crate::oracle::reduce::{Adder, passes_over};
use crate::oracle::stop::Stop;
use crate::value::Value;

/// The positions of an array, from its end where `reverse`.
fn places(count: usize, reverse: bool) -> impl Iterator<Item = usize> {
    (0..count).map(move |at| if reverse { count - 1 - at } else { at })
}

/// What `combine` makes of all elements up to each position. An element that is passed over is its own result; a null that is not makes all after it null.
fn running(
    call: &Call<'_>,
    widen: impl Fn(&Value) -> Value,
    combine: impl Fn(&Value, &Value) -> Result<Value, Stop>,
) -> Result<Value, Stop> {
    let items = &call.array(0).items;
    let skip: Skip = call.attr(0);
    let mut results = vec![Value::Null; items.len()];
    let mut so_far: Option<Value> = None;
    for at in places(items.len(), call.attr(1)) {
        let item = &items[at];
        if passes_over(skip, item) {
            results[at] = item.clone();
            continue;
        }
        let next = match so_far {
            Some(Value::Null) => Value::Null,
            _ if item.is_null() => Value::Null,
            Some(old) => combine(&old, &widen(item))?,
            None => widen(item),
        };
        results[at] = next.clone();
        so_far = Some(next);
    }
    Ok(Value::arr(results))
}

pub(super) fn sum(call: &Call<'_>) -> Result<Value, Stop> {
    let adder = Adder::of(call.types.plain(call.element(0)));
    running(call, |item| adder.widen(item), |so_far, item| Ok(adder.add(so_far, item)?))
}

pub(super) fn product(call: &Call<'_>) -> Result<Value, Stop> {
    let adder = Adder::of(call.types.plain(call.element(0)));
    running(call, |item| adder.widen(item), |so_far, item| Ok(adder.multiply(so_far, item)?))
}

pub(super) fn extreme(call: &Call<'_>, pick: fn(&Value, &Value) -> Value) -> Result<Value, Stop> {
    running(call, Value::clone, |so_far, item| Ok(pick(so_far, item)))
}

pub(super) fn count(call: &Call<'_>) -> Value {
    let items = &call.array(0).items;
    let skip: Skip = call.attr(0);
    let mut results = vec![Value::Null; items.len()];
    let mut count = 0i128;
    for at in places(items.len(), call.attr(1)) {
        count += i128::from(!passes_over(skip, &items[at]));
        results[at] = Value::Int(count);
    }
    Value::arr(results)
}
