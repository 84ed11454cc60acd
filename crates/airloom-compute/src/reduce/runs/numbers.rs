//! Runs of numbers, and which of them are taken.

use crate::data::native::Native;
use airloom_ir::attrs::Skip;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use std::cmp::Ordering;
use std::ops::Range;

/// A number that can be reduced.
pub(crate) trait Number: Native {
    /// Whether sums of it are unsigned; nothing for floats.
    const UNSIGNED: Option<bool>;
    fn nan(self) -> bool;
    fn float(self) -> f64;
    fn value(self) -> Value;
    /// The number of 128 bits; of a float, any.
    fn wide(self) -> i128;
    /// The number modulo two to the 64th; of a float, any.
    fn low(self) -> u64;
    /// The order by which sorts go: NaN last, zeros equal.
    fn total(self, other: Self) -> Ordering;
    /// The order in which `-0.0` comes before `0.0`; of numbers that are not NaN.
    fn signed_total(self, other: Self) -> Ordering;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// A number by which those that are the same are identical.
    fn key(self) -> u128;
}

macro_rules! whole {
    ($($N:ident $unsigned:literal),+) => { $(
        impl Number for $N {
            const UNSIGNED: Option<bool> = Some($unsigned);
            #[inline(always)]
            fn nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn float(self) -> f64 {
                self as f64
            }
            fn value(self) -> Value {
                Value::Int(self as i128)
            }
            #[inline(always)]
            fn wide(self) -> i128 {
                self as i128
            }
            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn total(self, other: $N) -> Ordering {
                self.cmp(&other)
            }
            #[inline(always)]
            fn signed_total(self, other: $N) -> Ordering {
                self.cmp(&other)
            }
            #[inline(always)]
            fn plus(self, other: $N) -> $N {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: $N) -> $N {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn key(self) -> u128 {
                self as u128
            }
        }
    )+ };
}
whole!(i8 false, i16 false, i32 false, i64 false, i128 false, u8 true, u16 true, u32 true, u64 true);

macro_rules! float {
    ($N:ident $variant:ident) => {
        impl Number for $N {
            const UNSIGNED: Option<bool> = None;
            #[inline(always)]
            fn nan(self) -> bool {
                self.is_nan()
            }
            #[inline(always)]
            fn float(self) -> f64 {
                self.into()
            }
            fn value(self) -> Value {
                Value::$variant(self)
            }
            fn wide(self) -> i128 {
                0
            }
            fn low(self) -> u64 {
                0
            }
            #[inline(always)]
            fn total(self, other: $N) -> Ordering {
                self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
            #[inline(always)]
            fn signed_total(self, other: $N) -> Ordering {
                self.total_cmp(&other)
            }
            #[inline(always)]
            fn plus(self, other: $N) -> $N {
                self + other
            }
            #[inline(always)]
            fn times(self, other: $N) -> $N {
                self * other
            }
            #[inline(always)]
            fn key(self) -> u128 {
                // Adding zero turns `-0.0` into `0.0`.
                u128::from(if self.is_nan() { $N::NAN.to_bits() } else { (self + 0.0).to_bits() })
            }
        }
    };
}
float!(f32 F32);
float!(f64 F64);

/// Numbers with nulls, and which of them are passed over.
#[derive(Clone)]
pub(crate) struct Numbers<N: Number> {
    pub(crate) numbers: ScalarBuffer<N>,
    pub(crate) nulls: Option<NullBuffer>,
    pub(crate) skip_null: bool,
    pub(crate) skip_nan: bool,
}

impl<N: Number> Numbers<N> {
    /// The numbers of an array.
    pub(crate) fn of(items: &ArrayRef, skip: Skip) -> Option<Numbers<N>> {
        Some(Numbers::new(N::numbers(items)?, items.nulls(), skip))
    }

    fn new(numbers: ScalarBuffer<N>, nulls: Option<&NullBuffer>, skip: Skip) -> Numbers<N> {
        Numbers {
            numbers,
            nulls: nulls.filter(|nulls| nulls.null_count() > 0).cloned(),
            skip_null: matches!(skip, Skip::Null | Skip::All),
            skip_nan: matches!(skip, Skip::Nan | Skip::All) && N::UNSIGNED.is_none(),
        }
    }

    /// The run of a range, or `None` where a null in it makes the result null.
    pub(crate) fn taken(&self, range: Range<usize>) -> Option<Taken<'_, N>> {
        let nulls = self.nulls.as_ref().map(|nulls| nulls.slice(range.start, range.len())).filter(|nulls| nulls.null_count() > 0);
        if nulls.is_some() && !self.skip_null {
            return None;
        }
        Some(Taken { numbers: &self.numbers[range], nulls, skip_nan: self.skip_nan })
    }
}

impl Numbers<u8> {
    /// Booleans as 0 and 1.
    pub(crate) fn of_truths(truths: &BooleanArray, skip: Skip) -> Numbers<u8> {
        let numbers: Vec<u8> = truths.values().iter().map(u8::from).collect();
        Numbers::new(numbers.into(), truths.nulls(), skip)
    }
}

/// A run of numbers of which some are passed over.
pub(crate) struct Taken<'a, N: Number> {
    numbers: &'a [N],
    nulls: Option<NullBuffer>,
    skip_nan: bool,
}

impl<N: Number> Taken<'_, N> {
    /// What `step` makes of all that are taken, in order.
    #[inline(always)]
    pub(crate) fn fold<A>(&self, start: A, mut step: impl FnMut(A, N) -> A) -> A {
        match (&self.nulls, self.skip_nan) {
            (None, false) => self.numbers.iter().fold(start, |so_far, &x| step(so_far, x)),
            (None, true) => self.numbers.iter().fold(start, |so_far, &x| if x.nan() { so_far } else { step(so_far, x) }),
            (Some(nulls), skip_nan) => nulls
                .valid_indices()
                .map(|at| self.numbers[at])
                .fold(start, |so_far, x| if skip_nan && x.nan() { so_far } else { step(so_far, x) }),
        }
    }

    /// How many are taken.
    pub(crate) fn count(&self) -> usize {
        match (&self.nulls, self.skip_nan) {
            (None, false) => self.numbers.len(),
            (Some(nulls), false) => self.numbers.len() - nulls.null_count(),
            _ => self.fold(0, |count, _| count + 1),
        }
    }

    /// Those that are taken.
    pub(crate) fn to_vec(&self) -> Vec<N> {
        let mut all = Vec::with_capacity(self.numbers.len());
        self.fold((), |(), x| all.push(x));
        all
    }
}
