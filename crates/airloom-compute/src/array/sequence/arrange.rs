//! Elements in order, and each once.

use crate::array::call::ArrayCall;
use crate::array::elements::gather;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::functions::views;
use crate::reduce::Number;
use airloom_ir::attrs::SortKey;
use airloom_ir::hash::Table;
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{Array, ArrayRef, AsArray};
use std::cmp::Ordering;
use std::sync::Arc;

pub(super) fn sort(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    if items.null_count() == 0
        && let Some(width) = Width::of(call.types.plain(call.element(0)))
    {
        // Numbers are sorted directly, without positions: only zeros of both signs are equal and differ, and those keep their order.
        let by: Arc<[SortKey]> = call.attr(0);
        return by_width!(width, N => {
            let mut numbers = N::numbers(items)?.to_vec();
            if by[0].descending {
                numbers.sort_by(|x, y| y.total(*x));
            } else {
                numbers.sort_by(|x, y| x.total(*y));
            }
            Some(numbers_to_array(call.types, call.result_element(), numbers, None))
        });
    }
    gather(items, places(call, items)?.into_iter())
}

pub(super) fn argsort(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let places = places(call, items)?.into_iter().map(|at| at as i64).collect();
    Some(numbers_to_array::<i64>(call.types, call.result_element(), places, None))
}

fn places(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<Vec<usize>> {
    let by: Arc<[SortKey]> = call.attr(0);
    let key = by[0];
    let sorted = in_order(call.types, call.element(0), items, key.descending)?.places;
    let nulls = (0..items.len()).filter(|&at| items.is_null(at));
    Some(if key.nulls_first { nulls.chain(sorted).collect() } else { sorted.into_iter().chain(nulls).collect() })
}

/// The positions of the elements that are not null, in order.
pub(super) struct InOrder {
    /// The positions; those of equal elements keep their order.
    pub(super) places: Vec<usize>,
    /// Where each run of equal elements ends.
    pub(super) ends: Vec<usize>,
}

/// Sorts the elements that are not null; nothing where their type has no loop here.
pub(super) fn in_order(types: &Types, element: TyId, items: &ArrayRef, descending: bool) -> Option<InOrder> {
    let present = (0..items.len()).filter(|&at| items.is_valid(at));
    let sorted = |mut places: Vec<usize>, order: &dyn Fn(usize, usize) -> Ordering| {
        places.sort_by(|&a, &b| if descending { order(b, a) } else { order(a, b) });
        let ends = ends(&places, |a, b| order(a, b).is_eq());
        InOrder { places, ends }
    };
    match types.plain(element) {
        Ty::Bool => {
            let truths = items.as_boolean_opt()?;
            Some(sorted(present.collect(), &|a, b| truths.value(a).cmp(&truths.value(b))))
        }
        Ty::Str => {
            let texts = items.as_string_view_opt()?;
            Some(sorted(present.collect(), &|a, b| views::order(texts, a, texts, b)))
        }
        Ty::Bytes => {
            let bytes = items.as_binary_view_opt()?;
            Some(sorted(present.collect(), &|a, b| views::order(bytes, a, bytes, b)))
        }
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = N::numbers(items)?;
            // The number beside its position, so that comparing looks nowhere else.
            let mut pairs: Vec<(N, usize)> = present.map(|at| (numbers[at], at)).collect();
            if descending {
                pairs.sort_by(|a, b| b.0.total(a.0));
            } else {
                pairs.sort_by(|a, b| a.0.total(b.0));
            }
            let places: Vec<usize> = pairs.into_iter().map(|(_, at)| at).collect();
            let ends = ends(&places, |a, b| numbers[a].total(numbers[b]).is_eq());
            Some(InOrder { places, ends })
        }),
    }
}

fn ends(places: &[usize], equal: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut ends = Vec::new();
    for at in 1..=places.len() {
        if at == places.len() || !equal(places[at - 1], places[at]) {
            ends.push(at);
        }
    }
    ends
}

pub(super) fn unique(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let mut null_seen = false;
    let mut first_null = |at: usize| items.is_null(at).then(|| !std::mem::replace(&mut null_seen, true));
    let places: Vec<usize> = match call.types.plain(call.element(0)) {
        Ty::Str => {
            let texts = items.as_string_view_opt()?;
            let mut seen: Table<&str, ()> = Table::default();
            (0..items.len()).filter(|&at| first_null(at).unwrap_or_else(|| seen.insert(texts.value(at), ()).is_none())).collect()
        }
        ty => by_width!(Width::of(ty)?, N => {
            let numbers = N::numbers(items)?;
            // Keys of 64 bits are hashed in one step.
            let (mut wide, mut narrow): (Table<u128, ()>, Table<u64, ()>) = Default::default();
            let mut is_new = |key: u128| if size_of::<N>() <= 8 { narrow.insert(key as u64, ()).is_none() } else { wide.insert(key, ()).is_none() };
            (0..items.len()).filter(|&at| first_null(at).unwrap_or_else(|| is_new(numbers[at].key()))).collect()
        }),
    };
    gather(items, places.into_iter())
}

/// Where each of some values would be put into elements in rising order.
pub(super) fn search(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let (values, right): (_, bool) = (call.array(1).items, call.attr(0));
    let width = Width::of(call.types.plain(call.element(0)))?;
    let nulls = values.nulls().cloned();
    let places = by_width!(width, N => {
        let (items, values) = (N::numbers(items)?, N::numbers(&values)?);
        let before = |item: N, value: N| if right { item.total(value).is_le() } else { item.total(value).is_lt() };
        values.iter().map(|&value| items.partition_point(|&item| before(item, value)) as i64).collect::<Vec<i64>>()
    });
    Some(numbers_to_array::<i64>(call.types, call.result_element(), places, nulls))
}
