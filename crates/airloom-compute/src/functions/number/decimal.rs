//! Decimals: in 64 bits where the result has at most 18 digits, else in 128. Whether a result fits is asked only where its type leaves it open.

use super::{Misfit, fitted, fitted_one, made, unchanged};
use crate::data::Vector;
use crate::data::native::{Side, Width, each_pair};
use crate::functions::call::KernelCall;
use airloom_ir::attrs::{Overflow, Rounding};
use airloom_ir::ops::number::Number;
use airloom_ir::oracle::formula::DECIMAL_LIMIT;
use airloom_ir::types::Ty;

/// The digits and the scale of a decimal type.
fn digits(ty: &Ty) -> Option<(u8, u8)> {
    match ty {
        Ty::Decimal { precision, scale } => Some((*precision, *scale)),
        _ => None,
    }
}

fn ten_to(exponent: u8) -> i128 {
    10i128.pow(exponent.into())
}

pub(super) fn fast(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    let (precision, scale) = digits(call.plain(0))?;
    match op {
        Number::Add | Number::Sub => sum(op, call, precision.max(digits(call.plain(1))?.0)),
        Number::Mul => product(call, precision + digits(call.plain(1))?.0),
        Number::Neg if Width::of(call.plain(0)) == Some(Width::I64) => {
            fitted_one(call, &Side::<i64>::of(&call.args[0])?, None, |x| (x.wrapping_neg(), false))
        }
        Number::Neg => fitted_one(call, &Side::<i128>::of(&call.args[0])?, None, |x| (x.wrapping_neg(), false)),
        Number::Abs if Width::of(call.plain(0)) == Some(Width::I64) => {
            fitted_one(call, &Side::<i64>::of(&call.args[0])?, None, |x| (x.wrapping_abs(), false))
        }
        Number::Abs => fitted_one(call, &Side::<i128>::of(&call.args[0])?, None, |x| (x.wrapping_abs(), false)),
        Number::Sign if Width::of(call.plain(0)) == Some(Width::I64) => {
            let one = ten_to(scale) as i64;
            let misfits = precision == scale;
            fitted_one(call, &Side::<i64>::of(&call.args[0])?, Some(Misfit::Raise), move |x: i64| {
                (x.signum().wrapping_mul(one), misfits && x != 0)
            })
        }
        Number::Floor => rounded(call, precision, scale.into(), Toward::Down),
        Number::Ceil => rounded(call, precision, scale.into(), Toward::Up),
        Number::Trunc => rounded(call, precision, scale.into(), Toward::Zero),
        Number::Round => {
            let toward = match call.attr(1) {
                Rounding::HalfEven => Toward::HalfEven,
                Rounding::HalfAway => Toward::HalfAway,
            };
            rounded(call, precision, i64::from(scale).saturating_sub(call.attr(0)), toward)
        }
        _ => None,
    }
}

/// What becomes of a misfit: only `null` makes it null, `wrap` raises too.
fn misfit(call: &KernelCall<'_>) -> Misfit {
    if call.attr::<Overflow>(0) == Overflow::Null { Misfit::Null } else { Misfit::Raise }
}

fn fits(x: i128) -> bool {
    x.unsigned_abs() < DECIMAL_LIMIT
}

/// Of numbers with at most `most` digits.
fn sum(op: Number, call: &KernelCall<'_>, most: u8) -> Option<Vector> {
    let plus = op == Number::Add;
    if Width::of(call.plain_result()) == Some(Width::I64) {
        let (x, y) = (Side::<i64>::of(&call.args[0])?, Side::<i64>::of(&call.args[1])?);
        return made(
            call,
            if plus {
                each_pair(call.rows, &x, &y, |x, y| x.wrapping_add(y))
            } else {
                each_pair(call.rows, &x, &y, |x, y| x.wrapping_sub(y))
            },
        );
    }
    if most < 38 {
        return if plus {
            wide(call, None, |x, y| (x.wrapping_add(y), false))
        } else {
            wide(call, None, |x, y| (x.wrapping_sub(y), false))
        };
    }
    let checked = move |(sum, over): (i128, bool)| (sum, over || !fits(sum));
    if plus {
        wide(call, Some(misfit(call)), move |x, y| checked(x.overflowing_add(y)))
    } else {
        wide(call, Some(misfit(call)), move |x, y| checked(x.overflowing_sub(y)))
    }
}

/// The product of numbers that have `together` digits between them.
fn product(call: &KernelCall<'_>, together: u8) -> Option<Vector> {
    if Width::of(call.plain_result()) == Some(Width::I64) {
        let (x, y) = (Side::<i64>::of(&call.args[0])?, Side::<i64>::of(&call.args[1])?);
        return made(call, each_pair(call.rows, &x, &y, |x, y| x.wrapping_mul(y)));
    }
    if together <= 38 {
        return wide(call, None, |x, y| (x.wrapping_mul(y), false));
    }
    wide(call, Some(misfit(call)), |x, y| {
        let (product, over) = x.overflowing_mul(y);
        (product, over || !fits(product))
    })
}

/// A loop over pairs in 128 bits, whichever width each side has.
#[inline(always)]
fn wide(call: &KernelCall<'_>, misfit: Option<Misfit>, make: impl Fn(i128, i128) -> (i128, bool) + Copy) -> Option<Vector> {
    let [left, right] = [&call.args[0], &call.args[1]];
    let narrow = [0, 1].map(|at| Width::of(call.plain(at)) == Some(Width::I64));
    match narrow {
        [true, true] => fitted(call, &Side::<i64>::of(left)?, &Side::<i64>::of(right)?, misfit, move |x, y| make(x.into(), y.into())),
        [true, false] => fitted(call, &Side::<i64>::of(left)?, &Side::<i128>::of(right)?, misfit, move |x, y| make(x.into(), y)),
        [false, true] => fitted(call, &Side::<i128>::of(left)?, &Side::<i64>::of(right)?, misfit, move |x, y| make(x, y.into())),
        [false, false] => fitted(call, &Side::<i128>::of(left)?, &Side::<i128>::of(right)?, misfit, make),
    }
}

/// Which way a number is rounded.
#[derive(Clone, Copy)]
enum Toward {
    Down,
    Up,
    Zero,
    HalfEven,
    HalfAway,
}

/// Rounded where `dropped` digits are dropped.
fn rounded(call: &KernelCall<'_>, precision: u8, dropped: i64, toward: Toward) -> Option<Vector> {
    let narrow = Width::of(call.plain(0)) == Some(Width::I64);
    if dropped <= 0 {
        return if narrow { unchanged::<i64>(call) } else { unchanged::<i128>(call) };
    }
    // Beyond this a narrow number and its unit do not both have 64 bits.
    let dropped = u8::try_from(dropped).ok().filter(|dropped| *dropped <= 18)?;
    if !narrow {
        return None;
    }
    let (unit, limit) = (ten_to(dropped) as i64, ten_to(precision) as u64);
    let side = Side::<i64>::of(&call.args[0])?;
    let result = move |floor: i64, up: bool| {
        let rounded = floor.wrapping_add(i64::from(up)).checked_mul(unit);
        (rounded.unwrap_or(0), rounded.is_none_or(|x| x.unsigned_abs() >= limit))
    };
    let parts = move |x: i64| (x.div_euclid(unit), x.rem_euclid(unit));
    let raise = Some(Misfit::Raise);
    match toward {
        Toward::Down => fitted_one(call, &side, raise, move |x: i64| result(parts(x).0, false)),
        Toward::Up => fitted_one(call, &side, raise, move |x: i64| result(parts(x).0, parts(x).1 > 0)),
        Toward::Zero => fitted_one(call, &side, raise, move |x: i64| result(parts(x).0, parts(x).1 > 0 && x < 0)),
        Toward::HalfEven => fitted_one(call, &side, raise, move |x: i64| {
            let (floor, rest) = parts(x);
            result(floor, rest > unit - rest || (rest == unit - rest && floor % 2 != 0))
        }),
        Toward::HalfAway => fitted_one(call, &side, raise, move |x: i64| {
            let (floor, rest) = parts(x);
            result(floor, rest > unit - rest || (rest == unit - rest && x > 0))
        }),
    }
}
