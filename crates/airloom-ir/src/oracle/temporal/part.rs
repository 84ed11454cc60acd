//! Parts of dates, times, timestamps and durations.

use super::civil::{Wall, day_of_year, days_in_month, days_to_civil, iso_week, weekday};
use super::stamp::Stamp;
use crate::attrs::DatePart;
use crate::oracle::call::Call;
use crate::oracle::stop::Raised;
use crate::types::Ty;
use crate::value::Value;

pub(super) fn part(call: &Call<'_>) -> Result<Value, Raised> {
    let part: DatePart = call.attr(0);
    let wall = reading(call.plain_type(0), call.int(0))?;
    let found = part_of(wall, part);
    Ok(Value::int(found.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32))
}

/// What calendar and clock show. A date is at midnight, a time on 1970-01-01, and a duration is a number of whole days and the rest, which is never negative.
pub(super) fn reading(ty: &Ty, count: i128) -> Result<Wall, Raised> {
    Ok(match ty {
        Ty::Date => Wall { days: count as i64, nanos: 0 },
        Ty::Time => Wall { days: 0, nanos: count as i64 },
        Ty::Duration(unit) => Wall::from_count(count, *unit),
        _ => Stamp::of(ty)?.wall(count),
    })
}

fn part_of(wall: Wall, part: DatePart) -> i64 {
    let civil = || days_to_civil(wall.days);
    let seconds = wall.nanos / 1_000_000_000;
    let fraction = wall.nanos % 1_000_000_000;
    match part {
        DatePart::Year => civil().year,
        DatePart::Quarter => (civil().month - 1) / 3 + 1,
        DatePart::Month => civil().month,
        DatePart::Week => iso_week(wall.days).1,
        DatePart::IsoYear => iso_week(wall.days).0,
        DatePart::Day => civil().day,
        DatePart::DayOfYear => day_of_year(wall.days),
        DatePart::Weekday => weekday(wall.days),
        DatePart::DaysInMonth => days_in_month(civil().year, civil().month),
        DatePart::Hour => seconds / 3600,
        DatePart::Minute => seconds / 60 % 60,
        DatePart::Second => seconds % 60,
        DatePart::Milli => fraction / 1_000_000,
        DatePart::Micro => fraction / 1_000,
        DatePart::Nano => fraction,
    }
}
