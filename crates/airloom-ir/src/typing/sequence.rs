//! Type rules of sequences.

use super::Infer;
use super::reduce::{has_product, summed};
use crate::attrs::{RankMethod, RankNulls, SortKey};
use crate::types::{Dim, TyId};
use std::sync::Arc;

type Rule = Result<TyId, String>;

pub(crate) fn running_sum(cx: &mut Infer<'_>) -> Rule {
    let (element, dim) = cx.arr1(0)?;
    let ty = summed(cx, element)?;
    let nullable = cx.types.nullable(element);
    let ty = cx.types.with_null(ty, nullable);
    cx.types.arr(ty, vec![dim])
}

pub(crate) fn running_product(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr1(0)?;
    has_product(cx, element)?;
    running_sum(cx)
}

pub(crate) fn running(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr1(0)?;
    if cx.is_ordered(element) { Ok(cx.args[0]) } else { cx.wrong(0, "an array of elements that have an order") }
}

pub(crate) fn to_i64(cx: &mut Infer<'_>) -> Rule {
    let (_, dim) = cx.arr1(0)?;
    cx.types.arr(TyId::I64, vec![dim])
}

pub(crate) fn shift(cx: &mut Infer<'_>) -> Rule {
    let (element, dim) = cx.arr1(0)?;
    cx.want(1, TyId::I64)?;
    cx.want_maybe(2, cx.types.strip(element))?;
    let nullable = cx.types.nullable(element) || cx.types.nullable(cx.args[2]);
    let element = cx.types.strip(element);
    let element = cx.types.with_null(element, nullable);
    cx.types.arr(element, vec![dim])
}

pub(crate) fn rank(cx: &mut Infer<'_>) -> Rule {
    let (element, dim) = cx.arr1(0)?;
    if !cx.is_ordered(element) {
        return cx.wrong(0, "an array of elements that have an order");
    }
    let fraction = cx.attr::<RankMethod>(0) == RankMethod::Average || cx.attr::<bool>(3);
    let nullable = cx.types.nullable(element) && cx.attr::<RankNulls>(2) == RankNulls::Keep;
    let ty = cx.types.with_null(if fraction { TyId::F64 } else { TyId::I64 }, nullable);
    cx.types.arr(ty, vec![dim])
}

pub(crate) fn ntile(cx: &mut Infer<'_>) -> Rule {
    cx.want(1, TyId::I64)?;
    to_i64(cx)
}

pub(crate) fn rolling(cx: &mut Infer<'_>) -> Rule {
    let (_, dim) = cx.arr1(0)?;
    cx.want(1, TyId::I64)?;
    let value = cx.result_value(0, "window")?;
    let value = cx.types.option(value);
    cx.types.arr(value, vec![dim])
}

pub(crate) fn windows(cx: &mut Infer<'_>) -> Rule {
    cx.arr1(0)?;
    let dim = bounds(cx, 1)?;
    let value = cx.result_value(0, "window")?;
    let value = cx.types.option(value);
    cx.types.arr(value, vec![dim])
}

pub(crate) fn windows_cov(cx: &mut Infer<'_>) -> Rule {
    floats(cx, 0)?;
    floats(cx, 1)?;
    let dim = bounds(cx, 2)?;
    let value = cx.types.option(TyId::F64);
    cx.types.arr(value, vec![dim])
}

/// How many windows there are between the positions in an argument and those of the next.
fn bounds(cx: &mut Infer<'_>, at: usize) -> Result<Dim, String> {
    let (start, dim) = cx.arr1(at)?;
    let (end, other) = cx.arr1(at + 1)?;
    for (at, found) in [(at, start), (at + 1, end)] {
        if found != TyId::I64 {
            return cx.wrong(at, "an array of `i64`");
        }
    }
    Ok(if dim == Dim::Any { other } else { dim })
}

/// How many floats an argument is, nulls among them.
fn floats(cx: &mut Infer<'_>, at: usize) -> Result<Dim, String> {
    let (element, dim) = cx.arr1(at)?;
    if cx.types.strip(element) != TyId::F64 {
        return cx.wrong(at, "an array of `f64`");
    }
    Ok(dim)
}

pub(crate) fn search(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr1(0)?;
    let (value, dim) = cx.arr1(1)?;
    if !cx.is_ordered(element) || cx.types.nullable(element) {
        return cx.wrong(0, "an array of elements that have an order, none of them null");
    }
    if cx.types.strip(value) != element {
        return cx.wrong(1, "an array of elements of the same type");
    }
    let nullable = cx.types.nullable(value);
    let place = cx.types.with_null(TyId::I64, nullable);
    cx.types.arr(place, vec![dim])
}

pub(crate) fn decay(cx: &mut Infer<'_>) -> Rule {
    let dim = floats(cx, 0)?;
    floats(cx, 1)?;
    cx.want(2, TyId::F64)?;
    let value = cx.types.option(TyId::F64);
    cx.types.arr(value, vec![dim])
}

pub(crate) fn same(cx: &mut Infer<'_>) -> Rule {
    cx.arr1(0)?;
    Ok(cx.args[0])
}

pub(crate) fn sort(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr1(0)?;
    let by: Arc<[SortKey]> = cx.attr(0);
    if by.len() != 1 {
        return Err(format!("takes one sort key, found {}", by.len()));
    }
    if cx.is_ordered(element) { Ok(cx.args[0]) } else { cx.wrong(0, "an array of elements that have an order") }
}

pub(crate) fn argsort(cx: &mut Infer<'_>) -> Rule {
    sort(cx)?;
    to_i64(cx)
}

pub(crate) fn unique(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr1(0)?;
    cx.types.arr(element, vec![Dim::Any])
}
