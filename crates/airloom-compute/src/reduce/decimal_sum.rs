//! Sums and means of decimals.

use super::lanes::{FEW, add_in_lanes};
use super::sum::least;
use super::{Folded, Groups, Moves, Reduction, ReductionSpec, ValidCounts, same_kind, taken};
use airloom_ir::attrs::Skip;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::formula::{DECIMAL_LIMIT, decimal_to_float};
use airloom_ir::oracle::{Raised, Stop};
use airloom_ir::types::{Ty, Types};
use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, Float64Array};
use arrow::datatypes::{DataType, Decimal64Type, Decimal128Type};
use std::sync::Arc;

/// Sums of decimals, exact whatever they go through on the way; also the means of those of at most 28 digits, whose sums always fit 128 bits.
pub(super) struct DecimalSum {
    skip: Skip,
    least: i64,
    mean: bool,
    node: NodeId,
    precision: u8,
    scale: u8,
    sums: Vec<i128>,
    /// How often each sum has gone over the end of 128 bits, upward less downward; empty where none has.
    carries: Vec<i64>,
    seen: ValidCounts,
}

/// Fewer terms than this are not worth a sum apart.
const CHUNK: usize = 256;

impl DecimalSum {
    pub(super) fn new(spec: &ReductionSpec, types: &Types, skip: Skip) -> DecimalSum {
        let Ty::Decimal { precision, scale } = types.plain(spec.element) else { unreachable!("the caller has looked") };
        DecimalSum {
            skip,
            least: least(spec),
            mean: spec.op == Reduce::Mean,
            node: spec.node,
            precision: *precision,
            scale: *scale,
            sums: Vec::new(),
            carries: Vec::new(),
            seen: ValidCounts::default(),
        }
    }

    /// Adds to the sum of a group.
    #[inline]
    fn add(&mut self, group: usize, term: i128, count: usize) {
        let (sum, over) = self.sums[group].overflowing_add(term);
        self.sums[group] = sum;
        if over {
            self.carry(group, count, term.signum() as i64);
        }
    }

    #[cold]
    fn carry(&mut self, group: usize, count: usize, by: i64) {
        self.carries.resize(count, 0);
        self.carries[group] += by;
    }

    /// How many terms may be added before their sum could pass `limit`.
    fn room(&self, limit: u128) -> usize {
        let most = 10u128.pow(u32::from(self.precision));
        usize::try_from(limit / most).unwrap_or(usize::MAX)
    }

    /// Adds terms that are all taken, in chunks whose sums fit `S`. Whether it did: where there are many groups, or chunks would be short, they are added one by one.
    fn add_in_chunks<T: Copy, S: Copy + Into<i128>>(
        &mut self,
        groups: Groups<'_>,
        terms: &[T],
        count: usize,
        room: usize,
        (zero, add, join): (S, impl Fn(&mut S, T) + Copy, impl Fn(&mut S, S) + Copy),
    ) -> bool {
        if room < CHUNK {
            return false;
        }
        if let Some(runs) = groups.runs(terms.len()) {
            for (group, run) in runs {
                for chunk in terms[run].chunks(room) {
                    let mut sum = [zero];
                    add_in_lanes(&[], chunk, &mut sum, zero, add, join);
                    self.add(group, sum[0].into(), count);
                }
            }
            return true;
        }
        let Groups::Each(each) = groups else { return false };
        // A sum apart for each group would be most of the work where there are few terms of each.
        if count > FEW || terms.len() < CHUNK {
            return false;
        }
        for (each, terms) in each.chunks(room).zip(terms.chunks(room)) {
            let mut sums = [zero; FEW];
            add_in_lanes(each, terms, &mut sums[..count.max(2)], zero, add, join);
            (0..count).for_each(|group| self.add(group, sums[group].into(), count));
        }
        true
    }

    /// Whether it matters how many terms a sum has.
    fn counts(&self) -> bool {
        self.mean || self.least > 0
    }
}

impl Reduction for DecimalSum {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.sums.resize(count, 0);
        let taken = taken(self.skip, values);
        let narrow = values.as_primitive_opt::<Decimal64Type>().map(|narrow| narrow.values());
        if taken.is_everything() {
            if self.counts() {
                self.seen.count_all(groups, values.len(), count);
            }
            if let Some(words) = narrow {
                let room = self.room(i64::MAX as u128);
                let add = |sum: &mut i64, term: i64| *sum = sum.wrapping_add(term);
                if !self.add_in_chunks(groups, words, count, room, (0i64, add, add)) {
                    groups.for_each(words.len(), |row, group| self.sums[group] += i128::from(words[row]));
                }
            } else {
                let words = values.as_primitive::<Decimal128Type>().values();
                let room = self.room(i128::MAX as u128);
                let add = |sum: &mut i128, term: i128| *sum = sum.wrapping_add(term);
                if !self.add_in_chunks(groups, words, count, room, (0i128, add, add)) {
                    groups.for_each(words.len(), |row, group| self.add(group, words[row], count));
                }
            }
            return Ok(());
        }
        let mut seen = std::mem::take(&mut self.seen);
        match narrow {
            Some(words) => seen.each(groups, values.len(), &taken, count, |row, group, _| self.sums[group] += i128::from(words[row])),
            None => {
                let words = values.as_primitive::<Decimal128Type>().values();
                seen.each(groups, values.len(), &taken, count, |row, group, _| self.add(group, words[row], count));
            }
        }
        self.seen = seen;
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<DecimalSum>(other);
        self.sums.resize(count, 0);
        for (from, place) in moves.pairs().filter(|(from, _)| *from < other.sums.len()) {
            self.add(place, other.sums[from], count);
            if let Some(&carried) = other.carries.get(from).filter(|carried| **carried != 0) {
                self.carry(place, count, carried);
            }
        }
        self.seen.merge(&other.seen, moves, count);
        Ok(())
    }

    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.sums.resize(count, 0);
        folded.integers().iter().enumerate().for_each(|(group, &sum)| self.add(group, sum.into(), count));
        self.seen.count_folded(folded, count);
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.sums.resize(count, 0);
        let nulls = self.seen.nulls(self.least, count);
        let sums = std::mem::take(&mut self.sums);
        let present = |group: usize| nulls.as_ref().is_none_or(|n| n.is_valid(group));
        let fits = |group: usize| self.carries.get(group).is_none_or(|&c| c == 0) && sums[group].unsigned_abs() < DECIMAL_LIMIT;
        if !self.mean && (0..count).any(|group| present(group) && !fits(group)) {
            return Err(Raised::new("overflow: the sum of decimals has more than 38 digits").at(self.node).into());
        }
        if self.mean {
            let mean = |(&sum, &count): (&i128, &u64)| if count == 0 { 0.0 } else { decimal_to_float(sum, self.scale) / count as f64 };
            let means: Vec<f64> = sums.iter().zip(&self.seen.counts).map(mean).collect();
            return Ok(Arc::new(Float64Array::new(means.into(), nulls)));
        }
        let array = Decimal128Array::new(sums.into(), nulls);
        Ok(Arc::new(array.with_data_type(DataType::Decimal128(38, self.scale as i8))))
    }

    fn size(&self) -> usize {
        self.sums.len() * 16 + self.carries.len() * 8 + self.seen.size()
    }
}
