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
            (0..call.lanes).map(|lane| position(text.at(lane), finder.find(text.at(lane).as_bytes()))).collect()
        }
        Text::Many(_) => (0..call.lanes).map(|lane| position(text.at(lane), text.at(lane).find(part.at(lane)))).collect(),
    };
    Some(counts(call, found))
}

pub(super) fn find_last(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    let found = (0..call.lanes).map(|lane| position(text.at(lane), text.at(lane).rfind(part.at(lane)))).collect();
    Some(counts(call, found))
}

pub(super) fn count(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    let found = match part {
        Text::One(part) if !part.is_empty() => {
            let finder = memmem::Finder::new(part);
            (0..call.lanes).map(|lane| finder.find_iter(text.at(lane).as_bytes()).count() as i64).collect()
        }
        _ => (0..call.lanes).map(|lane| text.at(lane).matches(part.at(lane)).count() as i64).collect(),
    };
    Some(counts(call, found))
}

pub(super) fn contains(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, part) = (texts(call, 0)?, texts(call, 1)?);
    match part {
        Text::One(part) => {
            let finder = memmem::Finder::new(part);
            truths(call, |lane| finder.find(text.at(lane).as_bytes()).is_some())
        }
        Text::Many(_) => truths(call, |lane| text.at(lane).contains(part.at(lane))),
    }
}

pub(super) fn starts(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, prefix) = (texts(call, 0)?, texts(call, 1)?);
    let (Text::Many(array), Text::One(wanted)) = (text, prefix) else {
        return truths(call, |lane| text.at(lane).starts_with(prefix.at(lane)));
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
    truths(call, |lane| views[lane] as u32 >= least && views[lane] & mask == first && array.value(lane).starts_with(wanted))
}

pub(super) fn ends(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, suffix) = (texts(call, 0)?, texts(call, 1)?);
    truths(call, |lane| text.at(lane).ends_with(suffix.at(lane)))
}
