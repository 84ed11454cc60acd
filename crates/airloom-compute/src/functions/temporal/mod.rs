//! Dates and times.

pub(crate) mod civil;
mod format;
mod part;
mod step;
mod wall;

use super::call::KernelCall;
use super::number::{Misfit, fitted};
use crate::data::Vector;
use crate::data::native::{Side, buffer_to_array, each_pair, numbers_to_array};
use airloom_ir::ops::temporal::Temporal;
use airloom_ir::oracle::formula::{DAY_SECONDS, days_of};
use airloom_ir::types::Ty;

/// The result in every row, where there is a kernel for it and no row raises.
pub(super) fn fast(op: Temporal, call: &KernelCall<'_>) -> Option<Vector> {
    match op {
        Temporal::Part => part::part(call),
        Temporal::Step => step::step(call),
        Temporal::Shift => step::shift(call),
        Temporal::AddDuration => counts(call, i64::overflowing_add),
        Temporal::Since if matches!(call.plain(0), Ty::Date) => {
            let (later, earlier) = (Side::<i32>::of(&call.args[0])?, Side::<i32>::of(&call.args[1])?);
            let seconds = |x: i32, y: i32| (i64::from(x) - i64::from(y)) * DAY_SECONDS;
            Some(Vector::Flat(numbers_to_array(call.types, call.ty, each_pair(call.rows, &later, &earlier, seconds), call.nulls())))
        }
        Temporal::Since => counts(call, i64::overflowing_sub),
        Temporal::Scale => counts(call, i64::overflowing_mul),
        Temporal::Parse => format::parse(call),
        Temporal::Format => format::format(call),
        Temporal::ToZone => Some(Vector::Flat(buffer_to_array(call.types, call.ty, wall::counts(call)?, call.nulls()))),
        Temporal::Localize => wall::localize(call),
        Temporal::Wall => Some(Vector::Flat(buffer_to_array(call.types, call.ty, wall::readings(call)?, call.nulls()))),
        Temporal::Date => part::date(call),
        Temporal::Time => part::time(call),
        Temporal::Make => make(call),
    }
}

/// Two counts of 64 bits, and what does not fit by the attribute `overflow`.
fn counts(call: &KernelCall<'_>, make: impl Fn(i64, i64) -> (i64, bool) + Copy) -> Option<Vector> {
    let (left, right) = (Side::<i64>::of(&call.args[0])?, Side::<i64>::of(&call.args[1])?);
    fitted(call, &left, &right, Misfit::of_overflow(call), make)
}

fn make(call: &KernelCall<'_>) -> Option<Vector> {
    let [year, month, day] = [0, 1, 2].map(|at| Side::<i64>::of(&call.args[at]));
    let (year, month, day) = (year?, month?, day?);
    let days = |row: usize| {
        let days = days_of(year.at(row), month.at(row), day.at(row));
        days.and_then(|days| i32::try_from(days).ok())
    };
    let found: Vec<Option<i32>> = (0..call.rows).map(days).collect();
    let missing = crate::data::bits::test(&found, |days| days.is_none());
    let nulls = crate::data::bits::with_nulls(call.nulls().as_ref(), &missing);
    let days = found.into_iter().map(Option::unwrap_or_default).collect();
    Some(Vector::Flat(numbers_to_array::<i32>(call.types, call.ty, days, nulls)))
}
