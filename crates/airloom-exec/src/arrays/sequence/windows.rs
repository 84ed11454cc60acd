//! Reductions of rolling windows that do not begin anew for every window, and are the same to the bit all the same.
//!
//! A sum of floats is the sum of its window in order: another order is another sum. So it does begin anew, but for many windows at once. Whole numbers
//! have exact sums, which the difference of two running sums gives; extremes keep the elements that may still become one. Only where floats may be added up in any
//! order do their sums slide.

use super::merging::Moments;
use super::sliding::Floats;
use crate::arrays::call::ArrayCall;
use crate::arrays::reduce::{Number, Numbers, Reduction};
use crate::data::values_to_array;
use crate::kernels::native::{Native, Width, by_width, numbers_to_array};
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::formula::{interpolated, kurtosis_of, skewness_of};
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use std::collections::VecDeque;

/// How many windows are summed at once.
const AT_ONCE: usize = 16;

/// Every window's reduction, where there is a way that does not begin anew. `enough` says whether a window is not null for want of elements.
pub(super) fn windows(
    call: &ArrayCall<'_>,
    reduction: Reduction<'_>,
    items: &ArrayRef,
    bounds: &[(usize, usize)],
    enough: &dyn Fn(usize, usize) -> bool,
) -> Option<ArrayRef> {
    let ty = call.types.plain(reduction.element);
    let all = Windows { call, reduction, items, bounds, enough };
    let width = Width::of(ty)?;
    let forward = bounds.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 <= two[1].1);
    if forward
        && *ty == Ty::F64
        && let Some(made) = all.sliding()
    {
        return Some(made);
    }
    match (reduction.op, ty) {
        (Reduce::Min | Reduce::Max, _) if !forward => None,
        (Reduce::Min, _) => by_width!(width, N => all.extremes::<N>(|best, x| x.signed_total(best).is_lt())),
        (Reduce::Max, _) => by_width!(width, N => all.extremes::<N>(|best, x| x.signed_total(best).is_gt())),
        (Reduce::Mean, Ty::F32) => by_width!(width, N => all.float_sums::<N, f32>()),
        (Reduce::Mean, Ty::F64 | Ty::Int(_)) => by_width!(width, N => all.float_sums::<N, f64>()),
        (Reduce::Sum, Ty::F64) => all.float_sums::<f64, f64>(),
        (Reduce::Sum, Ty::Int(_) | Ty::Duration(_)) => by_width!(width, N => all.whole_sums::<N>()),
        _ => None,
    }
}

/// All windows over some elements, and what is made of each.
struct Windows<'a> {
    call: &'a ArrayCall<'a>,
    reduction: Reduction<'a>,
    items: &'a ArrayRef,
    bounds: &'a [(usize, usize)],
    enough: &'a dyn Fn(usize, usize) -> bool,
}

/// How many elements up to each place are taken, and up to which there is no null that makes a window null.
struct Kept {
    taken: Vec<usize>,
    spoiled: Option<Vec<usize>>,
}

impl Kept {
    fn of<N: Number>(numbers: &Numbers<N>) -> Kept {
        let null = |at: usize| numbers.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at));
        let running = |counts: &dyn Fn(usize) -> bool| {
            let mut all = Vec::with_capacity(numbers.numbers.len() + 1);
            all.push(0);
            let mut count = 0;
            for at in 0..numbers.numbers.len() {
                count += usize::from(counts(at));
                all.push(count);
            }
            all
        };
        let taken = running(&|at| !(null(at) || numbers.skip_nan && numbers.numbers[at].nan()));
        let spoils = numbers.nulls.is_some() && !numbers.skip_null;
        Kept { taken, spoiled: spoils.then(|| running(&null)) }
    }

    fn count(&self, from: usize, to: usize) -> usize {
        self.taken[to] - self.taken[from]
    }

    fn is_spoiled(&self, from: usize, to: usize) -> bool {
        self.spoiled.as_ref().is_some_and(|spoiled| spoiled[to] > spoiled[from])
    }
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
    fn numbers<N: Number>(&self) -> Option<(Numbers<N>, Kept)> {
        let numbers = Numbers::<N>::of(self.items, self.reduction.skip())?;
        let kept = Kept::of(&numbers);
        Some((numbers, kept))
    }

    /// Which windows have a result: those with enough elements, of which at least so many are taken and no null spoils any.
    fn nulls(&self, kept: &Kept, least: i64) -> NullBuffer {
        let has = |&(from, to): &(usize, usize)| {
            (self.enough)(from, to) && !kept.is_spoiled(from, to) && kept.count(from, to) as i128 >= i128::from(least)
        };
        NullBuffer::new(self.bounds.iter().map(has).collect::<BooleanBuffer>())
    }

    fn array<R: Native>(&self, results: Vec<R>, nulls: NullBuffer) -> Option<ArrayRef> {
        Some(numbers_to_array(self.call.types, self.call.result_element(), results, Some(nulls)))
    }

    /// Results of floats by what comes into a window and what goes out of it, for windows that only go forward.
    fn sliding(&self) -> Option<ArrayRef> {
        let (numbers, kept) = self.numbers::<f64>()?;
        let numbers = &numbers.numbers;
        if kept.count(0, numbers.len()) == numbers.len() {
            self.slid(&kept, Floats { numbers, is_taken: |_| true, bounds: self.bounds })
        } else {
            self.slid(&kept, Floats { numbers, is_taken: |at| kept.count(at, at + 1) == 1, bounds: self.bounds })
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
            Reduce::Skew if self.reduction.attr(2) => {
                (floats.merged(|all: Moments<false>| skewness_of(all.count, all.second, all.third)), 3)
            }
            Reduce::Kurt if self.reduction.attr(2) => {
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
        // A sum that begins with 0.0 is never -0.0, so that 0.0 added to it changes nothing: it stands for what is passed over.
        let float = |at: usize| if kept.count(at, at + 1) == 1 { numbers.numbers[at].float() } else { 0.0 };
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
            sum = sum.wrapping_add(if kept.count(at, at + 1) == 1 { numbers.numbers[at].low() } else { 0 });
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
        let mut results = Vec::with_capacity(self.items.len());
        for &(from, to) in self.bounds {
            for at in seen..to {
                if kept.count(at, at + 1) == 0 {
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
            let best = candidates.front().filter(|_| (self.enough)(from, to) && !kept.is_spoiled(from, to));
            results.push(best.map_or(Value::Null, |&at| numbers.numbers[at].value()));
        }
        Some(values_to_array(self.call.types, self.call.result_element(), &results))
    }
}

/// The median of floats in order. What is added to 0.0 is never -0.0.
fn median(sorted: &[f64]) -> f64 {
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    if sorted.len().is_multiple_of(2) { (0.0 + low + high) / 2.0 } else { 0.0 + low }
}

/// The sum of each window, in order. Neighbours of one width, each one place further, are summed together: what each adds is one place further too.
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
