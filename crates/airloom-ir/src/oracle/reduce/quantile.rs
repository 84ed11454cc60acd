//! Medians and quantiles.

use super::cells::{element, taken};
use super::moments::{float, mean_of, rounded};
use crate::attrs::{Interpolation, Skip};
use crate::oracle::call::{Call, mismatch};
use crate::oracle::order::total;
use crate::oracle::stop::{Stop, raise};
use crate::value::Value;

pub(super) fn median(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    let Some(items) = sorted(skip, cell) else { return Ok(Value::Null) };
    if items.last().is_some_and(|last| last.is_nan()) {
        return Ok(rounded(call, f64::NAN));
    }
    let middle = &items[(items.len() - 1) / 2..=items.len() / 2];
    Ok(rounded(call, mean_of(element(call), middle)?))
}

/// Which quantile is asked for; one outside 0 to 1 raises, whether or not there is anything to take it of.
pub(super) fn level(call: &Call<'_>) -> Result<f64, Stop> {
    match &call.args[1] {
        Value::F64(q) if (0.0..=1.0).contains(q) => Ok(*q),
        Value::F64(q) => raise(format!("a quantile is from 0 to 1, found {q}")),
        other => mismatch("a float", other),
    }
}

pub(super) fn quantile(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    let q = level(call)?;
    let Some(items) = sorted(skip, cell) else { return Ok(Value::Null) };
    if items.last().is_some_and(|last| last.is_nan()) {
        return Ok(rounded(call, f64::NAN));
    }
    let at = |place: usize| float(element(call), items[place]);
    Ok(rounded(call, interpolated(items.len(), q, call.attr(2), at)))
}

/// The quantile of `count` numbers in order, of which there is at least one; `at` gives one of them.
#[inline]
pub fn interpolated(count: usize, level: f64, way: Interpolation, at: impl Fn(usize) -> f64) -> f64 {
    let place = (count - 1) as f64 * level;
    let at = |place: f64| at((place as usize).min(count - 1));
    let (low, high) = (at(place.floor()), at(place.ceil()));
    match way {
        // Between equal neighbours there is nothing to interpolate, even where they are infinite.
        Interpolation::Linear | Interpolation::Midpoint if low == high => low,
        Interpolation::Linear => between(low, high, place - place.floor()),
        Interpolation::Midpoint => between(low, high, 0.5),
        Interpolation::Lower => low,
        Interpolation::Higher => high,
        Interpolation::Nearest => at(place.round_ties_even()),
    }
}

/// The point on the line from `low` to `high`, reckoned from the nearer end as NumPy does.
fn between(low: f64, high: f64, part: f64) -> f64 {
    let span = high - low;
    if part >= 0.5 { high - span * (1.0 - part) } else { low + span * part }
}

/// The elements taken, in order with NaN last; `None` where there are none, or a null makes the result null.
fn sorted<'v>(skip: Skip, cell: &[&'v Value]) -> Option<Vec<&'v Value>> {
    let mut items = taken(skip, cell)?;
    items.sort_by(|a, b| total(a, b));
    if items.is_empty() { None } else { Some(items) }
}
