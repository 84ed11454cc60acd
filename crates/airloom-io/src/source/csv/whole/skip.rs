//! Lines that are passed over by their numbers.

use crate::source::csv::records::{Cells, Dialect, Line};
use crate::source::csv::window::{Bounds, Trouble, Window};

/// Passes over the lines of these numbers, and over what is before the last of them. Where reading goes on; records between are kept.
pub(super) fn skip_lines(window: &mut Window, from: &Bounds<'_>, at: usize, lines: &[u64], into: &mut Cells) -> Result<usize, Trouble> {
    let mut at = at;
    let Some(last) = lines.last() else { return Ok(at) };
    let mut line = 0;
    while line <= *last && (at < window.bytes().len() || !window.is_last(from.file)) {
        let next = if lines.binary_search(&line).is_ok() {
            // A carriage return may be one of two.
            skip_line(window.bytes(), from.dialect, at).filter(|next| *next < window.bytes().len() || window.is_last(from.file))
        } else {
            match window.reader(from).line(at) {
                Some(Line::Empty(next)) => Some(next),
                Some(Line::Record(start)) => Some(window.records(from, start, usize::MAX, into.rows + 1, into)?),
                None => None,
            }
        };
        match next {
            Some(next) => at = next,
            None if window.is_last(from.file) => return Ok(window.bytes().len()),
            None => {
                window.grow(from)?;
                continue;
            }
        }
        line += 1;
    }
    Ok(at)
}

/// Passes over a line, as pandas does with those in `skiprows`: line ends in quotes are none. `None` where the text ends first.
fn skip_line(bytes: &[u8], dialect: &Dialect, mut at: usize) -> Option<usize> {
    let is_quote = |byte: u8| Some(byte) == dialect.quote;
    let first = *bytes.get(at)?;
    if first == b'\n' {
        return Some(at + 1);
    }
    // The first byte is looked at no further, even where it ends a field or a line.
    at += 1;
    let mut inside = is_quote(first);
    let mut field_begins = false;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if inside {
            if is_quote(byte) {
                if at < bytes.len() && is_quote(bytes[at]) {
                    at += 1;
                } else {
                    inside = false;
                }
            }
            continue;
        }
        match byte {
            b'\n' => return Some(at),
            b'\r' => {
                let more = at < bytes.len() && (bytes[at] == b'\n' || bytes[at] == dialect.delimiter);
                return Some(at + usize::from(more));
            }
            _ if field_begins && is_quote(byte) => inside = true,
            _ => field_begins = byte == dialect.delimiter,
        }
    }
    None
}
