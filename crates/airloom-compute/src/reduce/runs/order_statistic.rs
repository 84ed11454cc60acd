//! Elements by their place in the sorted order, found without sorting the others.

use super::{Number, Numbers};
use crate::data::parallel_map;
use std::convert::Infallible;
use std::ops::Range;

/// From this length on a sample of a run tells between which elements the one that is looked for is: one look at all then leaves a few of them.
const LONG: usize = 1 << 13;
/// One of this many elements is in the sample.
const STRIDE: usize = 32;
/// A sample has no more than this.
const SAMPLE: usize = 1 << 15;
/// How many elements a thread looks at in one go.
const PIECE: usize = 1 << 17;

/// What is at a place of the sorted order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found<N> {
    /// No element is taken, or a null makes the result null.
    Null,
    /// An element that is not passed over is NaN.
    Nan,
    /// The element at the place rounded down, the element at the place rounded up, and how many elements there are.
    Neighbours(N, N, usize),
}

/// A run whose elements are looked for.
pub(super) struct Run<'n, N: Number> {
    pub(super) numbers: &'n Numbers<N>,
    pub(super) range: Range<usize>,
    pub(super) threads: usize,
}

/// What a look at some elements found.
struct Seen<N> {
    taken: usize,
    below: usize,
    within: Vec<N>,
    nan: bool,
}

impl<N: Number> Run<'_, N> {
    /// The elements next to the place that `level` of all others come before, in the order of sorts. Zeros of both signs are equal there, and stand as they do in the run.
    pub(super) fn at(&self, level: f64) -> Found<N> {
        let Some(taken) = self.numbers.taken(self.range.clone()) else { return Found::Null };
        if self.range.len() >= LONG
            && let Some(found) = self.by_sample(level)
        {
            return found;
        }
        let items = taken.to_vec();
        if items.is_empty() {
            return Found::Null;
        }
        if items.iter().any(|x| x.nan()) {
            return Found::Nan;
        }
        let (low, high) = places(items.len(), level);
        let count = items.len();
        let (low, high) = neighbours(items, low, high);
        Found::Neighbours(low, high, count)
    }

    /// The same by a sample; `None` where the sample misled.
    fn by_sample(&self, level: f64) -> Option<Found<N>> {
        let (low, high) = self.bounds(level);
        let is_below = |x: N| low.is_some_and(|low| x < low);
        let is_above = |x: N| high.is_some_and(|high| x > high);
        let look = |(): &mut (), piece: usize| {
            let start = self.range.start + piece * PIECE;
            let range = start..(start + PIECE).min(self.range.end);
            let mut seen = Seen { taken: 0, below: 0, within: Vec::new(), nan: false };
            if let Some(taken) = self.numbers.taken(range) {
                taken.fold((), |(), x| {
                    seen.taken += 1;
                    seen.nan |= x.nan();
                    seen.below += usize::from(is_below(x));
                    if !is_below(x) && !is_above(x) {
                        seen.within.push(x);
                    }
                });
            }
            Ok::<_, Infallible>(seen)
        };
        let Ok(pieces) = parallel_map(self.threads, self.range.len().div_ceil(PIECE), || (), look);
        let count: usize = pieces.iter().map(|seen| seen.taken).sum();
        if count == 0 {
            return Some(Found::Null);
        }
        if pieces.iter().any(|seen| seen.nan) {
            return Some(Found::Nan);
        }
        let below: usize = pieces.iter().map(|seen| seen.below).sum();
        let within: Vec<N> = pieces.into_iter().flat_map(|seen| seen.within).collect();
        let (low, high) = places(count, level);
        if low < below || high >= below + within.len() {
            return None;
        }
        let (low, high) = neighbours(within, low - below, high - below);
        Some(Found::Neighbours(low, high, count))
    }

    /// Elements of which one is most likely no more than what is looked for, and the other no less; none where that is the first or last.
    fn bounds(&self, level: f64) -> (Option<N>, Option<N>) {
        let length = self.range.len();
        let count = (length / STRIDE).min(SAMPLE);
        let stride = length / count;
        // Elements at even distances would all be alike where the run has a period.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut sample: Vec<N> = Vec::with_capacity(count);
        for at in 0..count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = self.range.start + at * stride + (state >> 33) as usize % stride;
            if let Some(taken) = self.numbers.taken(place..place + 1) {
                taken.fold((), |(), x| sample.push(x));
            }
        }
        if sample.is_empty() || sample.iter().any(|x| x.nan()) {
            return (None, None);
        }
        // Four standard deviations of a place in a sample, at most.
        let (margin, middle) = (2.0 * (sample.len() as f64).sqrt() + 1.0, level * (sample.len() - 1) as f64);
        let mut bound = |place: f64| {
            let inside = (0.0..sample.len() as f64).contains(&place);
            inside.then(|| *sample.select_nth_unstable_by(place as usize, |x, y| x.total(*y)).1)
        };
        (bound(middle - margin), bound(middle + margin))
    }
}

/// The place that `level` of all others come before, rounded down and up.
fn places(count: usize, level: f64) -> (usize, usize) {
    let place = (count - 1) as f64 * level;
    ((place.floor() as usize).min(count - 1), (place.ceil() as usize).min(count - 1))
}

/// The elements at two places, the same or one after the other, of elements that are not NaN.
fn neighbours<N: Number>(mut items: Vec<N>, low: usize, high: usize) -> (N, N) {
    let zeros = |items: &[N]| -> Vec<N> { items.iter().copied().filter(|x| N::UNSIGNED.is_none() && x.float() == 0.0).collect() };
    let (stand, negative) = (zeros(&items), items.iter().filter(|x| N::UNSIGNED.is_none() && x.float() < 0.0).count());
    let (_, &mut at_low, above) = items.select_nth_unstable_by(low, |x, y| x.total(*y));
    let smallest = || above.iter().copied().reduce(|x, y| if y.total(x).is_lt() { y } else { x });
    let at_high = if high == low { at_low } else { smallest().unwrap_or(at_low) };
    let standing = |place: usize, found: N| place.checked_sub(negative).and_then(|at| stand.get(at)).copied().unwrap_or(found);
    (standing(low, at_low), standing(high, at_high))
}

#[cfg(test)]
mod tests {
    use super::{Found, LONG, Number, Numbers, PIECE, Run, places};
    use airloom_ir::attrs::Skip;
    use arrow::array::{ArrayRef, Float64Array, Int64Array};
    use std::sync::Arc;

    /// What a stable sort of all that is taken has there.
    fn sorted<N: Number>(items: impl Iterator<Item = N>, level: f64) -> (N, N, usize) {
        let mut items: Vec<N> = items.collect();
        items.sort_by(|x, y| x.total(*y));
        let (low, high) = places(items.len(), level);
        (items[low], items[high], items.len())
    }

    fn noise(count: usize) -> impl Iterator<Item = u64> {
        (0..count as u64).map(|at| (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20)
    }

    #[test]
    fn long_runs_have_the_elements_of_a_stable_sort() {
        for count in [1, 2, 3, 1000, LONG, LONG + 1, 3 * PIECE + 5] {
            let shapes: [Vec<Option<f64>>; 6] = [
                noise(count).map(|x| Some(x as f64)).collect(),
                (0..count).map(|x| Some(x as f64)).collect(),
                // Mostly zeros of both signs.
                noise(count).map(|x| Some([0.0, -0.0, 0.0, -1.0, 1.0][(x % 5) as usize])).collect(),
                noise(count).map(|x| (x % 3 > 0).then_some((x % 100) as f64 - 50.0)).chain([Some(7.0)]).collect(),
                noise(count).map(|x| Some(if x % 7 == 0 { f64::NAN } else { -(x as f64) })).chain([Some(f64::INFINITY)]).collect(),
                vec![Some(4.0); count],
            ];
            for (shape, items) in shapes.iter().enumerate() {
                let array: ArrayRef = Arc::new(Float64Array::from(items.clone()));
                let numbers = Numbers::<f64>::of(&array, Skip::All).expect("floats");
                for level in [0.0, 0.01, 0.25, 0.5, 0.9, 1.0] {
                    for threads in [1, 4] {
                        let found = Run { numbers: &numbers, range: 0..items.len(), threads }.at(level);
                        let Found::Neighbours(low, high, taken) = found else { panic!("{found:?}") };
                        let (first, second, all) = sorted(items.iter().flatten().copied().filter(|x| !x.is_nan()), level);
                        let bits = |low: f64, high: f64, count: usize| (low.to_bits(), high.to_bits(), count);
                        assert_eq!(bits(low, high, taken), bits(first, second, all), "shape {shape}, {count} elements, level {level}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_that_misleads_its_sample_is_partitioned_as_a_whole() {
        // All but one element of each stretch that the sample draws from are equal.
        let items: Vec<i64> = (0..LONG as i64 * 4).map(|at| if at % 3 == 0 { at } else { i64::from(at % 2 == 0) }).collect();
        let array: ArrayRef = Arc::new(Int64Array::from(items.clone()));
        let numbers = Numbers::<i64>::of(&array, Skip::None).expect("integers");
        for level in 0..=100 {
            let level = f64::from(level) / 100.0;
            let run = Run { numbers: &numbers, range: 0..items.len(), threads: 2 };
            let (low, high, count) = sorted(items.iter().copied(), level);
            assert_eq!(run.at(level), Found::Neighbours(low, high, count), "level {level}");
        }
    }

    #[test]
    fn nan_and_null_decide_where_they_are_not_passed_over() {
        let with = |last: Option<f64>| -> ArrayRef { Arc::new(Float64Array::from_iter((0..LONG).map(|x| Some(x as f64)).chain([last]))) };
        let found = |array: &ArrayRef, skip: Skip| {
            let numbers = Numbers::<f64>::of(array, skip).expect("floats");
            Run { numbers: &numbers, range: 0..array.len(), threads: 2 }.at(0.5)
        };
        assert_eq!(found(&with(Some(f64::NAN)), Skip::Null), Found::Nan);
        assert_eq!(found(&with(None), Skip::Nan), Found::Null);
        assert_eq!(found(&with(None).slice(0, LONG), Skip::None), Found::Neighbours(4095.0, 4096.0, LONG));
        let nothing: ArrayRef = Arc::new(Float64Array::from(vec![None::<f64>; LONG]));
        assert_eq!(found(&nothing, Skip::Null), Found::Null);
    }
}
