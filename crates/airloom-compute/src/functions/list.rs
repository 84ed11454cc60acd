//! Lists.

use super::call::KernelCall;
use super::text::{clip, place};
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Side, Width, by_width, numbers_to_array};
use airloom_ir::ops::nested::Nested;
use airloom_ir::types::Ty;
use arrow::array::{Array, AsArray, LargeListArray, UInt64Array};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow::compute::take;
use std::sync::Arc;

/// The result in every row, where there is a kernel for it and no row raises.
pub(super) fn fast(op: Nested, call: &KernelCall<'_>) -> Option<Vector> {
    match op {
        Nested::Len => {
            let lists = call.many(0)?.as_list_opt::<i64>()?;
            let lengths = lists.offsets().lengths().map(|length| length as i64).collect();
            Some(Vector::Flat(numbers_to_array::<i64>(call.types, call.ty, lengths, call.nulls())))
        }
        Nested::At => at(call),
        Nested::Slice => slice(call),
        Nested::Contains => contains(call),
        Nested::Reverse => reverse(call),
        Nested::Array => array(call),
        Nested::Of | Nested::Concat | Nested::Sort | Nested::Unique => None,
    }
}

/// Where the list of a row is among the elements; empty where it is null, whatever it spans.
fn span(lists: &LargeListArray, row: usize) -> (usize, usize) {
    let (start, end) = (lists.offsets()[row] as usize, lists.offsets()[row + 1] as usize);
    (start, if lists.is_null(row) { 0 } else { end - start })
}

fn at(call: &KernelCall<'_>) -> Option<Vector> {
    let lists = call.array(0);
    let lists = lists.as_list_opt::<i64>()?;
    let index = Side::<i64>::of(&call.args[1])?;
    let nulls = call.nulls();
    let places: UInt64Array = (0..call.rows)
        .map(|row| {
            let (start, length) = span(lists, row);
            let given = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
            place(index.at(row), length).filter(|_| given).map(|at| (start + at) as u64)
        })
        .collect();
    take(lists.values(), &places, None).ok().map(Vector::Flat)
}

/// Lists of the elements at these positions.
fn taken(lists: &LargeListArray, places: Vec<u64>, lengths: Vec<usize>, nulls: Option<NullBuffer>) -> Option<Vector> {
    let items = take(lists.values(), &UInt64Array::from(places), None).ok()?;
    let arrow::datatypes::DataType::LargeList(field) = lists.data_type() else { return None };
    Some(Vector::Flat(Arc::new(LargeListArray::new(field.clone(), OffsetBuffer::from_lengths(lengths), items, nulls))))
}

fn slice(call: &KernelCall<'_>) -> Option<Vector> {
    let lists = call.array(0);
    let lists = lists.as_list_opt::<i64>()?;
    let (from, to) = (Side::<i64>::of(&call.args[1])?, Side::<i64>::of(&call.args[2])?);
    let (mut places, mut lengths) = (Vec::new(), Vec::with_capacity(call.rows));
    for row in 0..call.rows {
        let (start, length) = span(lists, row);
        let kept = clip(from.at(row), to.at(row), length);
        lengths.push(kept.len());
        places.extend(kept.map(|at| (start + at) as u64));
    }
    taken(lists, places, lengths, call.nulls())
}

fn reverse(call: &KernelCall<'_>) -> Option<Vector> {
    let lists = call.many(0)?.as_list_opt::<i64>()?;
    let (mut places, mut lengths) = (Vec::with_capacity(lists.values().len()), Vec::with_capacity(call.rows));
    for row in 0..call.rows {
        let (start, length) = span(lists, row);
        lengths.push(length);
        places.extend((start..start + length).rev().map(|at| at as u64));
    }
    taken(lists, places, lengths, call.nulls())
}

/// Lists as arrays, which are stored as lists again: a null as an empty one.
fn array(call: &KernelCall<'_>) -> Option<Vector> {
    let lists = call.many(0)?.as_list_opt::<i64>()?;
    if lists.null_count() == 0 {
        return Some(call.args[0].clone());
    }
    let (mut places, mut lengths) = (Vec::with_capacity(lists.values().len()), Vec::with_capacity(call.rows));
    for row in 0..call.rows {
        let (start, length) = span(lists, row);
        lengths.push(length);
        places.extend((start..start + length).map(|at| at as u64));
    }
    taken(lists, places, lengths, None)
}

fn contains(call: &KernelCall<'_>) -> Option<Vector> {
    let lists = call.array(0);
    let lists = lists.as_list_opt::<i64>()?;
    let Ty::List(element) = call.plain(0) else { return None };
    let found = match call.types.plain(*element) {
        Ty::Str => {
            let items = lists.values().as_string_view_opt()?;
            let wanted = super::views::Text::of(&call.args[1])?;
            within(call, lists, |row, at| items.is_valid(at) && items.value(at) == wanted.at(row))
        }
        ty => by_width!(Width::of(ty)?, N => {
            let items = N::numbers(lists.values())?;
            let (wanted, nulls) = (Side::<N>::of(&call.args[1])?, lists.values().nulls());
            // NaN is the same as NaN.
            let same = |x: N, y: N| x == y || (x.partial_cmp(&x).is_none() && y.partial_cmp(&y).is_none());
            within(call, lists, |row, at| nulls.is_none_or(|nulls| nulls.is_valid(at)) && same(items[at], wanted.at(row)))
        }),
    };
    Some(Vector::Flat(bits::truths(found, call.nulls())))
}

/// Whether something holds of any element of a row's list.
#[inline(always)]
fn within(call: &KernelCall<'_>, lists: &LargeListArray, holds: impl Fn(usize, usize) -> bool) -> BooleanBuffer {
    BooleanBuffer::collect_bool(call.rows, |row| {
        let (start, length) = span(lists, row);
        (start..start + length).any(|at| holds(row, at))
    })
}
