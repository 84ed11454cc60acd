//! Timestamps in text.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

/// A timestamp in microseconds since 1970, and whether its text said how far from UTC it is.
pub(crate) fn stamp(text: &[u8]) -> Option<(i64, bool)> {
    let text = std::str::from_utf8(text).ok()?.trim();
    // Year, month and day come first in every form that is read.
    if text.len() < 10 || !text.is_char_boundary(10) {
        return None;
    }
    let (day, rest) = text.split_at(10);
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
        if let Ok(instant) = DateTime::parse_from_str(&whole, form) {
            return Some((instant.timestamp_micros(), true));
        }
    }
    None
}

/// A day such as `2020-02-29` or `2020/02/29`.
pub(crate) fn date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").or_else(|_| NaiveDate::parse_from_str(text, "%Y/%m/%d")).ok()
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn instants_are_read_in_their_usual_forms() {
        for (text, expected) in [
            ("1970-01-01", Some((0, false))),
            ("1970-01-01 00:00:01", Some((1_000_000, false))),
            ("1970-01-01T00:00:00.000001", Some((1, false))),
            ("1970/01/02 00:01", Some((86_460_000_000, false))),
            ("1970-01-01T01:00:00+01:00", Some((0, true))),
            ("1970-01-01 00:00:00Z", Some((0, true))),
            ("1970-13-01", None),
            ("1.5", None),
            ("", None),
            ("1970-01-01 x", None),
        ] {
            assert_eq!(stamp(text.as_bytes()), expected, "{text}");
        }
    }
}
