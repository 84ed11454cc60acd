//! Formats of `strftime` codes, taken apart.

/// One piece of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// A literal character.
    Char(char),
    /// A code.
    Code(Code),
}

/// A code: `%d`, `%-d`, `%:z`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code {
    /// Its letter.
    pub(super) letter: char,
    /// How a number is filled: by nothing (`-`), spaces (`_`) or zeros (`0`).
    pub(super) fill: Option<char>,
    /// Whether an offset has a colon.
    pub(super) colon: bool,
}

/// Codes that can be written.
const WRITTEN: &str = "YCGymdejHkIlMSfLNpPaAbBuwUWVgszZ";
/// Codes that can be read.
const READ: &str = "YGymdejHkIlMSfLNpPaAbBuwUWVszZ";
/// Codes that abbreviate others.
const SHORT: [(char, &str); 9] = [
    ('T', "%H:%M:%S"),
    ('X', "%H:%M:%S"),
    ('R', "%H:%M"),
    ('r', "%I:%M:%S %p"),
    ('D', "%m/%d/%y"),
    ('x', "%m/%d/%y"),
    ('F', "%Y-%m-%d"),
    ('h', "%b"),
    ('c', "%a %b %e %H:%M:%S %Y"),
];

/// Whether every code of a format can be written, or which cannot.
pub(crate) fn check_writable(format: &str) -> Result<(), String> {
    check(format, WRITTEN, "written")
}

/// Whether every code of a format can be read, or which cannot.
pub(crate) fn check_readable(format: &str) -> Result<(), String> {
    check(format, READ, "read")
}

fn check(format: &str, known: &str, verb: &str) -> Result<(), String> {
    let unknown = pieces(format)?.into_iter().find_map(|piece| match piece {
        Piece::Code(code) if !known.contains(code.letter) => Some(code.letter),
        _ => None,
    });
    match unknown {
        Some(letter) => Err(format!("found `%{letter}` in the format `{format}`, a code that cannot be {verb}")),
        None => Ok(()),
    }
}

/// The pieces of a format; codes that abbreviate others are replaced by them.
pub(super) fn pieces(format: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            pieces.push(Piece::Char(c));
            continue;
        }
        let ended = || format!("found `%` at the end of the format `{format}`, expected a code after it");
        let mut letter = chars.next().ok_or_else(ended)?;
        let fill = Some(letter).filter(|c| matches!(c, '-' | '_' | '0'));
        let colon = letter == ':';
        if fill.is_some() || colon {
            letter = chars.next().ok_or_else(ended)?;
        }
        if colon && letter != 'z' {
            return Err(format!("found `%:{letter}` in the format `{format}`, expected `%:z`"));
        }
        match letter {
            '%' => pieces.push(Piece::Char('%')),
            'n' => pieces.push(Piece::Char('\n')),
            't' => pieces.push(Piece::Char('\t')),
            _ => match SHORT.iter().find(|(short, _)| *short == letter) {
                Some((_, long)) => pieces.extend(self::pieces(long)?),
                None => pieces.push(Piece::Code(Code { letter, fill, colon })),
            },
        }
    }
    Ok(pieces)
}

/// The names of the months.
pub(super) const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
/// The names of the weekdays, Monday first.
pub(super) const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
