//! Numbers in text.

/// How numbers are written.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// The separator before the fraction.
    pub decimal: u8,
    /// The separator that may be between digits.
    pub thousands: Option<u8>,
    /// Which float a text is.
    pub rounding: Rounding,
}

/// Which float a text is, where the two ways differ: with separators between digits, and with spaces before a plus or round an infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The nearest.
    Nearest,
    /// What pandas makes of it, to the bit: seventeen digits scaled by a power of ten; and text, where there are spaces round an infinity.
    Pandas,
}

/// A field as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Signed(i64),
    /// More than a signed number holds.
    Unsigned(u64),
    /// More than any holds.
    Long,
    /// No integer.
    None,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_space(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_space(*last)
    {
        text = rest;
    }
    text
}

/// Reads an integer.
#[inline(always)]
pub(super) fn whole(text: &[u8], digits: Digits) -> Whole {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if rest.is_empty() || rest.len() > 18 {
        return whole_of_any(text, digits);
    }
    let mut value: i64 = 0;
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return whole_of_any(text, digits);
        }
        value = value * 10 + i64::from(digit);
    }
    Whole::Signed(if negative { -value } else { value })
}

#[cold]
fn whole_of_any(text: &[u8], digits: Digits) -> Whole {
    let text = trimmed(text);
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return Whole::None;
    }
    let mut value: u64 = 0;
    let mut long = false;
    for byte in rest {
        if byte.is_ascii_digit() {
            match value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0'))) {
                Some(next) => value = next,
                None => long = true,
            }
        } else if Some(*byte) != digits.thousands {
            return Whole::None;
        }
    }
    match (long, negative) {
        (true, _) => Whole::Long,
        (_, false) => i64::try_from(value).map_or(Whole::Unsigned(value), Whole::Signed),
        (_, true) => 0i64.checked_sub_unsigned(value).map_or(Whole::Long, Whole::Signed),
    }
}

const EXACT: [f64; 23] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22];

/// Reads a float.
#[inline(always)]
pub(super) fn float(text: &[u8], digits: Digits) -> Option<f64> {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    // Up to nineteen digits fit; where they make a number below 2^53, and the power of ten is exact too, one division rounds correctly.
    if rest.is_empty() || rest.len() > 19 || digits.thousands.is_some() {
        return float_of_any(text, digits);
    }
    let mut value: u64 = 0;
    let mut point = usize::MAX;
    for (at, byte) in rest.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if *byte == digits.decimal && point == usize::MAX {
            point = at;
        } else {
            return float_of_any(text, digits);
        }
    }
    let fraction = if point == usize::MAX { 0 } else { rest.len() - 1 - point };
    if value > 1 << 53 || (point != usize::MAX && rest.len() == 1) {
        return float_of_any(text, digits);
    }
    let value = value as f64 / EXACT[fraction];
    Some(if negative { -value } else { value })
}

#[inline(never)]
fn float_of_any(text: &[u8], digits: Digits) -> Option<f64> {
    let inner = trimmed(text);
    if digits.rounding == Rounding::Nearest {
        return infinity(inner).or_else(|| match digits.thousands {
            None => correct(inner, digits.decimal),
            Some(between) => correct(&inner.iter().copied().filter(|byte| *byte != between).collect::<Vec<_>>(), digits.decimal),
        });
    }
    if let Some(sign) = infinity(text) {
        return Some(sign);
    }
    if digits.thousands.is_none() {
        // Without spaces a plus may come first; with spaces pandas comes to it by a way that rounds differently.
        let plus = inner.first() == Some(&b'+');
        if !(plus && inner.len() != text.len()) {
            return correct(inner, digits.decimal);
        }
    }
    scaled(inner, digits)
}

fn infinity(text: &[u8]) -> Option<f64> {
    let (sign, rest) = match text {
        [b'-', rest @ ..] => (f64::NEG_INFINITY, rest),
        [b'+', rest @ ..] => (f64::INFINITY, rest),
        rest => (f64::INFINITY, rest),
    };
    (rest.eq_ignore_ascii_case(b"inf") || rest.eq_ignore_ascii_case(b"infinity")).then_some(sign)
}

/// The nearest float.
fn correct(text: &[u8], decimal: u8) -> Option<f64> {
    let rest = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let numeric = match rest {
        [first, ..] if first.is_ascii_digit() => true,
        [first, second, ..] => *first == decimal && second.is_ascii_digit(),
        _ => false,
    };
    if !numeric {
        return None;
    }
    if decimal == b'.' {
        return std::str::from_utf8(text).ok()?.parse().ok();
    }
    if text.contains(&b'.') {
        return None;
    }
    let pointed: Vec<u8> = text.iter().map(|byte| if *byte == decimal { b'.' } else { *byte }).collect();
    std::str::from_utf8(&pointed).ok()?.parse().ok()
}

/// Seventeen digits scaled by a power of ten, as pandas reads numbers whose digits are grouped.
fn scaled(text: &[u8], digits: Digits) -> Option<f64> {
    const MOST: usize = 17;
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (mut mantissa, mut count, mut exponent): (u64, usize, i64) = (0, 0, 0);
    let mut any = false;
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        any = true;
        if count < MOST {
            mantissa = mantissa * 10 + u64::from(digit - b'0');
            // Zeros at the beginning do not count.
            count += usize::from(mantissa > 0);
        } else {
            exponent += 1;
        }
        rest = match after {
            [byte, after @ ..] if Some(*byte) == digits.thousands => after,
            after => after,
        };
    }
    if let [point, after @ ..] = rest
        && *point == digits.decimal
    {
        rest = after;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            any = true;
            if count < MOST {
                mantissa = mantissa * 10 + u64::from(digit - b'0');
                count += usize::from(mantissa > 0);
                exponent -= 1;
            }
            rest = after;
        }
    }
    if !any {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let (minus, power) = match after {
            [b'-', power @ ..] => (true, power),
            [b'+', power @ ..] => (false, power),
            power => (false, power),
        };
        if power.is_empty() || power.len() > 9 || !power.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let power = power.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        exponent += if minus { -power } else { power };
        rest = &[];
    }
    if !rest.is_empty() {
        return None;
    }
    let number = if negative { -(mantissa as f64) } else { mantissa as f64 };
    let ten = |power: i64| -> Option<f64> { format!("1e{power}").parse().ok() };
    Some(match exponent {
        309.. if number == 0.0 => 0.0,
        309.. => number * f64::INFINITY,
        1..=308 => number * ten(exponent)?,
        ..-616 => 0.0,
        -616..-308 => number / ten(-308 - exponent)? / ten(308)?,
        _ => number / ten(-exponent)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Digits, Rounding, Whole, float, whole};

    const PLAIN: Digits = Digits { decimal: b'.', thousands: None, rounding: Rounding::Pandas };
    const GROUPED: Digits = Digits { thousands: Some(b','), ..PLAIN };

    #[test]
    fn whole_numbers_are_read_to_their_limits() {
        for (text, expected) in [
            ("0", Whole::Signed(0)),
            (" -12 ", Whole::Signed(-12)),
            ("+007", Whole::Signed(7)),
            ("9223372036854775807", Whole::Signed(i64::MAX)),
            ("-9223372036854775808", Whole::Signed(i64::MIN)),
            ("-9223372036854775809", Whole::Long),
            ("9223372036854775808", Whole::Unsigned(1 << 63)),
            ("18446744073709551615", Whole::Unsigned(u64::MAX)),
            ("18446744073709551616", Whole::Long),
            ("-", Whole::None),
            ("", Whole::None),
            ("1.0", Whole::None),
            ("1 2", Whole::None),
            ("+-1", Whole::None),
            ("1_000", Whole::None),
        ] {
            assert_eq!(whole(text.as_bytes(), PLAIN), expected, "{text}");
        }
        assert_eq!(whole(b"1,234,567", GROUPED), Whole::Signed(1_234_567));
        assert_eq!(whole(b",1", GROUPED), Whole::None);
    }

    #[test]
    fn floats_are_the_nearest() {
        for text in [
            "0.1",
            "1.",
            ".5",
            "-0.0",
            "123456789.987654321",
            "9007199254740993",
            "1e22",
            "1e-5",
            "4.9e-324",
            "1e400",
            "3.14159265358979312",
            "-1.5",
        ] {
            let expected: f64 = text.parse().unwrap_or(f64::NAN);
            assert_eq!(float(text.as_bytes(), PLAIN).map(f64::to_bits), Some(expected.to_bits()), "{text}");
        }
        for text in ["", ".", "-", "1e", "nan", "0x10", "1_0", "1.2.3", "e5", "+-1"] {
            assert_eq!(float(text.as_bytes(), PLAIN), None, "{text}");
        }
        assert_eq!((float(b" 1.5 ", PLAIN), float(b"+1.5", PLAIN), float(b"-INF", PLAIN)), (Some(1.5), Some(1.5), Some(f64::NEG_INFINITY)));
        assert_eq!((float(b"1,234.5", GROUPED), float(b"1,5", Digits { decimal: b',', ..PLAIN })), (Some(1234.5), Some(1.5)));
    }

    #[test]
    fn the_two_ways_differ_where_they_are_said_to() {
        let nearest = |digits: Digits| Digits { rounding: Rounding::Nearest, ..digits };
        for (text, digits) in [
            ("0.1", PLAIN),
            (" 1e5 ", PLAIN),
            (".5", PLAIN),
            ("1.", PLAIN),
            ("-inf", PLAIN),
            ("Infinity", PLAIN),
            ("x", PLAIN),
            ("nan", PLAIN),
            ("1x", PLAIN),
            ("1,234.5", GROUPED),
        ] {
            assert_eq!(float(text.as_bytes(), digits), float(text.as_bytes(), nearest(digits)), "{text}");
        }
        assert_eq!((float(b" inf", PLAIN), float(b" inf", nearest(PLAIN))), (None, Some(f64::INFINITY)));
        // Seventeen digits are more than a float holds, so that scaling them rounds twice.
        let text = b"7,219.4692764448278";
        assert_eq!((float(text, GROUPED), float(text, nearest(GROUPED))), (Some(7219.469276444827), Some(7219.469276444828)));
    }
}
