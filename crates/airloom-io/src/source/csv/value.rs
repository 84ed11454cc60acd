//! What a field may be.

use super::options::CsvOptions;
use super::whole::Digits;
pub(super) use super::whole::Whole;
use std::collections::HashSet;

/// What pandas takes for missing.
const USUAL_NULLS: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None",
    "n/a", "nan", "null",
];

/// The texts that are null.
#[derive(Clone, Debug)]
pub(crate) struct Nulls {
    texts: HashSet<Vec<u8>>,
    longest: usize,
}

impl Nulls {
    pub(crate) fn of(options: &CsvOptions) -> Nulls {
        let usual = USUAL_NULLS.iter().filter(|_| options.usual_nulls).map(|text| text.as_bytes().to_vec());
        let texts: HashSet<Vec<u8>> = usual.chain(options.nulls.iter().map(|text| text.as_bytes().to_vec())).collect();
        #[allow(clippy::iter_over_hash_type, reason = "the greatest length is the same in any order")]
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        Nulls { texts, longest }
    }

    pub(crate) fn contains(&self, text: &[u8]) -> bool {
        text.len() <= self.longest && self.texts.contains(text)
    }
}

/// The text without spaces and tabs round it, as numbers may have them.
pub(crate) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// Reads an integer.
pub(super) fn whole(text: &[u8], thousands: Option<u8>) -> Whole {
    super::whole::whole(text, Digits { decimal: b'.', thousands })
}

/// Reads a float.
pub(crate) fn float(text: &[u8], thousands: Option<u8>) -> Option<f64> {
    let text = trimmed(text);
    // Words are the numbers `inf` and `infinity`; `nan` is null before it comes here, or text.
    let word = text.iter().find(|byte| byte.is_ascii_alphabetic()).is_some_and(|byte| !matches!(byte, b'e' | b'E' | b'i' | b'I'));
    if word {
        return None;
    }
    let parse = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    match thousands {
        Some(between) if text.contains(&between) => parse(&text.iter().copied().filter(|byte| *byte != between).collect::<Vec<_>>()),
        _ => parse(text),
    }
}

/// Reads a boolean.
pub(crate) fn truth(text: &[u8]) -> Option<bool> {
    match text {
        b"True" | b"TRUE" | b"true" => Some(true),
        b"False" | b"FALSE" | b"false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Whole, float, truth, whole};

    #[test]
    fn fields_are_read_as_what_they_are() {
        assert_eq!((whole(b" -12 ", None), whole(b"1,234,567", Some(b','))), (Whole::Signed(-12), Whole::Signed(1_234_567)));
        assert_eq!(float(b"1,234.5", Some(b',')), Some(1234.5));
        assert_eq!((float(b" 1e5 ", None), float(b".5", None), float(b"1.", None)), (Some(1e5), Some(0.5), Some(1.0)));
        assert_eq!((float(b"-inf", None), float(b"Infinity", None)), (Some(f64::NEG_INFINITY), Some(f64::INFINITY)));
        assert_eq!((float(b"nan", None), float(b"abc", None), float(b"", None), float(b"1x", None)), (None, None, None, None));
        assert_eq!((truth(b"TRUE"), truth(b"false"), truth(b"yes")), (Some(true), Some(false), None));
    }
}
