//! Integers, durations, and everything that is ordered by an integer.

use super::{Misfit, Pick, fitted, fitted_one, made, unchanged};
use crate::data::Vector;
use crate::data::native::{Native, Side, Width, by_whole_width, each, each_pair, numbers_to_array};
use crate::functions::call::KernelCall;
use airloom_ir::ops::number::Number;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Integers of a width: results modulo two to its bits, with whether they misfit.
pub(super) trait Whole:
    Native + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    const BITS: u32;
    const ZERO: Self;
    fn plus(self, other: Self) -> (Self, bool);
    fn minus(self, other: Self) -> (Self, bool);
    fn times(self, other: Self) -> (Self, bool);
    /// The number whose highest bit is set exactly where the sum with `other`, which is `sum`, misfits: for loops over many numbers at once.
    fn sum_misfit(self, other: Self, sum: Self) -> Self;
    /// The same of a difference.
    fn difference_misfit(self, other: Self, difference: Self) -> Self;
    fn is_misfit(self) -> bool;
    fn negative(self) -> (Self, bool);
    fn size(self) -> (Self, bool);
    fn sign(self) -> Self;
    /// To a power from 0 on; what does not fit in 32 bits is left alone.
    fn power(self, exponent: u32) -> (Self, bool);
    fn as_exponent(self) -> Option<u32>;
    /// Divisions by anything but zero.
    fn truncdiv(self, by: Self) -> Self;
    fn truncmod(self, by: Self) -> Self;
    fn floordiv(self, by: Self) -> Self;
    fn floormod(self, by: Self) -> Self;
    fn up(self, by: u32) -> Self;
    fn down(self, by: u32) -> Self;
    fn ones(self) -> i64;
}

macro_rules! whole {
    ($($N:ident $size:expr, $sign:expr, $floored:expr, $sum:expr, $difference:expr;)+) => { $(
        impl Whole for $N {
            const BITS: u32 = $N::BITS;
            const ZERO: $N = 0;
            #[inline(always)]
            fn plus(self, other: $N) -> ($N, bool) {
                self.overflowing_add(other)
            }
            #[inline(always)]
            fn minus(self, other: $N) -> ($N, bool) {
                self.overflowing_sub(other)
            }
            #[inline(always)]
            fn times(self, other: $N) -> ($N, bool) {
                self.overflowing_mul(other)
            }
            #[inline(always)]
            fn sum_misfit(self, other: $N, sum: $N) -> $N {
                let misfit: fn($N, $N, $N) -> $N = $sum;
                misfit(self, other, sum)
            }
            #[inline(always)]
            fn difference_misfit(self, other: $N, difference: $N) -> $N {
                let misfit: fn($N, $N, $N) -> $N = $difference;
                misfit(self, other, difference)
            }
            #[inline(always)]
            fn is_misfit(self) -> bool {
                self >> ($N::BITS - 1) != 0
            }
            #[inline(always)]
            fn negative(self) -> ($N, bool) {
                self.overflowing_neg()
            }
            #[inline(always)]
            fn size(self) -> ($N, bool) {
                let size: fn($N) -> ($N, bool) = $size;
                size(self)
            }
            #[inline(always)]
            fn sign(self) -> $N {
                let sign: fn($N) -> $N = $sign;
                sign(self)
            }
            fn power(self, exponent: u32) -> ($N, bool) {
                self.overflowing_pow(exponent)
            }
            fn as_exponent(self) -> Option<u32> {
                u32::try_from(self).ok()
            }
            #[inline(always)]
            fn truncdiv(self, by: $N) -> $N {
                self.wrapping_div(by)
            }
            #[inline(always)]
            fn truncmod(self, by: $N) -> $N {
                self.wrapping_rem(by)
            }
            #[inline(always)]
            fn floordiv(self, by: $N) -> $N {
                let floored: fn($N, $N) -> bool = $floored;
                let (quotient, rest) = (self.wrapping_div(by), self.wrapping_rem(by));
                quotient.wrapping_sub($N::from(floored(rest, by)))
            }
            #[inline(always)]
            fn floormod(self, by: $N) -> $N {
                let floored: fn($N, $N) -> bool = $floored;
                let rest = self.wrapping_rem(by);
                if floored(rest, by) { rest.wrapping_add(by) } else { rest }
            }
            #[inline(always)]
            fn up(self, by: u32) -> $N {
                if by < $N::BITS { self << by } else { 0 }
            }
            #[inline(always)]
            fn down(self, by: u32) -> $N {
                if by < $N::BITS { self >> by } else { (self >> ($N::BITS - 1)) >> 1 }
            }
            #[inline(always)]
            fn ones(self) -> i64 {
                self.count_ones().into()
            }
        }
    )+ };
}
whole! {
    i8 i8::overflowing_abs, i8::signum, |rest, by| rest != 0 && (rest < 0) != (by < 0), |x, y, z| (x ^ z) & (y ^ z), |x, y, z| (x ^ y) & (x ^ z);
    i16 i16::overflowing_abs, i16::signum, |rest, by| rest != 0 && (rest < 0) != (by < 0), |x, y, z| (x ^ z) & (y ^ z), |x, y, z| (x ^ y) & (x ^ z);
    i32 i32::overflowing_abs, i32::signum, |rest, by| rest != 0 && (rest < 0) != (by < 0), |x, y, z| (x ^ z) & (y ^ z), |x, y, z| (x ^ y) & (x ^ z);
    i64 i64::overflowing_abs, i64::signum, |rest, by| rest != 0 && (rest < 0) != (by < 0), |x, y, z| (x ^ z) & (y ^ z), |x, y, z| (x ^ y) & (x ^ z);
    i128 i128::overflowing_abs, i128::signum, |rest, by| rest != 0 && (rest < 0) != (by < 0), |x, y, z| (x ^ z) & (y ^ z), |x, y, z| (x ^ y) & (x ^ z);
    u8 |x| (x, false), |x| x.min(1), |_, _| false, |x, y, z| (x & y) | ((x | y) & !z), |x, y, z| (!x & y) | ((!x | y) & z);
    u16 |x| (x, false), |x| x.min(1), |_, _| false, |x, y, z| (x & y) | ((x | y) & !z), |x, y, z| (!x & y) | ((!x | y) & z);
    u32 |x| (x, false), |x| x.min(1), |_, _| false, |x, y, z| (x & y) | ((x | y) & !z), |x, y, z| (!x & y) | ((!x | y) & z);
    u64 |x| (x, false), |x| x.min(1), |_, _| false, |x, y, z| (x & y) | ((x | y) & !z), |x, y, z| (!x & y) | ((!x | y) & z);
}

pub(super) fn fast(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    by_whole_width!(Width::of(call.plain(0))?, N => of_width::<N>(op, call), None)
}

fn of_width<N: Whole>(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    let side = || Side::<N>::of(&call.args[0]);
    let sides = || Some((Side::<N>::of(&call.args[0])?, Side::<N>::of(&call.args[1])?));
    match op {
        Number::Add => sides().and_then(|(x, y)| summed(call, &x, &y, N::plus, N::sum_misfit)),
        Number::Sub => sides().and_then(|(x, y)| summed(call, &x, &y, N::minus, N::difference_misfit)),
        Number::Mul => sides().and_then(|(x, y)| fitted(call, &x, &y, Misfit::of_overflow(call), N::times)),
        Number::FloorDiv => divided(call, N::floordiv),
        Number::FloorMod => divided(call, N::floormod),
        Number::TruncDiv => divided(call, N::truncdiv),
        Number::TruncMod => divided(call, N::truncmod),
        Number::Pow => power::<N>(call),
        Number::Neg => fitted_one(call, &side()?, Misfit::of_overflow(call), N::negative),
        Number::Abs => fitted_one(call, &side()?, Misfit::of_overflow(call), N::size),
        Number::Sign => one(call, N::sign),
        Number::Least | Number::Greatest => {
            let (x, y) = sides()?;
            if Pick::of(op, call).least {
                made(call, each_pair(call.rows, &x, &y, |x: N, y: N| x.min(y)))
            } else {
                made(call, each_pair(call.rows, &x, &y, |x: N, y: N| x.max(y)))
            }
        }
        Number::Floor | Number::Ceil | Number::Trunc => unchanged::<N>(call),
        Number::Round if call.attr::<i64>(0) >= 0 => unchanged::<N>(call),
        Number::BitAnd => two(call, |x: N, y| x & y),
        Number::BitOr => two(call, |x: N, y| x | y),
        Number::BitXor => two(call, |x: N, y| x ^ y),
        Number::BitNot => one(call, |x: N| !x),
        Number::Shl => shifted(call, N::up),
        Number::Shr => shifted(call, N::down),
        Number::BitCount => match side()? {
            Side::Many(numbers) => Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&numbers, N::ones), call.nulls()))),
            Side::One(_) => None,
        },
        _ => None,
    }
}

/// Sums or differences. Whether any misfits is found on the way, without a branch; only then is it asked which.
#[inline(always)]
fn summed<N: Whole>(
    call: &KernelCall<'_>,
    left: &Side<N>,
    right: &Side<N>,
    make: impl Fn(N, N) -> (N, bool) + Copy,
    misfit: impl Fn(N, N, N) -> N + Copy,
) -> Option<Vector> {
    let Some(kind) = Misfit::of_overflow(call) else { return fitted(call, left, right, None, make) };
    let mut misfits = N::ZERO;
    let mut sum = |x: N, y: N| {
        let sum = make(x, y).0;
        misfits = misfits | misfit(x, y, sum);
        sum
    };
    let sums: Vec<N> = match (left, right) {
        (Side::Many(left), Side::Many(right)) => left.iter().zip(right.iter()).map(|(x, y)| sum(*x, *y)).collect(),
        (Side::Many(left), Side::One(y)) => left.iter().map(|x| sum(*x, *y)).collect(),
        (Side::One(x), Side::Many(right)) => right.iter().map(|y| sum(*x, *y)).collect(),
        (Side::One(_), Side::One(_)) => return None,
    };
    if misfits.is_misfit() { fitted(call, left, right, Some(kind), make) } else { made(call, sums) }
}

#[inline(always)]
fn one<N: Whole>(call: &KernelCall<'_>, make: impl Fn(N) -> N) -> Option<Vector> {
    match Side::<N>::of(&call.args[0])? {
        Side::Many(numbers) => made(call, each(&numbers, make)),
        Side::One(_) => None,
    }
}

#[inline(always)]
fn two<N: Whole>(call: &KernelCall<'_>, make: impl Fn(N, N) -> N) -> Option<Vector> {
    made(call, each_pair(call.rows, &Side::of(&call.args[0])?, &Side::of(&call.args[1])?, make))
}

/// A division, which by zero goes by the attribute `zero`.
#[inline(always)]
fn divided<N: Whole>(call: &KernelCall<'_>, make: impl Fn(N, N) -> N + Copy) -> Option<Vector> {
    let (left, right) = (Side::<N>::of(&call.args[0])?, Side::<N>::of(&call.args[1])?);
    if let Side::One(by) = right
        && by != N::ZERO
    {
        return made(call, each_pair(call.rows, &left, &Side::One(by), make));
    }
    fitted(call, &left, &right, Misfit::of_zero(call), move |x: N, y: N| if y == N::ZERO { (N::ZERO, true) } else { (make(x, y), false) })
}

fn power<N: Whole>(call: &KernelCall<'_>) -> Option<Vector> {
    let (base, exponent) = (Side::<N>::of(&call.args[0])?, Side::<N>::of(&call.args[1])?);
    let ours = match &exponent {
        Side::One(exponent) => exponent.as_exponent().is_some(),
        Side::Many(exponents) => exponents.iter().all(|exponent| exponent.as_exponent().is_some()),
    };
    if !ours {
        return None;
    }
    fitted(call, &base, &exponent, Misfit::of_overflow(call), |x: N, y: N| x.power(y.as_exponent().unwrap_or(0)))
}

/// Moved by a number of bits; by a negative number, as by all of them.
#[inline(always)]
fn shifted<N: Whole>(call: &KernelCall<'_>, make: impl Fn(N, u32) -> N) -> Option<Vector> {
    let (value, by) = (Side::<N>::of(&call.args[0])?, Side::<i64>::of(&call.args[1])?);
    made(call, each_pair(call.rows, &value, &by, |x: N, by: i64| make(x, u32::try_from(by).unwrap_or(N::BITS))))
}
