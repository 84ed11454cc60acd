//! Timestamps and durations as text, as pandas writes them.

use super::number::{write_padded, write_whole};
use airloom_ir::oracle::formula::{Civil, day_of_year, days_to_civil};

/// A day, in seconds.
pub(crate) const DAY: i64 = airloom_ir::oracle::formula::DAY_SECONDS;

/// Calls a function for a unit, of which it knows then how many there are to the second: dividing by what is known takes a tenth of the time.
macro_rules! of_unit {
    ($per_second:expr, $function:ident($($argument:expr),*)) => {
        match $per_second {
            1 => $function::<1>($($argument),*),
            1_000 => $function::<1_000>($($argument),*),
            1_000_000 => $function::<1_000_000>($($argument),*),
            _ => $function::<1_000_000_000>($($argument),*),
        }
    };
}

/// How much of a timestamp is shown: as much as any of those beside it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shown {
    Day,
    Second,
    Milli,
    Micro,
    Nano,
}

/// How much of these timestamps must be shown. They are counted in units of which a second has `per_second`.
pub(crate) fn shown_of(timestamps: impl Iterator<Item = i64>, per_second: i64) -> Shown {
    of_unit!(per_second, shown_of_unit(timestamps))
}

fn shown_of_unit<const PER_SECOND: i64>(timestamps: impl Iterator<Item = i64>) -> Shown {
    let mut shown = Shown::Day;
    for count in timestamps {
        let own = if count % (PER_SECOND * DAY) == 0 {
            continue;
        } else if count % PER_SECOND == 0 {
            Shown::Second
        } else if PER_SECOND <= 1_000 || count % (PER_SECOND / 1_000).max(1) == 0 {
            Shown::Milli
        } else if PER_SECOND <= 1_000_000 || count % (PER_SECOND / 1_000_000).max(1) == 0 {
            Shown::Micro
        } else {
            return Shown::Nano;
        };
        shown = shown.max(own);
    }
    shown
}

/// Appends a timestamp: `2024-02-29 23:59:59.5`, with as many digits as are shown.
#[inline]
pub(crate) fn write_instant(count: i64, per_second: i64, shown: Shown, out: &mut Vec<u8>) {
    of_unit!(per_second, write_instant_of_unit(count, shown, out));
}

fn write_instant_of_unit<const PER_SECOND: i64>(count: i64, shown: Shown, out: &mut Vec<u8>) {
    let (seconds, rest) = (count.div_euclid(PER_SECOND), count.rem_euclid(PER_SECOND));
    write_day(seconds.div_euclid(DAY), out);
    if shown == Shown::Day {
        return;
    }
    out.push(b' ');
    write_time(seconds.rem_euclid(DAY), out);
    let nanos = (rest * (1_000_000_000 / PER_SECOND)) as u64;
    match shown {
        Shown::Day | Shown::Second => return,
        _ => out.push(b'.'),
    }
    match shown {
        Shown::Milli => write_padded(nanos / 1_000_000, 3, out),
        Shown::Micro => write_padded(nanos / 1_000, 6, out),
        _ => write_padded(nanos, 9, out),
    }
}

/// Appends a timestamp in a zone: the wall clock, and how far it is from UTC.
#[inline]
pub(crate) fn write_zoned(wall: i64, timestamp: i64, per_second: i64, shown: Shown, out: &mut Vec<u8>) {
    write_instant(wall, per_second, shown.max(Shown::Second), out);
    let offset = (wall - timestamp).div_euclid(per_second);
    out.push(if offset < 0 { b'-' } else { b'+' });
    let offset = offset.unsigned_abs();
    write_padded(offset / 3_600, 2, out);
    out.push(b':');
    write_padded(offset / 60 % 60, 2, out);
    if !offset.is_multiple_of(60) {
        out.push(b':');
        write_padded(offset % 60, 2, out);
    }
}

/// Appends a length of time: `1 days`, `-1 days +23:00:00.5`.
pub(crate) fn write_duration(count: i64, per_second: i64, shown: Shown, out: &mut Vec<u8>) {
    let (seconds, rest) = (count.div_euclid(per_second), count.rem_euclid(per_second));
    let days = seconds.div_euclid(DAY);
    write_whole(days, out);
    out.extend_from_slice(b" days");
    if shown == Shown::Day {
        return;
    }
    out.extend_from_slice(if days < 0 { b" +" } else { b" " });
    write_time(seconds.rem_euclid(DAY), out);
    let nanos = (rest * (1_000_000_000 / per_second)) as u64;
    match shown {
        Shown::Day | Shown::Second => (),
        Shown::Nano => {
            out.push(b'.');
            write_padded(nanos, 9, out);
        }
        Shown::Milli | Shown::Micro => {
            out.push(b'.');
            write_padded(nanos / 1_000, 6, out);
        }
    }
}

/// A piece of a pattern by which timestamps are written.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(Vec<u8>),
    Code(u8),
}

/// The parts of a pattern; none where it has a code that is not known here.
pub(crate) fn parts_of(pattern: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        match bytes.next()? {
            b'%' => text.push(b'%'),
            code if b"YmdHMSfyj".contains(&code) => {
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Code(code));
            }
            _ => return None,
        }
    }
    parts.push(Part::Text(text));
    Some(parts)
}

/// Appends a timestamp by a pattern. Its year has four digits.
pub(crate) fn write_by(parts: &[Part], count: i64, per_second: i64, out: &mut Vec<u8>) {
    let (seconds, rest) = (count.div_euclid(per_second), count.rem_euclid(per_second));
    let (days, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY) as u64);
    let Civil { year, month, day } = days_to_civil(days);
    for part in parts {
        match part {
            Part::Text(text) => out.extend_from_slice(text),
            Part::Code(b'Y') => write_padded(year as u64, 4, out),
            Part::Code(b'y') => write_padded(year as u64 % 100, 2, out),
            Part::Code(b'm') => write_padded(month as u64, 2, out),
            Part::Code(b'd') => write_padded(day as u64, 2, out),
            Part::Code(b'H') => write_padded(time / 3_600, 2, out),
            Part::Code(b'M') => write_padded(time / 60 % 60, 2, out),
            Part::Code(b'S') => write_padded(time % 60, 2, out),
            Part::Code(b'f') => write_padded((rest * (1_000_000_000 / per_second)) as u64 / 1_000, 6, out),
            Part::Code(_) => write_padded(day_of_year(days) as u64, 3, out),
        }
    }
}

/// The first timestamps of the years 1000 and 10000, between which every year has four digits, in seconds.
pub(crate) const FOUR_DIGITS: std::ops::Range<i64> = -30_610_224_000..253_402_300_800;
/// Those of the years 1 and 10000, between which Python has timestamps of its own.
pub(crate) const PYTHON_YEARS: std::ops::Range<i64> = -62_135_596_800..253_402_300_800;

fn write_day(days: i64, out: &mut Vec<u8>) {
    let Civil { year, month, day } = days_to_civil(days);
    if (0..10_000).contains(&year) {
        let mut text = *b"0000-00-00";
        text[0..2].copy_from_slice(&pair(year as u64 / 100));
        text[2..4].copy_from_slice(&pair(year as u64 % 100));
        text[5..7].copy_from_slice(&pair(month as u64));
        text[8..10].copy_from_slice(&pair(day as u64));
        out.extend_from_slice(&text);
        return;
    }
    out.extend_from_slice(format!("{year:04}-{month:02}-{day:02}").as_bytes());
}

fn write_time(seconds: i64, out: &mut Vec<u8>) {
    let seconds = seconds as u64;
    let mut text = *b"00:00:00";
    text[0..2].copy_from_slice(&pair(seconds / 3_600));
    text[3..5].copy_from_slice(&pair(seconds / 60 % 60));
    text[6..8].copy_from_slice(&pair(seconds % 60));
    out.extend_from_slice(&text);
}

fn pair(number: u64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

#[cfg(test)]
mod tests {
    use super::{Shown, parts_of, shown_of, write_by, write_duration, write_instant, write_zoned};

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn instants_show_what_any_of_them_needs() {
        assert_eq!(shown_of([0, 86_400_000].into_iter(), 1_000), Shown::Day);
        assert_eq!(shown_of([0, 86_401_000].into_iter(), 1_000), Shown::Second);
        assert_eq!(shown_of([1_500, 86_401_000].into_iter(), 1_000), Shown::Milli);
        assert_eq!(shown_of([1_000_000_001].into_iter(), 1_000_000_000), Shown::Nano);
        assert_eq!(shown_of([1_000_001_000].into_iter(), 1_000_000_000), Shown::Micro);
        assert_eq!(shown_of([5].into_iter(), 1), Shown::Second);
    }

    #[test]
    fn instants_are_written_as_pandas_writes_them() {
        assert_eq!(text(|out| write_instant(1_709_251_199_500, 1_000, Shown::Milli, out)), "2024-02-29 23:59:59.500");
        assert_eq!(text(|out| write_instant(-1, 1_000_000_000, Shown::Nano, out)), "1969-12-31 23:59:59.999999999");
        assert_eq!(text(|out| write_instant(-62_324_985_600, 1, Shown::Day, out)), "-005-01-01");
        assert_eq!(text(|out| write_zoned(3_600, 0, 1, Shown::Day, out)), "1970-01-01 01:00:00+01:00");
        assert_eq!(text(|out| write_zoned(-3_599_500, 500, 1_000, Shown::Milli, out)), "1969-12-31 23:00:00.500-01:00");
        assert_eq!(text(|out| write_zoned(2_996, 0, 1, Shown::Second, out)), "1970-01-01 00:49:56+00:49:56");
        assert_eq!(text(|out| write_duration(-3_600, 1, Shown::Second, out)), "-1 days +23:00:00");
        assert_eq!(text(|out| write_duration(86_400_000, 1_000, Shown::Day, out)), "1 days");
        let parts = parts_of("%d/%m/%y %j %f%%").unwrap();
        assert_eq!(text(|out| write_by(&parts, 1_709_251_199_500, 1_000, out)), "29/02/24 060 500000%");
        assert!(parts_of("%B").is_none());
    }
}
