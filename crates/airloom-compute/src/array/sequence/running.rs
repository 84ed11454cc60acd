//! Running results.

use crate::array::call::ArrayCall;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::functions::views;
use crate::reduce::{Number, Numbers};
use airloom_ir::attrs::Skip;
use airloom_ir::oracle::formula::DECIMAL_LIMIT;
use airloom_ir::types::Ty;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, UInt64Array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::take;
use std::cmp::Ordering;

/// The positions of an array, from its end where `reverse`.
fn places(count: usize, reverse: bool) -> impl Iterator<Item = usize> {
    (0..count).map(move |at| if reverse { count - 1 - at } else { at })
}

/// What `combine` makes of all elements up to each position. An element that is passed over is its own result; a null that is not makes all after it null.
#[inline(always)]
fn running<N: Number, R: Native>(
    call: &ArrayCall<'_>,
    numbers: &Numbers<N>,
    widen: impl Fn(N) -> R,
    combine: impl Fn(R, N) -> Option<R>,
) -> Option<ArrayRef> {
    let (count, reverse): (_, bool) = (numbers.numbers.len(), call.attr(1));
    let mut results = vec![R::default(); count];
    let Some(nulls) = &numbers.nulls else {
        let mut so_far: Option<R> = None;
        for at in places(count, reverse) {
            let x = numbers.numbers[at];
            if numbers.skip_nan && x.nan() {
                results[at] = widen(x);
                continue;
            }
            let next = match so_far {
                Some(old) => combine(old, x)?,
                None => widen(x),
            };
            results[at] = next;
            so_far = Some(next);
        }
        return Some(numbers_to_array(call.types, call.result_element(), results, None));
    };
    let mut valid = vec![true; count];
    let (mut so_far, mut lost): (Option<R>, bool) = (None, false);
    for at in places(count, reverse) {
        let x = numbers.numbers[at];
        if nulls.is_null(at) {
            valid[at] = false;
            lost |= !numbers.skip_null;
        } else if numbers.skip_nan && x.nan() {
            results[at] = widen(x);
        } else if lost {
            valid[at] = false;
        } else {
            let next = match so_far {
                Some(old) => combine(old, x)?,
                None => widen(x),
            };
            results[at] = next;
            so_far = Some(next);
        }
    }
    Some(numbers_to_array(call.types, call.result_element(), results, Some(NullBuffer::new(BooleanBuffer::from(valid)))))
}

fn skip(call: &ArrayCall<'_>) -> Skip {
    call.attr(0)
}

pub(super) fn sum(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => {
            running(call, &Numbers::of_truths(items.as_boolean_opt()?, skip(call)), i64::from, |sum: i64, x| Some(sum + i64::from(x)))
        }
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, |x| x, |sum, x| Some(sum + x)),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, |x| x, |sum, x| Some(sum + x)),
        ty @ Ty::Decimal { .. } => by_width!(Width::of(ty)?, N => {
            let fits = |sum: &i128| sum.unsigned_abs() < DECIMAL_LIMIT;
            running(call, &Numbers::<N>::of(items, skip(call))?, N::wide, |sum: i128, x| sum.checked_add(x.wide()).filter(fits))
        }),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, N::low, |sum: u64, x| Some(sum.wrapping_add(x.low()))),
                _ => running(call, &numbers, |x| x.low() as i64, |sum: i64, x| Some(sum.wrapping_add(x.low() as i64))),
            }
        }),
    }
}

pub(super) fn product(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => {
            running(call, &Numbers::of_truths(items.as_boolean_opt()?, skip(call)), i64::from, |sum: i64, x| Some(sum * i64::from(x)))
        }
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, |x| x, |product, x| Some(product * x)),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, |x| x, |product, x| Some(product * x)),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, N::low, |product: u64, x| Some(product.wrapping_mul(x.low()))),
                _ => running(call, &numbers, |x| x.low() as i64, |product: i64, x| Some(product.wrapping_mul(x.low() as i64))),
            }
        }),
    }
}

/// The minimum or the maximum so far: that to which the others give way. NaN stays.
pub(super) fn extreme(call: &ArrayCall<'_>, items: &ArrayRef, wanted: Ordering) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => None,
        Ty::Str => of_bytes(call, items, items.as_string_view_opt()?, wanted),
        Ty::Bytes => of_bytes(call, items, items.as_binary_view_opt()?, wanted),
        ty => by_width!(Width::of(ty)?, N => {
            let better = |best: N, x: N| !best.nan() && (x.nan() || x.signed_total(best) == wanted);
            running(call, &Numbers::<N>::of(items, skip(call))?, |x| x, |best: N, x: N| Some(if better(best, x) { x } else { best }))
        }),
    }
}

fn of_bytes<T: ByteViewType>(
    call: &ArrayCall<'_>,
    items: &ArrayRef,
    texts: &GenericByteViewArray<T>,
    wanted: Ordering,
) -> Option<ArrayRef> {
    let skip_null = matches!(skip(call), Skip::Null | Skip::All);
    let mut found: Vec<Option<u64>> = vec![None; texts.len()];
    let mut best: Option<usize> = None;
    for at in places(texts.len(), call.attr(1)) {
        if texts.is_null(at) {
            if skip_null {
                continue;
            }
            break;
        }
        if best.is_none_or(|best| views::order(texts, at, texts, best) == wanted) {
            best = Some(at);
        }
        found[at] = best.map(|best| best as u64);
    }
    take(items, &UInt64Array::from(found), None).ok()
}

pub(super) fn count(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let skip = skip(call);
    let (skip_null, skip_nan) = (matches!(skip, Skip::Null | Skip::All), matches!(skip, Skip::Nan | Skip::All));
    let nan = |at: usize| match call.types.plain(call.element(0)) {
        Ty::F32 => f32::numbers(items).is_some_and(|x| x[at].is_nan()),
        Ty::F64 => f64::numbers(items).is_some_and(|x| x[at].is_nan()),
        _ => false,
    };
    let mut counts = vec![0i64; items.len()];
    let mut count = 0;
    for at in places(items.len(), call.attr(1)) {
        let passed = if items.is_null(at) { skip_null } else { skip_nan && nan(at) };
        count += i64::from(!passed);
        counts[at] = count;
    }
    Some(numbers_to_array(call.types, call.result_element(), counts, None))
}
