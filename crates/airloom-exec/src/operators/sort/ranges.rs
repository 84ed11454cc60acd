//! Sorting many rows in memory: they are dealt out by ranges of their keys first, and each range is sorted by itself.
//!
//! The rows of a range fit a cache. Where rows are sorted all at once, taking them in the end jumps through all of memory, once for each column: that was half of the time of a
//! sort of a few columns. Dealing rows out reads them as they lie, and writes to as many places as there are ranges.

use super::Sorting;
use super::memory::{in_order, taken};
use crate::memory::SPILL_PARTITIONS;
use crate::schedule::claimed;
use airloom_compute::data::{PartEnds, PartPlaces, record_batch};
use airloom_compute::order::Ranges;
use airloom_io::failure::to_datafusion;
use arrow::array::RecordBatch;
use datafusion_common::Result;
use std::ops::Range;
use std::sync::Arc;

/// From how many rows on the columns of a sort are larger than a cache.
const MANY_ROWS: usize = 1 << 19;

/// Of how many batches it is asked whether rows are in order as they are.
const LOOKS: usize = 8;

/// All rows, dealt out to ranges.
pub(super) struct ByRange {
    ranges: Arc<Ranges>,
    /// Pieces of the input, one after the other, each dealt out by itself.
    pieces: Vec<Piece>,
    /// The ranges of each partition of the result.
    shares: Vec<Range<usize>>,
}

/// Rows of some batches, those of each range together.
struct Piece {
    rows: RecordBatch,
    ends: PartEnds,
}

impl Piece {
    fn of_range(&self, range: usize) -> RecordBatch {
        let own = self.ends.of(range);
        self.rows.slice(own.start, own.len())
    }
}

impl ByRange {
    /// The rows of batches with their keys, where there are many, their keys are short, and they are not nearly in order as they are.
    pub(super) async fn deal(how: &Arc<Sorting>, batches: &[Vec<RecordBatch>]) -> Result<Option<ByRange>> {
        let all: Vec<RecordBatch> = batches.iter().flatten().cloned().collect();
        let count: usize = all.iter().map(RecordBatch::num_rows).sum();
        if count < MANY_ROWS.min(how.options.parts_rows * 4) {
            return Ok(None);
        }
        let ranges = Ranges::new(&all, &how.comparison(), SPILL_PARTITIONS)?;
        if !ranges.are_short() || are_in_order(how, &ranges, &all)? {
            return Ok(None);
        }
        let ranges = Arc::new(ranges);
        let (own, given, read) = (how.clone(), batches.to_vec(), ranges.clone());
        let deal = move |at: usize| {
            let made = dealt(&own, &read, &given[at]);
            async move { made }
        };
        let pieces = claimed(how.options.threads, batches.len(), deal).await?;
        let sizes: Vec<usize> = (0..SPILL_PARTITIONS).map(|range| pieces.iter().map(|piece| piece.ends.of(range).len()).sum()).collect();
        Ok(Some(ByRange { ranges, pieces, shares: shares(&sizes, how.options.threads) }))
    }

    /// The ranges of a partition of the result.
    pub(super) fn share(&self, partition: usize) -> Range<usize> {
        self.shares.get(partition).cloned().unwrap_or(0..0)
    }

    /// The rows of a range, in order, without their keys.
    pub(super) fn range(&self, how: &Sorting, range: usize) -> Result<RecordBatch> {
        how.cancel.check().map_err(to_datafusion)?;
        let pieces = self.pieces.iter().map(|piece| piece.of_range(range)).filter(|rows| rows.num_rows() > 0);
        let pieces: Vec<RecordBatch> = pieces.map(|rows| how.with_copies(&rows)).collect();
        if self.ranges.is_one_key(range) {
            let own: Vec<RecordBatch> = pieces.iter().map(|rows| how.own_columns(rows)).collect();
            return Ok(arrow::compute::concat_batches(&how.kept, &own)?);
        }
        let places = in_order(how, &pieces)?;
        taken(how, &pieces, &places)
    }
}

/// Whether rows that follow one another are mostly in one range.
fn are_in_order(how: &Sorting, ranges: &Ranges, batches: &[RecordBatch]) -> Result<bool> {
    let (mut changes, mut rows) = (0, 0);
    for batch in batches.iter().step_by((batches.len() / LOOKS).max(1)) {
        let own = ranges.of(batch, &how.comparison())?;
        changes += own.windows(2).filter(|pair| pair[0] != pair[1]).count();
        rows += own.len();
    }
    Ok(changes * 4 < rows)
}

/// The rows of batches, dealt out.
fn dealt(how: &Sorting, ranges: &Ranges, batches: &[RecordBatch]) -> Result<Piece> {
    how.cancel.check().map_err(to_datafusion)?;
    let stored = how.stored();
    let mut ranges_of: Vec<u8> = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    let mut rows = Vec::with_capacity(batches.len());
    for batch in batches {
        ranges_of.extend(ranges.of(batch, &how.comparison())?);
        rows.push(how.without_copies(batch, &stored));
    }
    let places = PartPlaces::new(&ranges_of, SPILL_PARTITIONS);
    let column = |at: usize| places.scatter(&rows.iter().map(|batch| batch.column(at).as_ref()).collect::<Vec<_>>());
    let columns = (0..stored.fields().len()).map(column).collect();
    Ok(Piece { rows: record_batch(&stored, columns, places.rows()), ends: places.ends })
}

/// As many shares as there are partitions, each of neighbouring ranges with about as many rows.
fn shares(sizes: &[usize], partitions: usize) -> Vec<Range<usize>> {
    let rows: usize = sizes.iter().sum();
    let (mut made, mut start, mut before) = (Vec::with_capacity(partitions), 0, 0);
    for partition in 1..=partitions {
        let mut end = start;
        // A range goes to the share in which its middle is.
        while end < sizes.len() && (partition == partitions || (2 * before + sizes[end]) * partitions <= 2 * partition * rows) {
            before += sizes[end];
            end += 1;
        }
        made.push(start..end);
        start = end;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_are_all_ranges_in_order() {
        for sizes in [vec![5; 8], vec![0; 4], vec![100, 0, 0, 1, 1, 1, 1, 1], vec![1, 1, 1, 100], vec![7]] {
            for partitions in 1..10 {
                let found = shares(&sizes, partitions);
                assert_eq!(found.len(), partitions);
                assert!(found.iter().flat_map(Clone::clone).eq(0..sizes.len()), "{sizes:?} {partitions} {found:?}");
            }
        }
        assert_eq!(shares(&[5; 8], 4), vec![0..2, 2..4, 4..6, 6..8]);
    }
}
