//! Batches of a few rows merged: what comes after them does some work for each batch, however few rows it has.

use crate::adapter::{Stream, stream_of};
use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use datafusion_common::{DataFusionError, Result};
use futures::StreamExt;

/// A batch of a sixteenth of a morsel is worth its work.
const ENOUGH: usize = 16;

/// The rows of a stream in batches of a morsel; those that are large enough stay as they are. Nothing is held back when the stream fails.
pub(super) fn coalesced(input: Stream, morsel: usize) -> Stream {
    let schema = input.schema();
    let enough = morsel / ENOUGH;
    if enough <= 1 {
        return input;
    }
    let small = BatchCoalescer::new(schema.clone(), morsel).with_biggest_coalesce_batch_size(Some(enough));
    let rows = futures::stream::unfold((Some(input), small), |(mut input, mut small)| async move {
        loop {
            if let Some(batch) = small.next_completed_batch() {
                return Some((Ok(batch), (input, small)));
            }
            let next = match &mut input {
                Some(input) => input.next().await,
                None => return None,
            };
            let pushed: Result<()> = match next {
                Some(Ok(batch)) => push(&mut small, batch),
                Some(Err(error)) => return Some((Err(error), (None, small))),
                None => {
                    input = None;
                    small.finish_buffered_batch().map_err(DataFusionError::from)
                }
            };
            if let Err(error) = pushed {
                return Some((Err(error), (None, small)));
            }
        }
    });
    stream_of(schema, rows)
}

fn push(small: &mut BatchCoalescer, batch: RecordBatch) -> Result<()> {
    small.push_batch(batch).map_err(DataFusionError::from)
}
