//! Summaries of windows that only go forward, made of two parts each. Parts only grow: what goes out of a window is never taken off, and so leaves no rounding behind.
//!
//! One part has a summary of the elements from each of its positions up to a pivot, the other one of all elements from the pivot on. Once a window has left the
//! first part behind, its end becomes the pivot and its elements the first part. So every element is added twice, however wide windows are.

/// What is known of some elements.
pub(super) trait Summary: Copy + Default {
    /// An element.
    type Item: Item;

    /// Adds an element.
    fn add(&mut self, item: Self::Item);

    /// Whether it is of no elements.
    fn is_empty(&self) -> bool;

    /// The summary of these elements and others, where there are some of both.
    fn merged(self, other: Self) -> Self;

    /// The summary of these elements and others.
    #[inline]
    fn with(self, other: Self) -> Self {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            self.merged(other)
        }
    }
}

/// Distances are taken from nothing that is farther from zero: they might leave the range of floats.
pub(super) const FAR: f64 = 1e150;

/// What summaries are made of.
pub(super) trait Item: Copy {
    /// What is farther from zero than every element.
    const FARTHEST: Self;

    /// What is nearer to zero of this and another.
    fn nearer(self, other: Self) -> Self;

    /// The distance from an origin.
    fn apart_from(self, origin: Self) -> Self;
}

impl Item for f64 {
    const FARTHEST: f64 = f64::INFINITY;

    fn nearer(self, other: f64) -> f64 {
        if other.abs() < self.abs() { other } else { self }
    }

    fn apart_from(self, origin: f64) -> f64 {
        if origin.abs() <= FAR { self - origin } else { self }
    }
}

impl Item for (f64, f64) {
    const FARTHEST: (f64, f64) = (f64::INFINITY, f64::INFINITY);

    fn nearer(self, other: (f64, f64)) -> (f64, f64) {
        (self.0.nearer(other.0), self.1.nearer(other.1))
    }

    fn apart_from(self, origin: (f64, f64)) -> (f64, f64) {
        (self.0.apart_from(origin.0), self.1.apart_from(origin.1))
    }
}

/// Calls back with the summary of each window in turn. `item` is nothing at positions that are passed over.
pub(super) fn summaries<S: Summary>(bounds: &[(usize, usize)], item: impl Fn(usize) -> Option<S::Item>, mut found: impl FnMut(S)) {
    // The summaries from each position up to the pivot, the last position first.
    let mut before: Vec<S> = Vec::new();
    let mut after = S::default();
    let mut origin = S::Item::FARTHEST;
    let (mut pivot, mut end) = (0, 0);
    for &(from, to) in bounds {
        if from >= pivot {
            // Distances are taken from the element nearest to zero: no element that is farther loses digits by it. One that comes later may be nearer, but as long as it
            // is measured from here there is one in the window whose own digits end sooner.
            origin = (from..to).filter_map(&item).fold(S::Item::FARTHEST, Item::nearer);
            before.clear();
            let mut so_far = S::default();
            for at in (from..to).rev() {
                if let Some(item) = item(at) {
                    so_far.add(item.apart_from(origin));
                }
                before.push(so_far);
            }
            after = S::default();
            pivot = to;
        } else {
            for item in (end..to).filter_map(&item) {
                after.add(item.apart_from(origin));
            }
        }
        end = to;
        let first = pivot.checked_sub(from + 1).map_or_else(S::default, |place| before[place]);
        found(first.with(after));
    }
}

/// How many elements, their mean, and the sum of the squares of their distances from it.
#[derive(Clone, Copy, Default)]
pub(super) struct Spread {
    pub(super) count: f64,
    mean: f64,
    pub(super) squares: f64,
}

impl Summary for Spread {
    type Item = f64;

    #[inline]
    fn add(&mut self, x: f64) {
        self.count += 1.0;
        let off = x - self.mean;
        self.mean += off / self.count;
        self.squares += off * (x - self.mean);
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.count == 0.0
    }

    #[inline]
    fn merged(self, other: Self) -> Self {
        let count = self.count + other.count;
        let off = other.mean - self.mean;
        let share = other.count / count;
        Spread { count, mean: self.mean + off * share, squares: self.squares + other.squares + off * off * (self.count * share) }
    }
}

/// How many elements, their mean, and the sums of the powers of their distances from it; of the fourth only where it is asked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments<const FOURTH: bool> {
    pub(super) count: f64,
    mean: f64,
    pub(super) second: f64,
    pub(super) third: f64,
    pub(super) fourth: f64,
}

impl<const FOURTH: bool> Summary for Moments<FOURTH> {
    type Item = f64;

    #[inline]
    fn add(&mut self, x: f64) {
        let before = self.count;
        self.count += 1.0;
        if before == 0.0 {
            self.mean = x;
            return;
        }
        let off = x - self.mean;
        let share = off / self.count;
        let square = off * share * before;
        if FOURTH {
            let inner = 6.0 * self.second + square * (self.count * self.count - 3.0 * self.count + 3.0);
            self.fourth += share * (share * inner - 4.0 * self.third);
        }
        self.third += share * (square * (self.count - 2.0) - 3.0 * self.second);
        self.second += square;
        self.mean += share;
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.count == 0.0
    }

    #[inline]
    fn merged(self, other: Self) -> Self {
        let (n, m) = (self.count, other.count);
        let count = n + m;
        let off = other.mean - self.mean;
        let share = off / count;
        let square = off * share * n * m;
        let mut fourth = 0.0;
        if FOURTH {
            let inner = square * (n * n - n * m + m * m) + 6.0 * (n * n * other.second + m * m * self.second);
            fourth = self.fourth + other.fourth + share * (share * inner + 4.0 * (n * other.third - m * self.third));
        }
        Moments {
            count,
            mean: self.mean + share * m,
            second: self.second + other.second + square,
            third: self.third + other.third + share * (square * (n - m) + 3.0 * (n * other.second - m * self.second)),
            fourth,
        }
    }
}
