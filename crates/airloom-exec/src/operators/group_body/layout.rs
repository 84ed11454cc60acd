//! Where the rows of parts are.

use airloom_compute::array::GroupsInPlace;
use arrow::array::UInt32Array;
use std::ops::Range;

/// Where the rows of each part are among those that a body sees.
#[derive(Clone, Copy)]
pub(super) enum Layout<'a> {
    /// Those of one part after those of the other: where each part ends.
    Together(&'a [usize]),
    /// Where they were: the part of each.
    InPlace(GroupsInPlace<'a>),
}

impl Layout<'_> {
    /// How many parts there are.
    pub(super) fn parts(self) -> usize {
        match self {
            Layout::Together(ends) => ends.len(),
            Layout::InPlace(groups) => groups.count,
        }
    }

    /// How many rows they have together.
    pub(super) fn rows(self) -> usize {
        match self {
            Layout::Together(ends) => ends.last().copied().unwrap_or(0),
            Layout::InPlace(groups) => groups.of_rows.len(),
        }
    }

    /// On how many threads the rows may be looked at: those of parts that are together are worked part by part.
    pub(super) fn threads(self) -> usize {
        match self {
            Layout::Together(_) => 1,
            Layout::InPlace(groups) => groups.threads,
        }
    }

    /// How many rows each has.
    pub(super) fn lengths(self) -> Vec<i64> {
        match self {
            Layout::Together(ends) => runs(ends).map(|run| run.len() as i64).collect(),
            Layout::InPlace(groups) => {
                let mut lengths = vec![0; groups.count];
                groups.of_rows.iter().for_each(|&group| lengths[group as usize] += 1);
                lengths
            }
        }
    }

    /// The part of each row.
    pub(super) fn of_rows(self) -> UInt32Array {
        match self {
            Layout::Together(ends) => runs(ends).zip(0..).flat_map(|(run, part)| run.map(move |_| part)).collect::<Vec<u32>>().into(),
            Layout::InPlace(groups) => groups.of_rows.to_vec().into(),
        }
    }
}

/// The positions of each part's rows, given where each ends.
pub(super) fn runs(ends: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| start..end)
}
