//! Time zones: IANA names and fixed offsets.

use super::temporal::civil::{Civil, DAY_SECONDS, civil_to_days, days_to_civil, is_leap, weekday};
use chrono::{DateTime, MappedLocalTime, NaiveDateTime, Offset, TimeZone};
use chrono_tz::{OffsetName, Tz};

/// A zone that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zone {
    /// Always this many seconds ahead of UTC.
    Fixed(i32),
    /// By the rules of a named zone.
    Named(Tz),
}

/// The timestamps at which a zone's clocks show a reading, by how many seconds the clocks are ahead of UTC at them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Local {
    /// One.
    One(i64),
    /// Two: the earlier, then the later.
    Two(i64, i64),
    /// None: clocks are put forward past it at this timestamp, in seconds since 1970 in UTC.
    Gap(i64),
}

/// Whether there is such a zone: an IANA name such as `Europe/Paris` or `UTC`, or a fixed offset such as `+02:00`.
pub fn is_known(zone: &str) -> bool {
    find(zone).is_some()
}

/// The zone of this name.
pub fn find(name: &str) -> Option<Zone> {
    match name.as_bytes() {
        [b'+' | b'-', ..] => offset(name).map(Zone::Fixed),
        _ => name.parse().ok().map(Zone::Named),
    }
}

/// The seconds of an offset written `+02:00` or `-09:30`; less than a day.
pub(super) fn offset(text: &str) -> Option<i32> {
    let &[sign, h1, h2, b':', m1, m2] = text.as_bytes() else { return None };
    let digits = [h1, h2, m1, m2];
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let [h1, h2, m1, m2] = digits.map(|d| i32::from(d - b'0'));
    let (hours, minutes) = (h1 * 10 + h2, m1 * 10 + m2);
    let seconds = hours * 3600 + minutes * 60;
    match sign {
        _ if hours > 23 || minutes > 59 => None,
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

/// An offset as it is written: `+02:00`, with seconds only where there are some.
pub(super) fn offset_to_text(seconds: i64, colon: &str) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let size = seconds.abs();
    let text = format!("{sign}{:02}{colon}{:02}", size / 3600, size / 60 % 60);
    if size % 60 == 0 { text } else { format!("{text}{colon}{:02}", size % 60) }
}

impl Zone {
    /// How many seconds the zone's clocks are ahead of UTC at a timestamp.
    pub fn offset_at(self, utc_seconds: i64) -> i64 {
        match self {
            Zone::Fixed(seconds) => seconds.into(),
            Zone::Named(zone) => zone.offset_from_utc_datetime(&naive(utc_seconds)).fix().local_minus_utc().into(),
        }
    }

    /// What the zone's time is called at a timestamp: `CET`, `UTC`, `UTC+02:00`.
    pub(super) fn abbreviation_at(self, utc_seconds: i64) -> String {
        match self {
            Zone::Fixed(0) => "UTC".into(),
            Zone::Fixed(seconds) => format!("UTC{}", offset_to_text(seconds.into(), ":")),
            Zone::Named(zone) => {
                let offset = zone.offset_from_utc_datetime(&naive(utc_seconds));
                // Zones without a name for their time are called by their offset, such as `+0330`.
                offset.abbreviation().map_or_else(|| offset.to_string(), str::to_string)
            }
        }
    }

    /// The timestamps at which the clocks show a reading, given in seconds as if it were UTC.
    pub fn local(self, wall_seconds: i64) -> Local {
        let zone = match self {
            Zone::Fixed(seconds) => return Local::One(seconds.into()),
            Zone::Named(zone) => zone,
        };
        let seconds = |offset: chrono_tz::TzOffset| i64::from(offset.fix().local_minus_utc());
        match zone.offset_from_local_datetime(&naive(wall_seconds)) {
            MappedLocalTime::Single(offset) => Local::One(seconds(offset)),
            MappedLocalTime::Ambiguous(a, b) => {
                let (a, b) = (seconds(a), seconds(b));
                Local::Two(a.max(b), a.min(b))
            }
            MappedLocalTime::None => Local::Gap(self.end_of_gap(wall_seconds)),
        }
    }

    /// The first timestamp at which the clocks are past a reading that they never show.
    fn end_of_gap(self, wall_seconds: i64) -> i64 {
        // No clock is two days away from UTC; between these two the clocks go from before to after the reading.
        let (mut before, mut after) = (wall_seconds - 2 * DAY_SECONDS, wall_seconds + 2 * DAY_SECONDS);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if middle + self.offset_at(middle) > wall_seconds { after = middle } else { before = middle }
        }
        after
    }
}

/// The time at which a zone's clocks are as at this one. The tables of changes end with the year 2099; a later year is like one of the last 28 in them that
/// begins on the same weekday and has as many days. Before the first change of a zone its offset stays, so a time too early for `chrono` is moved up.
fn naive(seconds: i64) -> NaiveDateTime {
    const EARLIEST: i64 = -8_000_000_000_000;
    let days = seconds.div_euclid(DAY_SECONDS);
    let year = days_to_civil(days).year;
    let moved = if year < 2100 { seconds.max(EARLIEST) } else { seconds - (new_year(year) - new_year(like(year))) * DAY_SECONDS };
    DateTime::from_timestamp(moved, 0).expect("the time is within `chrono`'s range").naive_utc()
}

fn new_year(year: i64) -> i64 {
    civil_to_days(Civil { year, month: 1, day: 1 })
}

fn like(year: i64) -> i64 {
    let alike = |other: &i64| is_leap(*other) == is_leap(year) && weekday(new_year(*other)) == weekday(new_year(year));
    (2072..2100).find(alike).expect("28 years begin on every weekday, leap years too")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets() {
        assert_eq!(offset("+02:00"), Some(7200));
        assert_eq!(offset("-09:30"), Some(-34_200));
        for wrong in ["", "+2:00", "+0200", "02:00", "+24:00", "+01:60", "+0a:00", "+02:000", "±02:00"] {
            assert_eq!(offset(wrong), None, "{wrong}");
        }
        assert!(is_known("UTC") && is_known("Europe/Paris") && is_known("+00:00"));
        assert!(!is_known("Europe/Pariss") && !is_known("") && !is_known("europe/paris"));
    }

    #[test]
    fn gaps_and_folds() {
        let paris = find("Europe/Paris").expect("it is known");
        // 2020-03-29 02:30 is left out; clocks went forward at 01:00 UTC.
        assert_eq!(paris.local(1_585_449_000), Local::Gap(1_585_443_600));
        assert_eq!(paris.local(1_585_443_600 + 7199), Local::Gap(1_585_443_600));
        assert_eq!(paris.local(1_585_443_600 + 7200), Local::One(7200));
        assert_eq!(paris.local(1_585_443_600 + 3600), Local::Gap(1_585_443_600));
        assert_eq!(paris.local(1_585_443_600 + 3599), Local::One(3600));
        // 2020-10-25 02:30 comes twice.
        assert_eq!(paris.local(1_603_593_000), Local::Two(7200, 3600));
        for far in [i64::MAX, i64::MIN] {
            assert!(matches!(paris.local(far), Local::One(_)));
        }
        // 2500-07-01 and 2500-12-01: summer time goes on.
        assert_eq!((paris.offset_at(16_740_864_000), paris.offset_at(16_754_083_200)), (7200, 3600));
    }
}
