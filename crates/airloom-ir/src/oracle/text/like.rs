//! SQL's `LIKE`.

/// One piece of a pattern.
enum Piece {
    /// `%`: any text.
    Any,
    /// `_`: any one character.
    One,
    /// A character as it is.
    Char(char),
}

/// Whether the whole text is as the pattern says.
pub(super) fn matches(text: &str, pattern: &str) -> bool {
    let (text, pieces): (Vec<char>, Vec<Piece>) = (text.chars().collect(), pieces(pattern));
    let (mut at, mut piece) = (0, 0);
    // Where to go on when it fails: after the last `%`, which then takes one character more. An earlier `%` need not be tried again, since what is
    // between the two was found as early as it could be.
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let fits = match pieces.get(piece) {
            None if at == text.len() => return true,
            None => false,
            Some(Piece::Any) => {
                retry = Some((at, piece));
                piece += 1;
                continue;
            }
            Some(Piece::One) => at < text.len(),
            Some(Piece::Char(c)) => text.get(at) == Some(c),
        };
        if fits {
            (at, piece) = (at + 1, piece + 1);
            continue;
        }
        match retry {
            Some((from, any)) if from < text.len() => {
                retry = Some((from + 1, any));
                (at, piece) = (from + 1, any + 1);
            }
            _ => return false,
        }
    }
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '%' => Piece::Any,
            '_' => Piece::One,
            // At the end there is nothing to take, and it stands for itself.
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            c => Piece::Char(c),
        });
    }
    pieces
}
