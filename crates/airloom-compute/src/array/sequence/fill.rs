//! Elements moved, and nulls filled from their neighbours.

use super::carried::Carried;
use crate::array::call::{ArrayCall, datum_to_value};
use crate::data::values::repeated;
use arrow::array::{Array, ArrayRef, UInt64Array};
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

pub(super) fn forward(call: &ArrayCall<'_>, items: &ArrayRef, carried: Option<&mut Carried>) -> Option<ArrayRef> {
    let Some(carried) = carried else { return Some(filled(items, 0..items.len(), call.attr(0), Filling::default()).0) };
    // The last value before the piece is put in front of it.
    let before = carried.so_far.as_ref();
    let first = before.map_or(0, |_| 1);
    let all = before.map_or(Ok(items.clone()), |before| concat(&[before, items])).ok()?;
    let filling = Filling { last: before.map(|_| 0), in_a_row: carried.count };
    let (made, filling) = filled(&all, first..all.len(), call.attr(0), filling);
    carried.count = filling.in_a_row;
    carried.so_far = filling.last.map(|last| all.slice(last, 1));
    Some(made.slice(first, items.len()))
}

pub(super) fn backward(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    Some(filled(items, (0..items.len()).rev(), call.attr(0), Filling::default()).0)
}

/// How far nulls are filled.
#[derive(Default)]
struct Filling {
    /// Where the value is that came last.
    last: Option<usize>,
    /// How many nulls there were since.
    in_a_row: i64,
}

/// Each null replaced by the value that came last, at most `limit` in a row.
fn filled(items: &ArrayRef, places: impl Iterator<Item = usize>, limit: i64, mut filling: Filling) -> (ArrayRef, Filling) {
    if items.null_count() == 0 {
        let last = places.last();
        return (items.clone(), last.map_or(filling, |last| Filling { last: Some(last), in_a_row: 0 }));
    }
    let mut from: Vec<Option<u64>> = (0..items.len() as u64).map(Some).collect();
    for at in places {
        if items.is_valid(at) {
            filling = Filling { last: Some(at), in_a_row: 0 };
        } else {
            let is_filled = limit < 0 || filling.in_a_row < limit;
            from[at] = filling.last.filter(|_| is_filled).map(|last| last as u64);
            filling.in_a_row += 1;
        }
    }
    (take(items, &UInt64Array::from(from), None).expect("places of elements"), filling)
}
