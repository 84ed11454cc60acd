//! Floats, each in its own width, by the functions of the standard library.

use super::{Pick, made};
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Side, each, each_pair};
use crate::functions::call::KernelCall;
use airloom_ir::attrs::{NanPick, Rounding};
use airloom_ir::ops::number::Number;
use airloom_ir::oracle::formula;

/// What both widths have.
pub(super) trait Float: Native + formula::Float {
    fn one(op: Number) -> Option<fn(Self) -> Self>;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn truncdiv(self, by: Self) -> Self;
    fn truncmod(self, by: Self) -> Self;
    fn power(self, exponent: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn hypot(self, y: Self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn negative(self) -> Self;
    fn size(self) -> Self;
    fn root(self) -> Self;
    fn least(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
    fn nan(self) -> bool;
    fn finite(self) -> bool;
    fn infinite(self) -> bool;
    fn down(self) -> Self;
    fn up(self) -> Self;
    fn toward_zero(self) -> Self;
    fn even(self) -> Self;
    fn away(self) -> Self;
    fn ten_to(exponent: u64) -> Self;
}

macro_rules! float {
    ($N:ident) => {
        impl Float for $N {
            /// The functions that are calls, where a pointer costs nothing beside what they do.
            fn one(op: Number) -> Option<fn($N) -> $N> {
                Some(match op {
                    Number::Cbrt => $N::cbrt,
                    Number::Exp => $N::exp,
                    Number::Expm1 => $N::exp_m1,
                    Number::Log => $N::ln,
                    Number::Log2 => $N::log2,
                    Number::Log10 => $N::log10,
                    Number::Log1p => $N::ln_1p,
                    Number::Sin => $N::sin,
                    Number::Cos => $N::cos,
                    Number::Tan => $N::tan,
                    Number::Asin => $N::asin,
                    Number::Acos => $N::acos,
                    Number::Atan => $N::atan,
                    Number::Sinh => $N::sinh,
                    Number::Cosh => $N::cosh,
                    Number::Tanh => $N::tanh,
                    Number::Asinh => $N::asinh,
                    Number::Acosh => $N::acosh,
                    Number::Atanh => $N::atanh,
                    _ => return None,
                })
            }
            #[inline(always)]
            fn plus(self, other: $N) -> $N {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: $N) -> $N {
                self - other
            }
            #[inline(always)]
            fn times(self, other: $N) -> $N {
                self * other
            }
            #[inline(always)]
            fn over(self, other: $N) -> $N {
                self / other
            }
            fn truncdiv(self, by: $N) -> $N {
                (self / by).toward_zero()
            }
            fn truncmod(self, by: $N) -> $N {
                self % by
            }
            fn power(self, exponent: $N) -> $N {
                self.powf(exponent)
            }
            fn atan2(self, x: $N) -> $N {
                $N::atan2(self, x)
            }
            fn hypot(self, y: $N) -> $N {
                $N::hypot(self, y)
            }
            #[inline(always)]
            fn copysign(self, sign: $N) -> $N {
                if sign.is_nan() { self.abs() } else { $N::copysign(self, sign) }
            }
            #[inline(always)]
            fn negative(self) -> $N {
                -self
            }
            #[inline(always)]
            fn size(self) -> $N {
                self.abs()
            }
            #[inline(always)]
            fn root(self) -> $N {
                self.sqrt()
            }
            // Of numbers that are not NaN. `total_cmp` puts `-0.0` before `0.0`, which `<` does not.
            #[inline(always)]
            fn least(self, other: $N) -> $N {
                if self.total_cmp(&other).is_le() { self } else { other }
            }
            #[inline(always)]
            fn greatest(self, other: $N) -> $N {
                if self.total_cmp(&other).is_le() { other } else { self }
            }
            #[inline(always)]
            fn nan(self) -> bool {
                self.is_nan()
            }
            #[inline(always)]
            fn finite(self) -> bool {
                self.is_finite()
            }
            #[inline(always)]
            fn infinite(self) -> bool {
                self.is_infinite()
            }
            // Without the instructions that newer machines have for it, `floor` and its like are calls. What follows is the same to the bit, and is done for several
            // numbers at once: beyond two to the bits of the fraction a number is whole, and adding that to a lesser one rounds it to an integer.
            #[inline(always)]
            fn even(self) -> $N {
                const WHOLE: $N = (1u64 << ($N::MANTISSA_DIGITS - 1)) as $N;
                let size = self.abs();
                if size < WHOLE { ((size + WHOLE) - WHOLE).copysign(self) } else { self }
            }
            #[inline(always)]
            fn down(self) -> $N {
                let near = self.even();
                if near > self { near - 1.0 } else { near }
            }
            #[inline(always)]
            fn up(self) -> $N {
                let near = self.even();
                // Of -0.7 it is -0.0.
                (if near < self { near + 1.0 } else { near }).copysign(self)
            }
            #[inline(always)]
            fn toward_zero(self) -> $N {
                self.abs().down().copysign(self)
            }
            #[inline(always)]
            fn away(self) -> $N {
                let whole = self.abs().down();
                (if self.abs() - whole >= 0.5 { whole + 1.0 } else { whole }).copysign(self)
            }
            fn ten_to(exponent: u64) -> $N {
                formula::ten_to(exponent) as $N
            }
        }
    };
}
float!(f32);
float!(f64);

pub(super) fn fast<N: Float>(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    if let Some(function) = N::one(op) {
        return one(call, function);
    }
    match op {
        Number::Add => two(call, N::plus),
        Number::Sub => two(call, N::minus),
        Number::Mul => two(call, N::times),
        Number::Div => two(call, N::over),
        Number::FloorDiv => two(call, N::floordiv),
        Number::FloorMod => two(call, N::floormod),
        Number::TruncDiv => two(call, N::truncdiv),
        Number::TruncMod => two(call, N::truncmod),
        Number::Pow => two(call, N::power),
        Number::Atan2 => two(call, N::atan2),
        Number::Hypot => two(call, N::hypot),
        Number::CopySign => two(call, N::copysign),
        Number::Neg => one(call, N::negative),
        Number::Abs => one(call, N::size),
        Number::Sqrt => one(call, N::root),
        Number::Sign => one(call, N::sign),
        Number::Least | Number::Greatest => picked::<N>(call, Pick::of(op, call)),
        Number::Floor => one(call, N::down),
        Number::Ceil => one(call, N::up),
        Number::Trunc => one(call, N::toward_zero),
        Number::Round => rounded::<N>(call),
        Number::IsNan => tested(call, N::nan),
        Number::IsFinite => tested(call, N::finite),
        Number::IsInfinite => tested(call, N::infinite),
        _ => None,
    }
}

#[inline(always)]
fn one<N: Float>(call: &KernelCall<'_>, make: impl Fn(N) -> N) -> Option<Vector> {
    match Side::<N>::of(&call.args[0])? {
        Side::Many(numbers) => made(call, each(&numbers, make)),
        Side::One(_) => None,
    }
}

#[inline(always)]
fn two<N: Float>(call: &KernelCall<'_>, make: impl Fn(N, N) -> N) -> Option<Vector> {
    made(call, each_pair(call.rows, &Side::of(&call.args[0])?, &Side::of(&call.args[1])?, make))
}

#[inline(always)]
fn tested<N: Float>(call: &KernelCall<'_>, holds: impl Fn(N) -> bool) -> Option<Vector> {
    match Side::<N>::of(&call.args[0])? {
        Side::Many(numbers) => Some(Vector::Flat(bits::truths(bits::test(&numbers, holds), call.nulls()))),
        Side::One(_) => None,
    }
}

fn picked<N: Float>(call: &KernelCall<'_>, pick: Pick) -> Option<Vector> {
    // Where both are NaN either will do: NaN has no payload here. Each case has a loop of its own.
    match (pick.least, pick.nan) {
        (true, NanPick::Propagate) => two(call, |x: N, y: N| unless_nan(x, y, (x, y), N::least)),
        (false, NanPick::Propagate) => two(call, |x: N, y: N| unless_nan(x, y, (x, y), N::greatest)),
        (true, NanPick::Ignore) => two(call, |x: N, y: N| unless_nan(x, y, (y, x), N::least)),
        (false, NanPick::Ignore) => two(call, |x: N, y: N| unless_nan(x, y, (y, x), N::greatest)),
    }
}

/// What `pick` makes of two numbers; the first of `instead` where the first of them is NaN, its second where the second is.
#[inline(always)]
fn unless_nan<N: Float>(x: N, y: N, instead: (N, N), pick: impl Fn(N, N) -> N) -> N {
    if x.nan() {
        instead.0
    } else if y.nan() {
        instead.1
    } else {
        pick(x, y)
    }
}

fn rounded<N: Float>(call: &KernelCall<'_>) -> Option<Vector> {
    let (digits, half): (i64, Rounding) = (call.attr(0), call.attr(1));
    let scale = N::ten_to(digits.unsigned_abs());
    match (digits, half) {
        (0, Rounding::HalfEven) => one(call, N::even),
        (0, Rounding::HalfAway) => one(call, N::away),
        (1.., Rounding::HalfEven) => one(call, |x: N| x.times(scale).even().over(scale)),
        (1.., Rounding::HalfAway) => one(call, |x: N| x.times(scale).away().over(scale)),
        (_, Rounding::HalfEven) => one(call, |x: N| x.over(scale).even().times(scale)),
        (_, Rounding::HalfAway) => one(call, |x: N| x.over(scale).away().times(scale)),
    }
}
