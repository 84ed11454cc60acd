//! How many elements.

use super::{Reduction, merged, same_kind, taken};
use airloom_ir::attrs::Skip;
use airloom_ir::oracle::Stop;
use arrow::array::{ArrayRef, Int64Array};
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
    fn update(&mut self, groups: &[u32], values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.counts.resize(count, 0);
        // A null that `skip` does not pass over is counted too.
        let passed = match self.skip {
            Skip::None => None,
            Skip::Null => values.nulls().filter(|n| n.null_count() > 0).map(|n| n.inner().clone()),
            Skip::All => taken(Skip::All, values).mask.map(|m| m.values().clone()),
            Skip::Nan => {
                let mask = taken(Skip::All, values).mask;
                mask.map(|m| match values.nulls() {
                    Some(nulls) => m.values() | &!nulls.inner(),
                    None => m.values().clone(),
                })
            }
        };
        match passed {
            None if count == 1 => self.counts[0] += groups.len() as i64,
            None => groups.iter().for_each(|&group| self.counts[group as usize] += 1),
            Some(mask) => groups.iter().zip(mask.iter()).for_each(|(&group, taken)| self.counts[group as usize] += i64::from(taken)),
        }
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, places: &[u32], count: usize) -> Result<(), Stop> {
        let other = same_kind::<Count>(other);
        self.counts.resize(count, 0);
        merged(places, &other.counts).for_each(|(place, more)| self.counts[place] += more);
        Ok(())
    }

    fn finish(&mut self, count: usize) -> Result<ArrayRef, Stop> {
        self.counts.resize(count, 0);
        Ok(Arc::new(Int64Array::from(std::mem::take(&mut self.counts))))
    }

    fn size(&self) -> usize {
        self.counts.len() * 8
    }
}
