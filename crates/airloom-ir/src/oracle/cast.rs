//! Conversion: what `cast` makes of a value.

use super::call::{Call, as_int, mismatch};
use super::convert::{decimal_to_text, scalar_to_text, text_to_scalar};
use super::reduce::decimal_to_float;
use super::stop::{Raised, raise};
use super::temporal::civil::DAY_SECONDS;
use crate::attrs::CastMode;
use crate::types::{IntTy, TimeUnit, Ty, TyId, Types};
use crate::typing::core::fits;
use crate::value::Value;

/// The value of a call as its attribute `to` says.
pub(super) fn cast(call: &Call<'_>) -> Result<Value, Raised> {
    let (to, mode): (TyId, CastMode) = (call.attr(0), call.attr(1));
    let from = call.arg_types[0];
    let value = &call.args[0];
    let (Ty::List(inner_from), Ty::List(inner_to), Value::List(items)) = (call.plain_type(0), call.types.plain(to), value) else {
        return by_mode(converted(call.types, from, to, value, mode), mode);
    };
    // An element that does not convert is null where the list may hold null; else the whole list does not convert.
    let elements = items.iter().enumerate().map(|(at, item)| {
        let converted =
            if item.is_null() { Err("found null".to_string()) } else { converted(call.types, *inner_from, *inner_to, item, mode) };
        match converted {
            Err(_) if (item.is_null() || mode == CastMode::Lenient) && call.types.nullable(*inner_to) => Ok(Value::Null),
            other => other.map_err(|message| format!("element {at}: {message}")),
        }
    });
    by_mode(elements.collect::<Result<Vec<_>, _>>().map(|items| Value::List(items.into())), mode)
}

fn by_mode(result: Result<Value, String>, mode: CastMode) -> Result<Value, Raised> {
    match result {
        Ok(value) => Ok(value),
        Err(_) if mode == CastMode::Lenient => Ok(Value::Null),
        Err(message) => raise(message),
    }
}

/// A value that is not null as one of another type, or why it does not convert.
fn converted(types: &Types, from: TyId, to: TyId, value: &Value, mode: CastMode) -> Result<Value, String> {
    let target = types.plain(to);
    let source = types.plain(from);
    if source == target {
        return Ok(value.clone());
    }
    match (source, target) {
        (Ty::Str, _) => {
            let Value::Str(text) = value else { mismatch("text", value) };
            // White space around a value is passed over, unless it is part of a category's name.
            return text_to_scalar(types, to, text).or_else(|_| text_to_scalar(types, to, text.trim()));
        }
        (_, Ty::Str) => return Ok(Value::str(&scalar_to_text(types, from, value))),
        (_, Ty::Bool) => return Ok(Value::Bool(is_not_zero(value))),
        (_, Ty::F32) => return Ok(Value::F32(to_f32(source, value))),
        (_, Ty::F64) => return Ok(Value::F64(to_f64(source, value))),
        _ => (),
    }
    // What is left becomes a count: integers, decimals, dates and their like, categories.
    let count = match (source, target) {
        (Ty::Category { names, .. }, Ty::Category { names: wanted, .. }) => {
            let name = &names[as_int(value) as usize];
            wanted.iter().position(|other| other == name).map(|at| at as i128)
        }
        (_, Ty::Decimal { scale, .. }) => to_decimal(source, value, *scale),
        (Ty::Date, Ty::Timestamp { unit, .. }) => Some(as_int(value) * i128::from(DAY_SECONDS * unit.per_second())),
        (Ty::Timestamp { unit, .. }, Ty::Date) => Some(as_int(value).div_euclid((DAY_SECONDS * unit.per_second()).into())),
        (Ty::Timestamp { unit: from, .. }, Ty::Timestamp { unit: to, .. }) | (Ty::Duration(from), Ty::Duration(to)) => {
            Some(rescale(as_int(value), *from, *to))
        }
        _ => to_int(source, value),
    };
    if let Some(count) = count {
        let value = Value::Int(count);
        if fits(types, &value, types.strip(to)) {
            return Ok(value);
        }
    }
    if mode == CastMode::Wrap
        && let Some(value) = forced(target, value, count)
    {
        return Ok(Value::Int(value));
    }
    Err(format!(
        "`{}` of `{}` does not convert to `{}`",
        scalar_to_text(types, from, value),
        types.show(types.strip(from)),
        types.show(types.strip(to))
    ))
}

/// What is kept of a number that does not fit: an integer wraps, a float saturates, and so does everything that becomes a decimal.
fn forced(target: &Ty, value: &Value, count: Option<i128>) -> Option<i128> {
    let float = match value {
        Value::F32(x) => Some(f64::from(*x)),
        Value::F64(x) => Some(*x),
        _ => None,
    };
    match target {
        Ty::Int(int) => match float {
            Some(x) => Some(saturate(x, *int)),
            None => count.map(|count| int.wrap(count)),
        },
        Ty::Decimal { precision, .. } => {
            let greatest = 10i128.pow((*precision).into()) - 1;
            match float {
                Some(x) if x.is_nan() => Some(0),
                Some(x) => Some(if x < 0.0 { -greatest } else { greatest }),
                None => Some(if matches!(value, Value::Int(..0)) { -greatest } else { greatest }),
            }
        }
        _ => None,
    }
}

fn saturate(x: f64, int: IntTy) -> i128 {
    // `as` saturates at 128 bits and turns NaN into zero.
    (x as i128).clamp(int.lowest(), int.highest())
}

fn is_not_zero(value: &Value) -> bool {
    match value {
        Value::F32(x) => *x != 0.0,
        Value::F64(x) => *x != 0.0,
        other => as_int(other) != 0,
    }
}

/// An integer without its fraction, where it has one of 128 bits.
fn to_int(source: &Ty, value: &Value) -> Option<i128> {
    match (source, value) {
        (_, Value::Bool(b)) => Some((*b).into()),
        (_, Value::F32(x)) => float_to_int(f64::from(*x)),
        (_, Value::F64(x)) => float_to_int(*x),
        (Ty::Decimal { scale, .. }, _) => Some(as_int(value) / 10i128.pow((*scale).into())),
        _ => Some(as_int(value)),
    }
}

fn float_to_int(x: f64) -> Option<i128> {
    // Far outside every integer type, and far inside 128 bits.
    (x.abs() < 1e30).then_some(x as i128)
}

fn to_f64(source: &Ty, value: &Value) -> f64 {
    match (source, value) {
        (_, Value::Bool(b)) => f64::from(u8::from(*b)),
        (_, Value::F32(x)) => f64::from(*x),
        (Ty::Decimal { scale, .. }, _) => decimal_to_float(as_int(value), *scale),
        _ => as_int(value) as f64,
    }
}

fn to_f32(source: &Ty, value: &Value) -> f32 {
    match (source, value) {
        (_, Value::Bool(b)) => f32::from(u8::from(*b)),
        (_, Value::F64(x)) => *x as f32,
        (Ty::Decimal { scale, .. }, _) => decimal_to_single(as_int(value), *scale),
        _ => as_int(value) as f32,
    }
}

/// The `f32` nearest to a decimal. Not by way of `f64`, which would round twice.
pub fn decimal_to_single(digits: i128, scale: u8) -> f32 {
    decimal_to_text(digits, scale).parse().expect("a decimal number is a number")
}

/// The digits of a number at a scale, halves rounded to even, where 128 bits hold them.
fn to_decimal(source: &Ty, value: &Value, scale: u8) -> Option<i128> {
    let ten_to = |exponent: u8| 10i128.pow(exponent.into());
    match (source, value) {
        (_, Value::F32(x)) => float_to_decimal(f64::from(*x), scale),
        (_, Value::F64(x)) => float_to_decimal(*x, scale),
        (Ty::Decimal { scale: from, .. }, _) if *from > scale => {
            let unit = ten_to(from - scale);
            let (floor, rest) = (as_int(value).div_euclid(unit), as_int(value).rem_euclid(unit));
            let up = rest > unit - rest || (rest == unit - rest && floor % 2 != 0);
            Some(floor + i128::from(up))
        }
        (Ty::Decimal { scale: from, .. }, _) => as_int(value).checked_mul(ten_to(scale - from)),
        _ => to_int(source, value)?.checked_mul(ten_to(scale)),
    }
}

/// The digits of a float at a scale, where 128 bits hold them: by its exact decimal digits, which `format!` rounds half to even.
pub fn float_to_decimal(x: f64, scale: u8) -> Option<i128> {
    if x.abs() >= 1e39 || x.is_nan() {
        return None;
    }
    format!("{x:.*}", usize::from(scale)).replace('.', "").parse().ok()
}

/// A count in another unit; in a coarser one, rounded down, so that every timestamp stays in its day.
fn rescale(count: i128, from: TimeUnit, to: TimeUnit) -> i128 {
    (count * i128::from(to.per_second())).div_euclid(from.per_second().into())
}
