//! Reductions that count, pick and collect.

use super::{Number, Numbers, RunReducer, RunReduction};
use crate::data::native::{Width, by_width};
use crate::data::value_at;
use airloom_ir::attrs::Skip;
use airloom_ir::hash::Table;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{Float32Type, Float64Type};
use std::ops::Range;

/// Which elements are passed over: nothing where none is.
fn passed_over(reduction: RunReduction<'_>, skip: Skip, items: &ArrayRef) -> Option<BooleanBuffer> {
    let nulls = items.nulls().filter(|nulls| nulls.null_count() > 0 && matches!(skip, Skip::Null | Skip::All)).map(|nulls| !nulls.inner());
    let nan = match (reduction.types.plain(reduction.element), skip) {
        (Ty::F32, Skip::Nan | Skip::All) => {
            let floats = items.as_primitive::<Float32Type>();
            Some(BooleanBuffer::collect_bool(items.len(), |at| floats.values()[at].is_nan() && items.is_valid(at)))
        }
        (Ty::F64, Skip::Nan | Skip::All) => {
            let floats = items.as_primitive::<Float64Type>();
            Some(BooleanBuffer::collect_bool(items.len(), |at| floats.values()[at].is_nan() && items.is_valid(at)))
        }
        _ => None,
    };
    match (nulls, nan) {
        (Some(nulls), Some(nan)) => Some(&nulls | &nan),
        (one, other) => one.or(other),
    }
}

/// Of any type: the count, one element, or all of them.
pub(super) fn reducer<'a>(reduction: RunReduction<'a>, skip: Skip, items: &ArrayRef) -> Option<RunReducer<'a>> {
    // Set where an element is kept.
    let kept = passed_over(reduction, skip, items).map(|passed| NullBuffer::new(!&passed));
    let items = items.clone();
    let value = move |at: usize| value_at(reduction.types, reduction.element, &items, at);
    let within = move |range: &Range<usize>| kept.as_ref().map(|kept| kept.slice(range.start, range.len()));
    let number = match reduction.op {
        Reduce::Count => {
            return Some(Box::new(move |range| {
                Some(Value::Int(within(&range).map_or(range.len(), |kept| range.len() - kept.null_count()) as i128))
            }));
        }
        Reduce::List => {
            return Some(Box::new(move |range| {
                let kept = within(&range);
                Some(Value::List(
                    range.clone().filter(|at| kept.as_ref().is_none_or(|kept| kept.is_valid(at - range.start))).map(&value).collect(),
                ))
            }));
        }
        Reduce::First => 0,
        Reduce::Last => -1,
        _ => reduction.attr(0),
    };
    Some(Box::new(move |range| {
        let kept = within(&range);
        let count = kept.as_ref().map_or(range.len(), |kept| range.len() - kept.null_count());
        let at = if number < 0 { i128::from(number) + count as i128 } else { i128::from(number) };
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < count) else { return Some(Value::Null) };
        let at = kept.map_or(Some(at), |kept| kept.valid_indices().nth(at))?;
        Some(value(range.start + at))
    }))
}

/// How many distinct elements there are.
pub(super) fn distinct<'a>(reduction: RunReduction<'a>, skip: Skip, items: &ArrayRef) -> Option<RunReducer<'a>> {
    let skip_null = matches!(skip, Skip::Null | Skip::All);
    let null =
        move |items: &dyn Array, range: &Range<usize>| usize::from(!skip_null && items.slice(range.start, range.len()).null_count() > 0);
    match reduction.types.plain(reduction.element) {
        Ty::Str => {
            let texts = items.as_string_view_opt()?.clone();
            Some(Box::new(move |range| {
                let mut seen: Table<&str, ()> = Table::default();
                range.clone().filter(|&at| texts.is_valid(at)).for_each(|at| {
                    seen.insert(texts.value(at), ());
                });
                Some(Value::Int((seen.len() + null(&texts, &range)) as i128))
            }))
        }
        ty => {
            let width = Width::of(ty)?;
            by_width!(width, N => {
                let (numbers, items) = (Numbers::<N>::of(items, skip)?, items.clone());
                Some(Box::new(move |range: Range<usize>| {
                    let kept = range.clone().filter(|&at| !(items.is_null(at) || numbers.skip_nan && numbers.numbers[at].nan()));
                    let keys = kept.map(|at| numbers.numbers[at].key());
                    // Keys of 64 bits are hashed in one step.
                    let distinct = if size_of::<N>() <= 8 { count_keys(keys.map(|key| key as u64)) } else { count_keys(keys) };
                    Some(Value::Int((distinct + null(&items, &range)) as i128))
                }))
            })
        }
    }
}

fn count_keys<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> usize {
    let mut seen: Table<K, ()> = Table::default();
    keys.for_each(|key| {
        seen.insert(key, ());
    });
    seen.len()
}

/// `decisive` where one element is it, else null where one is null, else the other boolean.
pub(super) fn decided_by<'a>(decisive: bool, skip: Skip, truths: BooleanArray) -> RunReducer<'a> {
    let skip_null = matches!(skip, Skip::Null | Skip::All);
    Box::new(move |range| {
        let run = truths.slice(range.start, range.len());
        let decided = if decisive { run.true_count() } else { run.false_count() } > 0;
        Some(match (decided, run.null_count() > 0 && !skip_null) {
            (true, _) => Value::Bool(decisive),
            (false, true) => Value::Null,
            (false, false) => Value::Bool(!decisive),
        })
    })
}
