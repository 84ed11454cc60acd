//! Reductions of rolling windows that do not begin anew for every window, and are the same to the bit all the same.
//!
//! A sum of floats is the sum of its window in order: another order is another sum. So it does begin anew, but for many windows at once. Integers
//! have exact sums, which the difference of two running sums gives; extremes keep the elements that may still become one. Only where floats may be added up in any
//! order do their sums slide.

use super::merging::Moments;
use super::rolling::{Enough, at_least};
use super::sliding::Floats;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::reduce::{Number, Numbers, RunReduction};
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::formula::{interpolated, kurtosis_of, skewness_of};
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{Array, ArrayRef};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use std::collections::VecDeque;

/// How many windows are summed at once.
const AT_ONCE: usize = 16;

/// Fourth powers of what is farther from zero may leave the range of floats.
const FAR_FOR_POWERS: f64 = 1e75;

/// All windows over some elements, and what is made of each.
pub(super) struct Windows<'a> {
    pub(super) types: &'a Types,
    /// The type of the results.
    pub(super) result: TyId,
    pub(super) reduction: RunReduction<'a>,
    pub(super) items: &'a ArrayRef,
    pub(super) bounds: &'a [(usize, usize)],
    /// Whether a window is not null for want of elements.
    pub(super) enough: Enough,
}

/// Which elements are taken, and where there is a null that makes a window null: by running counts, where it is not the same for all.
struct Kept {
    taken: Option<Vec<usize>>,
    spoiled: Option<Vec<usize>>,
}

impl Kept {
    fn of<N: Number>(numbers: &Numbers<N>) -> Kept {
        let count = numbers.numbers.len();
        let null = |at: usize| numbers.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at));
        let nan = |at: usize| numbers.skip_nan && numbers.numbers[at].nan();
        let all = numbers.nulls.is_none() && !(numbers.skip_nan && numbers.numbers.iter().any(|x| x.nan()));
        let spoils = numbers.nulls.is_some() && !numbers.skip_null;
        Kept { taken: (!all).then(|| running(count, |at| !null(at) && !nan(at))), spoiled: spoils.then(|| running(count, null)) }
    }

    #[inline]
    fn count(&self, from: usize, to: usize) -> usize {
        self.taken.as_ref().map_or(to - from, |taken| taken[to] - taken[from])
    }

    /// Whether an element is taken.
    #[inline]
    fn takes(&self, at: usize) -> bool {
        self.taken.as_ref().is_none_or(|taken| taken[at + 1] > taken[at])
    }

    #[inline]
    fn is_spoiled(&self, from: usize, to: usize) -> bool {
        self.spoiled.as_ref().is_some_and(|spoiled| spoiled[to] > spoiled[from])
    }
}

/// How many up to each position count.
fn running(count: usize, counts: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut so_far = 0;
    let each = (0..count).map(|at| {
        so_far += usize::from(counts(at));
        so_far
    });
    std::iter::once(0).chain(each).collect()
}

/// A float that a mean or a sum is rounded to.
trait Rounded: Number {
    fn rounded(x: f64) -> Self;
}

impl Rounded for f32 {
    fn rounded(x: f64) -> f32 {
        x as f32
    }
}

impl Rounded for f64 {
    fn rounded(x: f64) -> f64 {
        x
    }
}

impl Windows<'_> {
    /// Every window's reduction, where there is a way that does not begin anew. `forward` says whether windows only go forward.
    pub(super) fn reduced(&self, forward: bool) -> Option<ArrayRef> {
        let ty = self.types.plain(self.reduction.element);
        let width = Width::of(ty)?;
        if forward
            && *ty == Ty::F64
            && let Some(made) = self.sliding()
        {
            return Some(made);
        }
        match (self.reduction.op, ty) {
            (Reduce::Min | Reduce::Max, _) if !forward => None,
            (Reduce::Min, _) => by_width!(width, N => self.extremes::<N>(|best, x| x.signed_total(best).is_lt())),
            (Reduce::Max, _) => by_width!(width, N => self.extremes::<N>(|best, x| x.signed_total(best).is_gt())),
            (Reduce::Mean, Ty::F32) => by_width!(width, N => self.float_sums::<N, f32>()),
            (Reduce::Mean, Ty::F64 | Ty::Int(_)) => by_width!(width, N => self.float_sums::<N, f64>()),
            (Reduce::Sum, Ty::F64) => self.float_sums::<f64, f64>(),
            (Reduce::Sum, Ty::Int(_) | Ty::Duration(_)) => by_width!(width, N => self.whole_sums::<N>()),
            _ => None,
        }
    }

    fn numbers<N: Number>(&self) -> Option<(Numbers<N>, Kept)> {
        let numbers = Numbers::<N>::of(self.items, self.reduction.skip())?;
        let kept = Kept::of(&numbers);
        Some((numbers, kept))
    }

    /// Which windows have a result: those with enough elements, of which at least `least` are taken and no null spoils any.
    fn nulls(&self, kept: &Kept, least: i64) -> NullBuffer {
        let least = at_least(least);
        let has = |at: usize| {
            let (from, to) = self.bounds[at];
            self.enough.are_in(from, to) && !kept.is_spoiled(from, to) && kept.count(from, to) >= least
        };
        NullBuffer::new(BooleanBuffer::collect_bool(self.bounds.len(), has))
    }

    fn array<R: Native>(&self, results: Vec<R>, nulls: NullBuffer) -> Option<ArrayRef> {
        Some(numbers_to_array(self.types, self.result, results, Some(nulls)))
    }

    /// Results of floats by what comes into a window and what goes out of it, for windows that only go forward.
    fn sliding(&self) -> Option<ArrayRef> {
        let (numbers, kept) = self.numbers::<f64>()?;
        let numbers = &numbers.numbers;
        if kept.taken.is_none() {
            self.slid(&kept, Floats { numbers, is_taken: |_| true, bounds: self.bounds })
        } else {
            self.slid(&kept, Floats { numbers, is_taken: |at| kept.takes(at), bounds: self.bounds })
        }
    }

    fn slid<T: Fn(usize) -> bool>(&self, kept: &Kept, floats: Floats<'_, T>) -> Option<ArrayRef> {
        let op = self.reduction.op;
        let (results, least) = match op {
            // Few are faster added up anew.
            Reduce::Sum if self.reduction.attr(3) && floats.are_wide() => (floats.sums(false)?, self.reduction.attr(2)),
            Reduce::Mean if self.reduction.attr(2) && floats.are_wide() => (floats.sums(true)?, 1),
            Reduce::Var | Reduce::Std if self.reduction.attr(3) => {
                let ddof: i64 = self.reduction.attr(2);
                let found = floats.spreads(ddof, op == Reduce::Std)?;
                return self.array(found, self.nulls(kept, ddof.saturating_add(1).max(1)));
            }
            Reduce::Skew if self.reduction.attr(2) && floats.are_near(FAR_FOR_POWERS) => {
                (floats.merged(|all: Moments<false>| skewness_of(all.count, all.second, all.third)), 3)
            }
            Reduce::Kurt if self.reduction.attr(2) && floats.are_near(FAR_FOR_POWERS) => {
                (floats.merged(|all: Moments<true>| kurtosis_of(all.count, all.second, all.fourth)), 4)
            }
            Reduce::Median => (floats.in_order(median)?, 1),
            Reduce::Quantile => {
                let (level, way) = (self.reduction.level.filter(|level| (0.0..=1.0).contains(level))?, self.reduction.attr(2));
                (floats.in_order(|sorted| interpolated(sorted.len(), level, way, |place| sorted[place]))?, 1)
            }
            _ => return None,
        };
        self.array(results, self.nulls(kept, least))
    }

    /// Sums and means in `f64`.
    fn float_sums<N: Number, R: Rounded>(&self) -> Option<ArrayRef> {
        let (numbers, kept) = self.numbers::<N>()?;
        // A sum that begins with 0.0 is never -0.0, so that 0.0 added to it changes nothing: it replaces what is passed over.
        let float = |at: usize| if kept.takes(at) { numbers.numbers[at].float() } else { 0.0 };
        let floats: Vec<f64> = (0..self.items.len()).map(float).collect();
        let mean = self.reduction.op == Reduce::Mean;
        let least = if mean { 1 } else { self.reduction.attr::<i64>(2) };
        let result = |(sum, &(from, to)): (f64, &(usize, usize))| R::rounded(if mean { sum / kept.count(from, to) as f64 } else { sum });
        let results: Vec<R> = sums_of(&floats, self.bounds).into_iter().zip(self.bounds).map(result).collect();
        self.array(results, self.nulls(&kept, least))
    }

    /// Sums modulo two to the 64th.
    fn whole_sums<N: Number>(&self) -> Option<ArrayRef> {
        let (numbers, kept) = self.numbers::<N>()?;
        let mut running = Vec::with_capacity(self.items.len() + 1);
        running.push(0u64);
        let mut sum = 0u64;
        for at in 0..self.items.len() {
            sum = sum.wrapping_add(if kept.takes(at) { numbers.numbers[at].low() } else { 0 });
            running.push(sum);
        }
        let nulls = self.nulls(&kept, self.reduction.attr(2));
        let sums = self.bounds.iter().map(|&(from, to)| running[to].wrapping_sub(running[from]));
        match N::UNSIGNED {
            Some(true) => self.array::<u64>(sums.collect(), nulls),
            _ => self.array::<i64>(sums.map(|sum| sum as i64).collect(), nulls),
        }
    }

    /// The element to which all others of a window give way; NaN where there is one. Elements that one after them surpasses are never asked for again.
    fn extremes<N: Number>(&self, surpasses: impl Fn(N, N) -> bool) -> Option<ArrayRef> {
        let (numbers, kept) = self.numbers::<N>()?;
        let mut candidates: VecDeque<usize> = VecDeque::new();
        let mut seen = 0;
        let mut results: Vec<N> = Vec::with_capacity(self.bounds.len());
        for &(from, to) in self.bounds {
            for at in seen..to {
                if !kept.takes(at) {
                    continue;
                }
                let x = numbers.numbers[at];
                while let Some(&last) = candidates.back() {
                    let old = numbers.numbers[last];
                    if !(x.nan() || !old.nan() && surpasses(old, x)) {
                        break;
                    }
                    candidates.pop_back();
                }
                candidates.push_back(at);
            }
            seen = seen.max(to);
            while candidates.front().is_some_and(|&first| first < from) {
                candidates.pop_front();
            }
            results.push(candidates.front().map_or_else(N::default, |&at| numbers.numbers[at]));
        }
        // There is one wherever an element is taken.
        self.array(results, self.nulls(&kept, 1))
    }
}

/// The median of floats in order. What is added to 0.0 is never -0.0.
fn median(sorted: &[f64]) -> f64 {
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    if sorted.len().is_multiple_of(2) { (0.0 + low + high) / 2.0 } else { 0.0 + low }
}

/// The sum of each window, in order. Neighbours of one width, each one position further, are summed together: what each adds is one position further too.
fn sums_of(floats: &[f64], bounds: &[(usize, usize)]) -> Vec<f64> {
    let mut sums = Vec::with_capacity(bounds.len());
    while sums.len() < bounds.len() {
        let at = sums.len();
        let (from, to) = bounds[at];
        let together = bounds[at..].iter().take(AT_ONCE).enumerate().take_while(|(k, window)| **window == (from + k, to + k)).count();
        if together < AT_ONCE {
            sums.push(floats[from..to].iter().fold(0.0, |sum, x| sum + x));
            continue;
        }
        let mut so_far = [0.0; AT_ONCE];
        for first in from..to {
            let next: &[f64; AT_ONCE] = floats[first..first + AT_ONCE].try_into().expect("as many as there are windows");
            for k in 0..AT_ONCE {
                so_far[k] += next[k];
            }
        }
        sums.extend_from_slice(&so_far);
    }
    sums
}
