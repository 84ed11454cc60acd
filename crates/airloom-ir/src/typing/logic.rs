//! Type rules of comparison, booleans, nulls, choice and conversion.

use super::Infer;
use crate::attrs::{AttrType, CastMode, Effect, NullMatch};
use crate::ops::{Given, raises_if};
use crate::types::{IntTy, Ty, TyId};

type Rule = Result<TyId, String>;

pub(crate) fn equality(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    if cx.types.is_value(ty) { Ok(TyId::BOOL) } else { cx.wrong(0, "a value") }
}

pub(crate) fn comparison(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    if cx.is_ordered(ty) { Ok(TyId::BOOL) } else { cx.wrong(0, "of a type that has an order") }
}

pub(crate) fn same(cx: &mut Infer<'_>) -> Rule {
    let (ty, _) = cx.all_same_maybe()?;
    if cx.types.is_value(ty) { Ok(TyId::BOOL) } else { cx.wrong(0, "a value") }
}

pub(crate) fn kleene(cx: &mut Infer<'_>) -> Rule {
    cx.want_maybe(0, TyId::BOOL)?;
    cx.want_maybe(1, TyId::BOOL)?;
    let nullable = cx.types.nullable(cx.args[0]) || cx.types.nullable(cx.args[1]);
    Ok(cx.types.with_null(TyId::BOOL, nullable))
}

pub(crate) fn truth(cx: &mut Infer<'_>) -> Rule {
    (0..cx.args.len()).try_for_each(|at| cx.want(at, TyId::BOOL))?;
    Ok(TyId::BOOL)
}

pub(crate) fn is_null(cx: &mut Infer<'_>) -> Rule {
    if cx.types.is_value(cx.args[0]) { Ok(TyId::BOOL) } else { cx.wrong(0, "a value") }
}

pub(crate) fn is_true(cx: &mut Infer<'_>) -> Rule {
    cx.want_maybe(0, TyId::BOOL)?;
    Ok(TyId::BOOL)
}

pub(crate) fn coalesce(cx: &mut Infer<'_>) -> Rule {
    let (ty, _) = cx.all_same_maybe()?;
    if !cx.types.is_value(ty) {
        return cx.wrong(0, "a value");
    }
    let nullable = cx.args.iter().all(|&t| cx.types.nullable(t));
    Ok(cx.types.with_null(ty, nullable))
}

pub(crate) fn nan_to_null(cx: &mut Infer<'_>) -> Rule {
    match cx.types.get(cx.types.strip(cx.args[0])) {
        Ty::F32 | Ty::F64 => Ok(cx.types.option(cx.args[0])),
        _ => cx.wrong(0, "a float"),
    }
}

pub(crate) fn null_to_nan(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.types.strip(cx.args[0]);
    if matches!(cx.types.get(ty), Ty::F32 | Ty::F64) { Ok(ty) } else { cx.wrong(0, "a float") }
}

pub(crate) fn select(cx: &mut Infer<'_>) -> Rule {
    cx.want_maybe(0, TyId::BOOL)?;
    let (then, otherwise) = (cx.args[1], cx.args[2]);
    if then == otherwise && cx.types.is_value(then) {
        return Ok(then);
    }
    if cx.types.strip(then) != cx.types.strip(otherwise) || !cx.types.is_value(then) {
        return Err(format!("both branches must be values of one type, but they are `{}` and `{}`", cx.show(then), cx.show(otherwise)));
    }
    Ok(cx.types.option(then))
}

pub(crate) fn is_in(cx: &mut Infer<'_>) -> Rule {
    let (ty, nullable) = cx.all_same_maybe()?;
    if !cx.types.is_value(ty) {
        return cx.wrong(0, "a value");
    }
    let nullable = nullable && cx.attr::<NullMatch>(0) == NullMatch::Never;
    Ok(cx.types.with_null(TyId::BOOL, nullable))
}

/// Which conversions there are.
fn converts(from: &Ty, to: &Ty) -> bool {
    let number = |t: &Ty| matches!(t, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. });
    let counted = |t: &Ty| matches!(t, Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_));
    match (from, to) {
        (a, b) if a == b => true,
        (a, b) if number(a) && number(b) => true,
        (a, Ty::Int(_)) | (Ty::Int(_), a) if counted(a) => true,
        (Ty::Str, b) => number(b) || counted(b) || matches!(b, Ty::Category { .. } | Ty::Bytes),
        (a, Ty::Str) => number(a) || counted(a) || matches!(a, Ty::Category { .. }),
        (Ty::Bytes, _) | (_, Ty::Bytes) => false,
        (Ty::Date, Ty::Timestamp { zone, .. }) => zone.is_none(),
        (Ty::Timestamp { zone, .. }, Ty::Date) => zone.is_none(),
        (Ty::Timestamp { zone: a, .. }, Ty::Timestamp { zone: b, .. }) => a == b,
        (Ty::Duration(_), Ty::Duration(_)) => true,
        (Ty::Category { .. }, Ty::Category { .. } | Ty::Int(_)) => true,
        _ => false,
    }
}

pub(crate) fn cast(cx: &mut Infer<'_>) -> Rule {
    let to: TyId = cx.attr(0);
    let mode: CastMode = cx.attr(1);
    let (from, into) = (cx.plain(0), cx.types.plain(to));
    let lists = match (from, into) {
        (Ty::List(a), Ty::List(b)) => converts(cx.types.plain(*a), cx.types.plain(*b)),
        _ => false,
    };
    if !(lists || converts(from, into)) {
        return Err(format!("`{}` does not convert to `{}`", cx.show(cx.args[0]), cx.show(to)));
    }
    Ok(cx.types.with_null(to, mode == CastMode::Lenient))
}

pub(crate) fn cast_effect(given: &Given<'_>) -> Effect {
    let (Some(&from), Some(to)) = (given.args.first(), given.attrs.first().and_then(TyId::from_attr)) else { return Effect::Raises };
    let (from, to) = (given.types.plain(from), given.types.plain(to));
    let number = |t: &Ty| matches!(t, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64);
    match given.attrs.get(1).and_then(CastMode::from_attr) {
        Some(CastMode::Lenient) => Effect::Pure,
        Some(CastMode::Wrap) if number(from) && number(to) => Effect::Pure,
        _ => raises_if(!always_converts(from, to)),
    }
}

/// Whether every value of one type converts to the other.
fn always_converts(from: &Ty, to: &Ty) -> bool {
    // The digits of an integer of a width in bits: 2^63 has 19.
    let digits = |int: &IntTy| int.highest().to_string().len() as u8;
    match (from, to) {
        (a, b) if a == b => true,
        (Ty::Bool, Ty::Int(_) | Ty::F32 | Ty::F64) => true,
        (Ty::Int(a), Ty::Int(b)) => b.holds(a.lowest()) && b.holds(a.highest()),
        (Ty::Int(_), Ty::F32 | Ty::F64) | (Ty::F32, Ty::F64) => true,
        (Ty::Int(a), Ty::Decimal { precision, scale }) => precision - scale >= digits(a),
        (Ty::Decimal { precision: p, scale: s }, Ty::Decimal { precision: q, scale: t }) => t >= s && q - t >= p - s,
        (Ty::Decimal { .. }, Ty::F32 | Ty::F64) => true,
        (
            Ty::Bool
            | Ty::Int(_)
            | Ty::F32
            | Ty::F64
            | Ty::Decimal { .. }
            | Ty::Date
            | Ty::Time
            | Ty::Timestamp { .. }
            | Ty::Duration(_)
            | Ty::Category { .. },
            Ty::Str,
        ) => true,
        (Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_), Ty::Int(IntTy::I64)) => true,
        _ => false,
    }
}

pub(crate) fn hash(cx: &mut Infer<'_>) -> Rule {
    if cx.types.is_value(cx.args[0]) { Ok(TyId::U64) } else { cx.wrong(0, "a value") }
}
