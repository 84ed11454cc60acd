//! Dates, times and timestamps as literals are written.

use super::civil::{Civil, DAY_SECONDS, Wall, civil_to_days, days_in_month, days_to_civil};
use crate::oracle::zones;
use crate::types::TimeUnit;

/// A date: `2020-02-29`; years outside 0 to 9999 have a sign.
pub(in crate::oracle) fn date_to_text(days: i64) -> String {
    let Civil { year, month, day } = days_to_civil(days);
    format!("{}-{month:02}-{day:02}", year_to_text(year))
}

/// A year in four digits, or with a sign in as many as it needs.
pub(in crate::oracle) fn year_to_text(year: i64) -> String {
    if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+05}") }
}

/// A time of day: `12:30:00`, with 3, 6 or 9 digits of a fraction where it has one.
pub(in crate::oracle) fn time_to_text(nanos: i64) -> String {
    let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match fraction {
        0 => clock,
        f if f % 1_000_000 == 0 => format!("{clock}.{:03}", f / 1_000_000),
        f if f % 1_000 == 0 => format!("{clock}.{:06}", f / 1_000),
        f => format!("{clock}.{f:09}"),
    }
}

/// A timestamp: `2020-02-29T12:30:00`, and `Z` after it where the type has a zone.
pub(in crate::oracle) fn timestamp_to_text(count: i128, unit: TimeUnit, zoned: bool) -> String {
    let wall = Wall::from_count(count, unit);
    format!("{}T{}{}", date_to_text(wall.days), time_to_text(wall.nanos), if zoned { "Z" } else { "" })
}

/// The days of a date.
pub(in crate::oracle) fn text_to_date(text: &str) -> Result<i64, String> {
    match take_date(text) {
        Some((days, "")) => Ok(days),
        _ => Err(format!("found `{text}`, expected a date such as `2020-02-29`")),
    }
}

/// The thousand-millionths since midnight of a time of day.
pub(in crate::oracle) fn text_to_time(text: &str) -> Result<i64, String> {
    match take_time(text) {
        Some((nanos, "")) => Ok(nanos),
        _ => Err(format!("found `{text}`, expected a time such as `12:30:00.5`")),
    }
}

/// The count of a timestamp, which has an offset from UTC exactly where its type has a zone.
pub(in crate::oracle) fn text_to_timestamp(text: &str, unit: TimeUnit, zoned: bool) -> Result<i128, String> {
    let expected = if zoned { "2020-02-29T12:30:00+01:00" } else { "2020-02-29T12:30:00" };
    let (wall, rest) = take_wall(text).ok_or_else(|| format!("found `{text}`, expected a timestamp such as `{expected}`"))?;
    let offset = match (rest, zoned) {
        ("", false) | ("Z", true) => 0,
        ("", true) => return Err(format!("found `{text}`, expected an offset from UTC at its end: `Z`, or one such as `+01:00`")),
        (offset, true) => zones::offset(offset)
            .ok_or_else(|| format!("found `{offset}` at the end of `{text}`, expected `Z` or an offset such as `+01:00`"))?,
        (rest, false) => {
            return Err(format!("found `{rest}` at the end of `{text}`, expected a timestamp without a zone such as `{expected}`"));
        }
    };
    let count = wall.to_count(unit).ok_or_else(|| format!("found `{text}`, which is finer than the unit `{}`", unit.name()))?;
    Ok(count - i128::from(offset) * i128::from(unit.per_second()))
}

fn take_wall(text: &str) -> Option<(Wall, &str)> {
    let (days, rest) = take_date(text)?;
    match rest.strip_prefix(['T', ' ']) {
        Some(clock) => take_time(clock).map(|(nanos, rest)| (Wall { days, nanos }, rest)),
        None => Some((Wall { days, nanos: 0 }, rest)),
    }
}

fn take_date(text: &str) -> Option<(i64, &str)> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let width = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    // Without a sign a year has four digits; with one it may have thirteen, which is more than any type holds.
    if width < 4 || width > if unsigned.len() < text.len() { 13 } else { 4 } {
        return None;
    }
    let (year, rest) = (unsigned[..width].parse::<i64>().ok()? * sign, &unsigned[width..]);
    let (month, rest) = take_two(rest.strip_prefix('-')?)?;
    let (day, rest) = take_two(rest.strip_prefix('-')?)?;
    let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    exists.then(|| (civil_to_days(Civil { year, month, day }), rest))
}

fn take_time(text: &str) -> Option<(i64, &str)> {
    let (hour, rest) = take_two(text)?;
    let (minute, rest) = take_two(rest.strip_prefix(':')?)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => take_two(rest)?,
        None => (0, rest),
    };
    let seconds = hour * 3600 + minute * 60 + second;
    if minute > 59 || second > 59 || seconds >= DAY_SECONDS {
        return None;
    }
    let Some(digits) = rest.strip_prefix('.') else { return Some((seconds * 1_000_000_000, rest)) };
    let width = digits.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&width) {
        return None;
    }
    let fraction = digits[..width].parse::<i64>().ok()? * 10i64.pow(9 - width as u32);
    Some((seconds * 1_000_000_000 + fraction, &digits[width..]))
}

/// Two digits.
fn take_two(text: &str) -> Option<(i64, &str)> {
    match text.as_bytes() {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] => Some((i64::from(tens - b'0') * 10 + i64::from(ones - b'0'), &text[2..])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_comes_back() {
        for unit in TimeUnit::ALL {
            for count in [i64::MIN, i64::MIN + 1, -62_135_596_801, -86_401, -1, 0, 1, 999, 86_400, 253_402_300_800, i64::MAX - 1, i64::MAX]
            {
                for zoned in [false, true] {
                    let text = timestamp_to_text(count.into(), unit, zoned);
                    assert_eq!(text_to_timestamp(&text, unit, zoned), Ok(count.into()), "{text}");
                }
            }
        }
    }
}
