//! The proleptic Gregorian calendar, for every day that a timestamp can reach: years up to some 292 thousand million either way.

use crate::types::TimeUnit;

/// Seconds in a day.
pub const DAY_SECONDS: i64 = 86_400;
/// Thousand-millionths of a second in a day.
pub const DAY_NANOS: i64 = DAY_SECONDS * 1_000_000_000;
/// Years further from 0 than this are refused before any arithmetic is done with them; no type reaches a tenth of it.
pub(in crate::oracle) const YEAR_LIMIT: i64 = 9_999_999_999_999;

/// A day of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Civil {
    /// The year; 0 is the one before 1.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// From 1.
    pub day: i64,
}

/// Days in 400 years: after them the calendar repeats, weekdays included.
const ERA_DAYS: i64 = 146_097;

/// The days from 1970-01-01 to a day of the calendar.
#[inline]
pub fn civil_to_days(civil: Civil) -> i64 {
    // Years are counted from March, so that the leap day comes last.
    let year = civil.year - i64::from(civil.month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (civil.month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + civil.day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * ERA_DAYS + day_of_era - 719_468
}

/// The day of the calendar `days` days after 1970-01-01.
#[inline]
pub fn days_to_civil(days: i64) -> Civil {
    match i32::try_from(days) {
        Ok(days) => near_days_to_civil(days),
        Err(_) => far_days_to_civil(days),
    }
}

/// The same for days of 32 bits, by multiplications instead of divisions: the year within a century is the high half of the days times 2^32 / 365.25, the month
/// the high half of the days times 2^16 / 30.6.
#[inline]
fn near_days_to_civil(days: i32) -> Civil {
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
    Civil { year, month: i64::from(if next { month - 12 } else { month }), day: day.into() }
}

fn far_days_to_civil(days: i64) -> Civil {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    Civil { year: era * 400 + year_of_era + i64::from(month <= 2), month, day }
}

/// The days of a year, month and day, where there is such a day.
#[inline]
pub fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let exists = (-YEAR_LIMIT..=YEAR_LIMIT).contains(&year) && (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    exists.then(|| civil_to_days(Civil { year, month, day }))
}

/// Whether a year has a 29 February.
#[inline]
pub(in crate::oracle) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has.
#[inline]
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week; Monday is 0.
#[inline]
pub fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7)
}

/// The day of the year, from 1.
#[inline]
pub fn day_of_year(days: i64) -> i64 {
    days - civil_to_days(Civil { year: days_to_civil(days).year, month: 1, day: 1 }) + 1
}

/// The ISO 8601 year and week of a day: a week belongs to the year of its Thursday.
#[inline]
pub fn iso_week(days: i64) -> (i64, i64) {
    let thursday = days - weekday(days) + 3;
    (days_to_civil(thursday).year, (day_of_year(thursday) - 1) / 7 + 1)
}

/// A reading of calendar and clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::oracle) struct Wall {
    /// Days since 1970-01-01.
    pub(in crate::oracle) days: i64,
    /// Thousand-millionths of a second since midnight.
    pub(in crate::oracle) nanos: i64,
}

impl Wall {
    /// The reading `count` units after the start of 1970-01-01.
    pub(in crate::oracle) fn from_count(count: i128, unit: TimeUnit) -> Wall {
        let per_day = i128::from(DAY_SECONDS * unit.per_second());
        let days = i64::try_from(count.div_euclid(per_day)).expect("a count of 64 bits, moved by less than a day, has days of 64 bits");
        Wall { days, nanos: count.rem_euclid(per_day) as i64 * nanos_per(unit) }
    }

    /// The units since the start of 1970-01-01, or `None` where the reading is finer than the unit.
    pub(in crate::oracle) fn to_count(self, unit: TimeUnit) -> Option<i128> {
        let within = self.nanos % nanos_per(unit) == 0;
        within.then(|| i128::from(self.days) * i128::from(DAY_SECONDS * unit.per_second()) + i128::from(self.nanos / nanos_per(unit)))
    }
}

/// Thousand-millionths of a second in a unit.
pub(in crate::oracle) fn nanos_per(unit: TimeUnit) -> i64 {
    1_000_000_000 / unit.per_second()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_civil_are_inverse() {
        for days in
            (-1_000_000..1_000_000).step_by(97).chain([i64::from(i32::MIN), i64::from(i32::MAX), -106_751_991_167_301, 106_751_991_167_300])
        {
            let civil = days_to_civil(days);
            assert_eq!(civil_to_days(civil), days, "{civil:?}");
            assert!((1..=12).contains(&civil.month) && (1..=days_in_month(civil.year, civil.month)).contains(&civil.day));
        }
    }

    #[test]
    fn near_and_far_days_are_the_same() {
        let ends = [i32::MIN, i32::MIN + 1, i32::MAX - 1, i32::MAX];
        for days in (-1_100_000..1_100_000).chain((i32::MIN..i32::MAX).step_by(9_973)).chain(ends) {
            assert_eq!(near_days_to_civil(days), far_days_to_civil(days.into()), "{days}");
        }
    }

    #[test]
    fn known_days() {
        let civil = |year, month, day| Civil { year, month, day };
        for (days, expected) in [
            (0, civil(1970, 1, 1)),
            (11_016, civil(2000, 2, 29)),
            (-719_528, civil(0, 1, 1)),
            (-719_162, civil(1, 1, 1)),
            (2_932_896, civil(9999, 12, 31)),
            (2_932_897, civil(10_000, 1, 1)),
            (-719_529, civil(-1, 12, 31)),
        ] {
            assert_eq!(days_to_civil(days), expected);
            assert_eq!(civil_to_days(expected), days);
        }
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        let week = |year, month, day| iso_week(days_of(year, month, day).expect("the day exists"));
        assert_eq!(week(2021, 1, 3), (2020, 53));
        assert_eq!(week(2021, 1, 4), (2021, 1));
        assert_eq!(week(2019, 12, 30), (2020, 1));
        assert_eq!(week(1970, 1, 1), (1970, 1));
        assert_eq!(weekday(0), 3);
        assert_eq!(weekday(-4), 6);
    }

    #[test]
    fn days_that_do_not_exist() {
        assert_eq!(days_of(2019, 2, 29), None);
        assert_eq!(days_of(1900, 2, 29), None);
        assert_eq!(days_of(2020, 0, 1), None);
        assert_eq!(days_of(2020, 13, 1), None);
        assert_eq!(days_of(2020, 4, 31), None);
        assert_eq!(days_of(i64::MAX, 1, 1), None);
    }
}
