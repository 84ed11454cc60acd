//! Dates and times.

use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::attrs::{DateStep, StepMode};
use airloom_ir::ops::temporal::{BuildTemporal, Temporal};
use airloom_ir::types::Ty;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// A timestamp is in its own zone already.
        "to-zone-same": "dt.to_zone(?t)" => "?t";
        /// The last zone is the one in which a timestamp is read.
        "to-zone-to-zone": "dt.to_zone{zone: ?z}(dt.to_zone(?t))" => "dt.to_zone{zone: ?z}(?t)";
        /// No steps later is now.
        "shift-zero": "dt.shift(?t, 0)" => "?t";
        /// No time later is now.
        "add-no-time": "dt.add(?t, 0)" => "?t";
        /// No time has passed since now.
        "since-self": "dt.since(?t:time!, ?t)" => "0";
        /// A duration once is itself.
        "scale-one": "dt.scale(?d, 1)" => "?d";
        /// A duration no times is none.
        "scale-zero": "dt.scale(?d:time!, 0)" => "0";
    } };
    all.push(Ok(coarser_step()));
    all
}

fn coarser_step() -> Rule {
    rule! {
        /// A time brought down to a step, and then to a coarser one, is brought to the coarser one.
        ///
        ///     dt.step{unit: year}(dt.step{unit: month}(t))   →   dt.step{unit: year}(t)
        ///
        /// Where every coarser step begins with a finer one; and not in a zone, whose clocks may leave out the beginning of a step.
        Simplify "coarser-step" at [Temporal::Step] |cx, node| {
            let outer = cx.as_dt_step(node)?;
            let inner = cx.as_dt_step(outer.value)?;
            let in_zone = matches!(cx.types().plain(cx.ty_id(node)), Ty::Timestamp { zone: Some(_), .. });
            if in_zone || outer.to != StepMode::Floor || inner.to != StepMode::Floor {
                return None;
            }
            let begins = match inner.unit {
                _ if (inner.unit, inner.every) == (outer.unit, outer.every) => true,
                _ if inner.every != 1 => false,
                // Neither months nor years begin with a week.
                DateStep::Week => outer.unit == DateStep::Week,
                _ => outer.unit <= inner.unit,
            };
            if begins { cx.dt_step(inner.value, outer.unit, outer.every, StepMode::Floor) } else { None }
        }
    }
}
