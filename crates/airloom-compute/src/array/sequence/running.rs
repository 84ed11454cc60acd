//! Running results.

use super::carried::Carried;
use crate::array::call::ArrayCall;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::functions::views;
use crate::reduce::{Number, Numbers};
use airloom_ir::attrs::Skip;
use airloom_ir::oracle::formula::DECIMAL_LIMIT;
use airloom_ir::types::Ty;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, Int64Array, UInt64Array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{concat, take};
use std::cmp::Ordering;
use std::sync::Arc;

/// The positions of an array, from its end where `reverse`.
fn places(count: usize, reverse: bool) -> impl Iterator<Item = usize> {
    (0..count).map(move |at| if reverse { count - 1 - at } else { at })
}

/// What `combine` makes of all elements up to each position. An element that is passed over is its own result; a null that is not makes all after it null.
#[inline(always)]
fn running<N: Number, R: Native>(
    call: &ArrayCall<'_>,
    numbers: &Numbers<N>,
    carried: Option<&mut Carried>,
    widen: impl Fn(N) -> R,
    combine: impl Fn(R, N) -> Option<R>,
) -> Option<ArrayRef> {
    let (count, reverse): (_, bool) = (numbers.numbers.len(), call.attr(1));
    let mut results = vec![R::default(); count];
    let mut lost = carried.as_ref().is_some_and(|carried| carried.lost);
    let mut so_far: Option<R> = carried.as_ref().and_then(|carried| R::numbers(carried.so_far.as_ref()?)?.first().copied());
    let leave = |so_far: Option<R>, lost: bool| {
        if let Some(carried) = carried {
            carried.so_far = so_far.map(|result| numbers_to_array(call.types, call.result_element(), vec![result], None));
            carried.lost = lost;
        }
    };
    let all_valid = lost.then(|| NullBuffer::new_valid(count));
    let Some(nulls) = numbers.nulls.as_ref().or(all_valid.as_ref()) else {
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
        leave(so_far, false);
        return Some(numbers_to_array(call.types, call.result_element(), results, None));
    };
    let mut valid = vec![true; count];
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
    leave(so_far, lost);
    Some(numbers_to_array(call.types, call.result_element(), results, Some(NullBuffer::new(BooleanBuffer::from(valid)))))
}

fn skip(call: &ArrayCall<'_>) -> Skip {
    call.attr(0)
}

pub(super) fn sum(call: &ArrayCall<'_>, items: &ArrayRef, carried: Option<&mut Carried>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => running(call, &Numbers::of_truths(items.as_boolean_opt()?, skip(call)), carried, i64::from, |sum: i64, x| {
            Some(sum + i64::from(x))
        }),
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, carried, |x| x, |sum, x| Some(sum + x)),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, carried, |x| x, |sum, x| Some(sum + x)),
        ty @ Ty::Decimal { .. } => by_width!(Width::of(ty)?, N => {
            let fits = |sum: &i128| sum.unsigned_abs() < DECIMAL_LIMIT;
            running(call, &Numbers::<N>::of(items, skip(call))?, carried, N::wide, |sum: i128, x| sum.checked_add(x.wide()).filter(fits))
        }),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, carried, N::low, |sum: u64, x| Some(sum.wrapping_add(x.low()))),
                _ => running(call, &numbers, carried, |x| x.low() as i64, |sum: i64, x| Some(sum.wrapping_add(x.low() as i64))),
            }
        }),
    }
}

pub(super) fn product(call: &ArrayCall<'_>, items: &ArrayRef, carried: Option<&mut Carried>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => running(call, &Numbers::of_truths(items.as_boolean_opt()?, skip(call)), carried, i64::from, |sum: i64, x| {
            Some(sum * i64::from(x))
        }),
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, carried, |x| x, |product, x| Some(product * x)),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, carried, |x| x, |product, x| Some(product * x)),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, carried, N::low, |product: u64, x| Some(product.wrapping_mul(x.low()))),
                _ => running(call, &numbers, carried, |x| x.low() as i64, |product: i64, x| Some(product.wrapping_mul(x.low() as i64))),
            }
        }),
    }
}

/// The minimum or the maximum so far: that to which the others give way. NaN stays.
pub(super) fn extreme(call: &ArrayCall<'_>, items: &ArrayRef, wanted: Ordering, carried: Option<&mut Carried>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => None,
        Ty::Str => of_bytes(call, items, ArrayRef::as_string_view_opt, wanted, carried),
        Ty::Bytes => of_bytes(call, items, ArrayRef::as_binary_view_opt, wanted, carried),
        ty => by_width!(Width::of(ty)?, N => {
            let better = |best: N, x: N| !best.nan() && (x.nan() || x.signed_total(best) == wanted);
            running(call, &Numbers::<N>::of(items, skip(call))?, carried, |x| x, |best: N, x: N| Some(if better(best, x) { x } else { best }))
        }),
    }
}

fn of_bytes<T: ByteViewType>(
    call: &ArrayCall<'_>,
    items: &ArrayRef,
    as_views: impl Fn(&ArrayRef) -> Option<&GenericByteViewArray<T>>,
    wanted: Ordering,
    carried: Option<&mut Carried>,
) -> Option<ArrayRef> {
    let skip_null = matches!(skip(call), Skip::Null | Skip::All);
    // The result so far is compared as if it were the first element.
    let before = carried.as_ref().and_then(|carried| carried.so_far.clone());
    let first = usize::from(before.is_some());
    let items = &before.map_or(Ok(items.clone()), |before| concat(&[&before, items])).ok()?;
    let texts = as_views(items)?;
    let mut found: Vec<Option<u64>> = vec![None; texts.len()];
    let (mut best, mut lost): (Option<usize>, bool) = (None, carried.as_ref().is_some_and(|carried| carried.lost));
    for at in places(texts.len(), call.attr(1)) {
        lost |= texts.is_null(at) && !skip_null;
        if lost {
            break;
        }
        if texts.is_null(at) {
            continue;
        }
        if best.is_none_or(|best| views::order(texts, at, texts, best) == wanted) {
            best = Some(at);
        }
        found[at] = best.map(|best| best as u64);
    }
    if let Some(carried) = carried {
        (carried.so_far, carried.lost) = (best.map(|best| items.slice(best, 1)), lost);
    }
    take(items, &UInt64Array::from(found.split_off(first)), None).ok()
}

pub(super) fn count(call: &ArrayCall<'_>, items: &ArrayRef, carried: Option<&mut Carried>) -> Option<ArrayRef> {
    let skip = skip(call);
    let (skip_null, skip_nan) = (matches!(skip, Skip::Null | Skip::All), matches!(skip, Skip::Nan | Skip::All));
    let nan = |at: usize| match call.types.plain(call.element(0)) {
        Ty::F32 => f32::numbers(items).is_some_and(|x| x[at].is_nan()),
        Ty::F64 => f64::numbers(items).is_some_and(|x| x[at].is_nan()),
        _ => false,
    };
    let mut counts = vec![0i64; items.len()];
    let mut count = carried.as_ref().map_or(0, |carried| carried.count);
    for at in places(items.len(), call.attr(1)) {
        let passed = if items.is_null(at) { skip_null } else { skip_nan && nan(at) };
        count += i64::from(!passed);
        counts[at] = count;
    }
    if let Some(carried) = carried {
        carried.count = count;
    }
    Some(numbers_to_array(call.types, call.result_element(), counts, None))
}

/// The place of each element.
pub(super) fn numbers(items: &ArrayRef, carried: Option<&mut Carried>) -> ArrayRef {
    let first = carried.as_ref().map_or(0, |carried| carried.count);
    if let Some(carried) = carried {
        carried.count += items.len() as i64;
    }
    Arc::new(Int64Array::from_iter_values(first..first + items.len() as i64))
}
