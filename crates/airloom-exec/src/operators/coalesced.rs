//! Batches of a few rows merged: what comes after them does some work for each batch, however few rows it has.

use airloom_compute::data::Selected;
use airloom_io::metrics::SelectedStream;
use arrow::array::RecordBatch;
use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use futures::StreamExt;

/// A batch of a sixteenth of a morsel is worth its work.
const ENOUGH: usize = 16;

/// Batches that are small, and the one that ended them.
struct Small {
    rows: BatchCoalescer,
    large: Option<Selected>,
}

/// The rows of a stream in batches of a morsel; those that are large enough stay as they are. Nothing is held back when the stream fails.
pub(super) fn coalesced(input: SelectedStream, schema: &SchemaRef, morsel: usize) -> SelectedStream {
    let enough = morsel / ENOUGH;
    if enough <= 1 {
        return input;
    }
    let small = Small { rows: BatchCoalescer::new(schema.clone(), morsel), large: None };
    let rows = futures::stream::unfold((Some(input), small), move |(mut input, mut small)| async move {
        loop {
            if let Some(rows) = small.next() {
                return Some((Ok(rows), (input, small)));
            }
            let next = match &mut input {
                Some(input) => input.next().await,
                None => return None,
            };
            let pushed = match next {
                Some(Ok(rows)) => small.push(rows, enough),
                Some(Err(error)) => Err(error),
                None => {
                    input = None;
                    small.rows.finish_buffered_batch().map_err(Into::into)
                }
            };
            if let Err(error) = pushed {
                return Some((Err(error), (None, small)));
            }
        }
    });
    rows.boxed()
}

impl Small {
    /// What is done.
    fn next(&mut self) -> Option<Selected> {
        self.rows.next_completed_batch().map(Selected::all).or_else(|| self.large.take())
    }

    fn push(&mut self, rows: Selected, enough: usize) -> Result<()> {
        if rows.rows.len() <= enough {
            let rows: RecordBatch = rows.compact();
            return Ok(self.rows.push_batch(rows)?);
        }
        self.large = Some(rows);
        Ok(self.rows.finish_buffered_batch()?)
    }
}
