//! Reductions that pick an element by its number, or take all of them.

use super::{RunReducer, RunReduction};
use crate::data::value_at;
use crate::reduce::not_skipped;
use airloom_ir::attrs::Skip;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::value::Value;
use arrow::array::ArrayRef;
use arrow::buffer::NullBuffer;
use std::ops::Range;

/// One element, or all of them.
pub(super) fn reducer<'a>(reduction: RunReduction<'a>, skip: Skip, items: &ArrayRef) -> RunReducer<'a> {
    // Set where an element is kept.
    let kept = not_skipped(skip, items).map(NullBuffer::new);
    let items = items.clone();
    let value = move |at: usize| value_at(reduction.types, reduction.element, &items, at);
    let within = move |range: &Range<usize>| kept.as_ref().map(|kept| kept.slice(range.start, range.len()));
    if reduction.op == Reduce::List {
        return Box::new(move |range| {
            let kept = within(&range);
            let in_list = |at: &usize| kept.as_ref().is_none_or(|kept| kept.is_valid(at - range.start));
            Some(Value::List(range.clone().filter(in_list).map(&value).collect()))
        });
    }
    let number: i64 = reduction.attr(0);
    Box::new(move |range| {
        let kept = within(&range);
        let count = kept.as_ref().map_or(range.len(), |kept| range.len() - kept.null_count());
        let at = if number < 0 { i128::from(number) + count as i128 } else { i128::from(number) };
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < count) else { return Some(Value::Null) };
        let at = kept.map_or(Some(at), |kept| kept.valid_indices().nth(at))?;
        Some(value(range.start + at))
    })
}
