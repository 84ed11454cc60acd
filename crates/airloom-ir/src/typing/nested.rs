//! Type rules of lists.

use super::Infer;
use crate::types::{Dim, Ty, TyId};

type Rule = Result<TyId, String>;

fn element(cx: &Infer<'_>, at: usize) -> Rule {
    match cx.types.get(cx.args[at]) {
        Ty::List(element) => Ok(*element),
        _ => cx.wrong(at, "a list"),
    }
}

/// Whether a value of one type may be used where another is declared: the same, or without its `?`.
fn admits(cx: &Infer<'_>, declared: TyId, found: TyId) -> bool {
    declared == found || (cx.types.nullable(declared) && cx.types.strip(declared) == found)
}

pub(crate) fn of(cx: &mut Infer<'_>) -> Rule {
    let element: TyId = cx.attr(0);
    match cx.args.iter().position(|&t| !admits(cx, element, t)) {
        Some(at) => Err(format!("value {at} is `{}`, but the elements are `{}`", cx.show(cx.args[at]), cx.show(element))),
        None => cx.types.list(element),
    }
}

pub(crate) fn to_i64(cx: &mut Infer<'_>) -> Rule {
    element(cx, 0).map(|_| TyId::I64)
}

pub(crate) fn at(cx: &mut Infer<'_>) -> Rule {
    let element = element(cx, 0)?;
    cx.want(1, TyId::I64)?;
    Ok(cx.types.option(element))
}

pub(crate) fn slice(cx: &mut Infer<'_>) -> Rule {
    element(cx, 0)?;
    cx.want(1, TyId::I64)?;
    cx.want(2, TyId::I64)?;
    Ok(cx.args[0])
}

pub(crate) fn contains(cx: &mut Infer<'_>) -> Rule {
    let element = element(cx, 0)?;
    if cx.types.strip(element) == cx.args[1] { Ok(TyId::BOOL) } else { cx.wrong(1, &format!("`{}`", cx.show(element))) }
}

pub(crate) fn concat(cx: &mut Infer<'_>) -> Rule {
    element(cx, 0)?;
    cx.all_same()
}

pub(crate) fn same_list(cx: &mut Infer<'_>) -> Rule {
    element(cx, 0)?;
    Ok(cx.args[0])
}

pub(crate) fn sort(cx: &mut Infer<'_>) -> Rule {
    let element = element(cx, 0)?;
    if cx.is_ordered(element) { Ok(cx.args[0]) } else { cx.wrong(0, "a list of elements that have an order") }
}

pub(crate) fn array(cx: &mut Infer<'_>) -> Rule {
    let Ty::List(element) = *cx.types.get(cx.types.strip(cx.args[0])) else { return cx.wrong(0, "a list") };
    cx.types.arr(element, vec![Dim::Any])
}
