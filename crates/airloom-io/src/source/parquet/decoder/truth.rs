//! Booleans: bits.

use super::kind::Kind;
use super::pages::damaged;
use airloom_compute::data::SourceError;
use arrow::array::{ArrayRef, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use bytes::Bytes;
use std::sync::Arc;

/// Booleans. Positions in pages are counted in bits.
pub(super) struct Truth;

impl Kind for Truth {
    type Value = bool;

    fn plain(&mut self, page: &Bytes, at: usize, count: usize, out: &mut Vec<bool>) -> Result<usize, SourceError> {
        let end = self.pass(page, at, count)?;
        out.extend((at..end).map(|bit| page[bit / 8] >> (bit % 8) & 1 == 1));
        Ok(end)
    }

    fn pass(&mut self, page: &Bytes, at: usize, count: usize) -> Result<usize, SourceError> {
        let end = at.checked_add(count).filter(|&end| end <= page.len().saturating_mul(8));
        end.ok_or_else(|| damaged("a page has fewer values than it says"))
    }

    fn array(&self, values: Vec<bool>, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(BooleanArray::new(BooleanBuffer::from(values), nulls))
    }
}
