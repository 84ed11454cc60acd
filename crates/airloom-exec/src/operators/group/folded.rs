//! Rows that compiled code reduces while it computes what reductions read.

use super::GroupInputs;
use super::columns::{Columns, keys};
use super::groups::{Groups, reduce, states};
use airloom_compute::body::{FoldGroups, FoldKernel, FoldTotals};
use airloom_compute::data::{Failure, Native, RunContext, Selected, Selection, Vector, value_at};
use airloom_compute::keys::EMPTY;
use airloom_compute::reduce::{Folded, FoldedSums, GROUP_ROWS, LANE_GROUPS, MOST_GROUPS, Reduction};
use airloom_io::metrics::OperatorMetrics;
use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;
use std::sync::Arc;

/// Where at least this share of rows is selected, all are computed: that costs less than to find out which.
const DENSE: usize = 2;

/// A fold in a run.
pub struct GroupFold {
    /// The code.
    pub kernel: Arc<dyn FoldKernel>,
    /// What it runs with.
    pub context: Arc<RunContext>,
    /// What it is given.
    pub given: Vec<FoldGiven>,
}

/// One thing that a fold is given.
pub enum FoldGiven {
    /// A column of the batch.
    Column(usize),
    /// The same in every row.
    Captured(Vector),
}

impl GroupFold {
    /// Takes in the selected rows of a batch, whose groups have these numbers: into totals where there are many, else into the states. Whether it did: else nothing was taken in.
    pub(super) fn take(
        &self,
        spec: &GroupInputs,
        rows: &Selected,
        groups: &mut Groups,
        numbers: &[u32],
        totals: &mut Option<FoldTotals>,
    ) -> Result<bool, Failure> {
        if groups.table.len() > LANE_GROUPS {
            return self.take_many(spec, rows, groups, numbers, totals);
        }
        let each = if spec.key_types.is_empty() { FoldGroups::One } else { FoldGroups::Each(numbers) };
        self.add(spec, rows, &rows.rows, groups, each, || numbers.to_vec())
    }

    /// Takes in the selected rows of a batch where most are: all of them are computed, by groups in which none is begun. Whether it did.
    pub(super) fn take_most(&self, spec: &GroupInputs, rows: &Selected, groups: &mut Groups) -> Result<bool, Failure> {
        let all = rows.batch.num_rows();
        let dense = || rows.rows.len() * DENSE >= all && self.kernel.leaves_out(&self.context, groups.table.len() > 1);
        let Some(mask) = rows.rows.mask().filter(|_| dense()) else { return Ok(false) };
        if spec.key_types.is_empty() {
            return self.add(spec, rows, &Selection::All(all), groups, FoldGroups::Masked(mask), || vec![0; rows.rows.len()]);
        }
        // Keys that are not columns as they are may raise in rows that are left out.
        if spec.keys.program.is_some() {
            return Ok(false);
        }
        let mut numbers = vec![0; all];
        let keys = keys(spec, &Selected::all(rows.batch.clone()))?;
        if !groups.table.find_few(&keys, all, &mut numbers) || !leave_out(&mut numbers, mask, groups.table.len() as u32) {
            return Ok(false);
        }
        let left = || mask.set_indices().map(|row| numbers[row]).collect();
        self.add(spec, rows, &Selection::All(all), groups, FoldGroups::Some(&numbers), left)
    }

    /// Hands totals over to the states.
    pub(super) fn hand_over(&self, groups: &mut Groups, totals: &mut Option<FoldTotals>) {
        if let Some(totals) = totals.take() {
            take_folded(&mut groups.states, &self.kernel.finish(&totals), totals.groups);
        }
    }

    /// Takes rows into the states. `numbers` are the groups of those that are selected.
    fn add(
        &self,
        spec: &GroupInputs,
        rows: &Selected,
        computed: &Selection,
        groups: &mut Groups,
        each: FoldGroups<'_>,
        numbers: impl Fn() -> Vec<u32>,
    ) -> Result<bool, Failure> {
        let count = groups.table.len();
        let Some(folded) = self.kernel.run(&self.context, &self.given(rows), computed, each, count) else { return Ok(false) };
        if self.context.native == Native::Verify {
            verify(spec, rows, &numbers(), None, count, &folded)?;
        }
        take_folded(&mut groups.states, &folded, count);
        noted(rows);
        Ok(true)
    }

    /// Takes rows into totals.
    fn take_many(
        &self,
        spec: &GroupInputs,
        rows: &Selected,
        groups: &mut Groups,
        numbers: &[u32],
        totals: &mut Option<FoldTotals>,
    ) -> Result<bool, Failure> {
        let count = groups.table.len();
        // What a test compares is not to depend on how many rows a batch has.
        let worth = self.context.native != Native::Auto || count * GROUP_ROWS <= rows.rows.len();
        if count > MOST_GROUPS || !worth {
            return Ok(false);
        }
        let verifies = self.context.native == Native::Verify;
        if verifies {
            self.hand_over(groups, totals);
        }
        let so_far: Vec<Option<&[f64]>> = match totals {
            Some(_) => Vec::new(),
            None => groups.states.iter_mut().map(|state| state.sums_so_far(count)).collect(),
        };
        let mut with_these = totals.take().unwrap_or_else(|| self.kernel.begin(&so_far, count));
        let taken = self.kernel.run_many(&self.context, &self.given(rows), &rows.rows, numbers, count, &mut with_these);
        if taken && verifies {
            verify(spec, rows, numbers, Some(&so_far), count, &self.kernel.finish(&with_these))?;
        }
        *totals = Some(with_these);
        if taken {
            noted(rows);
        }
        Ok(taken)
    }

    fn given(&self, rows: &Selected) -> Vec<Vector> {
        self.given.iter().map(|given| given.vector(rows)).collect()
    }
}

/// Counts rows that were folded.
fn noted(rows: &Selected) {
    if let Some(counters) = OperatorMetrics::working() {
        counters.fold(rows.rows.len());
    }
}

impl FoldGiven {
    fn vector(&self, rows: &Selected) -> Vector {
        match self {
            FoldGiven::Column(at) => Vector::Flat(rows.batch.column(*at).clone()),
            FoldGiven::Captured(vector) => vector.clone(),
        }
    }
}

/// Gives rows that a mask does not select the number `none`. Whether all others have a group.
fn leave_out(numbers: &mut [u32], mask: &BooleanBuffer, none: u32) -> bool {
    let mut known = true;
    for (numbers, bits) in numbers.chunks_mut(64).zip(mask.bit_chunks().iter_padded()) {
        for (at, number) in numbers.iter_mut().enumerate() {
            let selected = bits >> at & 1 == 1;
            known &= !selected | (*number != EMPTY);
            *number = if selected { *number } else { none };
        }
    }
    known
}

fn take_folded(states: &mut [Box<dyn Reduction>], folded: &[Folded], count: usize) {
    for (state, folded) in states.iter_mut().zip(folded) {
        state.take_folded(folded, count);
    }
}

/// Reduces the rows of a batch once more, without the fold: both must come to the same.
fn verify(
    spec: &GroupInputs,
    rows: &Selected,
    numbers: &[u32],
    so_far: Option<&[Option<&[f64]>]>,
    count: usize,
    folded: &[Folded],
) -> Result<(), Failure> {
    let (mut plain, mut other) = (states(spec, false), states(spec, false));
    // Sums of many groups go on from those they had.
    for (state, so_far) in plain.iter_mut().zip(so_far.into_iter().flatten()) {
        if let Some(sums) = so_far {
            state.take_folded(&Folded { counts: vec![0; count], sums: FoldedSums::SoFar(sums.to_vec()) }, count);
        }
    }
    reduce(&mut plain, &Columns::of(spec, &rows.clone().compact())?, numbers, count)?;
    take_folded(&mut other, folded, count);
    let results = |states: &mut [Box<dyn Reduction>]| -> Result<Vec<ArrayRef>, Failure> {
        states.iter_mut().map(|state| Ok(state.finish(count, 1)?)).collect()
    };
    let (expected, found) = (results(&mut plain)?, results(&mut other)?);
    for ((reduction, _), (expected, found)) in spec.reductions.iter().zip(expected.iter().zip(&found)) {
        let value = |array: &ArrayRef, group: usize| value_at(spec.graph.types(), reduction.ty, array, group);
        for group in 0..count {
            let (found, expected) = (value(found, group), value(expected, group));
            assert!(
                found == expected,
                "invariant `a fold adds up what the interpreter does`: group {group} of `{:?}` is {found:?}, expected {expected:?}",
                reduction.op
            );
        }
    }
    Ok(())
}
