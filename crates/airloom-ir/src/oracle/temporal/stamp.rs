//! Timestamps between their count and the wall clock of their zone.

use super::civil::Wall;
use super::stored;
use crate::attrs::{Ambiguous, Nonexistent};
use crate::name::Name;
use crate::oracle::call::Call;
use crate::oracle::stop::{Raised, raise};
use crate::oracle::zones::{self, Local, Zone};
use crate::types::{TimeUnit, Ty};
use crate::value::Value;

/// What a timestamp's type says of its count.
#[derive(Clone, Copy)]
pub(super) struct Stamp {
    /// What is counted.
    pub(super) unit: TimeUnit,
    /// Where its wall clock hangs.
    pub(super) zone: Option<Zone>,
}

impl Stamp {
    pub(super) fn of(ty: &Ty) -> Result<Stamp, Raised> {
        match ty {
            Ty::Timestamp { unit, zone: None } => Ok(Stamp { unit: *unit, zone: None }),
            Ty::Timestamp { unit, zone: Some(name) } => Ok(Stamp { unit: *unit, zone: Some(known(name)?) }),
            other => unreachable!("the type rule wants a timestamp, not {other:?}"),
        }
    }

    /// How many seconds the wall clock is ahead of UTC.
    pub(super) fn offset(self, count: i128) -> i64 {
        self.zone.map_or(0, |zone| zone.offset_at(self.seconds(count)))
    }

    /// The count that the wall clock would have if it were UTC.
    pub(super) fn wall_count(self, count: i128) -> i128 {
        count + i128::from(self.offset(count)) * self.per_second()
    }

    /// The reading of the wall clock.
    pub(super) fn wall(self, count: i128) -> Wall {
        Wall::from_count(self.wall_count(count), self.unit)
    }

    /// The count of a reading of the wall clock. What the clock shows twice is the time with the offset `near`, or else the earlier; what it leaves out is
    /// the end of the gap.
    pub(super) fn count_at_wall(self, wall: i128, near: i64) -> i128 {
        let Some(zone) = self.zone else { return wall };
        match zone.local(self.seconds(wall)) {
            Local::One(offset) => wall - i128::from(offset) * self.per_second(),
            Local::Two(earlier, later) => wall - i128::from(if later == near { later } else { earlier }) * self.per_second(),
            Local::Gap(end) => i128::from(end) * self.per_second(),
        }
    }

    /// Whole seconds of a count; far outside the range of any timestamp, the last that there are, where no zone has changes.
    pub(super) fn seconds(self, count: i128) -> i64 {
        let seconds = count.div_euclid(self.per_second());
        i64::try_from(seconds).unwrap_or(if seconds < 0 { i64::MIN } else { i64::MAX })
    }

    fn per_second(self) -> i128 {
        self.unit.per_second().into()
    }
}

fn known(name: &str) -> Result<Zone, Raised> {
    zones::find(name).ok_or_else(|| {
        Raised::new(format!("there is no time zone `{name}`; expected a name such as `Europe/Paris` or an offset such as `+02:00`"))
    })
}

pub(super) fn localize(call: &Call<'_>) -> Result<Value, Raised> {
    let (name, ambiguous, nonexistent): (Name, Ambiguous, Nonexistent) = (call.attr(0), call.attr(1), call.attr(2));
    let zone = known(&name)?;
    let stamp = Stamp::of(call.plain_type(0))?;
    let (wall, per_second) = (call.int(0), i128::from(stamp.unit.per_second()));
    let shown = || crate::oracle::convert::scalar_to_text(call.types, call.arg_types[0], &call.args[0]);
    let count = match zone.local(stamp.seconds(wall)) {
        Local::One(offset) => wall - i128::from(offset) * per_second,
        Local::Two(earlier, later) => match ambiguous {
            Ambiguous::Earliest => wall - i128::from(earlier) * per_second,
            Ambiguous::Latest => wall - i128::from(later) * per_second,
            Ambiguous::Null => return Ok(Value::Null),
            Ambiguous::Raise => return raise(format!("`{}` is ambiguous: the clocks of `{name}` show it twice", shown())),
        },
        Local::Gap(end) => match nonexistent {
            Nonexistent::Forward => i128::from(end) * per_second,
            Nonexistent::Backward => i128::from(end) * per_second - 1,
            Nonexistent::Null => return Ok(Value::Null),
            Nonexistent::Raise => return raise(format!("`{}` is nonexistent: the clocks of `{name}` leave it out", shown())),
        },
    };
    stored(call, "dt.localize", count)
}
