//! Numbers.

mod decimal;
mod float;
mod whole;

use super::call::KernelCall;
use super::logic;
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Side, buffer_to_array, each_pair, holds, numbers_to_array};
use airloom_ir::attrs::{NanPick, Overflow, ZeroDivide};
use airloom_ir::ops::number::Number;
use airloom_ir::oracle::formula::random_bits;
use airloom_ir::types::Ty;

/// The result in every row, where there is a kernel for it and no row raises.
pub(super) fn fast(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    if op == Number::RandBits {
        return made(call, each_pair(call.rows, &Side::<u64>::of(&call.args[0])?, &Side::<u64>::of(&call.args[1])?, random_bits));
    }
    match call.plain(0) {
        Ty::F32 => float::fast::<f32>(op, call),
        Ty::F64 => float::fast::<f64>(op, call),
        Ty::Decimal { .. } if !matches!(op, Number::Least | Number::Greatest) => decimal::fast(op, call),
        Ty::Bool | Ty::Str | Ty::Bytes => logic::pick(op, call),
        _ => whole::fast(op, call),
    }
}

/// What a kernel does where the result does not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It gives up: the oracle raises.
    Raise,
    /// It gives null.
    Null,
}

impl Misfit {
    /// By the attribute `overflow`, which comes first; nothing where numbers wrap.
    pub(super) fn of_overflow(call: &KernelCall<'_>) -> Option<Misfit> {
        match call.attr(0) {
            Overflow::Wrap => None,
            Overflow::Raise => Some(Misfit::Raise),
            Overflow::Null => Some(Misfit::Null),
        }
    }

    /// By the attribute `zero`, which comes first; nothing where it is zero.
    fn of_zero(call: &KernelCall<'_>) -> Option<Misfit> {
        match call.attr(0) {
            ZeroDivide::Raise => Some(Misfit::Raise),
            ZeroDivide::Null => Some(Misfit::Null),
            ZeroDivide::Zero => None,
        }
    }
}

/// The results of a loop that cannot fail.
fn made<N: Native>(call: &KernelCall<'_>, numbers: Vec<N>) -> Option<Vector> {
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, numbers, call.nulls())))
}

/// An argument as it is, under the type of the result.
fn unchanged<N: Native>(call: &KernelCall<'_>) -> Option<Vector> {
    match Side::<N>::of(&call.args[0])? {
        Side::Many(numbers) => Some(Vector::Flat(buffer_to_array(call.types, call.ty, numbers, call.nulls()))),
        Side::One(_) => None,
    }
}

/// The results of a loop over pairs, each with whether it misfits. Which rows do is only asked when there is one.
#[inline(always)]
pub(super) fn fitted<A: Native, B: Native, R: Native>(
    call: &KernelCall<'_>,
    left: &Side<A>,
    right: &Side<B>,
    misfit: Option<Misfit>,
    make: impl Fn(A, B) -> (R, bool) + Copy,
) -> Option<Vector> {
    let Some(misfit) = misfit else { return made(call, each_pair(call.rows, left, right, move |x, y| make(x, y).0)) };
    let wrong = std::cell::Cell::new(false);
    let numbers = each_pair(call.rows, left, right, |x, y| {
        let (number, misfits) = make(x, y);
        wrong.set(wrong.get() | misfits);
        number
    });
    let nulls = call.nulls();
    if !wrong.get() {
        return Some(Vector::Flat(numbers_to_array(call.types, call.ty, numbers, nulls)));
    }
    let misfits = holds(call.rows, left, right, move |x, y| make(x, y).1);
    let nulls = match misfit {
        Misfit::Raise if bits::any_valid(&misfits, nulls.as_ref()) => return None,
        Misfit::Raise => nulls,
        Misfit::Null => bits::with_nulls(nulls.as_ref(), &misfits),
    };
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, numbers, nulls)))
}

/// The same for one argument.
#[inline(always)]
fn fitted_one<A: Native, R: Native>(
    call: &KernelCall<'_>,
    side: &Side<A>,
    misfit: Option<Misfit>,
    make: impl Fn(A) -> (R, bool) + Copy,
) -> Option<Vector> {
    fitted(call, side, &Side::One(0u8), misfit, move |x, _| make(x))
}

/// Which of two numbers is asked for, and what NaN does.
#[derive(Clone, Copy)]
struct Pick {
    least: bool,
    nan: NanPick,
}

impl Pick {
    fn of(op: Number, call: &KernelCall<'_>) -> Pick {
        Pick { least: op == Number::Least, nan: call.attr(0) }
    }
}
