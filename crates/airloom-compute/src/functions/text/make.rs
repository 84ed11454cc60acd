//! Texts made of others.

use super::{LONGEST, limit, numbers, texts};
use crate::data::Vector;
use crate::functions::call::KernelCall;
use crate::functions::views::{Text, TextWriter};
use airloom_ir::attrs::TextSide;
use arrow::array::{Array, AsArray, LargeListArray};

/// A text for each row where no argument is null. What `write` refuses is left to the oracle.
#[inline(always)]
pub(super) fn written(call: &KernelCall<'_>, mut write: impl FnMut(&mut String, usize) -> Option<()>) -> Option<Vector> {
    let nulls = call.nulls();
    let mut out = TextWriter::new(call.rows);
    let mut fine = Some(());
    for row in 0..call.rows {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            out.push("");
        } else {
            out.push_with(|block| fine = write(block, row));
            fine?;
        }
    }
    Some(Vector::Flat(out.finish(nulls)))
}

/// Refuses a text that would be longer than any may be.
fn bounded(bytes: usize) -> Option<()> {
    (bytes <= LONGEST).then_some(())
}

pub(super) fn concat(call: &KernelCall<'_>) -> Option<Vector> {
    let parts: Option<Vec<Text<'_>>> = (0..call.args.len()).map(|at| texts(call, at)).collect();
    let parts = parts?;
    written(call, |block, row| {
        bounded(parts.iter().map(|part| part.at(row).len()).sum())?;
        parts.iter().for_each(|part| block.push_str(part.at(row)));
        Some(())
    })
}

pub(super) fn join(call: &KernelCall<'_>) -> Option<Vector> {
    let separator = texts(call, 1)?;
    let lists = call.array(0);
    let lists: &LargeListArray = lists.as_list_opt::<i64>()?;
    let items = lists.values().as_string_view_opt()?;
    written(call, |block, row| {
        let (start, mut first) = (block.len(), true);
        for at in lists.offsets()[row] as usize..lists.offsets()[row + 1] as usize {
            if items.is_null(at) {
                continue;
            }
            if !std::mem::take(&mut first) {
                block.push_str(separator.at(row));
            }
            block.push_str(items.value(at));
            bounded(block.len() - start)?;
        }
        Some(())
    })
}

pub(super) fn repeat(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, times) = (texts(call, 0)?, numbers(call, 1)?);
    written(call, |block, row| {
        let (text, times) = (text.at(row), usize::try_from(times.at(row)).unwrap_or(0));
        bounded(text.len().saturating_mul(times))?;
        (0..if text.is_empty() { 0 } else { times }).for_each(|_| block.push_str(text));
        Some(())
    })
}

pub(super) fn reverse(call: &KernelCall<'_>) -> Option<Vector> {
    let text = texts(call, 0)?;
    written(call, |block, row| {
        block.extend(text.at(row).chars().rev());
        Some(())
    })
}

/// How many characters, of `bytes` bytes each, a text lacks to a width.
fn missing(text: &str, width: i64, bytes: usize) -> Option<usize> {
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    bounded(missing.saturating_mul(bytes).saturating_add(text.len()))?;
    Some(missing)
}

pub(super) fn pad(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, width, fill, side): (_, _, _, TextSide) = (texts(call, 0)?, numbers(call, 1)?, texts(call, 2)?, call.attr(0));
    written(call, |block, row| {
        let (text, width, fill) = (text.at(row), width.at(row), fill.at(row));
        let mut chars = fill.chars();
        let (Some(_), None) = (chars.next(), chars.next()) else { return None };
        let missing = missing(text, width, fill.len())?;
        let before = match side {
            TextSide::Start => missing,
            TextSide::End => 0,
            // As Python's `center`: what is odd goes before in a text of odd width, after in one of even width.
            TextSide::Both => missing / 2 + (missing & 1 & width as usize),
        };
        (0..before).for_each(|_| block.push_str(fill));
        block.push_str(text);
        (before..missing).for_each(|_| block.push_str(fill));
        Some(())
    })
}

pub(super) fn zfill(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, width) = (texts(call, 0)?, numbers(call, 1)?);
    written(call, |block, row| {
        let text = text.at(row);
        let zeros = missing(text, width.at(row), 1)?;
        let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
        block.push_str(sign);
        (0..zeros).for_each(|_| block.push('0'));
        block.push_str(digits);
        Some(())
    })
}

pub(super) fn replace(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, old, new, most) = (texts(call, 0)?, texts(call, 1)?, texts(call, 2)?, numbers(call, 3)?);
    if let Text::One(old) = old
        && !old.is_empty()
    {
        let finder = memchr::memmem::Finder::new(old);
        return written(call, |block, row| {
            let (text, new, start) = (text.at(row), new.at(row), block.len());
            let mut end = 0;
            for at in finder.find_iter(text.as_bytes()).take(limit(most.at(row))) {
                block.push_str(&text[end..at]);
                block.push_str(new);
                end = at + old.len();
                bounded(block.len() - start)?;
            }
            block.push_str(&text[end..]);
            bounded(block.len() - start)
        });
    }
    written(call, |block, row| {
        let (text, old, new, start) = (text.at(row), old.at(row), new.at(row), block.len());
        let mut end = 0;
        for (at, found) in text.match_indices(old).take(limit(most.at(row))) {
            block.push_str(&text[end..at]);
            block.push_str(new);
            end = at + found.len();
            bounded(block.len() - start)?;
        }
        block.push_str(&text[end..]);
        bounded(block.len() - start)
    })
}
