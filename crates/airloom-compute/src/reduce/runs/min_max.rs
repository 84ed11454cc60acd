//! The minimum and the maximum.

use super::{Number, Numbers, RunReducer, RunReduction};
use crate::data::value_at;
use crate::functions::views;
use airloom_ir::attrs::Skip;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::value::Value;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, GenericByteViewArray};
use std::cmp::Ordering;

pub(super) fn least<'a, N: Number>(numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    extreme(numbers, |x, y| y.signed_total(x).is_lt())
}

pub(super) fn greatest<'a, N: Number>(numbers: Numbers<N>) -> Option<RunReducer<'a>> {
    extreme(numbers, |x, y| y.signed_total(x).is_gt())
}

/// The element to which every other gives way; NaN where there is one.
fn extreme<'a, N: Number>(numbers: Numbers<N>, gives_way: impl Fn(N, N) -> bool + 'a) -> Option<RunReducer<'a>> {
    Some(Box::new(move |range| {
        let Some(taken) = numbers.taken(range) else { return Some(Value::Null) };
        let best = taken.fold(None, |best: Option<N>, x| match best {
            None => Some(x),
            Some(best) if best.nan() => Some(best),
            Some(best) if x.nan() || gives_way(best, x) => Some(x),
            best => best,
        });
        Some(best.map_or(Value::Null, N::value))
    }))
}

/// The position of the first element that no other surpasses, NaN surpassing everything.
pub(super) fn position<'a, N: Number>(numbers: Numbers<N>, surpasses: Ordering) -> Option<RunReducer<'a>> {
    Some(Box::new(move |range| {
        let start = range.start;
        let mut best: Option<(usize, N)> = None;
        for at in range {
            if numbers.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)) {
                if numbers.skip_null {
                    continue;
                }
                return Some(Value::Null);
            }
            let x = numbers.numbers[at];
            if numbers.skip_nan && x.nan() {
                continue;
            }
            if best.is_none_or(|(_, old)| !old.nan() && (x.nan() || x.total(old) == surpasses)) {
                best = Some((at - start, x));
            }
        }
        Some(best.map_or(Value::Null, |(at, _)| Value::Int(at as i128)))
    }))
}

/// The extremes of text and bytes, and where they are.
pub(super) fn of_bytes<'a, T: ByteViewType>(
    reduction: RunReduction<'a>,
    skip: Skip,
    items: GenericByteViewArray<T>,
) -> Option<RunReducer<'a>> {
    let skip_null = matches!(skip, Skip::Null | Skip::All);
    let surpasses = if matches!(reduction.op, Reduce::Min | Reduce::ArgMin) { Ordering::Less } else { Ordering::Greater };
    let position = match reduction.op {
        Reduce::ArgMin | Reduce::ArgMax => true,
        Reduce::Min | Reduce::Max => false,
        _ => return None,
    };
    Some(Box::new(move |range| {
        let start = range.start;
        let mut best: Option<usize> = None;
        for at in range {
            if items.is_null(at) {
                if skip_null {
                    continue;
                }
                return Some(Value::Null);
            }
            if best.is_none_or(|old| views::order(&items, at, &items, old) == surpasses) {
                best = Some(at);
            }
        }
        Some(match best {
            Some(at) if position => Value::Int((at - start) as i128),
            Some(at) => value_at(reduction.types, reduction.element, &items, at),
            None => Value::Null,
        })
    }))
}
