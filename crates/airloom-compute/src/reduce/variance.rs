//! Variances and standard deviations in one pass, where floats may be added in any order.

use super::lanes::add_in_lanes;
use super::{Groups, Moves, Reduction, ReductionSpec, ValidCounts, same_kind, taken};
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
    /// Takes in `more` terms of a group, of which the mean and the squares of the distances from it are known.
    fn add(&mut self, group: usize, mean: f64, squares: f64, more: u64) {
        let (have, new) = (self.seen.counts[group] as f64, more as f64);
        let distance = mean - self.means[group];
        self.means[group] += distance * (new / (have + new));
        self.squares[group] += squares + distance * distance * (have * new / (have + new));
        self.seen.counts[group] += more;
    }
}

/// The mean of terms, the sum of the squares of their distances from it, and how many they are.
fn of_all(terms: &[f64]) -> (f64, f64, u64) {
    let add = |sum: &mut f64, term: f64| *sum += term;
    let (mut sum, mut squares) = ([0.0], [0.0]);
    add_in_lanes(&[], terms, &mut sum, 0.0, add, add);
    let mean = sum[0] / terms.len() as f64;
    add_in_lanes(&[], terms, &mut squares, 0.0, |sum: &mut f64, term: f64| *sum += (term - mean) * (term - mean), add);
    (mean, squares[0], terms.len() as u64)
}

impl Reduction for Variance {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.means.resize(count, 0.0);
        self.squares.resize(count, 0.0);
        self.seen.counts.resize(count, 0);
        let terms = values.as_primitive::<Float64Type>().values();
        let taken = taken(self.skip, values);
        self.seen.note_nulls(groups, &taken, count);
        if let Some(runs) = groups.runs(terms.len()) {
            let is_taken = |row: &usize| taken.mask.as_ref().is_none_or(|mask| mask.value(*row));
            for (group, run) in runs {
                let some: Vec<f64>;
                let own = if taken.is_everything() {
                    &terms[run]
                } else {
                    some = run.filter(is_taken).map(|row| terms[row]).collect();
                    &some
                };
                if !own.is_empty() {
                    let (mean, squares, more) = of_all(own);
                    self.add(group, mean, squares, more);
                }
            }
            return Ok(());
        }
        let (counts, means, squares) = (&mut self.seen.counts, &mut self.means, &mut self.squares);
        groups.for_each(terms.len(), |row, group| {
            if taken.mask.as_ref().is_none_or(|mask| mask.value(row)) {
                counts[group] += 1;
                let distance = terms[row] - means[group];
                means[group] += distance / counts[group] as f64;
                squares[group] += distance * (terms[row] - means[group]);
            }
        });
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<Variance>(other);
        self.means.resize(count, 0.0);
        self.squares.resize(count, 0.0);
        self.seen.counts.resize(count, 0);
        let theirs = other.means.iter().zip(&other.squares).zip(&other.seen.counts).collect::<Vec<_>>();
        for (place, &((&mean, &squares), &more)) in moves.of(&theirs).filter(|(_, (_, more))| **more > 0) {
            self.add(place, mean, squares, more);
        }
        let nulls = ValidCounts { counts: Vec::new(), null_seen: other.seen.null_seen.clone() };
        self.seen.merge(&nulls, moves, count);
        Ok(())
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
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
