//! Cutting a file between records.

use memchr::{memchr, memchr2};
use std::ops::Range;

/// Pieces of lines, each about so long.
pub(super) fn cut_lines(bytes: &[u8], piece: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let from = bytes.len().min(start + piece);
        let end = memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at + 1);
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// Pieces of an array of records, each about `piece` bytes long, and without the commas between them. Only where nothing is nested in a record does each brace
/// end one; what is cut elsewhere is no record, which is found when it is read.
pub(super) fn cut_array(bytes: &[u8], piece: usize) -> Result<Vec<Range<usize>>, String> {
    let inside = bytes.trim_ascii();
    let offset = bytes.len() - bytes.trim_ascii_start().len();
    if inside.len() < 2 || inside[0] != b'[' || inside[inside.len() - 1] != b']' {
        return Err("text that is no array of records".into());
    }
    let end = offset + inside.len() - 1;
    let mut pieces = Vec::new();
    let mut start = offset + 1;
    let mut at = start;
    // Braces before this end no piece, which would be too short.
    let mut enough = start + piece;
    while let Some(found) = memchr2(b'"', b'}', &bytes[at..end]) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            at = after_text(&bytes[..end], at).ok_or("a text that is never closed")?;
        } else if at >= enough {
            let next = bytes[at..end].iter().position(|byte| !byte.is_ascii_whitespace()).map(|more| at + more);
            match next {
                Some(next) if bytes[next] == b',' => {
                    pieces.push(start..at);
                    start = next + 1;
                    at = start;
                    enough = start + piece;
                }
                Some(_) => return Err("something else than a comma between records".into()),
                None => break,
            }
        }
    }
    pieces.push(start..end);
    Ok(pieces)
}

/// Where a text ends, after its closing quote.
fn after_text(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', &bytes[at..])?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{cut_array, cut_lines};

    fn texts(text: &str, pieces: &[std::ops::Range<usize>]) -> Vec<String> {
        pieces.iter().map(|piece| text[piece.clone()].to_owned()).collect()
    }

    #[test]
    fn lines_are_cut_where_they_end() {
        let text = "abc\nd\n\nefgh";
        assert_eq!(texts(text, &cut_lines(text.as_bytes(), 1)), ["abc\n", "d\n", "\nefgh"]);
        assert_eq!(texts(text, &cut_lines(text.as_bytes(), 100)), [text]);
        assert!(cut_lines(b"", 1).is_empty());
    }

    #[test]
    fn arrays_are_cut_between_records() {
        let text = r#" [ {"a":"},{"} , {"b":"\"}"},{} ] "#;
        let pieces = cut_array(text.as_bytes(), 1).unwrap();
        assert_eq!(texts(text, &pieces), [r#" {"a":"},{"}"#, r#" {"b":"\"}"}"#, "{} "]);
        assert_eq!(cut_array(text.as_bytes(), 1000).unwrap().len(), 1);
        for wrong in ["", "[", "{}", r#"[{"a":"x]"#, "[{} {}]", r#"["\]"#] {
            assert!(cut_array(wrong.as_bytes(), 1).is_err(), "{wrong}");
        }
    }
}
