//! Medians and quantiles.

use super::moments::{float, mean_of, scale};
use super::{Number, Numbers, Reducer, Reduction};
use airloom_ir::attrs::Interpolation;
use airloom_ir::oracle::formula::interpolated;
use airloom_ir::value::Value;
use std::ops::Range;

/// The elements taken, in order with NaN last; `None` where there are none, or a null makes the result null. Stable, since zeros of both signs are equal.
fn sorted<N: Number>(numbers: &Numbers<N>, range: Range<usize>) -> Option<Vec<N>> {
    let mut items = numbers.taken(range)?.to_vec();
    items.sort_by(|x, y| x.total(*y));
    if items.is_empty() { None } else { Some(items) }
}

pub(super) fn median<'a, N: Number>(reduction: Reduction<'a>, numbers: Numbers<N>) -> Option<Reducer<'a>> {
    let scale = scale(reduction);
    Some(Box::new(move |range| {
        let Some(mut items) = numbers.taken(range).map(|taken| taken.to_vec()).filter(|items| !items.is_empty()) else {
            return Some(Value::Null);
        };
        if items.iter().any(|x| x.nan()) {
            return Some(reduction.rounded(f64::NAN));
        }
        // Which of two equal zeros it is does not matter: they are added to 0.0.
        let count = items.len();
        let (below, &mut middle, _) = items.select_nth_unstable_by(count / 2, |x, y| x.total(*y));
        let other = below.iter().copied().reduce(|x, y| if x.total(y).is_lt() { y } else { x }).filter(|_| count.is_multiple_of(2));
        let mean = match other {
            Some(other) => mean_of(&[other, middle], scale)?,
            None => mean_of(&[middle], scale)?,
        };
        Some(reduction.rounded(mean))
    }))
}

pub(super) fn quantile<'a, N: Number>(reduction: Reduction<'a>, numbers: Numbers<N>) -> Option<Reducer<'a>> {
    let (scale, way): (_, Interpolation) = (scale(reduction), reduction.attr(2));
    let level = reduction.level.filter(|level| (0.0..=1.0).contains(level))?;
    Some(Box::new(move |range| {
        let Some(items) = sorted(&numbers, range) else { return Some(Value::Null) };
        if items.last().is_some_and(|last| last.nan()) {
            return Some(reduction.rounded(f64::NAN));
        }
        Some(reduction.rounded(interpolated(items.len(), level, way, |place| float(items[place], scale))))
    }))
}
