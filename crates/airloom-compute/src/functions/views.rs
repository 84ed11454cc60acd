//! Text and bytes as views: compared by their first bytes, cut without copying, and written.

use crate::data::Vector;
use airloom_ir::value::Value;
use arrow::array::builder::make_view;
use arrow::array::types::ByteViewType;
use arrow::array::{ArrayRef, AsArray, ByteView, GenericByteViewArray, StringViewArray};
use arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};
use std::cmp::Ordering;
use std::sync::Arc;

/// The most bytes that are stored in a view itself.
pub(crate) const INLINE: usize = 12;

/// How many bytes a block of written text has before the next is begun: a view holds the position of its text in 32 bits, and no text has more than 2^28 bytes.
const BLOCK: usize = 1 << 30;

/// A text in each row.
#[derive(Clone, Copy)]
pub(crate) enum Text<'a> {
    /// The same.
    One(&'a str),
    /// One for each.
    Many(&'a StringViewArray),
}

impl<'a> Text<'a> {
    /// The text of a vector; `None` where it is a constant null.
    pub(crate) fn of(row: &'a Vector) -> Option<Text<'a>> {
        match row {
            Vector::Constant(Value::Str(text)) => Some(Text::One(text)),
            Vector::Flat(array) => array.as_string_view_opt().map(Text::Many),
            _ => None,
        }
    }

    /// The text in one row.
    #[inline(always)]
    pub(crate) fn at(&self, row: usize) -> &'a str {
        match self {
            Text::One(text) => text,
            Text::Many(array) => array.value(row),
        }
    }
}

/// The first four bytes, of which the first counts most; shorter ones are filled with zeros, so they come first as they should.
#[inline(always)]
fn prefix(view: u128) -> u32 {
    ((view >> 32) as u32).swap_bytes()
}

/// Whether two elements are equal: by length and first bytes where these differ.
#[inline(always)]
pub(crate) fn equal<T: ByteViewType>(
    left: &GenericByteViewArray<T>,
    left_at: usize,
    right: &GenericByteViewArray<T>,
    right_at: usize,
) -> bool {
    let (x, y) = (left.views()[left_at], right.views()[right_at]);
    if x as u64 != y as u64 {
        return false;
    }
    if x as u32 <= INLINE as u32 { x == y } else { bytes(left, left_at) == bytes(right, right_at) }
}

/// The order of two elements: by their first bytes where these differ.
#[inline(always)]
pub(crate) fn order<T: ByteViewType>(
    left: &GenericByteViewArray<T>,
    left_at: usize,
    right: &GenericByteViewArray<T>,
    right_at: usize,
) -> Ordering {
    let (x, y) = (prefix(left.views()[left_at]), prefix(right.views()[right_at]));
    if x != y { x.cmp(&y) } else { bytes(left, left_at).cmp(bytes(right, right_at)) }
}

/// The bytes of an element.
#[inline(always)]
pub(crate) fn bytes<T: ByteViewType>(array: &GenericByteViewArray<T>, at: usize) -> &[u8] {
    array.value(at).as_ref()
}

/// A view of part of a text that has this view. The part is given by bytes, and its ends are at the ends of characters.
#[inline(always)]
pub(crate) fn part(view: u128, text: &str, start: usize, end: usize) -> u128 {
    let part = &text.as_bytes()[start..end];
    if part.len() <= INLINE {
        return make_view(part, 0, 0);
    }
    let whole = ByteView::from(view);
    make_view(part, whole.buffer_index, whole.offset + start as u32)
}

/// Views of parts of the texts of an array, as an array over the same blocks.
///
/// Every view must have been made by [`part`] of a view of `array`, or be one.
pub(crate) fn parts_to_array(array: &StringViewArray, views: Vec<u128>, nulls: Option<NullBuffer>) -> ArrayRef {
    // SAFETY: by the contract each view is within its text, which lies in a block of `array` or in the view itself, and begins and ends where characters do.
    unsafe { views_to_array(views, array.data_buffers().to_vec(), nulls) }
}

/// # Safety
/// Each view must point to valid UTF-8 within the blocks, or hold it.
pub(crate) unsafe fn views_to_array(views: Vec<u128>, blocks: Vec<Buffer>, nulls: Option<NullBuffer>) -> ArrayRef {
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    // SAFETY: what is asked of views is the contract of this function.
    Arc::new(unsafe { StringViewArray::new_unchecked(ScalarBuffer::from(views), blocks, nulls) })
}

/// Texts written one after the other into few blocks.
pub(crate) struct TextWriter {
    views: Vec<u128>,
    block: String,
    blocks: Vec<Buffer>,
}

impl TextWriter {
    /// For `rows` texts.
    pub(crate) fn new(rows: usize) -> TextWriter {
        TextWriter { views: Vec::with_capacity(rows), block: String::new(), blocks: Vec::new() }
    }

    /// One more text, which `write` adds to what it is given.
    #[inline(always)]
    pub(crate) fn push_with(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.block.len();
        write(&mut self.block);
        let text = &self.block.as_bytes()[start..];
        self.views.push(make_view(text, self.blocks.len() as u32, start as u32));
        if text.len() <= INLINE {
            self.block.truncate(start);
        } else if self.block.len() > BLOCK {
            self.blocks.push(Buffer::from_vec(std::mem::take(&mut self.block).into_bytes()));
        }
    }

    /// One more text.
    #[inline(always)]
    pub(crate) fn push(&mut self, text: &str) {
        self.push_with(|block| block.push_str(text));
    }

    /// The texts as an array.
    pub(crate) fn finish(mut self, nulls: Option<NullBuffer>) -> ArrayRef {
        if !self.block.is_empty() {
            self.blocks.push(Buffer::from_vec(self.block.into_bytes()));
        }
        // SAFETY: every view was made of a whole text, and those that point into a block point to where it is stored; a block is not changed but at its end.
        unsafe { views_to_array(self.views, self.blocks, nulls) }
    }
}
