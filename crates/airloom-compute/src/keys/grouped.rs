//! Rows grouped at once.

use super::{GroupTable, Hashing};
use airloom_ir::types::{TyId, Types};
use airloom_plan::value::KeyFacts;
use arrow::array::{Array, ArrayRef, UInt32Array, downcast_integer_array};
use arrow::compute::{max, min};

/// From how many rows on it pays to look for the least and the greatest key first: codes then have fewer bits, and may be places in an array.
const SURVEYED: usize = 1 << 12;

/// The groups of rows by their keys, and the number of each row's.
pub fn grouped(types: &Types, hashing: Hashing, key_types: &[TyId], keys: &[ArrayRef], rows: usize) -> (GroupTable, Vec<u32>) {
    let known = if rows < SURVEYED { KeyFacts::default() } else { surveyed(keys, rows) };
    let mut table = GroupTable::new(types, key_types, hashing, &known);
    let mut groups = Vec::new();
    table.number(types, keys, rows, &mut groups);
    (table, groups)
}

/// What the keys themselves say.
fn surveyed(keys: &[ArrayRef], rows: usize) -> KeyFacts {
    let ranges: Vec<Option<(i64, i64)>> = keys.iter().map(range).collect();
    let dense = matches!(ranges.as_slice(), [Some((min, max))] if max.abs_diff(*min) < rows as u64);
    KeyFacts { ranges, dense, ..KeyFacts::default() }
}

/// The least and the greatest integer; nothing where there is none, or where one is beyond 64 bits with a sign.
fn range(key: &ArrayRef) -> Option<(i64, i64)> {
    downcast_integer_array!(
        key => {
            #[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion, reason = "one arm for each width, and one of them may not fit")]
            let whole = |found: Option<_>| i64::try_from(found?).ok();
            Some((whole(min(key))?, whole(max(key))?))
        }
        _ => None
    )
}

/// The rows of each group one after the other, in order, and where each group's end.
pub fn by_group(groups: &[u32], count: usize) -> (UInt32Array, Vec<usize>) {
    let mut ends = vec![0usize; count];
    groups.iter().for_each(|&group| ends[group as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut next: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).take(count).collect();
    let mut rows = vec![0u32; groups.len()];
    for (row, &group) in groups.iter().enumerate() {
        rows[next[group as usize]] = row as u32;
        next[group as usize] += 1;
    }
    (rows.into(), ends)
}
