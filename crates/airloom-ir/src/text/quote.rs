//! Names and text in quotes.

use std::borrow::Cow;
use std::fmt::Write;

/// A name as it is written: bare where it is a plain word, else in quotes.
pub fn name(name: &str) -> Cow<'_, str> {
    if is_plain(name) { Cow::Borrowed(name) } else { Cow::Owned(string(name)) }
}

/// Whether a name can be written without quotes.
pub fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Text in quotes.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => {
                write!(out, "\\u{{{:x}}}", c as u32).expect("a string takes every text");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Bytes in quotes.
pub fn bytes(bytes: &[u8]) -> String {
    let mut out = String::from("b\"");
    for &b in bytes {
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e => out.push(b as char),
            _ => {
                write!(out, "\\x{b:02x}").expect("a string takes every text");
            }
        }
    }
    out.push('"');
    out
}
