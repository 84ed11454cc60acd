//! Parts of text, cut out without copying.

use super::{is_space, limit, numbers, texts};
use crate::data::Vector;
use crate::data::bits;
use crate::data::types::item_field;
use crate::functions::call::KernelCall;
use crate::functions::views::{part, parts_to_array, views_to_array};
use airloom_ir::attrs::TextSide;
use airloom_ir::types::TyId;
use arrow::array::{Array, AsArray, LargeListArray, StringViewArray};
use arrow::buffer::{BooleanBuffer, OffsetBuffer};
use std::ops::Range;
use std::sync::Arc;

/// A part of each text, given by bytes.
#[inline(always)]
fn cut(call: &KernelCall<'_>, mut range: impl FnMut(usize, &str) -> Range<usize>) -> Option<Vector> {
    let array = call.array(0);
    let array = array.as_string_view_opt()?;
    let views = (0..call.rows).map(|row| {
        let text = array.value(row);
        let Range { start, end } = range(row, text);
        part(array.views()[row], text, start, end)
    });
    let views = views.collect();
    Some(Vector::Flat(parts_to_array(array, views, call.nulls())))
}

/// A part of each text, or null.
#[inline(always)]
pub(super) fn cut_or_null(call: &KernelCall<'_>, mut range: impl FnMut(usize, &str) -> Option<Range<usize>>) -> Option<Vector> {
    let array = call.array(0);
    let array = array.as_string_view_opt()?;
    let mut missing = vec![false; call.rows];
    let views = (0..call.rows).map(|row| {
        let text = array.value(row);
        match range(row, text) {
            Some(Range { start, end }) => part(array.views()[row], text, start, end),
            None => {
                missing[row] = true;
                0
            }
        }
    });
    let views = views.collect();
    let nulls = bits::with_nulls(call.nulls().as_ref(), &BooleanBuffer::from(missing));
    Some(Vector::Flat(parts_to_array(array, views, nulls)))
}

/// Where a part of a text is in it.
fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

pub(super) fn strip(call: &KernelCall<'_>) -> Option<Vector> {
    let (chars, side): (_, TextSide) = (texts(call, 1)?, call.attr(0));
    cut(call, |row, text| {
        let chars = chars.at(row);
        let goes = |c: char| if chars.is_empty() { is_space(c) } else { chars.contains(c) };
        range_in(
            text,
            match side {
                TextSide::Both => text.trim_matches(goes),
                TextSide::Start => text.trim_start_matches(goes),
                TextSide::End => text.trim_end_matches(goes),
            },
        )
    })
}

pub(super) fn strip_prefix(call: &KernelCall<'_>) -> Option<Vector> {
    let prefix = texts(call, 1)?;
    cut(call, |row, text| {
        let prefix = prefix.at(row);
        if text.starts_with(prefix) { prefix.len()..text.len() } else { 0..text.len() }
    })
}

pub(super) fn strip_suffix(call: &KernelCall<'_>) -> Option<Vector> {
    let suffix = texts(call, 1)?;
    cut(call, |row, text| {
        let suffix = suffix.at(row);
        if text.ends_with(suffix) { 0..text.len() - suffix.len() } else { 0..text.len() }
    })
}

/// The byte at which the character of a number begins, the end where there are no more.
fn byte_of(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(byte, _)| byte)
}

fn from_start(index: i64, length: usize) -> i128 {
    i128::from(index) + if index < 0 { length as i128 } else { 0 }
}

/// What Python's `[start:stop]` takes of `length` elements.
pub(in crate::functions) fn clip(start: i64, stop: i64, length: usize) -> Range<usize> {
    let end = |index: i64| from_start(index, length).clamp(0, length as i128) as usize;
    let start = end(start);
    start..end(stop).max(start)
}

/// The position of an index among `length` elements, counted from the end when negative.
pub(in crate::functions) fn place(index: i64, length: usize) -> Option<usize> {
    usize::try_from(from_start(index, length)).ok().filter(|at| *at < length)
}

pub(super) fn slice(call: &KernelCall<'_>) -> Option<Vector> {
    let (start, stop) = (numbers(call, 1)?, numbers(call, 2)?);
    cut(call, |row, text| {
        let (start, stop) = (start.at(row), stop.at(row));
        if text.is_ascii() {
            return clip(start, stop, text.len());
        }
        let Range { start, end } = clip(start, stop, text.chars().count());
        let from = byte_of(text, start);
        from..from + byte_of(&text[from..], end - start)
    })
}

pub(super) fn at(call: &KernelCall<'_>) -> Option<Vector> {
    let at = numbers(call, 1)?;
    cut_or_null(call, |row, text| {
        if text.is_ascii() {
            return place(at.at(row), text.len()).map(|at| at..at + 1);
        }
        let at = place(at.at(row), text.chars().count())?;
        let from = byte_of(text, at);
        Some(from..from + byte_of(&text[from..], 1))
    })
}

/// Parts of each text as lists; `each` is given every part.
pub(super) fn cut_many(call: &KernelCall<'_>, mut each: impl for<'t> FnMut(usize, &'t str, &mut dyn FnMut(&'t str))) -> Option<Vector> {
    let array = call.array(0);
    let array: &StringViewArray = array.as_string_view_opt()?;
    let nulls = call.nulls();
    let mut views = Vec::with_capacity(call.rows);
    let mut lengths = Vec::with_capacity(call.rows);
    for row in 0..call.rows {
        let before = views.len();
        if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
            let (text, view) = (array.value(row), array.views()[row]);
            each(row, text, &mut |found| {
                let Range { start, end } = range_in(text, found);
                views.push(part(view, text, start, end));
            });
        }
        lengths.push(views.len() - before);
    }
    let items = parts_to_array(array, views, None);
    let field = Arc::new(item_field(call.types, TyId::STR)?);
    Some(Vector::Flat(Arc::new(LargeListArray::new(field, OffsetBuffer::from_lengths(lengths), items, nulls))))
}

pub(super) fn split(call: &KernelCall<'_>) -> Option<Vector> {
    let (separator, most) = (texts(call, 1)?, numbers(call, 2)?);
    cut_many(call, |row, text, push| {
        let (separator, most) = (separator.at(row), limit(most.at(row)));
        if !separator.is_empty() {
            text.splitn(most.saturating_add(1), separator).for_each(push);
            return;
        }
        let mut count = 0;
        let mut rest = text.trim_start_matches(is_space);
        while !rest.is_empty() {
            let end = if count == most { rest.len() } else { rest.find(is_space).unwrap_or(rest.len()) };
            push(&rest[..end]);
            count += 1;
            rest = rest[end..].trim_start_matches(is_space);
        }
    })
}

pub(super) fn encode(call: &KernelCall<'_>) -> Option<Vector> {
    Some(Vector::Flat(Arc::new(call.many(0)?.as_string_view_opt()?.clone().to_binary_view())))
}

pub(super) fn decode(call: &KernelCall<'_>) -> Option<Vector> {
    let array = call.many(0)?.as_binary_view_opt()?;
    let text = |row: usize| array.is_valid(row) && std::str::from_utf8(array.value(row)).is_ok();
    let valid = BooleanBuffer::collect_bool(call.rows, text);
    let views = array.views().iter().enumerate().map(|(row, view)| if valid.value(row) { *view } else { 0 });
    let nulls = bits::with_nulls(None, &!&valid);
    // SAFETY: each view is one of the array's that was found to be UTF-8, or that of the empty text.
    Some(Vector::Flat(unsafe { views_to_array(views.collect(), array.data_buffers().to_vec(), nulls) }))
}
