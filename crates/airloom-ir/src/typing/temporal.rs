//! Type rules of dates and times.

use super::Infer;
use crate::attrs::{Ambiguous, CastMode, DatePart, DateStep, Nonexistent, Overflow};
use crate::name::Name;
use crate::types::{TimeUnit, Ty, TyId};

type Rule = Result<TyId, String>;

pub(crate) fn part(cx: &mut Infer<'_>) -> Rule {
    let part: DatePart = cx.attr(0);
    let clock = part >= DatePart::Hour;
    match cx.plain(0) {
        Ty::Timestamp { .. } => Ok(TyId::I32),
        Ty::Date if !clock => Ok(TyId::I32),
        Ty::Time | Ty::Duration(_) if clock => Ok(TyId::I32),
        _ => cx.wrong(0, &format!("a date, time or timestamp that has a {}", part.word())),
    }
}

fn calendar(cx: &Infer<'_>, unit: DateStep) -> Result<(), String> {
    match cx.types.get(cx.args[0]) {
        Ty::Timestamp { .. } => Ok(()),
        Ty::Date if unit <= DateStep::Day => Ok(()),
        Ty::Date => Err(format!("a date has no {}", unit.word())),
        _ => cx.wrong(0, "a date or timestamp"),
    }
}

pub(crate) fn step(cx: &mut Infer<'_>) -> Rule {
    calendar(cx, cx.attr(0))?;
    if cx.attr::<i64>(1) < 1 { Err("`every` must be at least 1".into()) } else { Ok(cx.args[0]) }
}

pub(crate) fn shift(cx: &mut Infer<'_>) -> Rule {
    calendar(cx, cx.attr(0))?;
    cx.want(1, TyId::I64)?;
    Ok(cx.args[0])
}

fn by_overflow(cx: &mut Infer<'_>, ty: TyId) -> TyId {
    let nullable = cx.attr::<Overflow>(0) == Overflow::Null;
    cx.types.with_null(ty, nullable)
}

pub(crate) fn add(cx: &mut Infer<'_>) -> Rule {
    let Ty::Timestamp { unit, .. } = *cx.types.get(cx.args[0]) else { return cx.wrong(0, "a timestamp; hint: dates have `dt.shift`") };
    let duration = cx.types.duration(unit);
    cx.want(1, duration)?;
    Ok(by_overflow(cx, cx.args[0]))
}

pub(crate) fn since(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    let unit = match *cx.types.get(ty) {
        Ty::Timestamp { unit, .. } => unit,
        Ty::Date => TimeUnit::Second,
        _ => return cx.wrong(0, "a date or timestamp"),
    };
    let duration = cx.types.duration(unit);
    Ok(by_overflow(cx, duration))
}

pub(crate) fn scale(cx: &mut Infer<'_>) -> Rule {
    if !matches!(cx.types.get(cx.args[0]), Ty::Duration(_)) {
        return cx.wrong(0, "a duration");
    }
    cx.want(1, TyId::I64)?;
    Ok(by_overflow(cx, cx.args[0]))
}

pub(crate) fn parse(cx: &mut Infer<'_>) -> Rule {
    if !matches!(cx.plain(0), Ty::Str) {
        return cx.wrong(0, "text");
    }
    let to: TyId = cx.attr(1);
    match cx.types.get(to) {
        Ty::Date | Ty::Time | Ty::Timestamp { .. } => (),
        _ => return Err(format!("reads dates, times and timestamps, not `{}`", cx.show(to))),
    }
    crate::oracle::check_readable(&cx.attr::<Name>(0))?;
    let mode: CastMode = cx.attr(2);
    match mode {
        CastMode::Wrap => Err("the mode is `strict` or `lenient`".into()),
        _ => Ok(cx.types.with_null(to, mode == CastMode::Lenient)),
    }
}

pub(crate) fn format(cx: &mut Infer<'_>) -> Rule {
    crate::oracle::check_writable(&cx.attr::<Name>(0))?;
    match cx.plain(0) {
        Ty::Date | Ty::Time | Ty::Timestamp { .. } => Ok(TyId::STR),
        _ => cx.wrong(0, "a date, time or timestamp"),
    }
}

pub(crate) fn to_zone(cx: &mut Infer<'_>) -> Rule {
    let zone: Name = cx.attr(0);
    match *cx.types.get(cx.args[0]) {
        Ty::Timestamp { unit, zone: Some(_) } => cx.types.timestamp(unit, Some(zone)),
        _ => cx.wrong(0, "a timestamp with a zone; hint: `dt.localize` gives it one"),
    }
}

pub(crate) fn localize(cx: &mut Infer<'_>) -> Rule {
    let zone: Name = cx.attr(0);
    let nullable = cx.attr::<Ambiguous>(1) == Ambiguous::Null || cx.attr::<Nonexistent>(2) == Nonexistent::Null;
    match *cx.types.get(cx.args[0]) {
        Ty::Timestamp { unit, zone: None } => {
            let ty = cx.types.timestamp(unit, Some(zone))?;
            Ok(cx.types.with_null(ty, nullable))
        }
        _ => cx.wrong(0, "a timestamp without a zone; hint: `dt.to_zone` changes a zone"),
    }
}

pub(crate) fn wall(cx: &mut Infer<'_>) -> Rule {
    match *cx.types.get(cx.args[0]) {
        Ty::Timestamp { unit, zone: Some(_) } => cx.types.timestamp(unit, None),
        _ => cx.wrong(0, "a timestamp with a zone"),
    }
}

pub(crate) fn date(cx: &mut Infer<'_>) -> Rule {
    if matches!(cx.types.get(cx.args[0]), Ty::Timestamp { .. }) { Ok(TyId::DATE) } else { cx.wrong(0, "a timestamp") }
}

pub(crate) fn time(cx: &mut Infer<'_>) -> Rule {
    date(cx).map(|_| TyId::TIME)
}

pub(crate) fn make(cx: &mut Infer<'_>) -> Rule {
    (0..3).try_for_each(|at| cx.want(at, TyId::I64))?;
    Ok(cx.types.option(TyId::DATE))
}
