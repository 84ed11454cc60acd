//! Medians and quantiles.

use super::moments::{float, mean_of, scale};
use super::{Number, Numbers, RunReducer, RunReduction};
use airloom_ir::attrs::Interpolation;
use airloom_ir::oracle::formula::interpolated;
use airloom_ir::value::Value;
use std::cell::{Cell, RefCell};

pub(super) fn median<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
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

pub(super) fn quantile<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    let (scale, way): (_, Interpolation) = (scale(reduction), reduction.attr(2));
    let level = reduction.level.filter(|level| (0.0..=1.0).contains(level))?;
    Some(Box::new(move |range| {
        let taken = || numbers.taken(range.clone()).map(|taken| taken.to_vec()).filter(|items| !items.is_empty());
        let Some(items) = taken() else { return Some(Value::Null) };
        if items.iter().any(|x| x.nan()) {
            return Some(reduction.rounded(f64::NAN));
        }
        // One or two positions are looked at: their elements are found without sorting the others.
        let (count, items, zero) = (items.len(), RefCell::new(items), Cell::new(false));
        let found = interpolated(count, level, way, |place| {
            let found = float(*items.borrow_mut().select_nth_unstable_by(place, |x, y| x.total(*y)).1, scale);
            zero.set(zero.get() || found == 0.0);
            found
        });
        if !zero.get() {
            return Some(reduction.rounded(found));
        }
        // Zeros of both signs are equal, and which of them is at a position only a stable order decides.
        let mut items = taken()?;
        items.sort_by(|x, y| x.total(*y));
        Some(reduction.rounded(interpolated(count, level, way, |place| float(items[place], scale))))
    }))
}
