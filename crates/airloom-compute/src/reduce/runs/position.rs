//! Where the minimum and the maximum are.

use super::{Number, Numbers, RunReducer, RunReduction};
use crate::functions::views;
use airloom_ir::attrs::Skip;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::value::Value;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, GenericByteViewArray};
use std::cmp::Ordering;

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

/// The same of text and bytes.
pub(super) fn of_bytes<'a, T: ByteViewType>(
    reduction: RunReduction<'a>,
    skip: Skip,
    items: GenericByteViewArray<T>,
) -> Option<RunReducer<'a>> {
    let skip_null = matches!(skip, Skip::Null | Skip::All);
    let surpasses = match reduction.op {
        Reduce::ArgMin => Ordering::Less,
        Reduce::ArgMax => Ordering::Greater,
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
        Some(best.map_or(Value::Null, |at| Value::Int((at - start) as i128)))
    }))
}
