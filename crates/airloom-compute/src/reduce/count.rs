//! How many elements.

use super::lanes::{FEW, add_in_lanes};
use super::{Folded, Groups, Moves, Reduction, not_skipped, same_kind};
use airloom_ir::attrs::Skip;
use airloom_ir::oracle::Stop;
use arrow::array::{Array, ArrayRef, Int64Array};
use std::sync::Arc;

pub(super) struct Count {
    skip: Skip,
    counts: Vec<i64>,
}

impl Count {
    pub(super) fn new(skip: Skip) -> Count {
        Count { skip, counts: Vec::new() }
    }
}

impl Reduction for Count {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.counts.resize(count, 0);
        let (rows, counts) = (values.len(), &mut self.counts);
        // A null that `skip` does not pass over is counted too.
        match (not_skipped(self.skip, values), groups.runs(rows)) {
            (None, Some(runs)) => runs.for_each(|(group, run)| counts[group] += run.len() as i64),
            (Some(mask), Some(runs)) => {
                runs.for_each(|(group, run)| counts[group] += mask.slice(run.start, run.len()).count_set_bits() as i64);
            }
            (None, None) => match groups {
                Groups::Each(each) if count <= FEW => add_in_lanes(each, each, counts, 0, |sum, _| *sum += 1, |sum, more| *sum += more),
                _ => groups.for_each(rows, |_, group| counts[group] += 1),
            },
            (Some(mask), None) => groups.for_each(rows, |row, group| counts[group] += i64::from(mask.value(row))),
        }
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<Count>(other);
        self.counts.resize(count, 0);
        moves.of(&other.counts).for_each(|(place, more)| self.counts[place] += more);
        Ok(())
    }

    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.counts.resize(count, 0);
        self.counts.iter_mut().zip(&folded.counts).for_each(|(seen, &more)| *seen += more as i64);
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.counts.resize(count, 0);
        Ok(Arc::new(Int64Array::from(std::mem::take(&mut self.counts))))
    }

    fn size(&self) -> usize {
        self.counts.len() * 8
    }
}
