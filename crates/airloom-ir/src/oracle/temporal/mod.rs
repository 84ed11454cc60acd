//! What the ops of dates and times mean.

pub(super) mod civil;
mod codes;
mod format;
pub(super) mod literal;
mod parse;
mod part;
mod stamp;
mod step;

pub use civil::{Civil, DAY_NANOS, DAY_SECONDS, civil_to_days, day_of_year, days_in_month, days_of, days_to_civil, iso_week, weekday};
pub(crate) use codes::{check_readable, check_writable};
pub use step::{Length, day_in_month};

use super::call::Call;
use super::convert::scalar_to_text;
use super::stop::{Raised, raise};
use crate::attrs::Overflow;
use crate::ops::temporal::Temporal;
use crate::types::{Ty, TyId};
use crate::typing::core::fits;
use crate::value::Value;
use stamp::Stamp;

pub(super) fn apply(op: Temporal, call: &Call<'_>) -> Result<Value, Raised> {
    match op {
        Temporal::Part => part::part(call),
        Temporal::Step => step::step(call),
        Temporal::Shift => step::shift(call),
        Temporal::AddDuration => by_overflow(call, "dt.add", call.int(0) + call.int(1)),
        Temporal::Since => {
            let per_count = if matches!(call.plain_type(0), Ty::Date) { i128::from(civil::DAY_SECONDS) } else { 1 };
            by_overflow(call, "dt.since", (call.int(0) - call.int(1)) * per_count)
        }
        Temporal::Scale => by_overflow(call, "dt.scale", call.int(0) * call.int(1)),
        Temporal::Parse => parse::parse(call),
        Temporal::Format => format::format(call),
        Temporal::ToZone => Ok(call.args[0].clone()),
        Temporal::Localize => stamp::localize(call),
        Temporal::Wall => stored(call, "dt.wall", Stamp::of(call.plain_type(0))?.wall_count(call.int(0))),
        Temporal::Date => stored(call, "dt.date", Stamp::of(call.plain_type(0))?.wall(call.int(0)).days.into()),
        Temporal::Time => Ok(Value::int(Stamp::of(call.plain_type(0))?.wall(call.int(0)).nanos)),
        Temporal::Make => {
            let days = civil::days_of(call.i64(0), call.i64(1), call.i64(2)).map(Value::int);
            Ok(days.filter(|days| fits(call.types, days, TyId::DATE)).unwrap_or(Value::Null))
        }
    }
}

/// A count where the result's type holds it.
fn stored(call: &Call<'_>, op: &str, count: i128) -> Result<Value, Raised> {
    let value = Value::Int(count);
    if fits(call.types, &value, call.types.strip(call.ty)) { Ok(value) } else { does_not_fit(call, op) }
}

/// A count of 64 bits where it is one, else by the attribute `overflow`, which comes first.
fn by_overflow(call: &Call<'_>, op: &str, count: i128) -> Result<Value, Raised> {
    match call.attr(0) {
        Overflow::Wrap => Ok(Value::int(count as i64)),
        Overflow::Raise => stored(call, op, count),
        Overflow::Null => Ok(i64::try_from(count).map_or(Value::Null, Value::int)),
    }
}

fn does_not_fit<T>(call: &Call<'_>, op: &str) -> Result<T, Raised> {
    let shown: Vec<String> =
        call.args.iter().zip(call.arg_types).map(|(value, &ty)| format!("`{}`", scalar_to_text(call.types, ty, value))).collect();
    raise(format!("overflow: `{op}` of {} does not fit `{}`", shown.join(" and "), call.types.show(call.types.strip(call.ty))))
}
