//! Parts of text, looked for.

use super::{counts, texts, truths};
use crate::data::Vector;
use crate::data::bits;
use crate::functions::call::KernelCall;
use crate::functions::views::Text;
use memchr::memmem;

/// The position of a byte among the characters, -1 where there is none.
fn position(text: &str, byte: Option<usize>) -> i64 {
    byte.map_or(-1, |byte| text[..byte].chars().count() as i64)
}

pub(super) fn find(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    let found = match part {
        Text::One(part) => {
            let finder = memmem::Finder::new(part);
            (0..call.rows).map(|row| position(text.at(row), finder.find(text.at(row).as_bytes()))).collect()
        }
        Text::Many(_) => (0..call.rows).map(|row| position(text.at(row), text.at(row).find(part.at(row)))).collect(),
    };
    Some(counts(call, found))
}

pub(super) fn find_last(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    let found = (0..call.rows).map(|row| position(text.at(row), text.at(row).rfind(part.at(row)))).collect();
    Some(counts(call, found))
}

pub(super) fn count(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    let found = match part {
        Text::One(part) if !part.is_empty() => {
            let finder = memmem::Finder::new(part);
            (0..call.rows).map(|row| finder.find_iter(text.at(row).as_bytes()).count() as i64).collect()
        }
        _ => (0..call.rows).map(|row| text.at(row).matches(part.at(row)).count() as i64).collect(),
    };
    Some(counts(call, found))
}

pub(super) fn contains(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    match part {
        Text::One(part) => {
            let finder = memmem::Finder::new(part);
            truths(call, |row| finder.find(text.at(row).as_bytes()).is_some())
        }
        Text::Many(_) => truths(call, |row| text.at(row).contains(part.at(row))),
    }
}

pub(super) fn starts(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, prefix) = (texts(call, 0)?, texts(call, 1)?);
    let (Text::Many(array), Text::One(wanted)) = (text, prefix) else {
        return truths(call, |row| text.at(row).starts_with(prefix.at(row)));
    };
    // The first four bytes are in the view, after the length.
    let known = wanted.len().min(4);
    let mut first = [0; 16];
    first[4..4 + known].copy_from_slice(&wanted.as_bytes()[..known]);
    let mask = ((1u128 << (8 * known)) - 1) << 32;
    let (first, least) = (u128::from_le_bytes(first), wanted.len() as u32);
    if wanted.len() <= 4 {
        let bits = bits::test(array.views(), |view| (view as u32 >= least) & (view & mask == first));
        return Some(Vector::Flat(bits::truths(bits, call.nulls())));
    }
    let views = array.views();
    truths(call, |row| views[row] as u32 >= least && views[row] & mask == first && array.value(row).starts_with(wanted))
}

pub(super) fn ends(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, suffix) = (texts(call, 0)?, texts(call, 1)?);
    truths(call, |row| text.at(row).ends_with(suffix.at(row)))
}
