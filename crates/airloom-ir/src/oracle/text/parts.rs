//! Splitting and joining text.

use super::bounded;
use super::class::is_space;
use crate::attrs::TextSide;
use crate::oracle::stop::Raised;

/// The text without what is at its ends: characters of `chars`, or white space where that is empty.
pub(super) fn strip<'t>(text: &'t str, chars: &str, side: TextSide) -> &'t str {
    let goes = |c: char| if chars.is_empty() { is_space(c) } else { chars.contains(c) };
    match side {
        TextSide::Both => text.trim_matches(goes),
        TextSide::Start => text.trim_start_matches(goes),
        TextSide::End => text.trim_end_matches(goes),
    }
}

/// The text with at most `limit` occurrences replaced.
pub(super) fn replace(text: &str, old: &str, new: &str, limit: usize) -> Result<String, Raised> {
    let found = text.matches(old).take(limit).count();
    bounded((text.len() - found * old.len()).saturating_add(found.saturating_mul(new.len())))?;
    Ok(text.replacen(old, new, found))
}

/// The parts between separators, after at most `limit` cuts.
pub(super) fn split<'t>(text: &'t str, separator: &str, limit: usize) -> Vec<&'t str> {
    if !separator.is_empty() {
        return text.splitn(limit.saturating_add(1), separator).collect();
    }
    let mut parts = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let end = if parts.len() == limit { rest.len() } else { rest.find(is_space).unwrap_or(rest.len()) };
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_space);
    }
    parts
}

/// The texts with a separator between them.
pub(super) fn join(parts: &[&str], separator: &str) -> Result<String, Raised> {
    let between = separator.len().saturating_mul(parts.len().saturating_sub(1));
    bounded(parts.iter().fold(between, |bytes, part| bytes.saturating_add(part.len())))?;
    Ok(parts.join(separator))
}
