//! The minimum and the maximum.

use super::lanes::choose_in_lanes;
use super::neutral::{Masked, each_chunk};
use super::{Folded, Groups, Moves, Reduction, ReductionSpec, ValidCounts, ordered_to_float, same_kind, taken};
use crate::data::type_to_arrow;
use airloom_ir::attrs::Skip;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::oracle::Stop;
use airloom_ir::types::{Ty, Types};
use arrow::array::{Array, ArrayRef, AsArray, BinaryViewBuilder, PrimitiveArray, StringViewBuilder};
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64NanosecondType,
    TimeUnit, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use std::sync::Arc;

/// Whether elements of a type have a state here; others are collected.
pub(super) fn has_state(ty: &Ty) -> bool {
    !matches!(ty, Ty::List(_) | Ty::Struct(_))
}

/// A fresh state for elements of the reduction's type.
pub(super) fn state(spec: &ReductionSpec, types: &Types, skip: Skip) -> Box<dyn Reduction> {
    let data = type_to_arrow(types, spec.element).expect("an element is a value");
    let least = spec.op == Reduce::Min;
    macro_rules! of {
        ($ty:ty) => {
            Box::new(Extreme::<$ty> { skip, least, data, best: Vec::new(), seen: ValidCounts::default() })
        };
    }
    match &data {
        DataType::Boolean => {
            let numbers = Extreme::<UInt8Type> { skip, least, data: DataType::UInt8, best: Vec::new(), seen: ValidCounts::default() };
            Box::new(BoolExtreme { numbers })
        }
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => of!(UInt64Type),
        DataType::Float32 => of!(Float32Type),
        DataType::Float64 => of!(Float64Type),
        DataType::Decimal64(..) => of!(Decimal64Type),
        DataType::Decimal128(..) => of!(Decimal128Type),
        DataType::Date32 => of!(Date32Type),
        DataType::Time64(_) => of!(Time64NanosecondType),
        DataType::Timestamp(TimeUnit::Second, _) => of!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => of!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => of!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of!(TimestampNanosecondType),
        DataType::Duration(TimeUnit::Second) => of!(DurationSecondType),
        DataType::Duration(TimeUnit::Millisecond) => of!(DurationMillisecondType),
        DataType::Duration(TimeUnit::Microsecond) => of!(DurationMicrosecondType),
        DataType::Duration(TimeUnit::Nanosecond) => of!(DurationNanosecondType),
        _ => Box::new(TextExtreme { skip, least, text: data == DataType::Utf8View, best: Vec::new(), seen: ValidCounts::default() }),
    }
}

/// Whether a value replaces the best so far.
trait Better: Copy {
    fn better(self, best: Self, least: bool) -> bool;

    /// The value that a fold has found, as a number of 64 bits by which values are ordered.
    fn from_ordered(ordered: i64) -> Self;

    /// The best of many, of which one is given.
    fn best(items: &[Self], one: Self, least: bool) -> Self {
        choose_in_lanes(items, one, |best, item| if item.better(best, least) { item } else { best })
    }
}

macro_rules! whole {
    ($($ty:ty: $of:expr),*) => { $(impl Better for $ty {
        #[inline]
        fn better(self, best: Self, least: bool) -> bool {
            if least { self < best } else { self > best }
        }

        fn from_ordered(ordered: i64) -> Self {
            $of(ordered)
        }
    })* };
}
whole!(
    i8: |ordered| ordered as i8, i16: |ordered| ordered as i16, i32: |ordered| ordered as i32, i64: |ordered| ordered, i128: i128::from,
    u8: |ordered| ordered as u8, u16: |ordered| ordered as u16, u32: |ordered| ordered as u32, u64: |ordered| (ordered ^ i64::MIN) as u64
);

macro_rules! float {
    ($($ty:ty: $of:expr),*) => { $(impl Better for $ty {
        /// NaN surpasses everything, and of zeros the one whose sign fits does.
        #[inline]
        fn better(self, best: Self, least: bool) -> bool {
            if best.is_nan() {
                return false;
            }
            if self.is_nan() {
                return true;
            }
            if self == best {
                return self.is_sign_negative() != best.is_sign_negative() && self.is_sign_negative() == least;
            }
            if least { self < best } else { self > best }
        }

        fn from_ordered(ordered: i64) -> Self {
            $of(ordered)
        }

        fn best(items: &[Self], one: Self, least: bool) -> Self {
            // Numbers apart from NaN and from the signs of zeros are compared without a branch.
            let found = if least {
                choose_in_lanes(items, one, |best, item| if item < best { item } else { best })
            } else {
                choose_in_lanes(items, one, |best, item| if item > best { item } else { best })
            };
            let nan = items.iter().fold(false, |any, item| any | item.is_nan());
            if !nan && found != 0.0 {
                return found;
            }
            items.iter().fold(one, |best, &item| if item.better(best, least) { item } else { best })
        }
    })* };
}
float!(f32: |ordered| ordered_to_float(ordered) as f32, f64: ordered_to_float);

struct Extreme<T: ArrowPrimitiveType> {
    skip: Skip,
    least: bool,
    data: DataType,
    best: Vec<T::Native>,
    seen: ValidCounts,
}

impl<T: ArrowPrimitiveType> Reduction for Extreme<T>
where
    T::Native: Better + Masked,
{
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.best.resize(count, T::Native::default());
        let items = values.as_primitive::<T>().values();
        let (best, least) = (&mut self.best, self.least);
        let taken = taken(self.skip, values);
        if let (Some(runs), true) = (groups.runs(items.len()), taken.is_everything()) {
            self.seen.counts.resize(count, 0);
            for (group, run) in runs {
                let [first, ..] = items[run.clone()] else { continue };
                let found = T::Native::best(&items[run.clone()], first, least);
                if self.seen.counts[group] == 0 || found.better(best[group], least) {
                    best[group] = found;
                }
                self.seen.counts[group] += run.len() as u64;
            }
            return Ok(());
        }
        if let (Groups::One, Some(mask), None) = (groups, &taken.mask, &taken.poison) {
            self.seen.counts.resize(count, 0);
            let Some(first) = mask.values().set_indices().next() else { return Ok(()) };
            // One that is there stands for those that are not.
            let one = items[first];
            let mut found = if self.seen.counts[0] > 0 && !one.better(best[0], least) { best[0] } else { one };
            each_chunk(items, mask.values(), one, |chunk| {
                let chosen = T::Native::best(chunk, one, least);
                if chosen.better(found, least) {
                    found = chosen;
                }
            });
            best[0] = found;
            self.seen.counts[0] += mask.true_count() as u64;
            return Ok(());
        }
        self.seen.each(groups, items.len(), &taken, count, |row, group, first| {
            let item = items[row];
            if first || item.better(best[group], least) {
                best[group] = item;
            }
        });
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<Extreme<T>>(other);
        self.best.resize(count, T::Native::default());
        self.seen.counts.resize(count, 0);
        for (at, place) in moves.pairs().filter(|(at, _)| *at < other.best.len()) {
            let taken = other.seen.counts[at] > 0;
            if taken && (self.seen.counts[place] == 0 || other.best[at].better(self.best[place], self.least)) {
                self.best[place] = other.best[at];
            }
        }
        self.seen.merge(&other.seen, moves, count);
        Ok(())
    }

    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.best.resize(count, T::Native::default());
        self.seen.counts.resize(count, 0);
        for (group, (&ordered, &more)) in folded.extremes().iter().zip(&folded.counts).enumerate() {
            let found = T::Native::from_ordered(ordered);
            if more > 0 && (self.seen.counts[group] == 0 || found.better(self.best[group], self.least)) {
                self.best[group] = found;
            }
        }
        self.seen.count_folded(folded, count);
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.best.resize(count, T::Native::default());
        let nulls = self.seen.nulls(1, count);
        let array = PrimitiveArray::<T>::new(std::mem::take(&mut self.best).into(), nulls);
        Ok(Arc::new(array.with_data_type(self.data.clone())))
    }

    fn size(&self) -> usize {
        self.best.len() * size_of::<T::Native>() + self.seen.size()
    }
}

struct TextExtreme {
    skip: Skip,
    least: bool,
    text: bool,
    best: Vec<Option<Box<[u8]>>>,
    seen: ValidCounts,
}

impl TextExtreme {
    fn offer(best: &mut Option<Box<[u8]>>, item: &[u8], least: bool) {
        let better = best.as_ref().is_none_or(|best| if least { item < best.as_ref() } else { item > best.as_ref() });
        if better {
            *best = Some(item.into());
        }
    }
}

impl Reduction for TextExtreme {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.best.resize(count, None);
        let items = if self.text { values.as_string_view().clone().to_binary_view() } else { values.as_binary_view().clone() };
        let (best, least) = (&mut self.best, self.least);
        self.seen.each(groups, values.len(), &taken(self.skip, values), count, |row, group, _| {
            Self::offer(&mut best[group], items.value(row), least)
        });
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<TextExtreme>(other);
        self.best.resize(count, None);
        for (place, item) in moves.of(&other.best) {
            if let Some(item) = item {
                Self::offer(&mut self.best[place], item, self.least);
            }
        }
        self.seen.merge(&other.seen, moves, count);
        Ok(())
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.best.resize(count, None);
        let nulls = self.seen.nulls(1, count);
        let present = |group: usize| nulls.as_ref().is_none_or(|n| n.is_valid(group));
        let items = self.best.iter().enumerate().map(|(group, item)| item.as_deref().filter(|_| present(group)));
        if self.text {
            let mut out = StringViewBuilder::with_capacity(count);
            items.for_each(|item| out.append_option(item.map(|i| std::str::from_utf8(i).expect("text stays text"))));
            return Ok(Arc::new(out.finish()));
        }
        let mut out = BinaryViewBuilder::with_capacity(count);
        items.for_each(|item| out.append_option(item));
        Ok(Arc::new(out.finish()))
    }

    fn size(&self) -> usize {
        self.best.iter().flatten().map(|b| b.len()).sum::<usize>() + self.best.len() * 16 + self.seen.size()
    }
}

/// Booleans are 0 and 1.
struct BoolExtreme {
    numbers: Extreme<UInt8Type>,
}

impl Reduction for BoolExtreme {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.numbers.update(groups, &cast(values, &DataType::UInt8).expect("0 or 1"), count)
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        self.numbers.merge(&same_kind::<BoolExtreme>(other).numbers, moves, count)
    }

    fn take_folded(&mut self, folded: &Folded, count: usize) {
        self.numbers.take_folded(folded, count);
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        Ok(cast(&self.numbers.finish(count, 1)?, &DataType::Boolean).expect("0 or 1"))
    }

    fn size(&self) -> usize {
        self.numbers.size()
    }
}
