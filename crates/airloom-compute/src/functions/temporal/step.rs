//! Steps of the calendar and the clock, for dates and for timestamps whose clocks have no changes.

use super::wall::{self, Clock};
use crate::data::Vector;
use crate::data::native::{Native, Side, numbers_to_array};
use crate::functions::call::KernelCall;
use airloom_ir::attrs::{DateStep, StepMode};
use airloom_ir::oracle::formula::{Civil, DAY_NANOS, DAY_SECONDS, Length, day_in_month, days_to_civil};
use airloom_ir::types::Ty;

/// What is counted, and how far the wall clock is ahead of it.
struct Counted {
    nanos: i128,
    per_day: i64,
    ahead: i64,
}

impl Counted {
    fn of(ty: &Ty) -> Option<Counted> {
        if matches!(ty, Ty::Date) {
            return Some(Counted { nanos: DAY_NANOS.into(), per_day: 1, ahead: 0 });
        }
        let (unit, Clock::Ahead(seconds)) = wall::stamp(ty)? else { return None };
        let per_second = unit.per_second();
        Some(Counted { nanos: i128::from(1_000_000_000 / per_second), per_day: DAY_SECONDS * per_second, ahead: seconds * per_second })
    }

    /// A length in counts, where it is an integer of them.
    fn whole(&self, nanos: i128) -> Option<i64> {
        if nanos % self.nanos == 0 { i64::try_from(nanos / self.nanos).ok() } else { None }
    }

    /// Where the clocks are, row by row.
    fn readings(&self, call: &KernelCall<'_>) -> Option<Vec<i64>> {
        match call.plain(0) {
            Ty::Date => Some(i32::numbers(call.many(0)?)?.iter().map(|&days| days.into()).collect()),
            _ => Some(wall::readings(call)?.to_vec()),
        }
    }

    /// The vector of readings that have been moved; `None` where one of them does not fit.
    fn finish(&self, call: &KernelCall<'_>, readings: Option<Vec<i64>>) -> Option<Vector> {
        let readings = readings?;
        if matches!(call.plain(0), Ty::Date) {
            let days: Option<Vec<i32>> = readings.iter().map(|&days| i32::try_from(days).ok()).collect();
            return Some(Vector::Flat(numbers_to_array(call.types, call.ty, days?, call.nulls())));
        }
        let counts = wall::moved(&readings, -self.ahead)?;
        Some(Vector::Flat(numbers_to_array(call.types, call.ty, counts.to_vec(), call.nulls())))
    }
}

pub(super) fn step(call: &KernelCall<'_>) -> Option<Vector> {
    let (unit, every, mode): (DateStep, i64, StepMode) = (call.attr(0), call.attr(1), call.attr(2));
    let counted = Counted::of(call.plain(0))?;
    let readings = counted.readings(call)?;
    let brought: Option<Vec<i64>> = match Length::of(unit) {
        Length::Months(months) => {
            let length = months.checked_mul(every)?;
            let begin = |number: i64| day_in_month(number.checked_mul(length)?, 1)?.checked_mul(counted.per_day);
            let number = |reading: i64| {
                let Civil { year, month, .. } = days_to_civil(reading.div_euclid(counted.per_day));
                (year * 12 + month - 1).div_euclid(length)
            };
            readings.iter().map(|&reading| nearest(reading, number(reading), mode, begin)).collect()
        }
        Length::Nanos(nanos) => {
            let length = counted.whole(nanos.checked_mul(every.into())?)?;
            // Weeks are counted from 1970-01-05, the first Monday.
            let origin = if unit == DateStep::Week { 4 * counted.per_day } else { 0 };
            if mode == StepMode::Floor {
                let floor = |reading: i64| reading.checked_sub(origin)?.div_euclid(length).checked_mul(length)?.checked_add(origin);
                readings.iter().map(|&reading| floor(reading)).collect()
            } else {
                let begin = |number: i64| number.checked_mul(length)?.checked_add(origin);
                let number = |reading: i64| Some(reading.checked_sub(origin)?.div_euclid(length));
                readings.iter().map(|&reading| nearest(reading, number(reading)?, mode, begin)).collect()
            }
        }
    };
    counted.finish(call, brought)
}

/// The step that a reading is brought to, by the number of the step it is in and where each begins.
#[inline(always)]
fn nearest(reading: i64, number: i64, mode: StepMode, begin: impl Fn(i64) -> Option<i64>) -> Option<i64> {
    let floor = begin(number)?;
    if floor == reading || mode == StepMode::Floor {
        return Some(floor);
    }
    let next = begin(number.checked_add(1)?)?;
    if mode == StepMode::Ceil {
        return Some(next);
    }
    let (below, above) = (reading.checked_sub(floor)?, next.checked_sub(reading)?);
    Some(match below.cmp(&above) {
        std::cmp::Ordering::Less => floor,
        std::cmp::Ordering::Greater => next,
        std::cmp::Ordering::Equal => {
            if number % 2 == 0 {
                floor
            } else {
                next
            }
        }
    })
}

pub(super) fn shift(call: &KernelCall<'_>) -> Option<Vector> {
    let unit: DateStep = call.attr(0);
    let counted = Counted::of(call.plain(0))?;
    let by = Side::<i64>::of(&call.args[1])?;
    let readings = match call.many(0) {
        Some(_) => counted.readings(call)?,
        None => return None,
    };
    let moved: Option<Vec<i64>> = match Length::of(unit) {
        Length::Months(months) => {
            let later = |reading: i64, by: i64| {
                let (days, rest) = (reading.div_euclid(counted.per_day), reading.rem_euclid(counted.per_day));
                let Civil { year, month, day } = days_to_civil(days);
                let month = (year * 12 + month - 1).checked_add(by.checked_mul(months)?)?;
                day_in_month(month, day)?.checked_mul(counted.per_day)?.checked_add(rest)
            };
            readings.iter().enumerate().map(|(row, &reading)| later(reading, by.at(row))).collect()
        }
        Length::Nanos(nanos) => {
            let length = counted.whole(nanos)?;
            readings.iter().enumerate().map(|(row, &reading)| by.at(row).checked_mul(length)?.checked_add(reading)).collect()
        }
    };
    counted.finish(call, moved)
}
