//! Text and bytes: views into the pages they are stored in.

use super::kind::Kind;
use super::pages::damaged;
use airloom_compute::data::SourceError;
use arrow::array::builder::make_view;
use arrow::array::{ArrayRef, BinaryViewArray, StringViewArray};
use arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};
use bytes::Bytes;
use std::sync::Arc;

/// Text, or bytes.
pub(super) struct Text {
    /// Whether it must be UTF-8.
    text: bool,
    /// What views point into: the dictionary, where there is one, then pages.
    blocks: Vec<Buffer>,
    /// How many of them are needed to the end: the dictionary.
    kept: usize,
    /// The number of the page at hand among them.
    page: Option<u32>,
    /// Whether the page at hand is UTF-8 from its first to its last byte, lengths and all.
    whole: bool,
}

impl Text {
    /// Text, which is UTF-8, or bytes.
    pub(super) fn new(text: bool) -> Text {
        Text { text, blocks: Vec::new(), kept: 0, page: None, whole: false }
    }

    /// The length of the value at a position, where it begins, and where it ends.
    fn value(page: &Bytes, at: usize) -> Result<(usize, usize), SourceError> {
        let cut = || damaged("a text ends after its page");
        let length = page.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes).ok_or_else(cut)?;
        let (start, end) = (at + 4, (at + 4).saturating_add(length as usize));
        if end > page.len() { Err(cut()) } else { Ok((start, end)) }
    }
}

/// Lengths below this are bytes that are a character of their own.
const ASCII: usize = 128;

impl Kind for Text {
    type Value = u128;

    fn begin(&mut self, page: &Bytes) {
        self.page = None;
        // One look at the page is faster than one at each text. A length below 128 is four bytes of ASCII, so that the text after it begins where a character
        // does; where it ends is looked at.
        self.whole = !self.text || std::str::from_utf8(page).is_ok();
    }

    fn plain(&mut self, page: &Bytes, at: usize, count: usize, out: &mut Vec<u128>) -> Result<usize, SourceError> {
        let block = *self.page.get_or_insert_with(|| {
            self.blocks.push(Buffer::from(page.clone()));
            self.blocks.len() as u32 - 1
        });
        // A count that the page cannot hold must not take memory: each value has four bytes at least.
        out.reserve(count.min(page.len() / 4));
        let mut at = at;
        for _ in 0..count {
            let (start, end) = Text::value(page, at)?;
            let bytes = &page[start..end];
            let begins = |at: usize| page.get(at).is_none_or(|&byte| (byte as i8) >= -0x40);
            let checked = self.whole && bytes.len() < ASCII && begins(end);
            if self.text && !checked && std::str::from_utf8(bytes).is_err() {
                return Err(damaged("a text is not UTF-8"));
            }
            out.push(make_view(bytes, block, start as u32));
            at = end;
        }
        Ok(at)
    }

    fn pass(&mut self, page: &Bytes, at: usize, count: usize) -> Result<usize, SourceError> {
        (0..count).try_fold(at, |at, _| Text::value(page, at).map(|(_, end)| end))
    }

    fn dictionary(&mut self, page: &Bytes, count: usize) -> Result<Vec<u128>, SourceError> {
        let mut values = Vec::new();
        self.begin(page);
        self.plain(page, 0, count, &mut values)?;
        self.kept = self.blocks.len();
        Ok(values)
    }

    fn array(&self, values: Vec<u128>, nulls: Option<NullBuffer>) -> ArrayRef {
        let (views, blocks) = (ScalarBuffer::from(values), self.blocks.clone());
        if self.text {
            // SAFETY: every view was made by `plain`, of bytes that are UTF-8, and points to them in the block of its page, which is among the blocks until the
            // values were emitted; or it is the default, which is the empty text.
            Arc::new(unsafe { StringViewArray::new_unchecked(views, blocks, nulls) })
        } else {
            // SAFETY: as above, but that bytes may be any.
            Arc::new(unsafe { BinaryViewArray::new_unchecked(views, blocks, nulls) })
        }
    }

    fn given_out(&mut self) {
        self.blocks.truncate(self.kept);
        self.page = None;
    }
}
