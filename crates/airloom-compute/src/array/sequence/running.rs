//! Running results.

use super::among::{Among, GroupsInPlace, One, PerGroup, States, in_pieces, places};
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

/// What a result has come to.
#[derive(Clone, Copy, Default)]
struct SoFar<R> {
    result: R,
    /// Whether there was an element yet that counts.
    begun: bool,
    /// Whether there was a null that is not passed over: all after it is null.
    lost: bool,
}

/// How the elements of a running result come to it.
struct Steps<'a, N: Number, W, C> {
    numbers: &'a Numbers<N>,
    /// The result of the first.
    widen: W,
    /// That of a later one, given the one before; nothing where that raises.
    combine: C,
}

impl<N: Number, W, C> Steps<'_, N, W, C> {
    /// The result of an element that is not null: one that is passed over is its own.
    #[inline(always)]
    fn next<R: Native>(&self, so_far: &mut SoFar<R>, at: usize) -> Option<R>
    where
        W: Fn(N) -> R,
        C: Fn(R, N) -> Option<R>,
    {
        let x = self.numbers.numbers[at];
        if self.numbers.skip_nan && x.nan() {
            return Some((self.widen)(x));
        }
        so_far.result = if so_far.begun { (self.combine)(so_far.result, x)? } else { (self.widen)(x) };
        so_far.begun = true;
        Some(so_far.result)
    }

    /// The result of an element that may be null. A null that is not passed over makes all after it null.
    #[inline(always)]
    fn next_or_null<R: Native>(&self, nulls: &NullBuffer, so_far: &mut SoFar<R>, at: usize) -> Option<Option<R>>
    where
        W: Fn(N) -> R,
        C: Fn(R, N) -> Option<R>,
    {
        if nulls.is_null(at) {
            so_far.lost |= !self.numbers.skip_null;
            return Some(None);
        }
        let passed = self.numbers.skip_nan && self.numbers.numbers[at].nan();
        if so_far.lost && !passed { Some(None) } else { self.next(so_far, at).map(Some) }
    }
}

/// Where results only follow from one element after the other: sums of floats that are added in another order have other bits.
fn one_by_one<R>() -> Option<fn(R, R) -> Option<R>> {
    None
}

/// What `combine` makes of all elements up to each position. `merge` says what two parts of the elements come to, one after the other, given what each comes to by itself, where that is the same.
#[inline(always)]
fn running<N: Number, R: Native>(
    call: &ArrayCall<'_>,
    numbers: &Numbers<N>,
    among: Among<'_>,
    widen: impl Fn(N) -> R + Sync,
    combine: impl Fn(R, N) -> Option<R> + Sync,
    merge: Option<impl Fn(R, R) -> Option<R>>,
) -> Option<ArrayRef> {
    let steps = Steps { numbers, widen, combine };
    match (among, merge) {
        (Among::All, _) => results(call, &steps, &mut One(SoFar::default()), false),
        (Among::Groups(groups), Some(merge)) if groups.go_in_pieces() => results_in_pieces(call, &steps, groups, merge),
        (Among::Groups(groups), _) => results(call, &steps, &mut PerGroup::new(groups, SoFar::default()), false),
        (Among::Onward(carried), _) => {
            let before: Option<R> = carried.so_far.as_ref().and_then(|result| R::numbers(result)?.first().copied());
            let mut so_far = One(SoFar { result: before.unwrap_or_default(), begun: before.is_some(), lost: carried.lost });
            let made = results(call, &steps, &mut so_far, carried.lost)?;
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
    steps: &Steps<'_, N, impl Fn(N) -> R, impl Fn(R, N) -> Option<R>>,
    states: &mut impl States<SoFar<R>>,
    lost: bool,
) -> Option<ArrayRef> {
    let (count, reverse): (_, bool) = (steps.numbers.numbers.len(), call.attr(1));
    let mut results = vec![R::default(); count];
    let all_valid = lost.then(|| NullBuffer::new_valid(count));
    let Some(nulls) = steps.numbers.nulls.as_ref().or(all_valid.as_ref()) else {
        for at in places(0..count, reverse) {
            results[at] = steps.next(states.at(at), at)?;
        }
        return Some(numbers_to_array(call.types, call.result_element(), results, None));
    };
    let mut valid = vec![true; count];
    for at in places(0..count, reverse) {
        match steps.next_or_null(nulls, states.at(at), at)? {
            Some(result) => results[at] = result,
            None => valid[at] = false,
        }
    }
    Some(numbers_to_array(call.types, call.result_element(), results, Some(NullBuffer::new(BooleanBuffer::from(valid)))))
}

/// The same of groups, some of whose rows are worked on each thread.
fn results_in_pieces<N: Number, R: Native>(
    call: &ArrayCall<'_>,
    steps: &Steps<'_, N, impl Fn(N) -> R + Sync, impl Fn(R, N) -> Option<R> + Sync>,
    groups: GroupsInPlace<'_>,
    merge: impl Fn(R, R) -> Option<R>,
) -> Option<ArrayRef> {
    let merge = |before: &SoFar<R>, later: &SoFar<R>| {
        let result = match (before.begun, later.begun) {
            _ if before.lost => return Some(*before),
            (true, true) => merge(before.result, later.result)?,
            (true, false) => before.result,
            (false, _) => later.result,
        };
        Some(SoFar { result, begun: before.begun || later.begun, lost: later.lost })
    };
    let (results, nulls) = match &steps.numbers.nulls {
        None => in_pieces(groups, call.attr(1), |so_far, at| steps.next(so_far, at).map(Some), merge)?,
        Some(nulls) => in_pieces(groups, call.attr(1), |so_far, at| steps.next_or_null(nulls, so_far, at), merge)?,
    };
    Some(numbers_to_array(call.types, call.result_element(), results, nulls))
}

fn skip(call: &ArrayCall<'_>) -> Skip {
    call.attr(0)
}

pub(super) fn sum(call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => {
            let numbers = Numbers::of_truths(items.as_boolean_opt()?, skip(call));
            running(call, &numbers, among, i64::from, |sum: i64, x| Some(sum + i64::from(x)), Some(|sum, later| Some(sum + later)))
        }
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, among, |x| x, |sum, x| Some(sum + x), one_by_one()),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, among, |x| x, |sum, x| Some(sum + x), one_by_one()),
        ty @ Ty::Decimal { .. } => by_width!(Width::of(ty)?, N => {
            let add = |sum: i128, x: i128| sum.checked_add(x).filter(|sum| sum.unsigned_abs() < DECIMAL_LIMIT);
            // A piece may overflow by itself where the whole does not, as what comes before is negative: then the whole is worked row by row.
            running(call, &Numbers::<N>::of(items, skip(call))?, among, N::wide, |sum: i128, x| add(sum, x.wide()), Some(add))
        }),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            let (add, add_unsigned) = (|sum: i64, x: i64| Some(sum.wrapping_add(x)), |sum: u64, x: u64| Some(sum.wrapping_add(x)));
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, among, N::low, |sum, x| add_unsigned(sum, x.low()), Some(add_unsigned)),
                _ => running(call, &numbers, among, |x| x.low() as i64, |sum, x| add(sum, x.low() as i64), Some(add)),
            }
        }),
    }
}

pub(super) fn product(call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    match call.types.plain(call.element(0)) {
        Ty::Bool => {
            let numbers = Numbers::of_truths(items.as_boolean_opt()?, skip(call));
            running(call, &numbers, among, i64::from, |all: i64, x| Some(all * i64::from(x)), Some(|all, later| Some(all * later)))
        }
        Ty::F32 => running(call, &Numbers::<f32>::of(items, skip(call))?, among, |x| x, |product, x| Some(product * x), one_by_one()),
        Ty::F64 => running(call, &Numbers::<f64>::of(items, skip(call))?, among, |x| x, |product, x| Some(product * x), one_by_one()),
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = Numbers::<N>::of(items, skip(call))?;
            let (times, times_unsigned) = (|all: i64, x: i64| Some(all.wrapping_mul(x)), |all: u64, x: u64| Some(all.wrapping_mul(x)));
            match N::UNSIGNED {
                Some(true) => running(call, &numbers, among, N::low, |all, x| times_unsigned(all, x.low()), Some(times_unsigned)),
                _ => running(call, &numbers, among, |x| x.low() as i64, |all, x| times(all, x.low() as i64), Some(times)),
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
            let best = |best: N, x: N| Some(if better(best, x) { x } else { best });
            running(call, &Numbers::<N>::of(items, skip(call))?, among, |x| x, best, Some(best))
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
    for at in places(0..texts.len(), call.attr(1)) {
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
    let ty = call.types.plain(call.element(0));
    let nan = |at: usize| match ty {
        Ty::F32 => f32::numbers(items).is_some_and(|x| x[at].is_nan()),
        Ty::F64 => f64::numbers(items).is_some_and(|x| x[at].is_nan()),
        _ => false,
    };
    let adds = |at: usize| i64::from(!if items.is_null(at) { skip_null } else { skip_nan && nan(at) });
    Some(numbers_to_array(call.types, call.result_element(), totals(among, items.len(), call.attr(1), adds), None))
}

/// The place of each element.
pub(super) fn numbers(items: &ArrayRef, among: Among<'_>) -> ArrayRef {
    let mut numbers = totals(among, items.len(), false, |_| 1);
    numbers.iter_mut().for_each(|number| *number -= 1);
    Arc::new(Int64Array::from(numbers))
}

/// What each position and those before it add up to.
fn totals(among: Among<'_>, count: usize, reverse: bool, adds: impl Fn(usize) -> i64 + Sync) -> Vec<i64> {
    let mut totals = vec![0i64; count];
    let mut add = |total: &mut i64, at: usize| {
        *total += adds(at);
        totals[at] = *total;
    };
    match among {
        Among::All => {
            let mut total = 0;
            places(0..count, reverse).for_each(|at| add(&mut total, at));
        }
        Among::Onward(carried) => places(0..count, reverse).for_each(|at| add(&mut carried.count, at)),
        Among::Groups(groups) if groups.go_in_pieces() => {
            let next = |total: &mut i64, at: usize| {
                *total += adds(at);
                Some(Some(*total))
            };
            let made = in_pieces(groups, reverse, next, |before, later| Some(before + later));
            return made.expect("a count does not raise").0;
        }
        Among::Groups(groups) => {
            let mut states = PerGroup::new(groups, 0i64);
            places(0..count, reverse).for_each(|at| add(states.at(at), at));
        }
    }
    totals
}
