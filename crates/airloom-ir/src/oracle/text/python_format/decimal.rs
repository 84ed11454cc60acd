//! Decimals by a format, as Python's `decimal.Decimal`: without a precision every digit is kept.

use super::spec::{Pieces, Spec};

pub(super) fn format(value: i128, scale: u8, spec: &Spec) -> Result<String, String> {
    let code = spec.code.unwrap_or('G');
    if !matches!(code, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') {
        return Err(spec.unknown("decimals"));
    }
    spec.refuse(
        (spec.zero && spec.align.is_some()) || spec.idle_zero,
        "zeros and an alignment exclude each other in the format of a decimal",
    )?;
    let by_hundred = if code == '%' { 2 } else { 0 };
    let mut number = Number { digits: value.unsigned_abs().to_string(), exponent: by_hundred - i64::from(scale) };
    let (by_exponent, fixed) = (matches!(code, 'e' | 'E'), matches!(code, 'f' | 'F' | '%'));
    match spec.precision {
        Some(precision) if by_exponent => number.round_to_digits(precision + 1),
        Some(precision) if fixed => number.rescale(-(precision as i64)),
        Some(precision) if number.digits.len() > precision.max(1) => number.round_to_digits(precision.max(1)),
        _ => (),
    }
    let is_zero = number.digits == "0";
    if is_zero && number.exponent > 0 && fixed {
        number.exponent = 0;
    }
    // How many digits are before the point.
    let before = number.exponent + number.digits.len() as i64;
    let point = match spec.precision {
        Some(precision) if by_exponent && is_zero => 1 - precision as i64,
        _ if by_exponent => 1,
        _ if fixed || (number.exponent <= 0 && before > -6) => before,
        _ => 1,
    };
    let (whole, fraction) = number.split(point);
    let exponent = before - point;
    let mut rest = if fraction.is_empty() && !spec.alternate { String::new() } else { format!(".{fraction}") };
    if exponent != 0 || by_exponent {
        rest.push_str(&format!("{}{exponent:+}", if code.is_ascii_uppercase() { 'E' } else { 'e' }));
    }
    if code == '%' {
        rest.push('%');
    }
    let negative = value < 0 && !(is_zero && spec.no_negative_zero);
    Ok(spec.number(&Pieces { negative, prefix: "", whole, rest, group: 3 }))
}

/// A decimal number without its sign: digits times ten to the exponent.
struct Number {
    digits: String,
    exponent: i64,
}

impl Number {
    /// At most `count` digits.
    fn round_to_digits(&mut self, count: usize) {
        if self.digits == "0" {
            return;
        }
        let excess = self.digits.len() as i64 - count as i64;
        self.rescale(self.exponent + excess);
        // 999 to two digits is 100 tens.
        if self.digits.len() > count {
            self.digits.pop();
            self.exponent += 1;
        }
    }

    /// The same number with another exponent, a half rounded to even.
    fn rescale(&mut self, exponent: i64) {
        let dropped = exponent - self.exponent;
        if dropped <= 0 {
            if self.digits != "0" {
                self.digits.push_str(&"0".repeat(-dropped as usize));
            }
        } else {
            self.digits = rounded(&self.digits, dropped as usize);
        }
        self.exponent = exponent;
    }

    /// The digits before and after a point.
    fn split(&self, point: i64) -> (String, String) {
        let digits = &self.digits;
        if point <= 0 {
            return ("0".into(), format!("{}{digits}", "0".repeat(-point as usize)));
        }
        let point = point as usize;
        if point >= digits.len() {
            return (format!("{digits}{}", "0".repeat(point - digits.len())), String::new());
        }
        (digits[..point].to_string(), digits[point..].to_string())
    }
}

/// Digits without the last few, a half rounded to even.
fn rounded(digits: &str, dropped: usize) -> String {
    if dropped > digits.len() {
        return "0".into();
    }
    let (kept, gone) = digits.split_at(digits.len() - dropped);
    let kept: u128 = if kept.is_empty() { 0 } else { kept.parse().expect("a decimal has at most 38 digits") };
    let half = format!("5{}", "0".repeat(dropped - 1));
    let up = gone > half.as_str() || (gone == half && kept % 2 == 1);
    (kept + u128::from(up)).to_string()
}
