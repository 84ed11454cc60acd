//! Running results.

use super::among::{Among, One, PerGroup, States};
use crate::array::call::ArrayCall;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::functions::views;
use crate::reduce::{Number, Numbers};
use airloom_ir::attrs::Skip;
use airloom_ir::oracle::formula::DECIMAL_LIMIT;
use airloom_ir::types::Ty;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, Int64Array, UInt32Array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{concat, take};
use std::cmp::Ordering;
use std::sync::Arc;

/// The positions of an array, from its end where `reverse`.
fn places(count: usize, reverse: bool) -> impl Iterator<Item = usize> {
    (0..count).map(move |at| if reverse { count - 1 - at } else { at })
}

/// What a result has come to.
#[derive(Clone, Copy, Default)]
struct SoFar<R> {
    result: R,
    /// Whether there was an element yet that counts.
    begun: bool,
    /// Whether there was a null that is not passed over: all after it is null.
    lost: bool,
}

impl<R: Native> SoFar<R> {
    #[inline(always)]
    fn next<N>(&mut self, x: N, widen: impl Fn(N) -> R, combine: impl Fn(R, N) -> Option<R>) -> Option<R> {
        self.result = if self.begun { combine(self.result, x)? } else { widen(x) };
        self.begun = true;
        Some(self.result)
    }
}

/// What `combine` makes of all elements up to each position. An element that is passed over is its own result; a null that is not makes all after it null.
#[inline(always)]
fn running<N: Number, R: Native>(
    call: &ArrayCall<'_>,
    numbers: &Numbers<N>,
    among: Among<'_>,
    widen: impl Fn(N) -> R,
    combine: impl Fn(R, N) -> Option<R>,
) -> Option<ArrayRef> {
    match among {
        Among::All => results(call, numbers, &mut One(SoFar::default()), false, widen, combine),
        Among::Groups(groups) => results(call, numbers, &mut PerGroup::new(groups, SoFar::default()), false, widen, combine),
        Among::Onward(carried) => {
            let before: Option<R> = carried.so_far.as_ref().and_then(|result| R::numbers(result)?.first().copied());
            let mut so_far = One(SoFar { result: before.unwrap_or_default(), begun: before.is_some(), lost: carried.lost });
            let made = results(call, numbers, &mut so_far, carried.lost, widen, combine)?;
            let One(SoFar { result, begun, lost }) = so_far;
            carried.so_far = begun.then(|| numbers_to_array(call.types, call.result_element(), vec![result], None));
            carried.lost = lost;
            Some(made)
        }
    }
}

/// The results, going on from what there is. `lost` says that there is a result that a null has ended.
#[inline(always)]
fn results<N: Number, R: Native>(
    call: &ArrayCall<'_>,
    numbers: &Numbers<N>,
    states: &mut impl States<SoFar<R>>,
    lost: bool,
    widen: impl Fn(N) -> R,
    combine: impl Fn(R, N) -> Option<R>,
) -> Option<ArrayRef> {
    let (count, reverse): (_, bool) = (numbers.numbers.len(), call.attr(1));
    let mut results = vec![R::default(); count];
    let all_valid = lost.then(|| NullBuffer::new_valid(count));
    let Some(nulls) = numbers.nulls.as_ref().or(all_valid.as_ref()) else {
        for at in places(count, reverse) {
            let x = numbers.numbers[at];
            let passed = numbers.skip_nan && x.nan();
            results[at] = if passed { widen(x) } else { states.at(at).next(x, &widen, &combine)? };
        }
        return Some(numbers_to_array(call.types, call.result_element(), results, None));
    };
    let mut valid = vec![true; count];
    for at in places(count, reverse) {
        let (x, so_far) = (numbers.numbers[at], states.at(at));
        if nulls.is_null(at) {
            valid[at] = false;
            so_far.lost |= !numbers.skip_null;
        } else if numbers.skip_nan && x.nan() {
            results[at] = widen(x);
        } else if so_far.lost {
            valid[at] = false;
        } else {
            results[at] = so_far.next(x, &widen, &combine)?;
        }
    }
    Some(numbers_to_array(call.types, call.result_element(), results, Some(NullBuffer::new(BooleanBuffer::from(valid)))))
}

fn skip(call: &ArrayCall<'_>) -> Skip {
    call.attr(0)
}

pub(super) fn sum(call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => running(call, &Numbers::of_truths(items.as_boolean_opt()?, skip(call)), among, i64::from, |sum: i64, x| {
            Some(sum + i64::from(x))
        }),
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, among, |x| x, |sum, x| Some(sum + x)),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, among, |x| x, |sum, x| Some(sum + x)),
        ty @ Ty::Decimal { .. } => by_width!(Width::of(ty)?, N => {
            let fits = |sum: &i128| sum.unsigned_abs() < DECIMAL_LIMIT;
            running(call, &Numbers::<N>::of(items, skip(call))?, among, N::wide, |sum: i128, x| sum.checked_add(x.wide()).filter(fits))
        }),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, among, N::low, |sum: u64, x| Some(sum.wrapping_add(x.low()))),
                _ => running(call, &numbers, among, |x| x.low() as i64, |sum: i64, x| Some(sum.wrapping_add(x.low() as i64))),
            }
        }),
    }
}

pub(super) fn product(call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => running(call, &Numbers::of_truths(items.as_boolean_opt()?, skip(call)), among, i64::from, |sum: i64, x| {
            Some(sum * i64::from(x))
        }),
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, among, |x| x, |product, x| Some(product * x)),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, among, |x| x, |product, x| Some(product * x)),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, among, N::low, |product: u64, x| Some(product.wrapping_mul(x.low()))),
                _ => running(call, &numbers, among, |x| x.low() as i64, |product: i64, x| Some(product.wrapping_mul(x.low() as i64))),
            }
        }),
    }
}

/// The minimum or the maximum so far: that to which the others give way. NaN stays.
pub(super) fn extreme(call: &ArrayCall<'_>, items: &ArrayRef, wanted: Ordering, among: Among<'_>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => None,
        Ty::Str => of_bytes(call, items, ArrayRef::as_string_view_opt, wanted, among),
        Ty::Bytes => of_bytes(call, items, ArrayRef::as_binary_view_opt, wanted, among),
        ty => by_width!(Width::of(ty)?, N => {
            let better = |best: N, x: N| !best.nan() && (x.nan() || x.signed_total(best) == wanted);
            running(call, &Numbers::<N>::of(items, skip(call))?, among, |x| x, |best: N, x: N| Some(if better(best, x) { x } else { best }))
        }),
    }
}

fn of_bytes<T: ByteViewType>(
    call: &ArrayCall<'_>,
    items: &ArrayRef,
    as_views: impl Fn(&ArrayRef) -> Option<&GenericByteViewArray<T>>,
    wanted: Ordering,
    among: Among<'_>,
) -> Option<ArrayRef> {
    match among {
        Among::All => bests(call, items, as_views, wanted, &mut One(Best::default())),
        Among::Groups(groups) => bests(call, items, as_views, wanted, &mut PerGroup::new(groups, Best::default())),
        Among::Onward(carried) => {
            // The result so far is compared as if it were the first element.
            let before = carried.so_far.take();
            let first = usize::from(before.is_some());
            let items = before.map_or(Ok(items.clone()), |before| concat(&[&before, items])).ok()?;
            let mut best = One(Best { at: None, lost: carried.lost });
            let made = bests(call, &items, as_views, wanted, &mut best)?;
            (carried.so_far, carried.lost) = (best.0.at.map(|at| items.slice(at as usize, 1)), best.0.lost);
            Some(made.slice(first, made.len() - first))
        }
    }
}

/// The best text so far.
#[derive(Clone, Copy, Default)]
struct Best {
    at: Option<u32>,
    /// Whether there was a null that is not passed over.
    lost: bool,
}

fn bests<T: ByteViewType>(
    call: &ArrayCall<'_>,
    items: &ArrayRef,
    as_views: impl Fn(&ArrayRef) -> Option<&GenericByteViewArray<T>>,
    wanted: Ordering,
    states: &mut impl States<Best>,
) -> Option<ArrayRef> {
    let skip_null = matches!(skip(call), Skip::Null | Skip::All);
    let texts = as_views(items)?;
    let mut found: Vec<Option<u32>> = vec![None; texts.len()];
    for at in places(texts.len(), call.attr(1)) {
        let best = states.at(at);
        best.lost |= texts.is_null(at) && !skip_null;
        if best.lost || texts.is_null(at) {
            continue;
        }
        if best.at.is_none_or(|best| views::order(texts, at, texts, best as usize) == wanted) {
            best.at = Some(u32::try_from(at).ok()?);
        }
        found[at] = best.at;
    }
    take(items, &UInt32Array::from(found), None).ok()
}

pub(super) fn count(call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    let skip = skip(call);
    let (skip_null, skip_nan) = (matches!(skip, Skip::Null | Skip::All), matches!(skip, Skip::Nan | Skip::All));
    let nan = |at: usize| match call.types.plain(call.element(0)) {
        Ty::F32 => f32::numbers(items).is_some_and(|x| x[at].is_nan()),
        Ty::F64 => f64::numbers(items).is_some_and(|x| x[at].is_nan()),
        _ => false,
    };
    let counted = |states: &mut dyn FnMut(usize) -> i64| -> ArrayRef {
        let mut counts = vec![0i64; items.len()];
        places(items.len(), call.attr(1)).for_each(|at| counts[at] = states(at));
        numbers_to_array(call.types, call.result_element(), counts, None)
    };
    let adds = |at: usize| i64::from(!if items.is_null(at) { skip_null } else { skip_nan && nan(at) });
    Some(totals(among, adds, counted))
}

/// The place of each element.
pub(super) fn numbers(items: &ArrayRef, among: Among<'_>) -> ArrayRef {
    totals(among, |_| 1, |total| Arc::new(Int64Array::from_iter_values((0..items.len()).map(|at| total(at) - 1))))
}

/// What is made of totals of what positions add, each asked for once and in order.
fn totals(among: Among<'_>, adds: impl Fn(usize) -> i64, made: impl FnOnce(&mut dyn FnMut(usize) -> i64) -> ArrayRef) -> ArrayRef {
    let add = |total: &mut i64, at: usize| {
        *total += adds(at);
        *total
    };
    match among {
        Among::All => {
            let mut total = 0;
            made(&mut |at| add(&mut total, at))
        }
        Among::Onward(carried) => made(&mut |at| add(&mut carried.count, at)),
        Among::Groups(groups) => {
            let mut totals = PerGroup::new(groups, 0i64);
            made(&mut |at| add(totals.at(at), at))
        }
    }
}
