//! The proleptic Gregorian calendar, for every day that a date or timestamp can reach.

use std::fmt::Write;

/// Seconds in a day.
pub(crate) const DAY_SECONDS: i64 = 86_400;

/// Days in 400 years, after which the calendar repeats.
const ERA_DAYS: i64 = 146_097;

/// A year, a month from 1 and a day from 1.
#[inline(always)]
pub(crate) fn days_to_civil(days: i64) -> (i64, i64, i64) {
    match i32::try_from(days) {
        Ok(days) => near_days_to_civil(days),
        Err(_) => far_days_to_civil(days),
    }
}

/// The same for days of 32 bits, by multiplications instead of divisions: the year within a century is the high half of the days times 2^32 / 365.25, the month
/// the high half of the days times 2^16 / 30.6.
#[inline(always)]
fn near_days_to_civil(days: i32) -> (i64, i64, i64) {
    /// Moves every day of 32 bits after March 1 of a year that 400 divides.
    const ERAS: i64 = 14_700;
    let shifted = (i64::from(days) + 719_468 + ERAS * ERA_DAYS) as u64;
    let quarters = 4 * shifted + 3;
    let (century, day_of_century) = (quarters / ERA_DAYS as u64, (quarters % ERA_DAYS as u64) as u32 / 4);
    let years = u64::from(4 * day_of_century + 3) * 2_939_745;
    let (year_of_century, day_of_year) = ((years >> 32) as u32, years as u32 / 2_939_745 / 4);
    let months = 2141 * day_of_year + 197_913;
    let (month, day) = (months >> 16, (months & 0xFFFF) / 2141 + 1);
    let next = day_of_year >= 306;
    let year = 100 * century as i64 + i64::from(year_of_century) - 400 * ERAS + i64::from(next);
    (year, i64::from(if next { month - 12 } else { month }), day.into())
}

fn far_days_to_civil(days: i64) -> (i64, i64, i64) {
    // Years are counted from March 1 of year 0, so that the leap day comes last.
    let days = days + 719_468;
    let era = days.div_euclid(ERA_DAYS);
    // Within an era 32 bits are enough, and divide faster.
    let day_of_era = (days - era * ERA_DAYS) as u32;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + i64::from(year_of_era) + i64::from(month <= 2), month.into(), day.into())
}

/// The days from 1970-01-01 to a day of the calendar.
#[inline(always)]
pub(crate) fn civil_to_days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Whether a year has a 29 February.
#[inline(always)]
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has.
#[inline(always)]
pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week; Monday is 0.
#[inline(always)]
pub(crate) fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7)
}

/// The day of the year, from 1.
#[inline(always)]
pub(crate) fn day_of_year(days: i64) -> i64 {
    days - civil_to_days(days_to_civil(days).0, 1, 1) + 1
}

/// The ISO 8601 year and week of a day: a week belongs to the year of its Thursday.
#[inline(always)]
pub(crate) fn iso_week(days: i64) -> (i64, i64) {
    let thursday = days - weekday(days) + 3;
    (days_to_civil(thursday).0, (day_of_year(thursday) - 1) / 7 + 1)
}

/// The days of a date written in ten characters, such as `2020-02-29`; nothing of anything else.
pub(crate) fn text_to_days(text: &[u8]) -> Option<i32> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let digits = [y1, y2, y3, y4, m1, m2, d1, d2];
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0i64, |number, digit| number * 10 + i64::from(digit - b'0'));
    let (year, month, day) = (number(&digits[..4]), number(&digits[4..6]), number(&digits[6..]));
    let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    exists.then(|| civil_to_days(year, month, day) as i32)
}

/// Writes a date; years outside 0 to 9999 have a sign.
pub(crate) fn write_date(out: &mut String, days: i64) {
    let (year, month, day) = days_to_civil(days);
    let written = if (0..=9999).contains(&year) {
        write!(out, "{year:04}-{month:02}-{day:02}")
    } else {
        write!(out, "{year:+05}-{month:02}-{day:02}")
    };
    written.expect("a string takes every text");
}

#[cfg(test)]
mod tests {
    use super::{civil_to_days, days_in_month, far_days_to_civil, near_days_to_civil};

    #[test]
    fn near_and_far_days_are_the_same() {
        let ends = [i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX];
        for days in (-1_100_000..1_100_000).chain((i32::MIN..i32::MAX).step_by(9_973)).chain(ends) {
            let (year, month, day) = near_days_to_civil(days);
            assert_eq!((year, month, day), far_days_to_civil(days.into()), "{days}");
            assert!((1..=days_in_month(year, month)).contains(&day));
            assert_eq!(civil_to_days(year, month, day), i64::from(days));
        }
    }
}
