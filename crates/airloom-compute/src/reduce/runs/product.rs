//! Products, and the exact sums that means of decimals begin with.

use super::numbers::Taken;
use super::{Number, Numbers, RunReducer, RunReduction};
use airloom_ir::oracle::formula::ExactSum;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;

/// The exact sum of integers: partial sums may be as large as they like. Nothing where 128 bits do not hold it.
pub(super) fn exact<N: Number>(taken: &Taken<'_, N>) -> Option<i128> {
    if size_of::<N>() <= 8 {
        // No memory holds as many numbers of 64 bits as it takes for their sum not to fit 128.
        return Some(taken.fold(0i128, |sum, x| sum + x.wide()));
    }
    taken.fold(ExactSum::default(), |sum, x| sum.plus(x.wide())).total()
}

pub(super) fn product<'a, N: Number>(reduction: RunReduction<'a>, numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    summed(reduction, numbers, move |taken| match N::UNSIGNED {
        None if size_of::<N>() == 4 => Some(Value::F32(taken.fold(1.0f32, |product, x| product * x.float() as f32))),
        None => Some(Value::F64(taken.fold(1.0f64, |product, x| product * x.float()))),
        Some(unsigned) => Some(modular(taken.fold(1u64, |product, x| product.wrapping_mul(x.low())), unsigned, reduction)),
    })
}

/// A number of 64 bits, signed or not: those of booleans, which are stored as unsigned bytes, are signed.
fn modular(number: u64, unsigned: bool, reduction: RunReduction<'_>) -> Value {
    let unsigned = unsigned && !matches!(reduction.types.plain(reduction.element), Ty::Bool);
    Value::Int(if unsigned { number.into() } else { (number as i64).into() })
}

/// Null where a null counts, or where fewer than `min_count` are taken.
fn summed<'a, N: Number>(
    reduction: RunReduction<'a>,
    numbers: Numbers<N>,
    make: impl Fn(&Taken<'_, N>) -> Option<Value> + 'a,
) -> Option<RunReducer<'a>> {
    let least: i64 = reduction.attr(2);
    Some(Box::new(move |range| {
        let Some(taken) = numbers.taken(range) else { return Some(Value::Null) };
        if least > 0 && (taken.count() as i128) < i128::from(least) { Some(Value::Null) } else { make(&taken) }
    }))
}
