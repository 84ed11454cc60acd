//! The parameters that bodies are given.

use super::{Infer, ROWS};
use crate::types::{Dim, Ty, TyId};

type Params = Result<Vec<TyId>, String>;

/// None besides the captures.
pub(crate) fn none(_: &mut Infer<'_>) -> Params {
    Ok(Vec::new())
}

/// A row of the first argument.
pub(crate) fn row(cx: &mut Infer<'_>) -> Params {
    let fields = cx.rel(0)?;
    Ok(vec![cx.types.row(fields)?])
}

/// A row of the second argument.
pub(crate) fn second_row(cx: &mut Infer<'_>) -> Params {
    let fields = cx.rel(1)?;
    Ok(vec![cx.types.row(fields)?])
}

/// A row of each of the first two arguments.
pub(crate) fn both_rows(cx: &mut Infer<'_>) -> Params {
    Ok([row(cx)?, second_row(cx)?].concat())
}

/// The columns of the first argument, as a struct of arrays of `rows` elements.
pub(crate) fn columns(cx: &mut Infer<'_>) -> Params {
    let fields = cx.rel(0)?;
    let mut columns = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        columns.push((field.name.clone(), cx.types.arr(field.ty, vec![Dim::Named(ROWS.into())])?));
    }
    Ok(vec![cx.types.row_of(columns)?])
}

/// One element of each array of the variadic argument, which is the first.
pub(crate) fn elements(cx: &mut Infer<'_>) -> Params {
    let Ty::Tuple(parts) = cx.types.get(cx.args[0]).clone() else { return cx.wrong(0, "a tuple of arrays") };
    if parts.is_empty() {
        return Err("takes at least one array".into());
    }
    let element = |part: &TyId| match cx.types.get(*part) {
        Ty::Arr(element, _) => Ok(*element),
        _ => Err(format!("takes arrays, not `{}`", cx.show(*part))),
    };
    parts.iter().map(element).collect()
}

/// One index for each extent of the variadic argument, which is the last.
pub(crate) fn indices(cx: &mut Infer<'_>) -> Params {
    let last = cx.args.len() - 1;
    let Ty::Tuple(parts) = cx.types.get(cx.args[last]) else { return cx.wrong(last, "a tuple of extents") };
    match parts.iter().find(|&&t| t != TyId::I64) {
        _ if parts.is_empty() => Err("takes at least one extent".into()),
        Some(&other) => Err(format!("an extent must be `i64`, not `{}`", cx.show(other))),
        None => Ok(vec![TyId::I64; parts.len()]),
    }
}

/// One index.
pub(crate) fn index(_: &mut Infer<'_>) -> Params {
    Ok(vec![TyId::I64])
}

/// What was combined so far, which has the type of the first argument, and one more element.
pub(crate) fn combiner(cx: &mut Infer<'_>) -> Params {
    Ok(vec![cx.args[0], cx.results[0]])
}

/// The old element of the first argument and the value to combine with it.
pub(crate) fn scatter(cx: &mut Infer<'_>) -> Params {
    Ok(vec![cx.arr1(0)?.0, cx.results[1]])
}

/// The state, which has the type of the first argument.
pub(crate) fn state(cx: &mut Infer<'_>) -> Params {
    Ok(vec![cx.args[0]])
}

/// A number, and the state, which has the type of the first argument.
pub(crate) fn counted(cx: &mut Infer<'_>) -> Params {
    Ok(vec![TyId::I64, cx.args[0]])
}

/// The elements of a rolling window.
pub(crate) fn window(cx: &mut Infer<'_>) -> Params {
    let element = cx.arr1(0)?.0;
    Ok(vec![cx.types.arr(element, vec![Dim::Any])?])
}
