//! Text made longer.

use super::bounded;
use crate::attrs::TextSide;
use crate::oracle::stop::{Raised, raise};

/// The text made at least `width` wide with one character.
pub(super) fn pad(text: &str, width: i64, fill: &str, side: TextSide) -> Result<String, Raised> {
    let mut chars = fill.chars();
    let (Some(fill), None) = (chars.next(), chars.next()) else {
        return raise(format!("found `{fill}` to fill with, expected one character"));
    };
    let missing = missing(text, width, fill.len_utf8())?;
    let before = match side {
        TextSide::Start => missing,
        TextSide::End => 0,
        // As Python's `center`: what is odd goes before in a text of odd width, after in one of even width.
        TextSide::Both => missing / 2 + (missing & 1 & width as usize),
    };
    let fill = |count: usize| std::iter::repeat_n(fill, count);
    Ok(fill(before).chain(text.chars()).chain(fill(missing - before)).collect())
}

/// The text made at least `width` wide with zeros after its sign.
pub(super) fn zfill(text: &str, width: i64) -> Result<String, Raised> {
    let zeros = missing(text, width, 1)?;
    let sign = usize::from(text.starts_with(['+', '-']));
    Ok([&text[..sign], &"0".repeat(zeros), &text[sign..]].concat())
}

/// The text `times` times.
pub(super) fn repeat(text: &str, times: i64) -> Result<String, Raised> {
    let times = usize::try_from(times).unwrap_or(0);
    bounded(text.len().saturating_mul(times))?;
    Ok(text.repeat(times))
}

/// How many characters, of `bytes` bytes each, a text lacks to a width.
fn missing(text: &str, width: i64, bytes: usize) -> Result<usize, Raised> {
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    bounded(missing.saturating_mul(bytes).saturating_add(text.len()))?;
    Ok(missing)
}
