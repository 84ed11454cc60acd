//! Whether any, whether all.

use super::{Folded, Groups, Moves, Reduction, same_kind};
use airloom_ir::attrs::Skip;
use airloom_ir::oracle::Stop;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use std::sync::Arc;

/// For each group whether the deciding value was seen, and whether a null was.
pub(super) struct BoolAgg {
    /// True for `any`, false for `all`.
    deciding: bool,
    skip: Skip,
    decided: Vec<bool>,
    unknown: Vec<bool>,
}

impl BoolAgg {
    pub(super) fn new(deciding: bool, skip: Skip) -> BoolAgg {
        BoolAgg { deciding, skip, decided: Vec::new(), unknown: Vec::new() }
    }
}

impl Reduction for BoolAgg {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.decided.resize(count, false);
        self.unknown.resize(count, false);
        let values = values.as_boolean();
        let passes_nulls = matches!(self.skip, Skip::Null | Skip::All);
        let (decided, unknown, deciding) = (&mut self.decided, &mut self.unknown, self.deciding);
        if let Some(runs) = groups.runs(values.len()) {
            for (group, run) in runs {
                let run = values.slice(run.start, run.len());
                decided[group] |= if deciding { run.true_count() } else { run.false_count() } > 0;
                unknown[group] |= !passes_nulls && run.null_count() > 0;
            }
            return Ok(());
        }
        groups.for_each(values.len(), |row, group| {
            if values.is_null(row) {
                unknown[group] |= !passes_nulls;
            } else {
                decided[group] |= values.value(row) == deciding;
            }
        });
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<BoolAgg>(other);
        self.decided.resize(count, false);
        self.unknown.resize(count, false);
        moves.of(&other.decided).for_each(|(place, decided)| self.decided[place] |= decided);
        moves.of(&other.unknown).for_each(|(place, unknown)| self.unknown[place] |= unknown);
        Ok(())
    }

    /// How many elements are true, and how many there are.
    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.decided.resize(count, false);
        self.unknown.resize(count, false);
        for (decided, (&trues, &all)) in self.decided.iter_mut().zip(folded.integers().iter().zip(&folded.counts)) {
            *decided |= if self.deciding { trues > 0 } else { (trues as u64) < all };
        }
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.decided.resize(count, false);
        self.unknown.resize(count, false);
        let result = |(&decided, &unknown): (&bool, &bool)| match (decided, unknown) {
            (true, _) => Some(self.deciding),
            (false, true) => None,
            (false, false) => Some(!self.deciding),
        };
        Ok(Arc::new(self.decided.iter().zip(&self.unknown).map(result).collect::<BooleanArray>()))
    }

    fn size(&self) -> usize {
        self.decided.len() * 2
    }
}
