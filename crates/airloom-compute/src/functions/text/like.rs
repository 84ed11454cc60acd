//! SQL's `LIKE`.

use super::{texts, truths};
use crate::data::Vector;
use crate::functions::call::KernelCall;
use crate::functions::views::Text;
use airloom_ir::oracle::formula::{self, LikePiece, like_pieces};
use memchr::memmem::Finder;

/// A pattern made ready for many texts.
enum Like {
    /// No `%` and no `_`: the text itself.
    Whole(String),
    /// A beginning, parts that follow one another anywhere between, and an end; no `_`.
    Parts { start: String, middle: Vec<Finder<'static>>, end: String },
    /// Anything else.
    Splits(Vec<LikePiece>),
}

pub(super) fn like(call: &KernelCall<'_>) -> Option<Vector> {
    let text = texts(call, 0)?;
    match texts(call, 1)? {
        Text::One(pattern) => {
            let like = Like::new(pattern);
            truths(call, |row| like.matches(text.at(row)))
        }
        patterns @ Text::Many(_) => truths(call, |row| Like::new(patterns.at(row)).matches(text.at(row))),
    }
}

impl Like {
    fn new(pattern: &str) -> Like {
        let pieces = like_pieces(pattern);
        if pieces.contains(&LikePiece::One) {
            return Like::Splits(pieces);
        }
        let mut parts: Vec<String> = vec![String::new()];
        for piece in pieces {
            match (piece, parts.last_mut()) {
                (LikePiece::Char(c), Some(part)) => part.push(c),
                _ => parts.push(String::new()),
            }
        }
        let start = parts.remove(0);
        let Some(end) = parts.pop() else { return Like::Whole(start) };
        let middle = parts.iter().filter(|part| !part.is_empty()).map(|part| Finder::new(part.as_bytes()).into_owned()).collect();
        Like::Parts { start, middle, end }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Like::Whole(whole) => text == whole,
            Like::Parts { start, middle, end } => {
                let mut rest = text.as_bytes();
                // Comparing with nothing is not free: an empty text has no address in memory, and processors take their time to find that out.
                if !start.is_empty() {
                    let Some(after) = rest.strip_prefix(start.as_bytes()) else { return false };
                    rest = after;
                }
                if !end.is_empty() {
                    let Some(before) = rest.strip_suffix(end.as_bytes()) else { return false };
                    rest = before;
                }
                // Each part is taken where it is found first, which leaves the most for those after it.
                for finder in middle {
                    let Some(at) = finder.find(rest) else { return false };
                    rest = &rest[at + finder.needle().len()..];
                }
                true
            }
            Like::Splits(pieces) => formula::like(text, pieces),
        }
    }
}
