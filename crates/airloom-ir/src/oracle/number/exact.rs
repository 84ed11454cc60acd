//! Integers, decimals and durations, computed exactly in 128 bits.

use crate::attrs::{Overflow, Rounding, ZeroDivide};
use crate::oracle::call::{Call, mismatch};
use crate::oracle::convert::scalar_to_text;
use crate::oracle::stop::{Raised, raise};
use crate::types::{IntTy, Ty};
use crate::typing::core::fits;
use crate::value::Value;

pub(super) fn add(call: &Call<'_>) -> Result<Value, Raised> {
    let (x, y) = (call.int(0), call.int(1));
    fit(call, "add", x.checked_add(y), x.wrapping_add(y))
}

pub(super) fn sub(call: &Call<'_>) -> Result<Value, Raised> {
    let (x, y) = (call.int(0), call.int(1));
    fit(call, "sub", x.checked_sub(y), x.wrapping_sub(y))
}

pub(super) fn mul(call: &Call<'_>) -> Result<Value, Raised> {
    let (x, y) = (call.int(0), call.int(1));
    fit(call, "mul", x.checked_mul(y), x.wrapping_mul(y))
}

pub(super) fn neg(call: &Call<'_>) -> Result<Value, Raised> {
    let x = call.int(0);
    fit(call, "neg", Some(-x), -x)
}

pub(super) fn abs(call: &Call<'_>) -> Result<Value, Raised> {
    let x = call.int(0).abs();
    fit(call, "abs", Some(x), x)
}

/// `exact` where the result's type holds it, else what the attribute `overflow` says; `wrapped` is right modulo two to the 128.
fn fit(call: &Call<'_>, op: &str, exact: Option<i128>, wrapped: i128) -> Result<Value, Raised> {
    let fitting = exact.map(Value::Int).filter(|value| fits(call.types, value, call.types.strip(call.ty)));
    if let Some(value) = fitting {
        return Ok(value);
    }
    match (call.attr::<Overflow>(0), call.plain_result()) {
        (Overflow::Null, _) => Ok(Value::Null),
        (Overflow::Wrap, Ty::Int(int)) => Ok(Value::Int(int.wrap(wrapped))),
        (Overflow::Wrap, Ty::Duration(_)) => Ok(Value::Int(IntTy::I64.wrap(wrapped))),
        _ => does_not_fit(call, op),
    }
}

fn does_not_fit(call: &Call<'_>, op: &str) -> Result<Value, Raised> {
    let shown: Vec<String> = call.args.iter().zip(call.arg_types).map(|(value, &ty)| scalar_to_text(call.types, ty, value)).collect();
    raise(format!("overflow: `{op}` of {} does not fit `{}`", shown.join(" and "), call.types.show(call.types.strip(call.ty))))
}

fn int_type(call: &Call<'_>) -> IntTy {
    match call.plain_type(0) {
        Ty::Int(int) => *int,
        other => unreachable!("the type rule wants an integer, not {other:?}"),
    }
}

/// A division that wraps where it does not fit (the minimum by -1) and goes by `zero` where the divisor is zero.
fn divide(call: &Call<'_>, op: &str, quotient: impl Fn(i128, i128) -> i128) -> Result<Value, Raised> {
    let (x, y) = (call.int(0), call.int(1));
    if y != 0 {
        return Ok(Value::Int(int_type(call).wrap(quotient(x, y))));
    }
    match call.attr(0) {
        ZeroDivide::Raise => raise(format!("division by zero: `{op}` of {x} by 0")),
        ZeroDivide::Null => Ok(Value::Null),
        ZeroDivide::Zero => Ok(Value::Int(0)),
    }
}

pub(super) fn floordiv(call: &Call<'_>) -> Result<Value, Raised> {
    divide(call, "floordiv", floor_quotient)
}

pub(super) fn floormod(call: &Call<'_>) -> Result<Value, Raised> {
    divide(call, "floormod", |x, y| x - floor_quotient(x, y) * y)
}

pub(super) fn truncdiv(call: &Call<'_>) -> Result<Value, Raised> {
    divide(call, "truncdiv", |x, y| x / y)
}

pub(super) fn truncmod(call: &Call<'_>) -> Result<Value, Raised> {
    divide(call, "truncmod", |x, y| x % y)
}

fn floor_quotient(x: i128, y: i128) -> i128 {
    let quotient = x / y;
    if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient }
}

pub(super) fn pow(call: &Call<'_>) -> Result<Value, Raised> {
    let (base, exponent) = (call.int(0), call.int(1));
    let int = int_type(call);
    if exponent < 0 {
        return match call.attr(0) {
            Overflow::Null => Ok(Value::Null),
            _ => raise(format!("`pow` of the integer {base} by the negative {exponent}; expected an exponent from 0")),
        };
    }
    let wrapped = power(base, exponent, |x, y| Some(int.wrap(x.wrapping_mul(y)))).expect("wrapping never fails");
    let exact = power(base, exponent, |x, y| x.checked_mul(y).filter(|&z| int.holds(z)));
    fit(call, "pow", exact, wrapped)
}

/// By squaring; a square that no later digit of the exponent needs is not computed, so it cannot fail either.
fn power(mut base: i128, mut exponent: i128, times: impl Fn(i128, i128) -> Option<i128>) -> Option<i128> {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base)?;
        }
        exponent >>= 1;
        if exponent > 0 {
            base = times(base, base)?;
        }
    }
    Some(result)
}

pub(super) fn sign(call: &Call<'_>) -> Result<Value, Raised> {
    let sign = call.int(0).signum();
    match *call.plain_type(0) {
        Ty::Decimal { scale, .. } => hold(call, "sign", sign * ten_to(scale.into())),
        _ => Ok(Value::Int(sign)),
    }
}

/// Which way a number is rounded.
pub(super) enum Toward {
    /// To the number below.
    Down,
    /// To the number above.
    Up,
    /// To the number nearer zero.
    Zero,
    /// To the nearer, a half as said.
    Nearest(Rounding),
}

/// The number rounded to `digits` digits after the point. An integer that no longer fits wraps; a decimal raises.
pub(super) fn round(call: &Call<'_>, op: &str, digits: i64, toward: Toward) -> Result<Value, Raised> {
    let value = call.int(0);
    let scale = match *call.plain_type(0) {
        Ty::Decimal { scale, .. } => i64::from(scale),
        _ => 0,
    };
    let dropped = scale.saturating_sub(digits);
    if dropped <= 0 {
        return Ok(Value::Int(value));
    }
    // Only `round` drops more than the 38 digits that a number can have; less than half of ten to the 39th is left, which is rounded to zero.
    let rounded = if dropped > 38 { Some(0) } else { multiple(value, ten_to(dropped as u32), &toward) };
    match (call.plain_type(0), rounded) {
        (Ty::Int(int), Some(value)) => Ok(Value::Int(int.wrap(value))),
        (_, Some(value)) => hold(call, op, value),
        (_, None) => does_not_fit(call, op),
    }
}

fn multiple(value: i128, unit: i128, toward: &Toward) -> Option<i128> {
    round_quotient(value, unit, toward).checked_mul(unit)
}

/// `value / unit` rounded, for a positive unit.
fn round_quotient(value: i128, unit: i128, toward: &Toward) -> i128 {
    let (floor, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    let up = match toward {
        Toward::Down => false,
        Toward::Up => rest > 0,
        Toward::Zero => rest > 0 && value < 0,
        Toward::Nearest(half) => match rest.cmp(&(unit - rest)) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => match half {
                Rounding::HalfEven => floor % 2 != 0,
                Rounding::HalfAway => value > 0,
            },
        },
    };
    floor + i128::from(up)
}

/// A decimal where its type holds it.
fn hold(call: &Call<'_>, op: &str, value: i128) -> Result<Value, Raised> {
    let value = Value::Int(value);
    if fits(call.types, &value, call.types.strip(call.ty)) { Ok(value) } else { does_not_fit(call, op) }
}

fn ten_to(exponent: u32) -> i128 {
    10i128.pow(exponent)
}

pub(super) fn bits(call: &Call<'_>, combine: impl Fn(i128, i128) -> i128) -> Value {
    match (&call.args[0], &call.args[1]) {
        (Value::Bool(x), Value::Bool(y)) => Value::Bool(combine((*x).into(), (*y).into()) != 0),
        (Value::Int(x), Value::Int(y)) => Value::Int(combine(*x, *y)),
        (other, _) => mismatch("two integers or booleans", other),
    }
}

pub(super) fn bitnot(call: &Call<'_>) -> Value {
    match &call.args[0] {
        Value::Bool(x) => Value::Bool(!x),
        Value::Int(x) => Value::Int(int_type(call).wrap(!x)),
        other => mismatch("an integer or boolean", other),
    }
}

pub(super) fn shl(call: &Call<'_>) -> Value {
    let int = int_type(call);
    match u32::try_from(call.int(1)) {
        Ok(by) if by < int.bits() => Value::Int(int.wrap(call.int(0) << by)),
        _ => Value::Int(0),
    }
}

pub(super) fn shr(call: &Call<'_>) -> Value {
    let by = u32::try_from(call.int(1)).unwrap_or(u32::MAX).min(int_type(call).bits());
    Value::Int(call.int(0) >> by)
}

pub(super) fn bitcount(call: &Call<'_>) -> Value {
    let mask = (1i128 << int_type(call).bits()) - 1;
    Value::int((call.int(0) & mask).count_ones())
}
