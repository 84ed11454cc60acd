//! Rows merged by the part they belong to.

use super::{Codes, canonical};
use crate::data::Failure;
use crate::keys::by_group;
use airloom_ir::attrs::SortKey;
use airloom_ir::oracle::order::by_keys;
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{Array, ArrayRef, UInt32Array};
use arrow::compute::{SortOptions, take};
use arrow_row::{RowConverter, SortField};

/// The rows of one part after those of the other.
pub struct GroupLayout {
    /// The rows, by their positions in the relation.
    pub rows: UInt32Array,
    /// Where each part ends.
    pub ends: Vec<usize>,
    /// Whether the rows are at their original positions.
    in_place: bool,
}

impl GroupLayout {
    /// The rows by their groups, in order.
    pub fn of(groups: &[u32], count: usize) -> GroupLayout {
        if count == 1 {
            return GroupLayout { rows: (0..groups.len() as u32).collect::<Vec<u32>>().into(), ends: vec![groups.len()], in_place: true };
        }
        let (rows, ends) = by_group(groups, count);
        GroupLayout::new(rows, ends)
    }

    /// Rows that are already together.
    pub fn new(rows: UInt32Array, ends: Vec<usize>) -> GroupLayout {
        let in_place = rows.values().iter().enumerate().all(|(at, &row)| at == row as usize);
        GroupLayout { rows, ends, in_place }
    }

    /// With the rows of each part in the order of keys; those with equal keys stay in their order.
    pub fn sorted(self, types: &Types, keys: &[ArrayRef], key_types: &[TyId], by: &[SortKey]) -> Result<GroupLayout, Failure> {
        if by.is_empty() {
            return Ok(self);
        }
        let mut rows: Vec<u32> = self.rows.values().to_vec();
        if key_types.iter().any(|&ty| matches!(types.plain(ty), Ty::List(_) | Ty::Struct(_))) {
            let value = |at: usize, row: usize| crate::data::value_at(types, key_types[at], &keys[at], row);
            let keys: Vec<Vec<_>> = (0..rows.len()).map(|row| (0..keys.len()).map(|at| value(at, row)).collect()).collect();
            each_part(&mut rows, &self.ends, |part| part.sort_by(|&a, &b| by_keys(&keys[a as usize], &keys[b as usize], by)));
            return Ok(GroupLayout::new(rows.into(), self.ends));
        }
        if let Some(codes) = Codes::of(types, key_types, keys, by, rows.len()) {
            match codes {
                Codes::Narrow(codes) => by_code(&mut rows, &self.ends, &codes),
                Codes::Wide(codes) => by_code(&mut rows, &self.ends, &codes),
            }
            return Ok(GroupLayout::new(rows.into(), self.ends));
        }
        let field = |(key, by): (&ArrayRef, &SortKey)| {
            SortField::new_with_options(key.data_type().clone(), SortOptions { descending: by.descending, nulls_first: by.nulls_first })
        };
        let converter = RowConverter::new(keys.iter().zip(by).map(field).collect());
        let keys: Vec<ArrayRef> = keys.iter().map(canonical).collect();
        let keys = converter.and_then(|converter| converter.convert_columns(&keys));
        let keys = keys.expect("invariant `keys that are sorted by can be`: single values of every type have an order");
        each_part(&mut rows, &self.ends, |part| part.sort_by(|&a, &b| keys.row(a as usize).cmp(&keys.row(b as usize))));
        Ok(GroupLayout::new(rows.into(), self.ends))
    }

    /// A column of the relation with the rows of one part after those of the other.
    pub fn together(&self, column: &ArrayRef) -> ArrayRef {
        if self.in_place && self.rows.len() == column.len() {
            column.clone()
        } else {
            take(column, &self.rows, None).expect("rows there are")
        }
    }

    /// Columns of rows that are stored group by group, back in the original order of the rows.
    pub fn apart(&self, columns: Vec<ArrayRef>) -> Vec<ArrayRef> {
        if self.in_place {
            return columns;
        }
        let mut places = vec![0u32; self.rows.len()];
        self.rows.values().iter().enumerate().for_each(|(at, &row)| places[row as usize] = at as u32);
        let places = UInt32Array::from(places);
        columns.iter().map(|column| take(column, &places, None).expect("a place for each row")).collect()
    }
}

/// Sorts the rows of each part by their codes.
fn by_code<C: Copy + Ord>(rows: &mut [u32], ends: &[usize], codes: &[C]) {
    let mut coded: Vec<(C, u32)> = Vec::new();
    each_part(rows, ends, |part| {
        // Rows of a part are in their original order: sorted by code and row number, the earlier of equal ones comes first.
        coded.clear();
        coded.extend(part.iter().map(|&row| (codes[row as usize], row)));
        coded.sort_unstable();
        part.iter_mut().zip(&coded).for_each(|(row, sorted)| *row = sorted.1);
    });
}

fn each_part(rows: &mut [u32], ends: &[usize], mut sort: impl FnMut(&mut [u32])) {
    let mut start = 0;
    for &end in ends {
        sort(&mut rows[start..end]);
        start = end;
    }
}
