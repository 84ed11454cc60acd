//! Timestamps between their count and the wall clock of their zone.

use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, buffer_to_array, numbers_to_array};
use crate::functions::call::KernelCall;
use airloom_ir::name::Name;
use airloom_ir::oracle::zones::{self, Local, Zone};
use airloom_ir::types::{TimeUnit, Ty};
use airloom_ir::value::Value;
use arrow::array::Array;
use arrow::buffer::{BooleanBuffer, ScalarBuffer};

/// A zone with a fixed offset from UTC, or one whose offset changes.
pub(super) enum Clock {
    /// A fixed offset: seconds ahead of UTC.
    Ahead(i64),
    /// By the rules of a named zone.
    Place(Zone),
}

impl Clock {
    pub(super) fn of(zone: Option<&Name>) -> Option<Clock> {
        let Some(name) = zone else { return Some(Clock::Ahead(0)) };
        if name.as_str() == "UTC" {
            return Some(Clock::Ahead(0));
        }
        Some(match zones::find(name)? {
            Zone::Fixed(seconds) => Clock::Ahead(seconds.into()),
            place => Clock::Place(place),
        })
    }
}

/// The unit and the clock of a timestamp type.
pub(super) fn stamp(ty: &Ty) -> Option<(TimeUnit, Clock)> {
    match ty {
        Ty::Timestamp { unit, zone } => Some((*unit, Clock::of(zone.as_ref())?)),
        _ => None,
    }
}

/// The counts of the first argument.
pub(super) fn counts(call: &KernelCall<'_>) -> Option<ScalarBuffer<i64>> {
    i64::numbers(call.many(0)?)
}

/// What the clocks show at the timestamps of the first argument, counted as if they were UTC. Nothing where one of them does not fit.
pub(super) fn readings(call: &KernelCall<'_>) -> Option<ScalarBuffer<i64>> {
    let counts = counts(call)?;
    let (unit, clock) = stamp(call.plain(0))?;
    let per_second = unit.per_second();
    match clock {
        Clock::Ahead(0) => Some(counts),
        Clock::Ahead(seconds) => moved(&counts, seconds * per_second),
        Clock::Place(zone) => {
            let readings: Option<Vec<i64>> =
                counts.iter().map(|count| count.checked_add(zone.offset_at(count.div_euclid(per_second)) * per_second)).collect();
            readings.map(ScalarBuffer::from)
        }
    }
}

/// Every count moved; nothing where one does not fit.
pub(super) fn moved(counts: &[i64], by: i64) -> Option<ScalarBuffer<i64>> {
    let mut wrong = false;
    let moved: Vec<i64> = counts
        .iter()
        .map(|count| {
            let (moved, over) = count.overflowing_add(by);
            wrong |= over;
            moved
        })
        .collect();
    if wrong { None } else { Some(moved.into()) }
}

pub(super) fn localize(call: &KernelCall<'_>) -> Option<Vector> {
    let readings = counts(call)?;
    let (unit, _) = stamp(call.plain(0))?;
    let per_second = unit.per_second();
    let zone = match Clock::of(Some(&call.attr(0)))? {
        Clock::Ahead(seconds) => {
            let counts = moved(&readings, -seconds * per_second)?;
            return Some(Vector::Flat(buffer_to_array(call.types, call.ty, counts, call.nulls())));
        }
        Clock::Place(zone) => zone,
    };
    let array = call.many(0)?;
    let mut counts = Vec::with_capacity(call.rows);
    let mut missing = vec![false; call.rows];
    for (row, reading) in readings.iter().enumerate() {
        if array.is_null(row) {
            counts.push(0);
            continue;
        }
        match zone.local(reading.div_euclid(per_second)) {
            Local::One(offset) => counts.push(reading.checked_sub(offset * per_second)?),
            // What the clocks show twice or never goes by the attributes.
            Local::Two(..) | Local::Gap(_) => match call.oracle(row).ok()? {
                Value::Int(count) => counts.push(count as i64),
                _ => {
                    missing[row] = true;
                    counts.push(0);
                }
            },
        }
    }
    let nulls = bits::with_nulls(call.nulls().as_ref(), &BooleanBuffer::from(missing));
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, counts, nulls)))
}
