//! Floats by a format.

use super::spec::{Pieces, Spec};

/// A float. What its shortest digits are depends on its width, so they are asked for.
pub(super) fn format(value: f64, shortest: impl Fn() -> Digits, spec: &Spec) -> Result<String, String> {
    let code = spec.code.unwrap_or('r');
    if !matches!(code, 'r' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') {
        return Err(spec.unknown("floats"));
    }
    let scaled = if code == '%' { value * 100.0 } else { value };
    let text = if scaled.is_finite() {
        finite(scaled.abs(), shortest, code, spec)
    } else {
        (if scaled.is_nan() { "nan" } else { "inf" }).to_string()
    };
    let text = if code.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let zero = scaled.is_finite() && !text.bytes().take_while(|b| *b != b'e' && *b != b'E').any(|b| matches!(b, b'1'..=b'9'));
    let negative = scaled.is_sign_negative() && !scaled.is_nan() && !(zero && spec.no_negative_zero);
    let rest = format!("{}{}", &text[digits..], if code == '%' { "%" } else { "" });
    Ok(spec.number(&Pieces { negative, prefix: "", whole: text[..digits].to_string(), rest, group: 3 }))
}

/// The digits of a float that is neither negative nor infinite nor NaN.
fn finite(value: f64, shortest: impl Fn() -> Digits, code: char, spec: &Spec) -> String {
    match (code, spec.precision) {
        ('r', None) => {
            let (digits, exponent) = shortest();
            // As `repr`: from 16 digits before the point on, and from four zeros after it, by an exponent.
            placed(&digits, exponent, !(-4..16).contains(&exponent), true, spec.alternate)
        }
        ('r', Some(precision)) => general(value, precision.max(1), true, spec.alternate),
        ('g' | 'G', precision) => general(value, precision.unwrap_or(6).max(1), false, spec.alternate),
        ('e' | 'E', precision) => {
            let precision = precision.unwrap_or(6);
            let (digits, exponent) = significant(value, precision + 1);
            let point = if precision > 0 || spec.alternate { "." } else { "" };
            format!("{}{point}{}{}", &digits[..1], &digits[1..], exponent_text(exponent))
        }
        (_, precision) => {
            let precision = precision.unwrap_or(6);
            let text = format!("{value:.*}", precision.min(EXACT));
            let zeros = "0".repeat(precision.saturating_sub(EXACT));
            let point = if precision == 0 && spec.alternate { "." } else { "" };
            format!("{text}{point}{zeros}")
        }
    }
}

/// `precision` digits, by an exponent where the number is large or small. Without a type the number keeps a digit after its point.
fn general(value: f64, precision: usize, keeps_point: bool, alternate: bool) -> String {
    let (digits, exponent) = significant(value, precision);
    let digits = if alternate { digits.as_str() } else { digits.trim_end_matches('0') };
    let last = precision as i64 - i64::from(keeps_point);
    placed(if digits.is_empty() { "0" } else { digits }, exponent, exponent < -4 || exponent >= last, keeps_point, alternate)
}

/// Digits with a point and, where asked for, an exponent.
fn placed(digits: &str, exponent: i64, by_exponent: bool, keeps_point: bool, alternate: bool) -> String {
    if by_exponent {
        let (first, others) = digits.split_at(1);
        let point = if others.is_empty() && !alternate { "" } else { "." };
        return format!("{first}{point}{others}{}", exponent_text(exponent));
    }
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let before = exponent as usize + 1;
    if digits.len() <= before {
        let zeros = "0".repeat(before - digits.len());
        return match (keeps_point, alternate) {
            (true, _) => format!("{digits}{zeros}.0"),
            (false, true) => format!("{digits}{zeros}."),
            (false, false) => format!("{digits}{zeros}"),
        };
    }
    format!("{}.{}", &digits[..before], &digits[before..])
}

/// Digits, and the exponent of the first.
pub(super) type Digits = (String, i64);

/// The fewest digits that read back as the same float, and of those the nearest to it: of two equally near, the even one, as Python has it.
pub(super) fn shortest_f64(value: f64) -> Digits {
    let (digits, exponent) = digits_of(&format!("{value:e}"));
    let nearest = format!("{value:.*e}", digits.len() - 1);
    if nearest.parse() == Ok(value) { digits_of(&nearest) } else { (digits, exponent) }
}

/// The same for the narrower width.
pub(super) fn shortest_f32(value: f32) -> Digits {
    let (digits, exponent) = digits_of(&format!("{value:e}"));
    let nearest = format!("{value:.*e}", digits.len() - 1);
    if nearest.parse() == Ok(value) { digits_of(&nearest) } else { (digits, exponent) }
}

/// More digits than the longest float has: the rest are zeros.
const EXACT: usize = 1100;

/// `count` significant digits, correctly rounded.
fn significant(value: f64, count: usize) -> Digits {
    let (mut digits, exponent) = digits_of(&format!("{value:.*e}", (count - 1).min(EXACT)));
    digits.push_str(&"0".repeat(count - digits.len()));
    (digits, exponent)
}

/// The digits and the exponent of what `{:e}` writes, such as `-1.25e-7`.
fn digits_of(text: &str) -> Digits {
    let (mantissa, exponent) = text.split_once('e').expect("`{:e}` writes an exponent of every finite float");
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits, exponent.parse().expect("an exponent is an integer"))
}

fn exponent_text(exponent: i64) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
