//! Which ops have a kernel for which types, and why not where not. Lowering asks here before anything is compiled; the manual's table is written from it.

use crate::functions;
use crate::kind::Kind;
use airloom_ir::attrs::{Attr, AttrType, DatePart, Overflow};
use airloom_ir::ops::Op;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::number::Number;
use airloom_ir::ops::temporal::Temporal;

/// Whether an op on arguments of these kinds has a kernel. The attributes are without the type that `cast` converts to.
pub(crate) fn supports(op: Op, attrs: &[Attr], args: &[Kind], result: Kind) -> Result<(), String> {
    match op {
        Op::Number(op) => number(op, attrs, args),
        Op::Logic(Logic::Cast) => cast(args[0], result),
        Op::Logic(Logic::Hash) => Err("hashes are computed by the interpreter".into()),
        Op::Logic(_) => Ok(()),
        Op::Temporal(op) => temporal(op, attrs, args),
        other => Err(format!("`{}` has no kernel", other.def().name)),
    }
}

fn number(op: Number, attrs: &[Attr], args: &[Kind]) -> Result<(), String> {
    match (op, args[0]) {
        (Number::Pow, Kind::Int(_)) if attrs.first().and_then(Overflow::from_attr) != Some(Overflow::Wrap) => {
            Err("a power of integers that is checked for overflow is computed by the interpreter".into())
        }
        _ => Ok(()),
    }
}

fn cast(from: Kind, to: Kind) -> Result<(), String> {
    match (from, to) {
        (Kind::F32 | Kind::F64, Kind::Decimal { .. }) => Err("a float is rounded to a decimal by its exact digits".into()),
        (Kind::Decimal { .. }, Kind::F32) => Err("a decimal is rounded to `f32` by its exact digits".into()),
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
        Temporal::Step | Temporal::Shift | Temporal::Make => Err("steps of the calendar are computed by the interpreter".into()),
        Temporal::Parse | Temporal::Format => Err("text is read and written by the interpreter".into()),
        Temporal::Localize => Err("the clocks of a zone are read by the interpreter".into()),
    }
}
