//! Which rows belong to which group.

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use std::ops::Range;

/// The groups of some rows.
#[derive(Clone, Copy)]
pub enum Groups<'a> {
    /// All rows are of the one group: whole columns and arrays.
    One,
    /// The group of each row: hash aggregation.
    Each(&'a [u32]),
    /// The rows of each group follow one another: lists, cells of arrays, sorted groups. Windows overlap.
    Runs(&'a [Range<usize>]),
}

impl Groups<'_> {
    /// Calls `take` with every row and its group.
    #[inline]
    pub(super) fn for_each(self, rows: usize, mut take: impl FnMut(usize, usize)) {
        match self {
            Groups::One => (0..rows).for_each(|row| take(row, 0)),
            Groups::Each(groups) => groups.iter().enumerate().for_each(|(row, &group)| take(row, group as usize)),
            Groups::Runs(runs) => runs.iter().enumerate().for_each(|(group, run)| run.clone().for_each(|row| take(row, group))),
        }
    }

    /// The rows of each group, where they follow one another.
    pub(super) fn runs(self, rows: usize) -> Option<impl Iterator<Item = (usize, Range<usize>)>> {
        let whole = 0..rows;
        let (one, runs) = match self {
            Groups::One => (Some(whole), &[][..]),
            Groups::Each(_) => return None,
            Groups::Runs(runs) => (None, runs),
        };
        Some(one.into_iter().chain(runs.iter().cloned()).enumerate())
    }

    /// How many rows they have. Rows of overlapping runs count as often as they are in one.
    pub(super) fn len(self, rows: usize) -> usize {
        match self {
            Groups::One | Groups::Each(_) => rows,
            Groups::Runs(runs) => runs.iter().map(ExactSizeIterator::len).sum(),
        }
    }

    /// The group of each row, with the values.
    pub(super) fn each(self, values: &ArrayRef) -> (Vec<u32>, ArrayRef) {
        match self {
            Groups::One => (vec![0; values.len()], values.clone()),
            Groups::Each(groups) => (groups.to_vec(), values.clone()),
            Groups::Runs(_) => {
                let (mut groups, mut rows) = (Vec::with_capacity(self.len(0)), Vec::with_capacity(self.len(0)));
                self.for_each(0, |row, group| {
                    groups.push(group as u32);
                    rows.push(row as u32);
                });
                (groups, take(values, &UInt32Array::from(rows), None).expect("rows of the column"))
            }
        }
    }
}
