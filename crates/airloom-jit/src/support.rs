//! Which ops have a kernel for which types, and why not where not. Lowering asks here before anything is compiled; the manual's table is written from it.

use crate::emit::length_of;
use crate::functions;
use crate::kind::Kind;
use airloom_ir::attrs::{Attr, AttrType, DatePart, DateStep};
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::temporal::Temporal;

/// Whether an op on arguments of these kinds has a kernel. The attributes are without the type that `cast` converts to.
pub(crate) fn supports(op: Op, attrs: &[Attr], args: &[Kind], result: Kind) -> Result<(), String> {
    match op {
        Op::Number(_) => Ok(()),
        Op::Logic(Logic::Cast) => cast(args[0], result),
        Op::Logic(_) => Ok(()),
        Op::Temporal(op) => temporal(op, attrs, args),
        other => Err(format!("`{}` has no kernel", other.def().name)),
    }
}

fn cast(from: Kind, to: Kind) -> Result<(), String> {
    match (from, to) {
        (Kind::Category, Kind::Category) => Err("categories are matched by their names".into()),
        _ => Ok(()),
    }
}

fn temporal(op: Temporal, attrs: &[Attr], args: &[Kind]) -> Result<(), String> {
    let zoned = matches!(args[0], Kind::Timestamp { utc: false, .. });
    match op {
        Temporal::AddDuration | Temporal::Since | Temporal::Scale | Temporal::ToZone => Ok(()),
        Temporal::Part | Temporal::Wall | Temporal::Date | Temporal::Time if zoned => {
            Err("the clocks of a zone are read by the interpreter".into())
        }
        Temporal::Part => match attrs.first().and_then(DatePart::from_attr) {
            Some(part) if part >= DatePart::Hour || functions::of_part(part).is_some() => Ok(()),
            _ => Err("this part of a date has no kernel".into()),
        },
        Temporal::Wall | Temporal::Date | Temporal::Time => Ok(()),
        Temporal::Step | Temporal::Shift => step(op, attrs, args[0]),
        Temporal::Make => Err("dates are made by the interpreter".into()),
        Temporal::Parse | Temporal::Format => Err("text is read and written by the interpreter".into()),
        Temporal::Localize => Err("the clocks of a zone are read by the interpreter".into()),
    }
}

fn step(op: Temporal, attrs: &[Attr], kind: Kind) -> Result<(), String> {
    let unit = attrs.first().and_then(DateStep::from_attr).ok_or("a step without a unit")?;
    // Hours and shorter steps are time that passes, whatever clocks show.
    let passes = op == Temporal::Shift && unit > DateStep::Day;
    if matches!(kind, Kind::Timestamp { utc: false, .. }) && !passes {
        return Err("the clocks of a zone are read by the interpreter".into());
    }
    let every = attrs.get(1).and_then(i64::from_attr).unwrap_or(1);
    length_of(kind, unit, every).map(|_| ()).ok_or_else(|| "steps finer than what is counted are computed by the interpreter".into())
}
