//! Type rules of numbers.

use super::Infer;
use crate::attrs::{AttrType, Effect, Overflow, ZeroDivide};
use crate::ops::Given;
use crate::ops::{on_overflow, raises_if};
use crate::types::{Ty, TyId};

type Rule = Result<TyId, String>;

fn is_number(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. })
}

fn null_on_overflow(cx: &mut Infer<'_>, ty: TyId) -> TyId {
    let nullable = cx.attr::<Overflow>(0) == Overflow::Null && !matches!(cx.types.get(ty), Ty::F32 | Ty::F64);
    cx.types.with_null(ty, nullable)
}

pub(crate) fn additive(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    match cx.types.get(ty) {
        t if is_number(t) || matches!(t, Ty::Duration(_)) => Ok(null_on_overflow(cx, ty)),
        _ => cx.wrong(0, "a number or a duration"),
    }
}

/// Decimals of one scale gain a digit; everything else stays as it is.
pub(crate) fn sum(cx: &mut Infer<'_>) -> Rule {
    if let (&Ty::Decimal { precision: p, scale: s }, &Ty::Decimal { precision: q, scale: t }) =
        (cx.types.get(cx.args[0]), cx.types.get(cx.args[1]))
    {
        if s != t {
            return Err(format!(
                "decimals must have one scale, but there are {s} and {t} digits after the point; hint: `cast` one of them"
            ));
        }
        let ty = cx.types.decimal((p.max(q) + 1).min(38), s)?;
        return Ok(null_on_overflow(cx, ty));
    }
    additive(cx)
}

/// Whether a sum or difference may raise: as integers do, and decimals that have no digit left to gain.
pub(crate) fn sum_effect(given: &Given<'_>) -> Effect {
    let digits = |ty: &TyId| match given.types.plain(*ty) {
        Ty::Decimal { precision, .. } => Some(*precision),
        _ => None,
    };
    match given.args.iter().filter_map(digits).max() {
        Some(most) => raises_if(most >= 38 && given.attrs.first().and_then(Overflow::from_attr) != Some(Overflow::Null)),
        None => on_overflow(given),
    }
}

/// Whether a product may raise: as integers do, and decimals of more than 38 digits together.
pub(crate) fn product_effect(given: &Given<'_>) -> Effect {
    let digits = |ty: &TyId| match given.types.plain(*ty) {
        Ty::Decimal { precision, .. } => Some(u32::from(*precision)),
        _ => None,
    };
    match given.args.iter().map(digits).sum::<Option<u32>>() {
        Some(together) => raises_if(together > 38 && given.attrs.first().and_then(Overflow::from_attr) != Some(Overflow::Null)),
        None => on_overflow(given),
    }
}

pub(crate) fn product(cx: &mut Infer<'_>) -> Rule {
    if let (&Ty::Decimal { precision: p, scale: s }, &Ty::Decimal { precision: q, scale: t }) =
        (cx.types.get(cx.args[0]), cx.types.get(cx.args[1]))
    {
        let ty = cx.types.decimal((p + q).min(38), s + t)?;
        return Ok(null_on_overflow(cx, ty));
    }
    let ty = cx.all_same()?;
    if is_number(cx.types.get(ty)) { Ok(null_on_overflow(cx, ty)) } else { cx.wrong(0, "a number") }
}

pub(crate) fn floats(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    if matches!(cx.types.get(ty), Ty::F32 | Ty::F64) {
        Ok(ty)
    } else {
        cx.wrong(0, "a float; hint: `cast` it to `f64`, or use `floordiv` or `truncdiv`")
    }
}

pub(crate) fn float(cx: &mut Infer<'_>) -> Rule {
    if matches!(cx.types.get(cx.args[0]), Ty::F32 | Ty::F64) { Ok(cx.args[0]) } else { cx.wrong(0, "a float; hint: `cast` it to `f64`") }
}

pub(crate) fn float_test(cx: &mut Infer<'_>) -> Rule {
    float(cx).map(|_| TyId::BOOL)
}

pub(crate) fn divide(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    match cx.types.get(ty) {
        Ty::Int(_) => {
            let nullable = cx.attr::<ZeroDivide>(0) == ZeroDivide::Null;
            Ok(cx.types.with_null(ty, nullable))
        }
        Ty::F32 | Ty::F64 => Ok(ty),
        _ => cx.wrong(0, "an integer or a float"),
    }
}

pub(crate) fn power(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    if matches!(cx.types.get(ty), Ty::Int(_) | Ty::F32 | Ty::F64) {
        Ok(null_on_overflow(cx, ty))
    } else {
        cx.wrong(0, "an integer or a float")
    }
}

pub(crate) fn power_effect(given: &Given<'_>) -> Effect {
    // A negative power of an integer raises whatever the overflow; only `null` turns that into null too.
    if given.args.first().is_some_and(|&t| matches!(given.types.plain(t), Ty::F32 | Ty::F64)) {
        return Effect::Pure;
    }
    match given.attrs.first().and_then(Overflow::from_attr) {
        Some(Overflow::Null) => Effect::Pure,
        _ => Effect::Raises,
    }
}

/// Decimals may not fit when rounded away from zero: of `decimal(1, 1)`, one does not.
pub(crate) fn rounding_effect(given: &Given<'_>) -> Effect {
    raises_if(given.args.first().is_some_and(|&t| matches!(given.types.plain(t), Ty::Decimal { .. })))
}

pub(crate) fn number(cx: &mut Infer<'_>) -> Rule {
    if is_number(cx.types.get(cx.args[0])) { Ok(cx.args[0]) } else { cx.wrong(0, "a number") }
}

pub(crate) fn ordered(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    if cx.is_ordered(ty) { Ok(ty) } else { cx.wrong(0, "of a type that has an order") }
}

pub(crate) fn bits(cx: &mut Infer<'_>) -> Rule {
    let ty = cx.all_same()?;
    if matches!(cx.types.get(ty), Ty::Int(_) | Ty::Bool) { Ok(ty) } else { cx.wrong(0, "an integer or `bool`") }
}

pub(crate) fn shift(cx: &mut Infer<'_>) -> Rule {
    if !matches!(cx.types.get(cx.args[0]), Ty::Int(_)) {
        return cx.wrong(0, "an integer");
    }
    cx.want(1, TyId::I64)?;
    Ok(cx.args[0])
}

pub(crate) fn random_bits(cx: &mut Infer<'_>) -> Rule {
    (0..2).try_for_each(|at| cx.want_maybe(at, TyId::U64))?;
    Ok(TyId::U64)
}

pub(crate) fn bit_count(cx: &mut Infer<'_>) -> Rule {
    if matches!(cx.types.get(cx.args[0]), Ty::Int(_)) { Ok(TyId::I64) } else { cx.wrong(0, "an integer") }
}
