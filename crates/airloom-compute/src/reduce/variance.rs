//! Variances and standard deviations in one pass, where floats may be added in any order.

use super::lanes::add_in_lanes;
use super::{Reduction, ReductionSpec, ValidCounts, merged, same_kind, taken};
use airloom_ir::attrs::{Attr, Skip};
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::Stop;
use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::Float64Type;
use std::sync::Arc;

/// For each group the mean so far, and the sum of the squares of the distances from it.
pub(super) struct Variance {
    skip: Skip,
    ddof: i64,
    root: bool,
    means: Vec<f64>,
    squares: Vec<f64>,
    seen: ValidCounts,
}

impl Variance {
    pub(super) fn new(spec: &ReductionSpec, skip: Skip) -> Variance {
        let ddof = match spec.attrs.get(2) {
            Some(Attr::Int(ddof)) => *ddof,
            _ => 1,
        };
        Variance { skip, ddof, root: spec.op == Reduce::Std, means: Vec::new(), squares: Vec::new(), seen: ValidCounts::default() }
    }
}

impl Variance {
    /// Of the terms of one group: the mean first, then how far from it they are.
    fn of_all(terms: &[f64], like: &Variance) -> Variance {
        let add = |sum: &mut f64, term: f64| *sum += term;
        let (mut sum, mut squares) = ([0.0], [0.0]);
        add_in_lanes(&[], terms, &mut sum, 0.0, add, add);
        let mean = sum[0] / terms.len() as f64;
        add_in_lanes(&[], terms, &mut squares, 0.0, |sum: &mut f64, term: f64| *sum += (term - mean) * (term - mean), add);
        let seen = ValidCounts { counts: vec![terms.len() as u64], ..ValidCounts::default() };
        Variance { skip: like.skip, ddof: like.ddof, root: like.root, means: vec![mean], squares: squares.to_vec(), seen }
    }
}

impl Reduction for Variance {
    fn update(&mut self, groups: &[u32], values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.means.resize(count, 0.0);
        self.squares.resize(count, 0.0);
        self.seen.counts.resize(count, 0);
        let terms = values.as_primitive::<Float64Type>().values();
        let taken = taken(self.skip, values);
        if let (1, None, None, false) = (count, &taken.mask, &taken.poison, terms.is_empty()) {
            let more = Variance::of_all(terms, self);
            return self.merge(&more, &[0], 1);
        }
        if let Some(poison) = &taken.poison {
            self.seen.null_seen.resize(count, false);
            groups.iter().enumerate().for_each(|(row, &group)| self.seen.null_seen[group as usize] |= poison.is_null(row));
        }
        for (row, &group) in groups.iter().enumerate() {
            if taken.mask.as_ref().is_none_or(|mask| mask.value(row)) {
                let group = group as usize;
                self.seen.counts[group] += 1;
                let distance = terms[row] - self.means[group];
                self.means[group] += distance / self.seen.counts[group] as f64;
                self.squares[group] += distance * (terms[row] - self.means[group]);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, places: &[u32], count: usize) -> Result<(), Stop> {
        let other = same_kind::<Variance>(other);
        self.means.resize(count, 0.0);
        self.squares.resize(count, 0.0);
        self.seen.counts.resize(count, 0);
        let theirs = other.means.iter().zip(&other.squares).zip(&other.seen.counts).collect::<Vec<_>>();
        for (place, &((&mean, &squares), &more)) in merged(places, &theirs) {
            let (have, more) = (self.seen.counts[place] as f64, more as f64);
            if more > 0.0 {
                let distance = mean - self.means[place];
                self.means[place] += distance * (more / (have + more));
                self.squares[place] += squares + distance * distance * (have * more / (have + more));
            }
        }
        self.seen.merge(&other.seen, places, count);
        Ok(())
    }

    fn finish(&mut self, count: usize) -> Result<ArrayRef, Stop> {
        self.squares.resize(count, 0.0);
        let nulls = self.seen.nulls(self.ddof.saturating_add(1).max(1), count);
        let of = |(&squares, &seen): (&f64, &u64)| squares / (i128::from(seen) - i128::from(self.ddof)) as f64;
        let spreads = self.squares.iter().zip(&self.seen.counts).map(of);
        let made: Vec<f64> = if self.root { spreads.map(f64::sqrt).collect() } else { spreads.collect() };
        Ok(Arc::new(Float64Array::new(made.into(), nulls)))
    }

    fn size(&self) -> usize {
        self.means.len() * 16 + self.seen.size()
    }
}
