//! How many distinct numbers: by putting those of a group side by side.

use super::distinct::kept;
use super::{Groups, Moves, Reduction, same_kind};
use crate::keys::{EMPTY, EncodedKeys, Hashing, KeyEncoder};
use airloom_ir::attrs::Skip;
use airloom_ir::graph::Graph;
use airloom_ir::oracle::Stop;
use airloom_ir::types::{Ty, TyId};
use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array};
use arrow::compute::filter;
use std::sync::Arc;

/// Below this many pairs nothing is gained by leaving out duplicates.
const WORTH_A_LOOK: usize = 1 << 20;

/// Pairs of group and number. Duplicates are left out whenever there are some times as many pairs as there were after the last time.
pub(super) struct DistinctNumbers {
    graph: Arc<Graph>,
    skip: Skip,
    coder: KeyEncoder,
    groups: Vec<u32>,
    codes: Vec<u64>,
    /// For each group, as far as there are any, whether it has a null that counts.
    with_null: Vec<bool>,
    /// How many pairs there may be before the next look.
    limit: usize,
}

impl DistinctNumbers {
    /// For elements that are numbers of up to 64 bits.
    pub(super) fn new(graph: &Arc<Graph>, element: TyId, skip: Skip) -> Option<DistinctNumbers> {
        let types = graph.types();
        let number = matches!(types.plain(element), Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Date | Ty::Timestamp { .. } | Ty::Duration(_));
        if !number {
            return None;
        }
        let coder = KeyEncoder::new(types, &[types.strip(element)], Hashing::Mixed);
        let (graph, limit) = (graph.clone(), WORTH_A_LOOK);
        let made = DistinctNumbers { graph, skip, coder, groups: Vec::new(), codes: Vec::new(), with_null: Vec::new(), limit };
        made.coder.is_narrow().then_some(made)
    }

    /// Notes which groups have nulls, and leaves those out.
    fn without_nulls(&mut self, groups: Vec<u32>, values: ArrayRef, count: usize) -> (Vec<u32>, ArrayRef) {
        let Some(valid) = values.nulls().filter(|nulls| nulls.null_count() > 0) else { return (groups, values) };
        self.with_null.resize(count, false);
        let mut left = Vec::with_capacity(groups.len() - valid.null_count());
        for (&group, valid) in groups.iter().zip(valid) {
            if valid {
                left.push(group);
            } else {
                self.with_null[group as usize] = true;
            }
        }
        let mask = BooleanArray::new(valid.inner().clone(), None);
        (left, filter(&values, &mask).expect("a mask as long as the batch"))
    }

    /// The numbers of each group side by side, in order; and where those of each end.
    fn by_group(&self, count: usize) -> (Vec<u64>, Vec<u32>) {
        let mut ends = vec![0u32; count + 1];
        self.groups.iter().for_each(|&group| ends[group as usize + 1] += 1);
        (0..count).for_each(|group| ends[group + 1] += ends[group]);
        let mut next = ends.clone();
        let mut placed = vec![0u64; self.codes.len()];
        for (&group, &code) in self.groups.iter().zip(&self.codes) {
            let at = &mut next[group as usize];
            placed[*at as usize] = code;
            *at += 1;
        }
        for group in 0..count {
            placed[ends[group] as usize..ends[group + 1] as usize].sort_unstable();
        }
        (placed, ends)
    }

    /// Leaves out duplicate pairs.
    fn look(&mut self, count: usize) {
        let before = self.codes.len();
        let (placed, ends) = self.by_group(count);
        self.groups.clear();
        self.codes.clear();
        for group in 0..count {
            for own in placed[ends[group] as usize..ends[group + 1] as usize].chunk_by(|a, b| a == b) {
                self.groups.push(group as u32);
                self.codes.push(own[0]);
            }
        }
        // Where there are few duplicates, there is little to be gained by looking again soon.
        let times = if self.codes.len() > before / 4 * 3 { 8 } else { 2 };
        self.limit = (self.codes.len() * times).max(WORTH_A_LOOK);
    }

    fn look_if_full(&mut self, count: usize) {
        // Positions of pairs are counted in 32 bits.
        if self.codes.len() > self.limit.min(u32::MAX as usize / 2) {
            self.look(count);
        }
    }
}

impl Reduction for DistinctNumbers {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        let (groups, values) = kept(self.skip, groups, values);
        let (groups, values) = self.without_nulls(groups, values, count);
        let graph = self.graph.clone();
        match self.coder.encode(graph.types(), std::slice::from_ref(&values), values.len()) {
            EncodedKeys::Narrow(codes) => self.codes.extend_from_slice(&codes),
            EncodedKeys::Wide(_) => panic!("invariant `a coder's codes have one width`"),
        }
        self.groups.extend_from_slice(&groups);
        self.look_if_full(count);
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<DistinctNumbers>(other);
        let places = moves.places();
        for (&group, &code) in other.groups.iter().zip(&other.codes) {
            let place = places.get(group as usize).copied().unwrap_or(EMPTY);
            if place != EMPTY {
                self.groups.push(place);
                self.codes.push(code);
            }
        }
        if other.with_null.contains(&true) {
            self.with_null.resize(count, false);
            let with_null = places.iter().zip(&other.with_null).filter(|(place, has)| **has && **place != EMPTY);
            with_null.for_each(|(&place, _)| self.with_null[place as usize] = true);
        }
        self.look_if_full(count);
        Ok(())
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        let (placed, ends) = self.by_group(count);
        let distinct = |group: usize| {
            let numbers = placed[ends[group] as usize..ends[group + 1] as usize].chunk_by(|a, b| a == b).count();
            numbers as i64 + i64::from(self.with_null.get(group).copied().unwrap_or(false))
        };
        Ok(Arc::new(Int64Array::from_iter_values((0..count).map(distinct))))
    }

    fn size(&self) -> usize {
        self.groups.capacity() * 4 + self.codes.capacity() * 8 + self.with_null.capacity()
    }
}
