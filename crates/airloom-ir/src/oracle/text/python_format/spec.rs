//! A format taken apart, and what all kinds of values do with it.

/// `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
pub(super) struct Spec {
    /// What fills the width, where it is said.
    pub(super) fill: Option<char>,
    /// Where the value is in the width, where it is said.
    pub(super) align: Option<Align>,
    /// What is before a number that is not negative.
    pub(super) sign: Option<char>,
    /// Whether a zero loses its minus.
    pub(super) no_negative_zero: bool,
    /// Whether prefixes and points are written that could be left out.
    pub(super) alternate: bool,
    /// Whether a `0` before the width asks for zeros.
    pub(super) zero: bool,
    /// Whether there is a `0` before the width, though something else fills it.
    pub(super) idle_zero: bool,
    /// The minimum number of characters.
    pub(super) width: usize,
    /// What separates groups of digits.
    pub(super) grouping: Option<char>,
    /// Digits after the point, digits altogether, or characters of a text.
    pub(super) precision: Option<usize>,
    /// The letter at the end.
    pub(super) code: Option<char>,
}

/// Where a value is in its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Align {
    /// At the left.
    Left,
    /// At the right.
    Right,
    /// In the middle.
    Centre,
    /// At the right, but the sign at the left.
    AfterSign,
}

/// A number in pieces, before it is grouped and filled.
pub(super) struct Pieces {
    /// Whether it has a minus.
    pub(super) negative: bool,
    /// Such as `0x`.
    pub(super) prefix: &'static str,
    /// The digits before the point, without separators.
    pub(super) whole: String,
    /// Everything after them.
    pub(super) rest: String,
    /// How many digits make a group.
    pub(super) group: usize,
}

/// Widths and precisions beyond this are refused.
const WIDEST: usize = 1 << 28;

impl Spec {
    /// Takes a format apart.
    pub(super) fn parse(text: &str) -> Result<Spec, String> {
        let chars: Vec<char> = text.chars().collect();
        let mut rest = chars.as_slice();
        let (mut fill, mut align) = (None, None);
        if let [first, second, ..] = rest
            && let Some(found) = Align::from_char(*second)
        {
            (fill, align) = (Some(*first), Some(found));
            rest = &rest[2..];
        } else if let Some(found) = rest.first().copied().and_then(Align::from_char) {
            align = Some(found);
            rest = &rest[1..];
        }
        let sign = take(&mut rest, &['+', '-', ' ']);
        let no_negative_zero = take(&mut rest, &['z']).is_some();
        let alternate = take(&mut rest, &['#']).is_some();
        let zero = fill.is_none() && take(&mut rest, &['0']).is_some();
        let idle_zero = fill.is_some() && rest.first() == Some(&'0');
        let width = number(&mut rest, text)?.unwrap_or(0);
        let grouping = take(&mut rest, &[',', '_']);
        let precision = match take(&mut rest, &['.']) {
            Some(_) => Some(number(&mut rest, text)?.ok_or_else(|| format!("the format `{text}`: found no digits after the point"))?),
            None => None,
        };
        let code = match rest {
            [] => None,
            [code] => Some(*code),
            _ => {
                return Err(format!(
                    "the format `{text}` is not of the form `[[fill]align][sign][z][#][0][width][, or _][.precision][type]`"
                ));
            }
        };
        Ok(Spec { fill, align, sign, no_negative_zero, alternate, zero, idle_zero, width, grouping, precision, code })
    }

    /// An error where something is asked for that there is not.
    pub(super) fn refuse(&self, asked: bool, message: &str) -> Result<(), String> {
        if asked { Err(message.to_string()) } else { Ok(()) }
    }

    /// The message for a letter that does not go with a kind of value.
    pub(super) fn unknown(&self, kind: &str) -> String {
        format!("there is no type `{}` for {kind}", self.code.map(String::from).unwrap_or_default())
    }

    /// A number: signed, grouped and filled.
    pub(super) fn number(&self, pieces: &Pieces) -> String {
        let sign = match (pieces.negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            (false, _) => "",
        };
        let before = format!("{sign}{}", pieces.prefix);
        let align = self.align.unwrap_or(if self.zero { Align::AfterSign } else { Align::Right });
        // Zeros between the sign and the number are digits of it, and grouped as such.
        let least = if align == Align::AfterSign && self.filling() == '0' {
            self.width.saturating_sub(width(&before) + width(&pieces.rest))
        } else {
            0
        };
        // What has no digits has no groups either: `inf` ten wide is `0000000inf`, whatever the separator.
        let separator = self.grouping.filter(|_| !pieces.whole.is_empty());
        let whole = grouped(&pieces.whole, separator, pieces.group, least);
        self.aligned(&before, &format!("{whole}{}", pieces.rest), align)
    }

    /// A value in its width.
    pub(super) fn aligned(&self, before: &str, value: &str, align: Align) -> String {
        let missing = self.width.saturating_sub(width(before) + width(value));
        let fill = |count: usize| self.filling().to_string().repeat(count);
        match align {
            Align::Left => [before, value, &fill(missing)].concat(),
            Align::Right => [&fill(missing), before, value].concat(),
            Align::Centre => [&fill(missing / 2), before, value, &fill(missing - missing / 2)].concat(),
            Align::AfterSign => [before, &fill(missing), value].concat(),
        }
    }

    fn filling(&self) -> char {
        self.fill.unwrap_or(if self.zero { '0' } else { ' ' })
    }
}

impl Align {
    fn from_char(c: char) -> Option<Align> {
        match c {
            '<' => Some(Align::Left),
            '>' => Some(Align::Right),
            '^' => Some(Align::Centre),
            '=' => Some(Align::AfterSign),
            _ => None,
        }
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn take(rest: &mut &[char], wanted: &[char]) -> Option<char> {
    let found = rest.first().copied().filter(|c| wanted.contains(c))?;
    *rest = &rest[1..];
    Some(found)
}

/// The digits that come next, where there are some.
fn number(rest: &mut &[char], text: &str) -> Result<Option<usize>, String> {
    let count = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    let digits: String = rest[..count].iter().collect();
    *rest = &rest[count..];
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse() {
        Ok(number) if number <= WIDEST => Ok(Some(number)),
        _ => Err(format!("the format `{text}`: found the width or precision {digits}, expected at most {WIDEST}")),
    }
}

/// Digits with a separator between groups, and zeros before them until they are `least` wide. A separator never comes first, so there may be one
/// character more: `1234` at least 8 wide is `0,001,234`.
fn grouped(digits: &str, separator: Option<char>, group: usize, least: usize) -> String {
    let Some(separator) = separator else { return format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len()))) };
    let with_separators = |count: usize| count + count.saturating_sub(1) / group;
    let mut count = digits.len();
    while with_separators(count) < least {
        count += 1;
    }
    let mut out = String::new();
    for at in 0..count {
        let left = count - at;
        if at > 0 && left.is_multiple_of(group) {
            out.push(separator);
        }
        let missing = count - digits.len();
        out.push(if at < missing { '0' } else { digits.as_bytes()[at - missing] as char });
    }
    out
}
