//! Dates and times.

use super::def::{Given, raises_if};
use super::marks::Aliasing::{Fresh, Holds, View};
use super::marks::Distribution::Scalar;
use super::ops;
use crate::attrs::{Ambiguous, Attr, CastMode, DatePart, DateStep, Effect, Nonexistent, Overflow, StepMode};
use crate::name::Name;
use crate::types::{TimeUnit, Ty, TyId};
use crate::typing::temporal as rule;

ops! {
    /// Dates and times. Parts and steps of a timestamp with a zone are read in that zone. Null gives null. What does not fit its type raises.
    family Temporal BuildTemporal "temporal";

    /// A part of a date, time or timestamp, as `i32`; of a duration, what is left after the coarser ones, days among them: never negative. A year beyond
    /// `i32` is the nearest one it holds.
    Part dt_part as_dt_part "dt.part" (value) {part: DatePart} -> rule::part, spreads(Scalar), aliases(Fresh), propagates();

    /// A date or timestamp brought to a step of the calendar: `every` months, days or minutes, counted from 1970 (weeks from Monday 1970-01-05; months, quarters and years
    /// from year 0) on the wall clock. What the zone's clocks show twice then has the offset it had before, or else is the earlier; what they leave out is the end of the gap.
    Step dt_step as_dt_step "dt.step" (value) {unit: DateStep, every: i64 = 1, to: StepMode = StepMode::Floor} -> rule::step, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises();

    /// A date or timestamp `n` steps later. Months and years keep the day, or take the last of the month where it has none such; days and longer steps keep the wall clock,
    /// where `dt.step` says what becomes of a reading shown twice or left out; hours and shorter steps are time that passes.
    Shift dt_shift as_dt_shift "dt.shift" (value, count) {unit: DateStep} -> rule::shift, spreads(Scalar), aliases(Fresh), propagates(), raises();

    /// A timestamp so much later; the duration has the timestamp's unit.
    AddDuration dt_add as_dt_add "dt.add" (value, duration) {overflow: Overflow = Overflow::Raise} -> rule::add, spreads(Scalar), aliases(Fresh), propagates(), raises_by(super::def::on_overflow);

    /// How long after the second the first is: a duration in the timestamps' unit; for dates, in seconds.
    Since dt_since as_dt_since "dt.since" (later, earlier) {overflow: Overflow = Overflow::Raise} -> rule::since, spreads(Scalar), aliases(Fresh), propagates(), raises_by(super::def::on_overflow);

    /// A duration times an integer.
    Scale dt_scale as_dt_scale "dt.scale" (duration, by) {overflow: Overflow = Overflow::Raise} -> rule::scale, spreads(Scalar), aliases(Fresh), propagates(), raises_by(super::def::on_overflow);

    /// Text read by a format of `strftime` codes as `to`, as Python's `strptime` reads it: letter case does not matter, white space matches white space, and what the format
    /// leaves out is of 1900-01-01T00:00:00. A timestamp with a zone is read from an offset (`%z`), else from the zone's clocks; one without a zone has no offset.
    /// Text that does not fit, or that the zone's clocks show not once, goes by `mode`. `%f` takes up to nine digits; see `dt.format` for the other codes.
    Parse dt_parse as_dt_parse "dt.parse" (text) {format: Name, to: TyId, mode: CastMode = CastMode::Strict} -> rule::parse, spreads(Scalar), aliases(Fresh), propagates(), raises_by(parse_effect);

    /// A date, time or timestamp written by a format of `strftime` codes: `%Y %C %y %G %g %m %d %e %j %H %k %I %l %M %S %p %P %a %A %b %B %u %w %U %W %V %s %z %:z %Z %%`, the
    /// fractions `%L` (three digits), `%f` (six) and `%N` (nine), those that stand for others (`%F %T %R %D %r %c %x %X %h %n %t`), and `-`, `_` or `0` after the `%` to fill
    /// with nothing, spaces or zeros. Names are English. A date is at midnight; a date code of a time of day raises.
    Format dt_format as_dt_format "dt.format" (value) {format: Name} -> rule::format, spreads(Scalar), aliases(Fresh), propagates(), raises();

    /// The same timestamp read in another zone.
    ToZone dt_to_zone as_dt_to_zone "dt.to_zone" (value) {zone: Name} -> rule::to_zone, spreads(Scalar), aliases(View(&["value"])), propagates();

    /// A wall-clock reading taken as one in a zone.
    Localize dt_localize as_dt_localize "dt.localize" (value)
        {zone: Name, ambiguous: Ambiguous = Ambiguous::Raise, nonexistent: Nonexistent = Nonexistent::Raise} -> rule::localize, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises_by(localize_effect);

    /// The wall-clock reading of a timestamp, without its zone.
    Wall dt_wall as_dt_wall "dt.wall" (value) -> rule::wall, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises_by(wall_effect);

    /// The date of a timestamp.
    Date dt_date as_dt_date "dt.date" (value) -> rule::date, spreads(Scalar), aliases(Fresh), propagates(), raises_by(date_effect);

    /// The time of day of a timestamp.
    Time dt_time as_dt_time "dt.time" (value) -> rule::time, spreads(Scalar), aliases(Fresh), propagates();

    /// The date of a year, month and day (`i64`); null where there is none such.
    Make dt_make as_dt_make "dt.make" (year, month, day) -> rule::make, spreads(Scalar), aliases(Fresh), propagates();
}

fn parse_effect(given: &Given<'_>) -> Effect {
    raises_if(given.attrs.get(2) == Some(&Attr::Word(CastMode::Strict as u8)))
}

/// The least and greatest counts do not fit when moved by an offset.
fn wall_effect(given: &Given<'_>) -> Effect {
    let moved = |ty: &Ty| matches!(ty, Ty::Timestamp { zone: Some(zone), .. } if zone.as_str() != "UTC");
    raises_if(given.args.first().is_some_and(|&t| moved(given.types.plain(t))))
}

/// Counts of microseconds and finer do not reach past the last date.
fn date_effect(given: &Given<'_>) -> Effect {
    let coarse = |ty: &Ty| matches!(ty, Ty::Timestamp { unit: TimeUnit::Second | TimeUnit::Milli, .. });
    raises_if(given.args.first().is_some_and(|&t| coarse(given.types.plain(t))))
}

/// Whatever is said of clocks, the least and greatest counts do not fit when moved by an offset.
fn localize_effect(given: &Given<'_>) -> Effect {
    let raise = |at: usize| given.attrs.get(at) == Some(&Attr::Word(0));
    let moved = !matches!(given.attrs.first(), Some(Attr::Name(zone)) if zone.as_str() == "UTC");
    raises_if(raise(1) || raise(2) || moved)
}
