//! Floats in windows that only go forward: what comes in is added, what goes out is taken off.
//!
//! Sums are kept with twice the digits of a float, so that what is taken off leaves nothing behind. Where so little is left that even those digits may be rounding,
//! a window is summed up anew.

use super::merging::{Spread, Summary, summaries};

/// Windows on average wider than this are summed up by what changes from one to the next.
const WIDE: usize = 64;

/// What is smaller than this share of the largest sum so far may be what rounding left of it.
const RESIDUE: f64 = 1.0 / (1u128 << 80) as f64;

/// Floats, which of them are taken, and windows over them.
pub(super) struct Floats<'a, T: Fn(usize) -> bool> {
    pub(super) numbers: &'a [f64],
    pub(super) is_taken: T,
    pub(super) bounds: &'a [(usize, usize)],
}

/// A sum, and what rounding has taken off it.
#[derive(Clone, Copy, Default)]
struct Precise {
    high: f64,
    low: f64,
    /// The largest it has been.
    largest: f64,
}

impl Precise {
    #[inline]
    fn add(&mut self, x: f64) {
        let sum = self.high + x;
        let of_x = sum - self.high;
        let rounded = (self.high - (sum - of_x)) + (x - of_x);
        let low = self.low + rounded;
        self.high = sum + low;
        self.low = low - (self.high - sum);
        self.largest = self.largest.max(self.high.abs());
    }

    /// Whether a number made of it may be nothing but rounding.
    fn may_be_residue(&self, x: f64) -> bool {
        x.abs() <= self.largest * RESIDUE
    }
}

impl<T: Fn(usize) -> bool> Floats<'_, T> {
    /// Whether windows are wide enough for sums that slide.
    pub(super) fn are_wide(&self) -> bool {
        self.bounds.iter().map(|(from, to)| to - from).sum::<usize>() > self.bounds.len().saturating_mul(WIDE)
    }

    /// Calls back with what comes into each window and what goes out of it, then asks for its result.
    fn slide(
        &self,
        mut change: impl FnMut(f64, bool),
        mut result: impl FnMut(usize, (usize, usize)) -> f64,
        mut clear: impl FnMut(),
    ) -> Vec<f64> {
        let (mut start, mut end, mut count) = (0, 0, 0usize);
        let mut results = Vec::with_capacity(self.bounds.len());
        for &(from, to) in self.bounds {
            if from >= end {
                // Nothing of the last window is in this one.
                clear();
                (start, end, count) = (from, from, 0);
            }
            for at in (start..from).filter(|&at| (self.is_taken)(at)) {
                change(self.numbers[at], false);
                count -= 1;
            }
            for at in (end..to).filter(|&at| (self.is_taken)(at)) {
                change(self.numbers[at], true);
                count += 1;
            }
            (start, end) = (from, to.max(end));
            if count == 0 {
                clear();
            }
            results.push(result(count, (from, to)));
        }
        results
    }

    /// Sums, or means. Nothing where an infinity, or what is no number, would stay behind in them.
    pub(super) fn sums(&self, mean: bool) -> Option<Vec<f64>> {
        if !self.are_finite(f64::MAX) {
            return None;
        }
        let sum = std::cell::Cell::new(Precise::default());
        let change = |x: f64, comes: bool| {
            let mut changed = sum.get();
            changed.add(if comes { x } else { -x });
            sum.set(changed);
        };
        let result = |count: usize, window: (usize, usize)| {
            // Nothing at all is no residue: what came in went out again.
            if sum.get().high != 0.0 && sum.get().may_be_residue(sum.get().high) {
                let mut anew = Precise::default();
                self.taken(window).for_each(|x| anew.add(x));
                sum.set(anew);
            }
            if mean { sum.get().high / count.max(1) as f64 } else { sum.get().high }
        };
        let found = self.slide(change, result, || sum.set(Precise::default()));
        // A sum that left the range of floats on the way does not come back.
        found.iter().all(|x| x.is_finite()).then_some(found)
    }

    /// Variances, or their roots. Nothing where squares leave the range of floats.
    pub(super) fn spreads(&self, ddof: i64, root: bool) -> Option<Vec<f64>> {
        if !self.are_finite(1e150) {
            return None;
        }
        Some(self.merged(|all: Spread| {
            let variance = all.squares / (all.count - ddof as f64);
            if root { variance.sqrt() } else { variance }
        }))
    }

    /// What is made of a summary of each window.
    pub(super) fn merged<S: Summary<Item = f64>>(&self, make: impl Fn(S) -> f64) -> Vec<f64> {
        let mut results = Vec::with_capacity(self.bounds.len());
        summaries(self.bounds, |at| (self.is_taken)(at).then(|| self.numbers[at]), |summary| results.push(make(summary)));
        results
    }

    /// What is made of the elements of each window in order, of which there is at least one. Nothing where one of them is no number.
    pub(super) fn in_order(&self, make: impl Fn(&[f64]) -> f64) -> Option<Vec<f64>> {
        if (0..self.numbers.len()).any(|at| (self.is_taken)(at) && self.numbers[at].is_nan()) {
            return None;
        }
        let sorted = std::cell::RefCell::new(Vec::<f64>::new());
        let change = |x: f64, comes: bool| {
            let mut sorted = sorted.borrow_mut();
            // Zeros of both signs are equal, and stay in the order in which they came: the oldest goes first.
            if comes {
                let place = sorted.partition_point(|&y| y <= x);
                sorted.insert(place, x);
            } else {
                let place = sorted.partition_point(|&y| y < x);
                sorted.remove(place);
            }
        };
        let result = |count: usize, _: (usize, usize)| if count == 0 { f64::NAN } else { make(&sorted.borrow()) };
        Some(self.slide(change, result, || sorted.borrow_mut().clear()))
    }

    /// The elements of a window that are taken.
    fn taken(&self, (from, to): (usize, usize)) -> impl Iterator<Item = f64> + '_ {
        (from..to).filter(|&at| (self.is_taken)(at)).map(|at| self.numbers[at])
    }

    /// Whether no number is farther from zero than this; what is no number is not.
    pub(super) fn are_near(&self, most: f64) -> bool {
        !(0..self.numbers.len()).any(|at| (self.is_taken)(at) && self.numbers[at].abs() > most)
    }

    fn are_finite(&self, most: f64) -> bool {
        (0..self.numbers.len()).all(|at| !(self.is_taken)(at) || self.numbers[at].abs() <= most)
    }
}
