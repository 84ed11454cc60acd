//! Text cut at its outermost separators: not inside brackets, and not inside quotes.

/// How deep the text is in brackets after each of its letters, and whether inside quotes.
fn scan(text: &str, mut visit: impl FnMut(usize, char, usize) -> bool) {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, letter) in text.char_indices() {
        if quoted {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => (),
            }
            continue;
        }
        match letter {
            '"' => quoted = true,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => (),
        }
        if visit(at, letter, depth) {
            return;
        }
        if matches!(letter, '(' | '[' | '{' | '<') {
            depth += 1;
        }
    }
}

/// The pieces between outermost separators, trimmed; none where there is nothing.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let (mut pieces, mut start) = (Vec::new(), 0);
    scan(text, |at, letter, depth| {
        if depth == 0 && letter == separator {
            pieces.push(text[start..at].trim());
            start = at + letter.len_utf8();
        }
        false
    });
    pieces.push(text[start..].trim());
    pieces
}

/// What stands before and after the first outermost separator.
pub(super) fn split_once(text: &str, separator: char) -> Option<(&str, &str)> {
    let mut found = None;
    scan(text, |at, letter, depth| {
        if depth == 0 && letter == separator {
            found = Some(at);
        }
        found.is_some()
    });
    found.map(|at| (text[..at].trim(), text[at + separator.len_utf8()..].trim()))
}

/// What stands between an opening bracket, with which the text begins, and its closing one; and what follows.
pub(super) fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(open)?;
    let mut found = None;
    scan(text, |at, letter, depth| {
        if depth == 0 && letter == close {
            found = Some(at);
        }
        found.is_some()
    });
    let at = found?;
    Some((&inner[..at - open.len_utf8()], text[at + close.len_utf8()..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::{bracketed, split, split_once};

    #[test]
    fn brackets_and_quotes_hold_together() {
        assert_eq!(split("a: {b, c}, \"d, \\\"e\", [f]", ','), ["a: {b, c}", "\"d, \\\"e\"", "[f]"]);
        assert_eq!(split("  ", ','), Vec::<&str>::new());
        assert_eq!(split_once("a{x: 1}: b", ':'), Some(("a{x: 1}", "b")));
        assert_eq!(bracketed("{a: {b}} rest", '{', '}'), Some(("a: {b}", "rest")));
        assert_eq!(bracketed("{a", '{', '}'), None);
    }
}
