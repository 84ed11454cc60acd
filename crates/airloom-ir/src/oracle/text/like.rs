//! SQL's `LIKE`.

use std::str::Chars;

/// One piece of a pattern of `LIKE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LikePiece {
    /// `%`: any text.
    Any,
    /// `_`: any one character.
    One,
    /// A character as it is.
    Char(char),
}

/// The pieces of a pattern of `LIKE`.
pub fn like_pieces(pattern: &str) -> Vec<LikePiece> {
    let mut pieces = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '%' => LikePiece::Any,
            '_' => LikePiece::One,
            // At the end there is nothing to take, and it is literal.
            '\\' => LikePiece::Char(chars.next().unwrap_or('\\')),
            c => LikePiece::Char(c),
        });
    }
    pieces
}

/// Whether the whole text is as the pieces say.
pub fn like(text: &str, pieces: &[LikePiece]) -> bool {
    let (mut rest, mut piece) = (text.chars(), 0);
    // Where to go on when it fails: after the last `%`, which then takes one character more. An earlier `%` need not be tried again, since what is
    // between the two was found as early as it could be.
    let mut retry: Option<(Chars<'_>, usize)> = None;
    loop {
        let mut after = rest.clone();
        let next = after.next();
        let fits = match pieces.get(piece) {
            None if next.is_none() => return true,
            None => false,
            Some(LikePiece::Any) => {
                retry = Some((rest.clone(), piece));
                piece += 1;
                continue;
            }
            Some(LikePiece::One) => next.is_some(),
            Some(LikePiece::Char(c)) => next == Some(*c),
        };
        if fits {
            (rest, piece) = (after, piece + 1);
            continue;
        }
        match &mut retry {
            Some((from, any)) => {
                if from.next().is_none() {
                    return false;
                }
                (rest, piece) = (from.clone(), *any + 1);
            }
            None => return false,
        }
    }
}
