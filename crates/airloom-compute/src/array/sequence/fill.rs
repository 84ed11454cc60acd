//! Elements moved, and nulls filled from their neighbours.

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

pub(super) fn forward(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    filled(items, 0..items.len(), call.attr(0))
}

pub(super) fn backward(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    filled(items, (0..items.len()).rev(), call.attr(0))
}

/// Each null replaced by the value that came last, at most `limit` in a row.
fn filled(items: &ArrayRef, places: impl Iterator<Item = usize>, limit: i64) -> Option<ArrayRef> {
    if items.null_count() == 0 {
        return Some(items.clone());
    }
    let mut from: Vec<Option<u64>> = vec![None; items.len()];
    let (mut last, mut in_a_row) = (None, 0);
    for at in places {
        if items.is_valid(at) {
            (last, in_a_row) = (Some(at as u64), 0);
            from[at] = last;
        } else if limit < 0 || in_a_row < limit {
            from[at] = last;
            in_a_row += 1;
        }
    }
    take(items, &UInt64Array::from(from), None).ok()
}
