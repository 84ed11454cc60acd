//! Means, variances, skewness and kurtosis: computed in `f64`, rounded to the type of the result at the end.

use super::cells::{element, taken};
use super::sum::exact;
use crate::attrs::Skip;
use crate::oracle::call::{Call, mismatch};
use crate::oracle::number::ten_to;
use crate::oracle::stop::{Raised, Stop};
use crate::types::Ty;
use crate::value::Value;

/// A float of the type of the result.
pub(super) fn rounded(call: &Call<'_>, x: f64) -> Value {
    if matches!(element(call), Ty::F32) { Value::F32(x as f32) } else { Value::F64(x) }
}

/// An element as a float, decimals to the nearest.
pub(super) fn float(ty: &Ty, value: &Value) -> f64 {
    match (value, ty) {
        (Value::Bool(b), _) => f64::from(u8::from(*b)),
        (Value::Int(digits), Ty::Decimal { scale, .. }) => decimal_to_float(*digits, *scale),
        (Value::Int(i), _) => *i as f64,
        (Value::F32(x), _) => f64::from(*x),
        (Value::F64(x), _) => *x,
        (other, _) => mismatch("a number", other),
    }
}

/// The float nearest to a decimal: by one division where its digits and the power of ten are floats, else by its text. Both round once;
/// `digits as f64 / 10^scale` by itself rounds up to three times.
#[inline]
pub fn decimal_to_float(digits: i128, scale: u8) -> f64 {
    if digits.unsigned_abs() <= 1 << 53 && scale <= 22 {
        return digits as f64 / ten_to(scale.into());
    }
    format!("{digits}e-{scale}").parse().expect("digits and an exponent are a float")
}

/// The mean of elements, of which there is at least one.
pub(super) fn mean_of(ty: &Ty, items: &[&Value]) -> Result<f64, Raised> {
    let sum = match ty {
        Ty::Decimal { scale, .. } if let Some(sum) = exact(items) => decimal_to_float(sum, *scale),
        // A sum of decimals beyond 128 bits is added up in floats like everything else.
        _ => items.iter().fold(0.0, |sum, item| sum + float(ty, item)),
    };
    Ok(sum / items.len() as f64)
}

pub(super) fn mean(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    match taken(skip, cell) {
        Some(items) if !items.is_empty() => Ok(rounded(call, mean_of(element(call), &items)?)),
        _ => Ok(Value::Null),
    }
}

pub(super) fn var(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    Ok(variance(call, skip, cell)?.map_or(Value::Null, |x| rounded(call, x)))
}

pub(super) fn std(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    Ok(variance(call, skip, cell)?.map_or(Value::Null, |x| rounded(call, x.sqrt())))
}

fn variance(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Option<f64>, Stop> {
    let Some(items) = taken(skip, cell) else { return Ok(None) };
    let freedom = items.len() as i128 - i128::from(call.attr::<i64>(2));
    if items.is_empty() || freedom <= 0 {
        return Ok(None);
    }
    let ty = element(call);
    let mean = mean_of(ty, &items)?;
    let squares = items.iter().fold(0.0, |sum, item| {
        let off = float(ty, item) - mean;
        sum + off * off
    });
    Ok(Some(squares / freedom as f64))
}

pub(super) fn skew(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Value {
    of_moments(call, skip, cell, 3, skewness)
}

pub(super) fn kurt(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Value {
    of_moments(call, skip, cell, 4, kurtosis)
}

/// What is made of numbers, of which there must be at least `least`.
fn of_moments(call: &Call<'_>, skip: Skip, cell: &[&Value], least: usize, make: fn(&[f64]) -> f64) -> Value {
    match taken(skip, cell) {
        Some(items) if items.len() >= least => {
            let ty = element(call);
            rounded(call, make(&items.iter().map(|item| float(ty, item)).collect::<Vec<f64>>()))
        }
        _ => Value::Null,
    }
}

/// The skewness of at least three numbers, corrected for their count as pandas does; NaN where they are all equal.
pub fn skewness(numbers: &[f64]) -> f64 {
    let Some((second, third)) = powers(numbers, |off, square| square * off) else { return f64::NAN };
    skewness_of(numbers.len() as f64, second, third)
}

/// The excess kurtosis of at least four numbers, corrected for their count as pandas does; NaN where they are all equal.
pub fn kurtosis(numbers: &[f64]) -> f64 {
    let Some((second, fourth)) = powers(numbers, |_, square| square * square) else { return f64::NAN };
    kurtosis_of(numbers.len() as f64, second, fourth)
}

/// The sums of the squares of the distances from the mean, and of a higher power; nothing where all are equal.
fn powers(numbers: &[f64], higher: impl Fn(f64, f64) -> f64) -> Option<(f64, f64)> {
    // Asked before the mean is: three times 0.1 has a mean just above 0.1, and so a skewness of pure rounding.
    if numbers.iter().all(|&x| x == numbers[0]) {
        return None;
    }
    let mean = numbers.iter().fold(0.0, |sum, x| sum + x) / numbers.len() as f64;
    let mut sums = (0.0, 0.0);
    for x in numbers {
        let off = x - mean;
        let square = off * off;
        sums = (sums.0 + square, sums.1 + higher(off, square));
    }
    Some(sums)
}

/// The skewness of `count` numbers, by the sums of the squares and the cubes of their distances from the mean.
#[inline]
pub fn skewness_of(count: f64, second: f64, third: f64) -> f64 {
    // A square root is the same on every machine; a power of 1.5 is not.
    count * (count - 1.0).sqrt() / (count - 2.0) * (third / (second * second.sqrt()))
}

/// The excess kurtosis of `count` numbers, by the sums of the squares and the fourth powers of their distances from the mean.
#[inline]
pub fn kurtosis_of(count: f64, second: f64, fourth: f64) -> f64 {
    let less = count - 1.0;
    less / ((count - 2.0) * (count - 3.0)) * (count * (count + 1.0) * (fourth / (second * second)) - 3.0 * less)
}
