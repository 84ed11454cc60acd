//! Dates between their days and their text.

use airloom_ir::oracle::formula::{Civil, days_of, days_to_civil};
use std::fmt::Write;

/// The days of a date written in ten characters, such as `2020-02-29`; nothing of anything else.
pub(crate) fn text_to_days(text: &[u8]) -> Option<i32> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let digits = [y1, y2, y3, y4, m1, m2, d1, d2];
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0i64, |number, digit| number * 10 + i64::from(digit - b'0'));
    let (year, month, day) = (number(&digits[..4]), number(&digits[4..6]), number(&digits[6..]));
    days_of(year, month, day).map(|days| days as i32)
}

/// Writes a date; years outside 0 to 9999 have a sign.
pub(crate) fn write_date(out: &mut String, days: i64) {
    let Civil { year, month, day } = days_to_civil(days);
    let written = if (0..=9999).contains(&year) {
        write!(out, "{year:04}-{month:02}-{day:02}")
    } else {
        write!(out, "{year:+05}-{month:02}-{day:02}")
    };
    written.expect("a string takes every text");
}
