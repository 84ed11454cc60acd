//! Parts of dates, times, timestamps and durations.

use super::wall;
use crate::data::Vector;
use crate::data::native::{Native, each, numbers_to_array};
use crate::functions::call::KernelCall;
use airloom_ir::attrs::DatePart;
use airloom_ir::oracle::formula::{Civil, DAY_NANOS, DAY_SECONDS, day_of_year, days_in_month, days_to_civil, iso_week, weekday};
use airloom_ir::types::{TimeUnit, Ty};

/// The days of counts. Each unit has a loop of its own, since to divide by a constant is to multiply.
pub(super) fn whole_days(counts: &[i64], unit: TimeUnit) -> Vec<i64> {
    match unit {
        TimeUnit::Second => each(counts, |count| count.div_euclid(DAY_SECONDS)),
        TimeUnit::Milli => each(counts, |count| count.div_euclid(DAY_SECONDS * 1_000)),
        TimeUnit::Micro => each(counts, |count| count.div_euclid(DAY_SECONDS * 1_000_000)),
        TimeUnit::Nano => each(counts, |count| count.div_euclid(DAY_NANOS)),
    }
}

/// The thousand-millionths since midnight of counts.
pub(super) fn nanos_of_day(counts: &[i64], unit: TimeUnit) -> Vec<i64> {
    match unit {
        TimeUnit::Second => each(counts, |count| count.rem_euclid(DAY_SECONDS) * 1_000_000_000),
        TimeUnit::Milli => each(counts, |count| count.rem_euclid(DAY_SECONDS * 1_000) * 1_000_000),
        TimeUnit::Micro => each(counts, |count| count.rem_euclid(DAY_SECONDS * 1_000_000) * 1_000),
        TimeUnit::Nano => each(counts, |count| count.rem_euclid(DAY_NANOS)),
    }
}

pub(super) fn part(call: &KernelCall<'_>) -> Option<Vector> {
    let part: DatePart = call.attr(0);
    let parts = if part >= DatePart::Hour {
        let nanos = match call.plain(0) {
            Ty::Time => wall::counts(call)?.to_vec(),
            Ty::Duration(unit) => nanos_of_day(&wall::counts(call)?, *unit),
            Ty::Timestamp { unit, .. } => nanos_of_day(&wall::readings(call)?, *unit),
            _ => return None,
        };
        of_clock(&nanos, part)
    } else {
        match call.plain(0) {
            Ty::Date => of_days(&i32::numbers(call.many(0)?)?, part),
            Ty::Timestamp { unit, .. } => of_days(&whole_days(&wall::readings(call)?, *unit), part),
            _ => return None,
        }
    };
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, parts, call.nulls())))
}

fn of_days<N: Native + Into<i64>>(days: &[N], part: DatePart) -> Vec<i32> {
    // A year beyond 32 bits is the nearest one they hold; every other part is small.
    let year = |year: i64| year.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    match part {
        DatePart::Year => each(days, |x| year(days_to_civil(x.into()).year)),
        DatePart::Quarter => each(days, |x| ((days_to_civil(x.into()).month - 1) / 3 + 1) as i32),
        DatePart::Month => each(days, |x| days_to_civil(x.into()).month as i32),
        DatePart::Week => each(days, |x| iso_week(x.into()).1 as i32),
        DatePart::IsoYear => each(days, |x| year(iso_week(x.into()).0)),
        DatePart::Day => each(days, |x| days_to_civil(x.into()).day as i32),
        DatePart::DayOfYear => each(days, |x| day_of_year(x.into()) as i32),
        DatePart::Weekday => each(days, |x| weekday(x.into()) as i32),
        _ => each(days, |x| {
            let Civil { year, month, .. } = days_to_civil(x.into());
            days_in_month(year, month) as i32
        }),
    }
}

fn of_clock(nanos: &[i64], part: DatePart) -> Vec<i32> {
    match part {
        DatePart::Hour => each(nanos, |x| (x / 3_600_000_000_000) as i32),
        DatePart::Minute => each(nanos, |x| (x / 60_000_000_000 % 60) as i32),
        DatePart::Second => each(nanos, |x| (x / 1_000_000_000 % 60) as i32),
        DatePart::Milli => each(nanos, |x| (x % 1_000_000_000 / 1_000_000) as i32),
        DatePart::Micro => each(nanos, |x| (x % 1_000_000_000 / 1_000) as i32),
        _ => each(nanos, |x| (x % 1_000_000_000) as i32),
    }
}

pub(super) fn date(call: &KernelCall<'_>) -> Option<Vector> {
    let (unit, _) = wall::stamp(call.plain(0))?;
    let days = whole_days(&wall::readings(call)?, unit);
    // Only counts of seconds and milliseconds reach past the last date.
    let dates: Option<Vec<i32>> = days.iter().map(|days| i32::try_from(*days).ok()).collect();
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, dates?, call.nulls())))
}

pub(super) fn time(call: &KernelCall<'_>) -> Option<Vector> {
    let (unit, _) = wall::stamp(call.plain(0))?;
    let nanos = nanos_of_day(&wall::readings(call)?, unit);
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, nanos, call.nulls())))
}
