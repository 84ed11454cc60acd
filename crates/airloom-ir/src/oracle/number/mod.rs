//! What the ops of numbers mean.

mod exact;
mod float;
mod philox;

pub use float::{Float, Picked, ten_to};
pub use philox::{PHILOX_ROUNDS, PHILOX_STEPS, PHILOX_TIMES, random_bits};

use super::call::Call;
use super::stop::Raised;
use crate::attrs::{NanPick, Rounding};
use crate::ops::number::Number;
use crate::value::Value;
use float::{one, two};

pub(super) fn apply(op: Number, call: &Call<'_>) -> Result<Value, Raised> {
    Ok(match op {
        Number::Add => return either(call, exact::add, |call| two!(call, |x, y| x + y)),
        Number::Sub => return either(call, exact::sub, |call| two!(call, |x, y| x - y)),
        Number::Mul => return either(call, exact::mul, |call| two!(call, |x, y| x * y)),
        Number::Div => two!(call, |x, y| x / y),
        Number::FloorDiv => return either(call, exact::floordiv, |call| two!(call, |x, y| Float::floordiv(x, y))),
        Number::FloorMod => return either(call, exact::floormod, |call| two!(call, |x, y| Float::floormod(x, y))),
        Number::TruncDiv => return either(call, exact::truncdiv, |call| two!(call, |x, y| (x / y).trunc())),
        Number::TruncMod => return either(call, exact::truncmod, |call| two!(call, |x, y| x % y)),
        Number::Pow => return either(call, exact::pow, |call| two!(call, |x, y| x.powf(y))),
        Number::Neg => return either(call, exact::neg, |call| one!(call, |x| -x)),
        Number::Abs => return either(call, exact::abs, |call| one!(call, |x| x.abs())),
        Number::Sign => return either(call, exact::sign, |call| one!(call, |x| Float::sign(x))),
        Number::Least => pick(call, Picked::Least),
        Number::Greatest => pick(call, Picked::Greatest),
        Number::Floor => return either(call, |call| exact::round(call, "floor", 0, exact::Toward::Down), |call| one!(call, |x| x.floor())),
        Number::Ceil => return either(call, |call| exact::round(call, "ceil", 0, exact::Toward::Up), |call| one!(call, |x| x.ceil())),
        Number::Trunc => return either(call, |call| exact::round(call, "trunc", 0, exact::Toward::Zero), |call| one!(call, |x| x.trunc())),
        Number::Round => {
            let (digits, half): (i64, Rounding) = (call.attr(0), call.attr(1));
            return either(
                call,
                |call| exact::round(call, "round", digits, exact::Toward::Nearest(half)),
                |call| one!(call, |x| Float::round_to(x, digits, half)),
            );
        }
        Number::Sqrt => one!(call, |x| x.sqrt()),
        Number::Cbrt => one!(call, |x| x.cbrt()),
        Number::Exp => one!(call, |x| x.exp()),
        Number::Expm1 => one!(call, |x| x.exp_m1()),
        Number::Log => one!(call, |x| x.ln()),
        Number::Log2 => one!(call, |x| x.log2()),
        Number::Log10 => one!(call, |x| x.log10()),
        Number::Log1p => one!(call, |x| x.ln_1p()),
        Number::Sin => one!(call, |x| x.sin()),
        Number::Cos => one!(call, |x| x.cos()),
        Number::Tan => one!(call, |x| x.tan()),
        Number::Asin => one!(call, |x| x.asin()),
        Number::Acos => one!(call, |x| x.acos()),
        Number::Atan => one!(call, |x| x.atan()),
        Number::Atan2 => two!(call, |y, x| y.atan2(x)),
        Number::Sinh => one!(call, |x| x.sinh()),
        Number::Cosh => one!(call, |x| x.cosh()),
        Number::Tanh => one!(call, |x| x.tanh()),
        Number::Asinh => one!(call, |x| x.asinh()),
        Number::Acosh => one!(call, |x| x.acosh()),
        Number::Atanh => one!(call, |x| x.atanh()),
        Number::Hypot => two!(call, |x, y| x.hypot(y)),
        // The bit that NaN has for a sign is no part of its value.
        Number::CopySign => two!(call, |size, sign| if sign.is_nan() { size.abs() } else { size.copysign(sign) }),
        Number::IsNan => float::test(call, f64::is_nan),
        Number::IsFinite => float::test(call, f64::is_finite),
        Number::IsInfinite => float::test(call, f64::is_infinite),
        Number::BitAnd => exact::bits(call, |x, y| x & y),
        Number::BitOr => exact::bits(call, |x, y| x | y),
        Number::BitXor => exact::bits(call, |x, y| x ^ y),
        Number::BitNot => exact::bitnot(call),
        Number::Shl => exact::shl(call),
        Number::Shr => exact::shr(call),
        Number::BitCount => exact::bitcount(call),
        Number::RandBits => Value::int(random_bits(call.int(0) as u64, call.int(1) as u64)),
    })
}

/// By the type of the first argument: floats are computed in their own width, everything else exactly.
fn either(
    call: &Call<'_>,
    exact: impl FnOnce(&Call<'_>) -> Result<Value, Raised>,
    float: impl FnOnce(&Call<'_>) -> Value,
) -> Result<Value, Raised> {
    match call.args[0] {
        Value::F32(_) | Value::F64(_) => Ok(float(call)),
        _ => exact(call),
    }
}

fn pick(call: &Call<'_>, which: Picked) -> Value {
    let nan: NanPick = call.attr(0);
    match (&call.args[0], &call.args[1]) {
        (Value::F32(_), _) | (Value::F64(_), _) => two!(call, |x, y| Float::pick(x, y, which, nan)),
        (x, y) => {
            let first = super::order::total(x, y).is_le() == (which == Picked::Least);
            if first { x.clone() } else { y.clone() }
        }
    }
}
