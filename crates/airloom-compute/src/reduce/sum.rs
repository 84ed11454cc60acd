//! Sums and means of integers and floats.

use super::lanes::{FEW, add_in_lanes};
use super::neutral::each_chunk;
use super::{Folded, FoldedSums, Groups, Moves, Reduction, ReductionSpec, ValidCounts, left_in, same_kind, taken};
use crate::data::{array_bytes, type_to_arrow};
use airloom_ir::attrs::{Attr, Skip};
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::Stop;
use airloom_ir::types::{Ty, Types};
use airloom_plan::bodies::reassoc;
use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float32Array, Float64Array, PrimitiveArray, downcast_integer_array, make_array,
};
use arrow::buffer::{BooleanBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type};
use std::borrow::Cow;
use std::sync::Arc;

/// How few elements have no sum: none is needed unless the op says so.
pub(super) fn least(spec: &ReductionSpec) -> i64 {
    match (spec.op, spec.attrs.get(2)) {
        (Reduce::Mean, _) => 1,
        (_, Some(Attr::Int(least))) => *least,
        _ => 0,
    }
}

/// Sums of integers and durations, modulo two to the 64th.
pub(super) struct WholeSum {
    skip: Skip,
    least: i64,
    data: DataType,
    sums: Vec<i64>,
    seen: ValidCounts,
}

impl WholeSum {
    pub(super) fn new(spec: &ReductionSpec, types: &Types, skip: Skip) -> WholeSum {
        let data = type_to_arrow(types, spec.ty).expect("a sum is a value");
        WholeSum { skip, least: least(spec), data, sums: Vec::new(), seen: ValidCounts::default() }
    }
}

/// Integers of any width as 64 bits, wrapped.
fn to_words(values: &ArrayRef) -> ScalarBuffer<i64> {
    let same_width = matches!(values.data_type(), DataType::Int64 | DataType::UInt64 | DataType::Duration(_));
    if same_width {
        let data = values.to_data();
        return ScalarBuffer::new(data.buffers()[0].clone(), data.offset(), data.len());
    }
    let wide = cast(values, &DataType::Int64).expect("narrower numbers fit 64 bits");
    wide.as_primitive::<Int64Type>().values().clone()
}

/// The sum of a column of integers or booleans, of those that a mask takes: in their own width, without a copy.
fn whole_column(values: &ArrayRef, mask: Option<&BooleanBuffer>) -> Option<i64> {
    downcast_integer_array!(
        values => {
            #[allow(clippy::unnecessary_cast, reason = "one arm for each width, and one of them is 64 bits")]
            let add = |sum: i64, chunk: &[_]| chunk.iter().fold(sum, |sum, &item| sum.wrapping_add(item as i64));
            let mut sum = 0;
            match mask {
                None => sum = add(sum, values.values()),
                Some(mask) => each_chunk(values.values(), mask, 0, |chunk| sum = add(sum, chunk)),
            }
            Some(sum)
        }
        DataType::Boolean => {
            let bits = values.as_boolean().values();
            Some(mask.map_or_else(|| bits.count_set_bits(), |mask| (bits & mask).count_set_bits()) as i64)
        }
        _ => None
    )
}

impl Reduction for WholeSum {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.sums.resize(count, 0);
        let taken = taken(self.skip, values);
        if let (Groups::One, None) = (groups, &taken.poison) {
            let mask = taken.mask.as_ref().map(BooleanArray::values);
            if let Some(sum) = whole_column(values, mask) {
                self.sums[0] = self.sums[0].wrapping_add(sum);
                self.seen.counts.resize(count, 0);
                self.seen.counts[0] += mask.map_or(values.len(), BooleanBuffer::count_set_bits) as u64;
                return Ok(());
            }
        }
        let (words, sums) = (to_words(values), &mut self.sums);
        let add = |sum: &mut i64, term: i64| *sum = sum.wrapping_add(term);
        if values.null_count() == 0 {
            match (groups, groups.runs(words.len())) {
                (_, Some(runs)) => {
                    runs.for_each(|(group, run)| sums[group] = words[run].iter().fold(sums[group], |sum, &term| sum.wrapping_add(term)));
                }
                (Groups::Each(each), _) if count <= FEW => add_in_lanes(each, &words, sums, 0, add, add),
                _ => groups.for_each(words.len(), |row, group| add(&mut sums[group], words[row])),
            }
            // How many there are matters only where too few have no sum.
            if self.least > 0 {
                self.seen.count_all(groups, words.len(), count);
            }
            return Ok(());
        }
        self.seen.each(groups, words.len(), &taken, count, |row, group, _| add(&mut sums[group], words[row]));
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<WholeSum>(other);
        self.sums.resize(count, 0);
        moves.of(&other.sums).for_each(|(place, more)| self.sums[place] = self.sums[place].wrapping_add(*more));
        self.seen.merge(&other.seen, moves, count);
        Ok(())
    }

    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.sums.resize(count, 0);
        self.sums.iter_mut().zip(folded.integers()).for_each(|(sum, &more)| *sum = sum.wrapping_add(more));
        self.seen.count_folded(folded, count);
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.sums.resize(count, 0);
        let nulls = self.seen.nulls(self.least, count);
        let array = PrimitiveArray::<Int64Type>::new(std::mem::take(&mut self.sums).into(), nulls);
        // The same 64 bits under the type of the sum.
        let data = array.to_data().into_builder().data_type(self.data.clone()).build().expect("another type of 64 bits");
        Ok(make_array(data))
    }

    fn size(&self) -> usize {
        self.sums.len() * 8 + self.seen.size()
    }
}

/// Sums of floats, and means of floats and integers: one term after the other, in the order of the rows.
pub(super) struct FloatSum {
    skip: Skip,
    least: i64,
    mean: bool,
    single: bool,
    /// Whether terms may be added in any order.
    reassoc: bool,
    sums: Vec<f64>,
    /// Sums of `f32` are rounded to it at every step.
    singles: Vec<f32>,
    seen: ValidCounts,
    /// The terms of a state before whose rows others will be put.
    kept: Option<Vec<(Vec<u32>, ArrayRef)>>,
    /// What those take.
    kept_bytes: usize,
}

impl FloatSum {
    pub(super) fn new(spec: &ReductionSpec, types: &Types, skip: Skip, later: bool) -> FloatSum {
        let single = matches!(types.plain(spec.element), Ty::F32);
        FloatSum {
            skip,
            least: least(spec),
            mean: spec.op == Reduce::Mean,
            single,
            reassoc: reassoc(spec.op, &spec.attrs),
            sums: Vec::new(),
            singles: Vec::new(),
            seen: ValidCounts::default(),
            kept: later.then(Vec::new),
            kept_bytes: 0,
        }
    }

    fn add(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) {
        if values.data_type() == &DataType::Float64 && values.null_count() == 0 {
            return self.add_plain(groups, values.as_primitive::<Float64Type>().values(), count);
        }
        let taken = taken(self.skip, values);
        if self.single && !self.mean {
            self.singles.resize(count, 0.0);
            let (sums, terms) = (&mut self.singles, values.as_primitive::<Float32Type>().values());
            if let (Some(runs), true) = (groups.runs(terms.len()), taken.is_everything()) {
                runs.for_each(|(group, run)| sums[group] = terms[run].iter().fold(sums[group], |sum, term| sum + term));
                return self.seen.count_all(groups, terms.len(), count);
            }
            self.seen.each(groups, values.len(), &taken, count, |row, group, _| sums[group] += terms[row]);
            return;
        }
        self.sums.resize(count, 0.0);
        // Every number becomes the `f64` nearest to it before it is added.
        let doubles = if values.data_type() == &DataType::Float64 {
            values.clone()
        } else if values.data_type() == &DataType::Boolean {
            cast(&cast(values, &DataType::Int8).expect("0 or 1"), &DataType::Float64).expect("numbers become floats")
        } else {
            cast(values, &DataType::Float64).expect("numbers become floats")
        };
        if doubles.null_count() == 0 {
            return self.add_plain(groups, doubles.as_primitive::<Float64Type>().values(), count);
        }
        let (sums, terms) = (&mut self.sums, doubles.as_primitive::<Float64Type>().values());
        if let (Groups::One, Some(mask), None) = (groups, &taken.mask, &taken.poison) {
            // Zero changes no sum that begins with zero.
            let add = |sum: &mut f64, term: f64| *sum += term;
            each_chunk(terms, mask.values(), 0.0, |chunk| {
                if self.reassoc {
                    add_in_lanes(&[], chunk, &mut sums[..1], 0.0, add, add);
                } else {
                    sums[0] = chunk.iter().fold(sums[0], |sum, term| sum + term);
                }
            });
            self.seen.counts.resize(count, 0);
            self.seen.counts[0] += mask.true_count() as u64;
            return;
        }
        self.seen.each(groups, values.len(), &taken, count, |row, group, _| sums[group] += terms[row]);
    }
}

impl FloatSum {
    /// Terms without nulls: the common case, in one pass.
    fn add_plain(&mut self, groups: Groups<'_>, terms: &[f64], count: usize) {
        self.sums.resize(count, 0.0);
        let skips = matches!(self.skip, Skip::Nan | Skip::All) && terms.iter().fold(false, |any, term| any | term.is_nan());
        if skips {
            self.seen.counts.resize(count, 0);
            let (sums, counts) = (&mut self.sums[..], &mut self.seen.counts[..]);
            return groups.for_each(terms.len(), |row, group| {
                let there = !terms[row].is_nan();
                sums[group] += if there { terms[row] } else { 0.0 };
                counts[group] += u64::from(there);
            });
        }
        let add = |sum: &mut f64, term: f64| *sum += term;
        let counts = self.counts();
        let sums = &mut self.sums[..];
        match (groups, groups.runs(terms.len())) {
            (_, Some(runs)) if self.reassoc => {
                runs.for_each(|(group, run)| add_in_lanes(&[], &terms[run], &mut sums[group..=group], 0.0, add, add));
            }
            // In the order of the rows, each sum kept in a register.
            (_, Some(runs)) => runs.for_each(|(group, run)| sums[group] = terms[run].iter().fold(sums[group], |sum, term| sum + term)),
            (Groups::Each(each), None) if self.reassoc && count <= FEW => add_in_lanes(each, terms, sums, 0.0, add, add),
            (_, None) if counts => {
                self.seen.counts.resize(count, 0);
                let counts = &mut self.seen.counts[..];
                return groups.for_each(terms.len(), |row, group| {
                    sums[group] += terms[row];
                    counts[group] += 1;
                });
            }
            (_, None) => groups.for_each(terms.len(), |row, group| sums[group] += terms[row]),
        }
        if counts {
            self.seen.count_all(groups, terms.len(), count);
        }
    }

    /// Whether it matters how many terms a sum has.
    fn counts(&self) -> bool {
        self.mean || self.least > 0
    }
}

impl Reduction for FloatSum {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        match &mut self.kept {
            Some(kept) => {
                self.kept_bytes += groups.len(values.len()) * 4 + array_bytes(values);
                kept.push(groups.each(values));
            }
            None => self.add(groups, values, count),
        }
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<FloatSum>(other);
        let places = if other.kept.is_some() { moves.places() } else { Cow::default() };
        for (groups, values) in other.kept.iter().flatten() {
            let (groups, values) = left_in(groups, values, &places);
            self.update(Groups::Each(&groups), &values, count)?;
        }
        // A state that kept no terms is of the first rows, and what it has come to is where the sums begin; or the order of terms does not matter.
        if other.kept.is_none() {
            self.sums.resize(count, 0.0);
            self.singles.resize(count, 0.0);
            moves.of(&other.sums).for_each(|(place, sum)| self.sums[place] += *sum);
            moves.of(&other.singles).for_each(|(place, sum)| self.singles[place] += *sum);
            self.seen.merge(&other.seen, moves, count);
        }
        Ok(())
    }

    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.sums.resize(count, 0.0);
        match &folded.sums {
            FoldedSums::Floats(lanes) => {
                for lane in lanes {
                    self.sums.iter_mut().zip(lane).for_each(|(sum, &more)| *sum += more);
                }
            }
            FoldedSums::SoFar(sums) => self.sums.copy_from_slice(sums),
            other => panic!("invariant `a fold is of its reduction`: expected floats, found {other:?}"),
        }
        self.seen.count_folded(folded, count);
    }

    fn sums_so_far(&mut self, count: usize) -> Option<&[f64]> {
        self.sums.resize(count, 0.0);
        Some(&self.sums)
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        // A state that was kept back because others might come first, and none did.
        for (groups, values) in self.kept.take().into_iter().flatten() {
            self.add(Groups::Each(&groups), &values, count);
        }
        let nulls = self.seen.nulls(self.least, count);
        if self.single && !self.mean {
            self.singles.resize(count, 0.0);
            return Ok(Arc::new(Float32Array::new(std::mem::take(&mut self.singles).into(), nulls)));
        }
        self.sums.resize(count, 0.0);
        let mut sums = std::mem::take(&mut self.sums);
        if self.mean {
            sums.iter_mut().zip(&self.seen.counts).for_each(|(sum, &count)| *sum /= count as f64);
        }
        if self.single {
            return Ok(Arc::new(Float32Array::new(sums.iter().map(|&x| x as f32).collect::<Vec<_>>().into(), nulls)));
        }
        Ok(Arc::new(Float64Array::new(sums.into(), nulls)))
    }

    fn size(&self) -> usize {
        self.sums.len() * 8 + self.singles.len() * 4 + self.seen.size() + self.kept_bytes
    }
}
