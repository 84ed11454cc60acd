//! Steps of the calendar and the clock: brought to one, and moved by some.

use super::civil::{Civil, DAY_NANOS, YEAR_LIMIT, civil_to_days, days_in_month, days_to_civil, nanos_per};
use super::stamp::Stamp;
use super::{does_not_fit, stored};
use crate::attrs::{DateStep, StepMode};
use crate::oracle::call::Call;
use crate::oracle::stop::{Raised, raise};
use crate::types::Ty;
use crate::value::Value;

/// How long a step of the calendar or the clock is.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// A number of months.
    Months(i64),
    /// A number of nanoseconds.
    Nanos(i128),
}

impl Length {
    /// Of a step.
    pub fn of(unit: DateStep) -> Length {
        let day = i128::from(DAY_NANOS);
        match unit {
            DateStep::Year => Length::Months(12),
            DateStep::Quarter => Length::Months(3),
            DateStep::Month => Length::Months(1),
            DateStep::Week => Length::Nanos(7 * day),
            DateStep::Day => Length::Nanos(day),
            DateStep::Hour => Length::Nanos(3_600_000_000_000),
            DateStep::Minute => Length::Nanos(60_000_000_000),
            DateStep::Second => Length::Nanos(1_000_000_000),
            DateStep::Milli => Length::Nanos(1_000_000),
            DateStep::Micro => Length::Nanos(1_000),
            DateStep::Nano => Length::Nanos(1),
        }
    }
}

pub(super) fn step(call: &Call<'_>) -> Result<Value, Raised> {
    let (unit, every, mode): (DateStep, i64, StepMode) = (call.attr(0), call.attr(1), call.attr(2));
    let (count, place) = (call.int(0), Place::of(call.plain_type(0))?);
    let wall = place.wall_nanos(count);
    let Some(brought) = brought(wall, unit, every.into(), mode) else { return does_not_fit(call, "dt.step") };
    // Where it is on a step already, it stays, whichever of two equal readings it is.
    if brought == wall {
        return Ok(call.args[0].clone());
    }
    match place.count_at_nanos(brought, count) {
        Some(count) => stored(call, "dt.step", count),
        None => raise(format!("steps of {every} `{}` are finer than `{}`", unit.word(), call.types.show(call.types.strip(call.ty)))),
    }
}

pub(super) fn shift(call: &Call<'_>) -> Result<Value, Raised> {
    let unit: DateStep = call.attr(0);
    let (count, by, place) = (call.int(0), call.int(1), Place::of(call.plain_type(0))?);
    let wall = place.wall_nanos(count);
    let moved = match Length::of(unit) {
        Length::Months(months) => match shift_months(wall, by * i128::from(months)) {
            Some(wall) => place.count_at_nanos(wall, count),
            None => return does_not_fit(call, "dt.shift"),
        },
        // Days keep the wall clock; what is shorter is time that really passes.
        Length::Nanos(nanos) if unit <= DateStep::Day => place.count_at_nanos(wall + by * nanos, count),
        Length::Nanos(nanos) => place.later(count, by * nanos),
    };
    match moved {
        Some(count) => stored(call, "dt.shift", count),
        None => raise(format!("{by} `{}` are finer than `{}`", unit.word(), call.types.show(call.types.strip(call.ty)))),
    }
}

/// Dates and timestamps as one: a count, and where it is on the wall clock in thousand-millionths of a second.
enum Place {
    Date,
    Stamp(Stamp),
}

impl Place {
    fn of(ty: &Ty) -> Result<Place, Raised> {
        if matches!(ty, Ty::Date) { Ok(Place::Date) } else { Stamp::of(ty).map(Place::Stamp) }
    }

    fn nanos_per_count(&self) -> i128 {
        match self {
            Place::Date => DAY_NANOS.into(),
            Place::Stamp(stamp) => nanos_per(stamp.unit).into(),
        }
    }

    fn wall_nanos(&self, count: i128) -> i128 {
        let wall = match self {
            Place::Date => count,
            Place::Stamp(stamp) => stamp.wall_count(count),
        };
        wall * self.nanos_per_count()
    }

    /// The count of a reading of the wall clock, where it is an integer; of two, that with the offset of `near`.
    fn count_at_nanos(&self, nanos: i128, near: i128) -> Option<i128> {
        let wall = whole(nanos, self.nanos_per_count())?;
        Some(match self {
            Place::Date => wall,
            Place::Stamp(stamp) => stamp.count_at_wall(wall, stamp.offset(near)),
        })
    }

    /// The count so much later, where it is a whole one.
    fn later(&self, count: i128, nanos: i128) -> Option<i128> {
        whole(nanos, self.nanos_per_count()).map(|by| count + by)
    }
}

fn whole(nanos: i128, per_count: i128) -> Option<i128> {
    (nanos % per_count == 0).then(|| nanos / per_count)
}

/// The step that a reading of the wall clock is brought to; `None` where it is in no year that we count.
fn brought(nanos: i128, unit: DateStep, every: i128, mode: StepMode) -> Option<i128> {
    // The number of the step that the reading is in, and where a step of a number begins.
    let (number, begin): (i128, Box<dyn Fn(i128) -> Option<i128>>) = match Length::of(unit) {
        Length::Months(months) => {
            let length = i128::from(months) * every;
            (month_of(nanos).div_euclid(length), Box::new(move |number| month_begin(number * length)))
        }
        Length::Nanos(unit_nanos) => {
            let length = unit_nanos * every;
            // Weeks are counted from 1970-01-05, the first Monday.
            let origin = if unit == DateStep::Week { 4 * i128::from(DAY_NANOS) } else { 0 };
            ((nanos - origin).div_euclid(length), Box::new(move |number| Some(number * length + origin)))
        }
    };
    let floor = begin(number);
    if floor == Some(nanos) || mode == StepMode::Floor {
        return floor;
    }
    let next = begin(number + 1);
    if mode == StepMode::Ceil {
        return next;
    }
    let (floor, next) = (floor?, next?);
    match (nanos - floor).cmp(&(next - nanos)) {
        std::cmp::Ordering::Less => Some(floor),
        std::cmp::Ordering::Greater => Some(next),
        std::cmp::Ordering::Equal => Some(if number % 2 == 0 { floor } else { next }),
    }
}

fn civil_of(nanos: i128) -> Civil {
    days_to_civil(nanos.div_euclid(DAY_NANOS.into()) as i64)
}

/// The months since the beginning of year 0.
fn month_of(nanos: i128) -> i128 {
    let civil = civil_of(nanos);
    i128::from(civil.year) * 12 + i128::from(civil.month) - 1
}

fn month_begin(months: i128) -> Option<i128> {
    day_of(months, 1)
}

fn day_of(months: i128, day: i64) -> Option<i128> {
    let days = day_in_month(i64::try_from(months).ok()?, day)?;
    Some(i128::from(days) * i128::from(DAY_NANOS))
}

/// The days to a day of a month, which is counted from the beginning of year 0, or to the month's last where it has none such.
#[inline]
pub fn day_in_month(months: i64, day: i64) -> Option<i64> {
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let day = day.min(days_in_month(year, month));
    (year.abs() <= YEAR_LIMIT).then(|| civil_to_days(Civil { year, month, day }))
}

fn shift_months(nanos: i128, by: i128) -> Option<i128> {
    day_of(month_of(nanos) + by, civil_of(nanos).day).map(|day| day + nanos.rem_euclid(DAY_NANOS.into()))
}
