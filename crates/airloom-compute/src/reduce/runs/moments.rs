//! Means, variances, skewness and kurtosis: computed in `f64`, rounded to the type of the result at the end.

use super::numbers::Taken;
use super::product::exact;
use super::{Number, Numbers, RunReducer, RunReduction};
use airloom_ir::oracle::formula::decimal_to_float;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;

/// The scale of the elements, where they are decimals.
pub(super) fn scale(reduction: RunReduction<'_>) -> Option<u8> {
    match reduction.types.plain(reduction.element) {
        Ty::Decimal { scale, .. } => Some(*scale),
        _ => None,
    }
}

/// An element as a float, decimals to the nearest.
pub(super) fn float<N: Number>(x: N, scale: Option<u8>) -> f64 {
    scale.map_or_else(|| x.float(), |scale| decimal_to_float(x.wide(), scale))
}

/// The sum as it goes into a mean; nothing where decimals are too large for it.
fn total<N: Number>(taken: &Taken<'_, N>, scale: Option<u8>) -> Option<f64> {
    match scale {
        Some(scale) => exact(taken).map(|sum| decimal_to_float(sum, scale)),
        None => Some(taken.fold(0.0, |sum, x| sum + x.float())),
    }
}

pub(super) fn mean<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    let scale = scale(reduction);
    Some(Box::new(move |range| match numbers.taken(range) {
        Some(taken) if taken.count() > 0 => Some(reduction.rounded(total(&taken, scale)? / taken.count() as f64)),
        _ => Some(Value::Null),
    }))
}

pub(super) fn variance<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>, last: fn(f64) -> f64) -> Option<RunReducer<'a>> {
    let (scale, ddof): (_, i64) = (scale(reduction), reduction.attr(2));
    Some(Box::new(move |range| {
        let Some(taken) = numbers.taken(range) else { return Some(Value::Null) };
        let count = taken.count();
        let freedom = count as i128 - i128::from(ddof);
        if count == 0 || freedom <= 0 {
            return Some(Value::Null);
        }
        let mean = total(&taken, scale)? / count as f64;
        let squares = taken.fold(0.0, |sum, x| {
            let off = float(x, scale) - mean;
            sum + off * off
        });
        Some(reduction.rounded(last(squares / freedom as f64)))
    }))
}

/// What a formula makes of numbers, of which there must be at least `least`.
pub(super) fn of_all<'a, N: Number>(
    reduction: RunReduction<'a>,
    numbers: Numbers<N>,
    least: usize,
    formula: fn(&[f64]) -> f64,
) -> Option<RunReducer<'a>> {
    let scale = scale(reduction);
    Some(Box::new(move |range| {
        let Some(taken) = numbers.taken(range) else { return Some(Value::Null) };
        let numbers: Vec<f64> = taken.to_vec().into_iter().map(|x| float(x, scale)).collect();
        if numbers.len() < least {
            return Some(Value::Null);
        }
        Some(reduction.rounded(formula(&numbers)))
    }))
}

/// The mean of one or two elements in the middle.
pub(super) fn mean_of<N: Number>(middle: &[N], scale: Option<u8>) -> Option<f64> {
    let sum = match scale {
        Some(scale) => decimal_to_float(middle.iter().try_fold(0i128, |sum, x| sum.checked_add(x.wide()))?, scale),
        None => middle.iter().fold(0.0, |sum, x| sum + x.float()),
    };
    Some(sum / middle.len() as f64)
}
