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
    Rows(RecordBatch, Option<Arc<MemoryReservation>>),
    /// Rows that come from disk: the first partition emits them all.
    Spilled(Mutex<Option<Stream>>),
}

impl Materialized {
    /// Rows in memory, for which there must be room.
    pub fn in_memory(rows: RecordBatch, reservation: Arc<MemoryReservation>) -> Result<Materialized> {
        reservation.try_grow(batch_size(&rows))?;
        Ok(Materialized::Rows(rows, Some(reservation)))
    }

    /// Rows in memory that others count.
    pub fn rows(rows: RecordBatch) -> Materialized {
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
                    let (pieces, rows, held) = (pieces(rows.num_rows(), partition, partitions, morsel), rows.clone(), held.clone());
                    let slice = move |(at, length)| {
                        // The rows stay counted as long as a piece of them is to come.
                        let _counted = &held;
                        Ok(rows.slice(at, length))
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

/// The morsels of one of `partitions` contiguous partitions of `rows` rows.
fn pieces(rows: usize, partition: usize, partitions: usize, morsel: usize) -> Vec<(usize, usize)> {
    let share = rows.div_ceil(partitions).max(1);
    let (start, end) = ((partition * share).min(rows), ((partition + 1) * share).min(rows));
    (start..end).step_by(morsel).map(|at| (at, morsel.min(end - at))).collect()
}
