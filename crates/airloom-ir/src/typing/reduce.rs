//! Type rules of reductions.

use super::Infer;
use super::array::axis;
use crate::attrs::{AttrType, Effect, Skip};
use crate::ops::{Given, raises_if};
use crate::types::{Dim, IntTy, Ty, TyId};
use std::sync::Arc;

type Rule = Result<TyId, String>;

/// The axes left over, found by the attribute `axes`; the element.
fn reduced(cx: &Infer<'_>) -> Result<(TyId, Vec<Dim>), String> {
    let (element, dims) = cx.arr(0)?;
    let axes: Arc<[i64]> = named(cx);
    if axes.is_empty() {
        return Ok((element, Vec::new()));
    }
    let mut gone = vec![false; dims.len()];
    for &a in axes.iter() {
        let a = axis(a, &dims)?;
        if std::mem::replace(&mut gone[a], true) {
            return Err(format!("duplicate axis {a}"));
        }
    }
    Ok((element, dims.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(d, _)| d).collect()))
}

/// The first attribute of a type: each reduction has `axes` and `skip` once, not always at the same position.
fn named<T: AttrType>(cx: &Infer<'_>) -> T {
    cx.attrs.iter().find_map(T::from_attr).expect("every reduction has the attribute")
}

fn skip(cx: &Infer<'_>) -> Skip {
    cx.attr(if cx.attrs.first().is_some_and(|a| matches!(a, crate::attrs::Attr::Int(_))) { 2 } else { 1 })
}

/// Whether a null element makes the result null.
fn null_counts(cx: &Infer<'_>, element: TyId) -> bool {
    cx.types.nullable(element) && matches!(skip(cx), Skip::None | Skip::Nan)
}

fn finish(cx: &mut Infer<'_>, element: TyId, nullable: bool, dims: Vec<Dim>) -> Rule {
    let element = cx.types.with_null(element, nullable);
    cx.types.arr(element, dims)
}

/// Whether a sum may raise: one of decimals that has no room for as many elements as an array can have.
pub(crate) fn sum_effect(given: &Given<'_>) -> Effect {
    let Some(Ty::Arr(element, _)) = given.args.first().map(|&t| given.types.get(t)) else { return Effect::Pure };
    // 2^63 elements add at most 19 digits.
    raises_if(matches!(given.types.plain(*element), Ty::Decimal { precision, .. } if *precision > 38 - 19))
}

/// What integers and the like are summed as.
pub(crate) fn summed(cx: &mut Infer<'_>, element: TyId) -> Rule {
    match *cx.types.plain(element) {
        Ty::Bool => Ok(TyId::I64),
        Ty::Int(int) => Ok(cx.types.int(if int.signed() { IntTy::I64 } else { IntTy::U64 })),
        Ty::Decimal { scale, .. } => cx.types.decimal(38, scale),
        Ty::F32 | Ty::F64 | Ty::Duration(_) => Ok(cx.types.strip(element)),
        _ => Err(format!("elements of `{}` have no sum", cx.show(element))),
    }
}

pub(crate) fn sum(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    let ty = summed(cx, element)?;
    let nullable = null_counts(cx, element) || cx.attr::<i64>(2) > 0;
    finish(cx, ty, nullable, dims)
}

/// Decimals have none: each product would need another scale.
pub(crate) fn has_product(cx: &Infer<'_>, element: TyId) -> Result<(), String> {
    if matches!(cx.types.plain(element), Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64) {
        return Ok(());
    }
    Err(format!("elements of `{}` have no product; hint: `cast` them to `f64`", cx.show(element)))
}

pub(crate) fn product(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    has_product(cx, element)?;
    let ty = summed(cx, element)?;
    let nullable = null_counts(cx, element) || cx.attr::<i64>(2) > 0;
    finish(cx, ty, nullable, dims)
}

pub(crate) fn mean(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    let ty = match cx.types.plain(element) {
        Ty::F32 => TyId::F32,
        Ty::Bool | Ty::Int(_) | Ty::F64 | Ty::Decimal { .. } => TyId::F64,
        _ => return Err(format!("elements of `{}` have no mean", cx.show(element))),
    };
    finish(cx, ty, true, dims)
}

pub(crate) fn extreme(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    if !cx.is_ordered(element) {
        return Err(format!("elements of `{}` have no order", cx.show(element)));
    }
    finish(cx, element, true, dims)
}

pub(crate) fn count(cx: &mut Infer<'_>) -> Rule {
    let (_, dims) = reduced(cx)?;
    finish(cx, TyId::I64, false, dims)
}

pub(crate) fn pick(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    finish(cx, element, true, dims)
}

pub(crate) fn quantile(cx: &mut Infer<'_>) -> Rule {
    cx.want(1, TyId::F64)?;
    mean(cx)
}

pub(crate) fn truth(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    if cx.types.strip(element) != TyId::BOOL {
        return Err(format!("takes an array of `bool`, not of `{}`", cx.show(element)));
    }
    let nullable = null_counts(cx, element);
    finish(cx, TyId::BOOL, nullable, dims)
}

pub(crate) fn position(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    if !cx.is_ordered(element) {
        return Err(format!("elements of `{}` have no order", cx.show(element)));
    }
    finish(cx, TyId::I64, true, dims)
}

pub(crate) fn list(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = reduced(cx)?;
    let passes_nulls = matches!(skip(cx), Skip::Null | Skip::All);
    let element = if passes_nulls { cx.types.strip(element) } else { element };
    let list = cx.types.list(element)?;
    finish(cx, list, false, dims)
}
