//! Rows grouped at once.

use super::{GroupTable, Hashing};
use airloom_ir::types::{TyId, Types};
use airloom_plan::value::KeyFacts;
use arrow::array::{ArrayRef, UInt32Array};

/// The groups of rows by their keys, and the number of each row's.
pub fn grouped(types: &Types, hashing: Hashing, key_types: &[TyId], keys: &[ArrayRef], rows: usize) -> (GroupTable, Vec<u32>) {
    let mut table = GroupTable::new(types, key_types, hashing, &KeyFacts::default());
    let mut groups = Vec::new();
    table.number(types, keys, rows, &mut groups);
    (table, groups)
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
