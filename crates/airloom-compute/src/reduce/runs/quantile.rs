//! Medians and quantiles.

use super::moments::{float, mean_of, scale};
use super::order_statistic::{Found, Run};
use super::{Number, Numbers, RunReducer, RunReduction};
use airloom_ir::attrs::Interpolation;
use airloom_ir::oracle::formula::interpolated;
use airloom_ir::value::Value;

pub(super) fn median<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    let scale = scale(reduction);
    Some(Box::new(move |range| match (Run { numbers: &numbers, range, threads: reduction.threads }.at(0.5)) {
        Found::Null => Some(Value::Null),
        Found::Nan => Some(reduction.rounded(f64::NAN)),
        Found::Neighbours(low, _, count) if !count.is_multiple_of(2) => Some(reduction.rounded(mean_of(&[low], scale)?)),
        Found::Neighbours(low, high, _) => Some(reduction.rounded(mean_of(&[low, high], scale)?)),
    }))
}

pub(super) fn quantile<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    let (scale, way): (_, Interpolation) = (scale(reduction), reduction.attr(2));
    let level = reduction.level.filter(|level| (0.0..=1.0).contains(level))?;
    Some(Box::new(move |range| match (Run { numbers: &numbers, range, threads: reduction.threads }.at(level)) {
        Found::Null => Some(Value::Null),
        Found::Nan => Some(reduction.rounded(f64::NAN)),
        Found::Neighbours(low, high, count) => {
            // It asks for the places rounded down and up, or for the nearer of them.
            let first = ((count - 1) as f64 * level) as usize;
            let at = |place: usize| float(if place <= first { low } else { high }, scale);
            Some(reduction.rounded(interpolated(count, level, way, at)))
        }
    }))
}
