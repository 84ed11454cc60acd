//! Timestamps in text.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

/// How timestamps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// What is between the day and the time, where there is one.
    between: Option<u8>,
    seconds: bool,
    /// How many digits of a fraction there are.
    pub(super) fraction: u8,
    /// Whether it says that it is in UTC.
    pub(super) zulu: bool,
}

fn two(text: &[u8]) -> Option<i64> {
    match text {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0')),
        _ => None,
    }
}

/// The timestamp in microseconds since 1970, or in nanoseconds where the fraction needs them, and how it was written.
pub(super) fn timestamp(text: &[u8]) -> Option<(i64, Form)> {
    let (day, rest) = text.split_at_checked(10)?;
    if day[4] != b'-' || day[7] != b'-' {
        return None;
    }
    let (year, month, day) = (two(&day[..2])? * 100 + two(&day[2..4])?, two(&day[5..7])?, two(&day[8..])?);
    if year == 0 || !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let days = days_since_1970(year, month, day);
    let Some((between, time)) = rest.split_first() else {
        return Some((days * 86_400_000_000, Form { between: None, seconds: false, fraction: 0, zulu: false }));
    };
    if !matches!(between, b' ' | b'T') {
        return None;
    }
    let (time, zulu) = time.strip_suffix(b"Z").map_or((time, false), |time| (time, true));
    let (hour, minute) = match time {
        [a, b, b':', c, d, ..] => (two(&[*a, *b])?, two(&[*c, *d])?),
        _ => return None,
    };
    let (second, fraction): (i64, &[u8]) = match &time[5..] {
        [] => (0, &[]),
        [b':', a, b] => (two(&[*a, *b])?, &[]),
        [b':', a, b, b'.', fraction @ ..] if !fraction.is_empty() && fraction.len() <= 9 => (two(&[*a, *b])?, fraction),
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 || !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let form = Form { between: Some(*between), seconds: time.len() > 5, fraction: fraction.len() as u8, zulu };
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    let digits = if fraction.len() > 6 { 9 } else { 6 };
    let part = (0..digits).fold(0, |sum, at| sum * 10 + fraction.get(at).map_or(0, |digit| i64::from(digit - b'0')));
    let value = seconds.checked_mul(10i64.pow(digits as u32))?.checked_add(part)?;
    (value != i64::MIN).then_some((value, form))
}

/// A timestamp in microseconds since 1970, in this and in other usual forms, and whether its text said how far from UTC it is.
pub(super) fn timestamp_of_any(text: &[u8]) -> Option<(i64, bool)> {
    match timestamp(text) {
        Some((value, form)) if form.fraction > 6 => Some((value.div_euclid(1000), form.zulu)),
        Some((value, form)) => Some((value, form.zulu)),
        None => timestamp_otherwise(text),
    }
}

#[cold]
fn timestamp_otherwise(text: &[u8]) -> Option<(i64, bool)> {
    let text = std::str::from_utf8(text).ok()?.trim();
    // Year, month and day come first in every form that is read.
    let (day, rest) = text.split_at_checked(10)?;
    let day = date(day)?;
    if rest.is_empty() {
        return Some((NaiveDateTime::new(day, NaiveTime::MIN).and_utc().timestamp_micros(), false));
    }
    let clock = rest.strip_prefix(['T', ' '])?;
    for form in ["%H:%M:%S%.f", "%H:%M"] {
        if let Ok(time) = NaiveTime::parse_from_str(clock, form) {
            return Some((NaiveDateTime::new(day, time).and_utc().timestamp_micros(), false));
        }
    }
    let whole = format!("{}T{clock}", day.format("%Y-%m-%d"));
    for form in ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"] {
        if let Ok(timestamp) = DateTime::parse_from_str(&whole, form) {
            return Some((timestamp.timestamp_micros(), true));
        }
    }
    None
}

/// A day such as `2020-02-29` or `2020/02/29`, in days since 1970.
pub(super) fn day(text: &[u8]) -> Option<i32> {
    let day = date(std::str::from_utf8(text).ok()?.trim())?;
    Some((day - NaiveDate::default()).num_days() as i32)
}

fn date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").or_else(|_| NaiveDate::parse_from_str(text, "%Y/%m/%d")).ok()
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counted in eras of 400 years that begin in March, so that the leap day is the last of a year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::{timestamp, timestamp_of_any};

    #[test]
    fn timestamps_are_counted_from_1970() {
        let value = |text: &str| timestamp(text.as_bytes()).map(|(value, _)| value);
        assert_eq!((value("1970-01-01"), value("1970-01-02")), (Some(0), Some(86_400_000_000)));
        assert_eq!(value("2000-02-29T23:59:59"), Some(951_868_799_000_000));
        assert_eq!(value("1969-12-31 23:59:59.5"), Some(-500_000));
        assert_eq!(value("1970-01-01 00:00:00.000000001"), Some(1));
        assert_eq!(value("1970-01-01 00:01Z"), Some(60_000_000));
        for wrong in [
            "2001-02-29",
            "2001-13-01",
            "2001-1-1",
            "20010101",
            "2001-01-01 24:00",
            "2001-01-01 1:00",
            "2001-01-01x00:00",
            "9999-01-01 00:00:00.000000001",
            "",
        ] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn timestamps_are_read_in_their_usual_forms() {
        for (text, expected) in [
            ("1970-01-01", Some((0, false))),
            ("1970-01-01 00:00:01", Some((1_000_000, false))),
            ("1970-01-01T00:00:00.000001", Some((1, false))),
            ("1969-12-31 23:59:59.999999999", Some((-1, false))),
            ("9999-01-01 00:00:00.000000001", Some((253_370_764_800_000_000, false))),
            ("1970/01/02 00:01", Some((86_460_000_000, false))),
            (" 1970-01-01 ", Some((0, false))),
            ("1970-01-01T01:00:00+01:00", Some((0, true))),
            ("1970-01-01 00:00:00Z", Some((0, true))),
            ("1970-13-01", None),
            ("1.5", None),
            ("", None),
            ("1970-01-01 x", None),
        ] {
            assert_eq!(timestamp_of_any(text.as_bytes()), expected, "{text}");
        }
    }
}
