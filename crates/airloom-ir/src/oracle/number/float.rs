//! Floats, each computed in its own width.

use crate::attrs::{NanPick, Rounding};
use crate::oracle::call::{Call, mismatch};
use crate::value::Value;

/// A function of one float, for both widths.
macro_rules! one {
    ($call:expr, |$x:ident| $body:expr) => {
        match $call.args[0] {
            $crate::value::Value::F32($x) => $crate::value::Value::F32($body),
            $crate::value::Value::F64($x) => $crate::value::Value::F64($body),
            ref other => $crate::oracle::call::mismatch("a float", other),
        }
    };
}

/// A function of two floats, for both widths.
macro_rules! two {
    ($call:expr, |$x:ident, $y:ident| $body:expr) => {
        match ($call.args[0].clone(), $call.args[1].clone()) {
            ($crate::value::Value::F32($x), $crate::value::Value::F32($y)) => $crate::value::Value::F32($body),
            ($crate::value::Value::F64($x), $crate::value::Value::F64($y)) => $crate::value::Value::F64($body),
            (other, _) => $crate::oracle::call::mismatch("two floats of one width", &other),
        }
    };
}
pub(super) use {one, two};

/// Whether a float has a property that both widths share.
pub(super) fn test(call: &Call<'_>, holds: fn(f64) -> bool) -> Value {
    match call.args[0] {
        Value::F32(x) => Value::Bool(holds(f64::from(x))),
        Value::F64(x) => Value::Bool(holds(x)),
        ref other => mismatch("a float", other),
    }
}

/// Which of two numbers is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picked {
    /// The smaller.
    Least,
    /// The greater.
    Greatest,
}

/// What the standard library does not say of floats, in one text for both widths.
pub trait Float: Sized {
    /// The quotient rounded down, by NumPy's `floor_divide`.
    fn floordiv(self, by: Self) -> Self;
    /// What `floordiv` leaves, by NumPy's `remainder`.
    fn floormod(self, by: Self) -> Self;
    /// -1, 0 or 1; NaN and zeros are themselves.
    fn sign(self) -> Self;
    /// The smaller or the greater.
    fn pick(self, other: Self, which: Picked, nan: NanPick) -> Self;
    /// Rounded to `digits` digits after the point.
    fn round_to(self, digits: i64, half: Rounding) -> Self;
}

/// A power of ten as NumPy has it: above `1e22` not the nearest float, but what repeated multiplication leaves.
pub fn ten_to(exponent: u64) -> f64 {
    // From the 309th on it is infinite.
    (0..exponent.min(309)).fold(1.0, |power, _| power * 10.0)
}

macro_rules! float {
    ($float:ident) => {
        impl Float for $float {
            #[inline]
            fn floordiv(self, by: $float) -> $float {
                if by == 0.0 {
                    return self / by;
                }
                // `self - rest` is very nearly a multiple of `by`, where `self / by` may already have been rounded up to the next one:
                // `1.0 / 0.1` is `10.0`, though ten times the float `0.1` is more than one.
                let rest = self % by;
                let mut quotient = (self - rest) / by;
                if rest != 0.0 && (by < 0.0) != (rest < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return (0.0 as $float).copysign(self / by);
                }
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }

            #[inline]
            fn floormod(self, by: $float) -> $float {
                let rest = self % by;
                if by == 0.0 {
                    return rest;
                }
                if rest == 0.0 {
                    return (0.0 as $float).copysign(by);
                }
                if (by < 0.0) != (rest < 0.0) { rest + by } else { rest }
            }

            #[inline(always)]
            fn sign(self) -> $float {
                if self.is_nan() || self == 0.0 { self } else { self.signum() }
            }

            fn pick(self, other: $float, which: Picked, nan: NanPick) -> $float {
                match (self.is_nan(), other.is_nan(), nan) {
                    (false, false, _) => {
                        // `total_cmp` puts `-0.0` before `0.0`, which `<` does not.
                        let first = self.total_cmp(&other).is_le() == (which == Picked::Least);
                        if first { self } else { other }
                    }
                    (true, _, NanPick::Ignore) => other,
                    (_, true, NanPick::Ignore) => self,
                    (_, _, NanPick::Propagate) => $float::NAN,
                }
            }

            fn round_to(self, digits: i64, half: Rounding) -> $float {
                let nearest = |x: $float| match half {
                    Rounding::HalfEven => x.round_ties_even(),
                    Rounding::HalfAway => x.round(),
                };
                let scale = ten_to(digits.unsigned_abs()) as $float;
                match digits {
                    0 => nearest(self),
                    1.. => nearest(self * scale) / scale,
                    _ => nearest(self / scale) * scale,
                }
            }
        }
    };
}
float!(f32);
float!(f64);
