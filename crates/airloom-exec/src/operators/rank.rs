//! Groups of several parts in the order of their first rows.
//!
//! Within a part they are in that order. So the order of all is cut into ranges of first rows that have about as many groups each, and every range is put together
//! by itself: a bit for each first row, and the number of bits before it is the place of its group.

use airloom_compute::data::RowOf;
use std::ops::Range;

/// Below one group in this many rows, the few first rows are sorted; above, a bit for each row takes less time and memory.
const SPARSE: u64 = 64;

/// How many first rows of each part are looked at to cut ranges.
const LOOKS: usize = 32;

/// How many groups a range should have at least.
const RANGE_GROUPS: usize = 1 << 14;

/// Ranges of about as many groups each, some for each thread. Of each part the first rows of its groups are given, which ascend.
pub(super) fn ranges(firsts: &[&[u64]], threads: usize) -> Vec<Range<u64>> {
    let groups: usize = firsts.iter().map(|firsts| firsts.len()).sum();
    cut(firsts, (groups / RANGE_GROUPS).clamp(1, 4 * threads))
}

/// The parts in the order of their groups, where all groups of one come before those of the next: as those of clustered rows may.
pub(super) fn one_after_the_other(firsts: &[&[u64]]) -> Option<Vec<usize>> {
    let mut ends: Vec<(u64, u64, usize)> =
        firsts.iter().enumerate().filter_map(|(part, firsts)| Some((*firsts.first()?, *firsts.last()?, part))).collect();
    ends.sort_unstable();
    let apart = ends.windows(2).all(|pair| pair[0].1 < pair[1].0);
    apart.then(|| ends.into_iter().map(|(_, _, part)| part).collect())
}

fn cut(firsts: &[&[u64]], count: usize) -> Vec<Range<u64>> {
    let mut seen: Vec<u64> = Vec::with_capacity(firsts.len() * LOOKS);
    for firsts in firsts {
        let step = firsts.len().div_ceil(LOOKS).max(1);
        seen.extend(firsts.iter().step_by(step));
    }
    seen.sort_unstable();
    let mut starts: Vec<u64> = (1..count).filter_map(|at| seen.get(at * seen.len() / count)).copied().collect();
    starts.insert(0, 0);
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([u64::MAX]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

/// The groups whose first rows are within a range, in order: the part of each as its column, and its number there as its row.
pub(super) fn in_range(firsts: &[&[u64]], range: Range<u64>) -> Vec<RowOf> {
    let within = |firsts: &&[u64]| {
        let at = |bound: u64| firsts.partition_point(|&first| first < bound);
        at(range.start)..at(range.end)
    };
    let groups: Vec<Range<usize>> = firsts.iter().map(within).collect();
    let count: usize = groups.iter().map(ExactSizeIterator::len).sum();
    let each = || {
        groups
            .iter()
            .enumerate()
            .flat_map(|(part, own)| own.clone().map(move |group| (firsts[part][group], RowOf { column: part as u32, row: group as u32 })))
    };
    let last = each().map(|(first, _)| first).max().unwrap_or(range.start);
    let rows = last - range.start + 1;
    if rows / SPARSE > count as u64 {
        let mut sorted: Vec<(u64, RowOf)> = each().collect();
        sorted.sort_unstable();
        return sorted.into_iter().map(|(_, place)| place).collect();
    }
    let mut bits = vec![0u64; rows.div_ceil(64) as usize];
    each().for_each(|(first, _)| bits[((first - range.start) / 64) as usize] |= 1 << ((first - range.start) % 64));
    let mut before = Vec::with_capacity(bits.len());
    let mut sum = 0u64;
    for word in &bits {
        before.push(sum);
        sum += u64::from(word.count_ones());
    }
    debug_assert_eq!(sum, count as u64, "invariant `no two groups have one first row`");
    let mut places = vec![RowOf::default(); count];
    for (first, place) in each() {
        let at = first - range.start;
        let word = (at / 64) as usize;
        let earlier = bits[word] & ((1 << (at % 64)) - 1);
        places[(before[word] + u64::from(earlier.count_ones())) as usize] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::{cut, in_range, one_after_the_other};

    fn in_order(firsts: &[&[u64]], count: usize) -> Vec<u64> {
        let places = cut(firsts, count).into_iter().flat_map(|range| in_range(firsts, range));
        places.map(|at| firsts[at.column as usize][at.row as usize]).collect()
    }

    #[test]
    fn parts_that_follow_one_another_are_found() {
        assert_eq!(one_after_the_other(&[&[5, 7], &[], &[0, 2], &[9]]), Some(vec![2, 0, 3]));
        assert_eq!(one_after_the_other(&[&[5, 7], &[6]]), None);
        assert_eq!(one_after_the_other(&[&[], &[]]), Some(vec![]));
    }

    #[test]
    fn groups_are_in_the_order_of_their_first_rows() {
        let dense: Vec<Vec<u64>> = (0..7).map(|part| (0..500).filter(|row| row % 7 == part).collect()).collect();
        let dense: Vec<&[u64]> = dense.iter().map(Vec::as_slice).collect();
        for count in [1, 2, 3, 16] {
            assert_eq!(in_order(&dense, count), (0..500).collect::<Vec<_>>());
            assert_eq!(in_order(&[&[], &[3, 1 << 40], &[0, 1 << 50, (1 << 50) + 1]], count), [0, 3, 1 << 40, 1 << 50, (1 << 50) + 1]);
            assert_eq!(in_order(&[&[], &[]], count), [0u64; 0]);
        }
    }
}
