//! Elements moved, and nulls filled from their neighbours.

use super::among::{Among, GroupsInPlace, One, PerGroup, States};
use crate::array::call::{ArrayCall, datum_to_value};
use crate::data::values::repeated;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, UInt32Array};
use arrow::buffer::NullBuffer;
use arrow::compute::{concat, take};

pub(super) fn shift(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let (by, count) = (call.int(1)?, items.len());
    let moved = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX).min(count);
    if moved == 0 {
        return Some(items.clone());
    }
    let fill = datum_to_value(call.types, call.arg_types[2], &call.args[2]);
    let filled = repeated(call.types, call.result_element(), &fill, moved);
    let kept = items.slice(if by > 0 { 0 } else { moved }, count - moved);
    let parts: [&dyn Array; 2] = if by > 0 { [&filled, &kept] } else { [&kept, &filled] };
    concat(&parts).ok()
}

/// How far elements of groups that lie among each other are moved at most: each step is a pass over all of them, and bringing a group together takes a few.
pub const STEPS_IN_GROUPS: u64 = 4;

/// Every group moved by itself, its rows where they are; nothing where they move farther than that pays.
pub(super) fn shift_in_groups(call: &ArrayCall<'_>, items: &ArrayRef, groups: GroupsInPlace<'_>) -> Option<ArrayRef> {
    let by = call.int(1)?;
    if by == 0 {
        return Some(items.clone());
    }
    if by.unsigned_abs() > STEPS_IN_GROUPS || !is_addressed(items) {
        return None;
    }
    // Where the row before, or after, is that is of the same group.
    const NONE: u32 = u32::MAX;
    let mut last = PerGroup::new(groups, NONE);
    let mut neighbour = |at: usize| std::mem::replace(last.at(at), at as u32);
    let mut neighbours = vec![NONE; items.len()];
    match by > 0 {
        true => neighbours.iter_mut().enumerate().for_each(|(at, place)| *place = neighbour(at)),
        false => neighbours.iter_mut().enumerate().rev().for_each(|(at, place)| *place = neighbour(at)),
    }
    let mut from = neighbours.clone();
    for _ in 1..by.unsigned_abs() {
        from.iter_mut().filter(|place| **place != NONE).for_each(|place| *place = neighbours[*place as usize]);
    }
    let valid = NullBuffer::from_iter(from.iter().map(|&place| place != NONE));
    let fill = datum_to_value(call.types, call.arg_types[2], &call.args[2]);
    if matches!(fill, Value::Null) {
        from.iter_mut().filter(|place| **place == NONE).for_each(|place| *place = 0);
        return take(items, &UInt32Array::new(from.into(), Some(valid)), None).ok();
    }
    let filled = repeated(call.types, call.result_element(), &fill, 1);
    from.iter_mut().filter(|place| **place == NONE).for_each(|place| *place = items.len() as u32);
    take(&concat(&[items.as_ref(), filled.as_ref()]).ok()?, &UInt32Array::from(from), None).ok()
}

pub(super) fn forward(call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    let limit = call.attr(0);
    let places = 0..items.len();
    match among {
        Among::All => filled(items, places, limit, &mut One(Filling::default())),
        Among::Groups(groups) => filled(items, places, limit, &mut PerGroup::new(groups, Filling::default())),
        Among::Onward(carried) => {
            // The last value before the piece is put in front of it.
            let before = carried.so_far.as_ref();
            let first = before.map_or(0, |_| 1);
            let all = before.map_or(Ok(items.clone()), |before| concat(&[before, items])).ok()?;
            let mut filling = One(Filling { last: before.map(|_| 0), in_a_row: carried.count });
            let made = filled(&all, first..all.len(), limit, &mut filling)?;
            carried.count = filling.0.in_a_row;
            carried.so_far = filling.0.last.map(|last| all.slice(last as usize, 1));
            Some(made.slice(first, items.len()))
        }
    }
}

pub(super) fn backward(call: &ArrayCall<'_>, items: &ArrayRef, groups: Option<GroupsInPlace<'_>>) -> Option<ArrayRef> {
    let (limit, places) = (call.attr(0), (0..items.len()).rev());
    match groups {
        None => filled(items, places, limit, &mut One(Filling::default())),
        Some(groups) => filled(items, places, limit, &mut PerGroup::new(groups, Filling::default())),
    }
}

/// How far nulls are filled.
#[derive(Clone, Default)]
struct Filling {
    /// Where the value is that came last.
    last: Option<u32>,
    /// How many nulls there were since.
    in_a_row: i64,
}

/// Whether 32 bits say where an element is, and one more that there is none.
fn is_addressed(items: &ArrayRef) -> bool {
    u32::try_from(items.len()).is_ok()
}

/// Each null replaced by the value that came last, at most `limit` in a row; nothing where there are more elements than that can be said of.
fn filled(items: &ArrayRef, places: impl Iterator<Item = usize>, limit: i64, fillings: &mut impl States<Filling>) -> Option<ArrayRef> {
    if !is_addressed(items) {
        return None;
    }
    if items.null_count() == 0 {
        // What comes after goes on from the last of them.
        places.last().into_iter().for_each(|last| *fillings.at(last) = Filling { last: Some(last as u32), in_a_row: 0 });
        return Some(items.clone());
    }
    let mut from: Vec<Option<u32>> = vec![None; items.len()];
    for at in places {
        let filling = fillings.at(at);
        if items.is_valid(at) {
            *filling = Filling { last: Some(at as u32), in_a_row: 0 };
            from[at] = filling.last;
        } else {
            let is_filled = limit < 0 || filling.in_a_row < limit;
            from[at] = filling.last.filter(|_| is_filled);
            filling.in_a_row += 1;
        }
    }
    take(items, &UInt32Array::from(from), None).ok()
}
