//! What differs between columns of different types.

use airloom_compute::data::SourceError;
use arrow::array::ArrayRef;
use arrow::buffer::NullBuffer;
use bytes::Bytes;

/// The values of a type: how they are written one after the other, and what arrays of them look like.
pub(super) trait Kind: Send + 'static {
    /// One value while it is on its way.
    type Value: Copy + Default + Send + 'static;

    /// A page of values, one after the other, comes next.
    fn begin(&mut self, _: &Bytes) {}

    /// Adds `count` values of a page that begin at a position, and gives the position after them.
    fn plain(&mut self, page: &Bytes, at: usize, count: usize, out: &mut Vec<Self::Value>) -> Result<usize, SourceError>;

    /// The position after `count` values that are not wanted.
    fn pass(&mut self, page: &Bytes, at: usize, count: usize) -> Result<usize, SourceError>;

    /// The entries of a dictionary.
    fn dictionary(&mut self, page: &Bytes, count: usize) -> Result<Vec<Self::Value>, SourceError> {
        let mut values = Vec::new();
        self.begin(page);
        self.plain(page, 0, count, &mut values)?;
        Ok(values)
    }

    /// Values as an array.
    fn array(&self, values: Vec<Self::Value>, nulls: Option<NullBuffer>) -> ArrayRef;

    /// The values made so far have become an array: what only they needed can go.
    fn given_out(&mut self) {}
}
