//! Text.

mod case;
mod cut;
mod like;
mod make;
mod pattern;
mod search;

pub(super) use cut::{clip, place};

use super::call::KernelCall;
use super::views::Text as Texts;
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Side, numbers_to_array};
use airloom_ir::attrs::TextUnit;
use airloom_ir::ops::text::Text;
use arrow::array::AsArray;
use arrow::buffer::BooleanBuffer;

/// The most bytes that a text may have.
const LONGEST: usize = 1 << 28;

/// The result in every row, where there is a kernel for it and no row raises.
pub(super) fn fast(op: Text, call: &KernelCall<'_>) -> Option<Vector> {
    match op {
        Text::Len => len(call),
        Text::Case => case::case(call),
        Text::Is => case::is(call),
        Text::Strip => cut::strip(call),
        Text::StripPrefix => cut::strip_prefix(call),
        Text::StripSuffix => cut::strip_suffix(call),
        Text::Pad => make::pad(call),
        Text::Zfill => make::zfill(call),
        Text::Slice => cut::slice(call),
        Text::At => cut::at(call),
        Text::Find => search::find(call),
        Text::FindLast => search::find_last(call),
        Text::Count => search::count(call),
        Text::Contains => search::contains(call),
        Text::Starts => search::starts(call),
        Text::Ends => search::ends(call),
        Text::Like => like::like(call),
        Text::Matches => pattern::matches(call),
        Text::Replace => make::replace(call),
        Text::ReplaceRegex => pattern::replace(call),
        Text::Extract => pattern::extract(call),
        Text::FindAll => pattern::find_all(call),
        Text::Split => cut::split(call),
        Text::SplitRegex => pattern::split(call),
        Text::Concat => make::concat(call),
        Text::Join => make::join(call),
        Text::Repeat => make::repeat(call),
        Text::Reverse => make::reverse(call),
        Text::Format => None,
        Text::Encode => cut::encode(call),
        Text::Decode => cut::decode(call),
    }
}

fn len(call: &KernelCall<'_>) -> Option<Vector> {
    let texts = call.many(0)?.as_string_view_opt()?;
    let lengths: Vec<i64> = match call.attr(0) {
        TextUnit::Bytes => texts.views().iter().map(|view| i64::from(*view as u32)).collect(),
        TextUnit::Chars => (0..call.rows).map(|row| texts.value(row).chars().count() as i64).collect(),
    };
    Some(counts(call, lengths))
}

/// A text argument.
fn texts<'a>(call: &'a KernelCall<'_>, at: usize) -> Option<Texts<'a>> {
    Texts::of(&call.args[at])
}

/// An argument that counts.
fn numbers(call: &KernelCall<'_>, at: usize) -> Option<Side<i64>> {
    Side::of(&call.args[at])
}

/// How many times at most; a negative limit is none.
fn limit(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn counts(call: &KernelCall<'_>, counts: Vec<i64>) -> Vector {
    Vector::Flat(numbers_to_array(call.types, call.ty, counts, call.nulls()))
}

/// What holds in each row.
#[inline(always)]
fn truths(call: &KernelCall<'_>, holds: impl FnMut(usize) -> bool) -> Option<Vector> {
    Some(Vector::Flat(bits::truths(BooleanBuffer::collect_bool(call.rows, holds), call.nulls())))
}

/// White space, with the four separators of ASCII that Unicode leaves out.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}
