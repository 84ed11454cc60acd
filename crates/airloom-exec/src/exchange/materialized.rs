//! The output of a pipeline breaker, emitted as contiguous partitions, one for each thread.

use crate::adapter::{Stream, stream_of};
use airloom_compute::data::batch_size;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::memory_pool::MemoryReservation;
use futures::StreamExt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

/// What an operator has made.
pub enum Materialized {
    /// All rows, in memory, and what keeps it theirs.
    Rows(Vec<RecordBatch>, Option<Arc<MemoryReservation>>),
    /// Rows that come from disk: the first partition emits them all.
    Spilled(Mutex<Option<Stream>>),
}

impl Materialized {
    /// Rows in memory, for which there must be room.
    pub fn in_memory(rows: Vec<RecordBatch>, reservation: Arc<MemoryReservation>) -> Result<Materialized> {
        reservation.try_grow(rows.iter().map(batch_size).sum())?;
        Ok(Materialized::Rows(rows, Some(reservation)))
    }

    /// Rows in memory that others count.
    pub fn rows(rows: RecordBatch) -> Materialized {
        Self::batches(vec![rows])
    }

    /// Rows in memory that others count, in several batches one after the other.
    pub fn batches(rows: Vec<RecordBatch>) -> Materialized {
        Materialized::Rows(rows, None)
    }

    /// Rows that come from disk.
    pub fn spilled(rows: Stream) -> Materialized {
        Materialized::Spilled(Mutex::new(Some(rows)))
    }

    /// One of several partitions, in morsels, once the rows are there.
    pub fn partition(
        made: impl Future<Output = Result<Arc<Materialized>>> + Send + 'static,
        schema: SchemaRef,
        partition: usize,
        partitions: usize,
        morsel: usize,
    ) -> Stream {
        let rows = futures::stream::once(made).flat_map(move |made| {
            let made = match made {
                Ok(made) => made,
                Err(error) => return futures::stream::iter([Err(error)]).boxed(),
            };
            match made.as_ref() {
                Materialized::Rows(rows, held) => {
                    let lengths: Vec<usize> = rows.iter().map(RecordBatch::num_rows).collect();
                    let (pieces, rows, held) = (pieces(&lengths, partition, partitions, morsel), rows.clone(), held.clone());
                    let slice = move |(batch, at, length): (usize, usize, usize)| {
                        // The rows stay counted as long as a piece of them is to come.
                        let _counted = &held;
                        Ok(rows[batch].slice(at, length))
                    };
                    futures::stream::iter(pieces).map(slice).boxed()
                }
                Materialized::Spilled(rows) if partition == 0 => {
                    let rows = rows.lock().unwrap_or_else(PoisonError::into_inner).take();
                    rows.map_or_else(|| futures::stream::empty().boxed(), |rows| rows.boxed())
                }
                Materialized::Spilled(_) => futures::stream::empty().boxed(),
            }
        });
        stream_of(schema, rows)
    }
}

/// The morsels of one of `partitions` contiguous partitions of batches of these lengths: the batch of each, where in it, and how many rows.
fn pieces(lengths: &[usize], partition: usize, partitions: usize, morsel: usize) -> Vec<(usize, usize, usize)> {
    let rows: usize = lengths.iter().sum();
    let share = rows.div_ceil(partitions).max(1);
    let (start, end) = ((partition * share).min(rows), ((partition + 1) * share).min(rows));
    let (mut pieces, mut first) = (Vec::new(), 0);
    for (batch, &length) in lengths.iter().enumerate() {
        let (from, to) = (start.max(first), end.min(first + length));
        pieces.extend((from..to).step_by(morsel).map(|at| (batch, at - first, morsel.min(to - at))));
        first += length;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn every_row_is_in_one_piece() {
        for lengths in [&[][..], &[0], &[5], &[3, 0, 7, 1], &[1; 9]] {
            for (partitions, morsel) in [(1, 1), (2, 3), (4, 100), (20, 2)] {
                let all: Vec<_> = (0..partitions).flat_map(|partition| pieces(lengths, partition, partitions, morsel)).collect();
                let rows = all.into_iter().flat_map(|(batch, at, length)| (at..at + length).map(move |row| (batch, row)));
                let expected = lengths.iter().enumerate().flat_map(|(batch, &length)| (0..length).map(move |row| (batch, row)));
                assert!(rows.eq(expected), "{lengths:?} in {partitions} partitions by {morsel}");
            }
        }
    }
}
