//! Numbers, as pandas reads them from JSON.

/// A number in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Whole(i64),
    Float(f64),
}

/// Digits of an integer up to here never need more than 64 bits.
const DIGITS: usize = 18;
/// Digits of a fraction after these are passed over.
const DECIMALS: usize = 15;
/// What the digits of a fraction are multiplied by.
const POWERS: [f64; DECIMALS + 1] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15];

/// The number that begins here, and how many bytes it has. With `precise` a float is the one that is nearest; without, it is what pandas computes: the whole part
/// and the fraction are each exact, their sum and the power of ten are rounded. So `0.3` is `3 * 0.1`, which is `0.30000000000000004`.
pub(super) fn number(bytes: &[u8], precise: bool) -> Result<(Number, usize), &'static str> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, mut at) = digits(bytes, start);
    let count = at - start;
    if count == 0 || (count > 1 && bytes[start] == b'0') {
        return Err("a number that is not written as JSON has it");
    }
    let (point, mut exponent) = (bytes.get(at) == Some(&b'.'), matches!(bytes.get(at), Some(b'e' | b'E')));
    if !point && !exponent {
        return Ok((Number::Whole(whole_number(&bytes[start..at], whole, negative)?), at));
    }
    if count > DIGITS {
        return Err("a float with many digits");
    }
    let (mut fraction, mut decimals) = (0, 0);
    if point {
        let first = at + 1;
        let (_, end) = digits(bytes, first);
        if end == first {
            return Err("a number that is not written as JSON has it");
        }
        decimals = (end - first).min(DECIMALS);
        fraction = digits(&bytes[..first + decimals], first).0;
        at = end;
        exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    }
    let mut power = None;
    if exponent {
        let less = bytes.get(at + 1) == Some(&b'-');
        let first = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        let (value, end) = digits(bytes, first);
        if end == first || end - first > 4 {
            return Err("an exponent that is not written as JSON has it");
        }
        power = Some(if less { -(value as f64) } else { value as f64 });
        at = end;
    }
    if precise {
        return Ok((Number::Float(nearest(&bytes[..at])?), at));
    }
    if cfg!(not(target_arch = "x86_64")) {
        return Err("floats whose last bit depends on the machine");
    }
    let sign = if negative { -1.0 } else { 1.0 };
    let float = (whole as f64 + fraction as f64 * POWERS[decimals]) * sign;
    Ok((Number::Float(power.map_or(float, |power| float * ten_to(power))), at))
}

/// The digits from here on as a number, which is right as long as there are few, and where they end.
fn digits(bytes: &[u8], start: usize) -> (u64, usize) {
    let mut at = start;
    let mut value = 0_u64;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (value, at)
}

fn whole_number(text: &[u8], value: u64, negative: bool) -> Result<i64, &'static str> {
    if text.len() <= DIGITS {
        return Ok(if negative { -(value as i64) } else { value as i64 });
    }
    let exact = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
    let signed = match exact {
        Some(value) if negative => 0_i64.checked_sub_unsigned(value),
        Some(value) => i64::try_from(value).ok(),
        None => None,
    };
    signed.ok_or("integers of more than 64 bits")
}

/// The float that is nearest to what is written. Where pandas says that there is none it is refused.
fn nearest(text: &[u8]) -> Result<f64, &'static str> {
    let value: f64 = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or("a malformed number")?;
    let zero = !text.iter().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| (b'1'..=b'9').contains(byte));
    if value.is_normal() || zero { Ok(value) } else { Err("a float that is too large or too small") }
}

/// The power of ten that the system's library has. The compiler must not see the ten, or it takes another function, whose last bit may differ.
fn ten_to(power: f64) -> f64 {
    std::hint::black_box(10.0_f64).powf(power)
}

#[cfg(test)]
mod tests {
    use super::{Number, number};

    #[test]
    fn whole_numbers_have_up_to_64_bits() {
        for (text, expected) in [("0", 0), ("-0", 0), ("12,", 12), ("9223372036854775807", i64::MAX), ("-9223372036854775808", i64::MIN)] {
            assert_eq!(number(text.as_bytes(), false).unwrap().0, Number::Whole(expected), "{text}");
        }
        for text in [
            "9223372036854775808",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "",
            "-",
            "01",
            "1.",
            "1.e5",
            "1e",
            "1e12345",
            ".5",
        ] {
            assert!(number(text.as_bytes(), false).is_err(), "{text}");
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn floats_are_computed_of_their_digits() {
        for (text, expected) in [
            ("0.3}", 0.30000000000000004),
            ("-0.0", -0.0),
            ("1e5", 1e5),
            ("1.5E-2", 0.015),
            ("0.12345678901234599", 123_456_789_012_345.0 * 1e-15),
        ] {
            let (found, length) = number(text.as_bytes(), false).unwrap();
            let Number::Float(found) = found else { panic!("{text} is a float") };
            assert_eq!(found.to_bits(), f64::to_bits(expected), "{text}");
            assert_eq!(length, text.trim_end_matches('}').len());
        }
    }

    #[test]
    fn precise_floats_are_the_nearest() {
        for text in ["0.3", "-1.7976931348623157e308", "0.12345678901234599", "0e999", "0.0"] {
            assert_eq!(number(text.as_bytes(), true).unwrap().0, Number::Float(text.parse().unwrap()), "{text}");
        }
        for text in ["1e999", "5e-324", "1e-999"] {
            assert!(number(text.as_bytes(), true).is_err(), "{text}");
        }
    }
}
