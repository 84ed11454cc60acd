//! Type rules of text.

use super::Infer;
use crate::types::{Ty, TyId};

type Rule = Result<TyId, String>;

/// Arguments of text ops are text, but for those that count.
fn check(cx: &Infer<'_>) -> Result<(), String> {
    const COUNTS: [&str; 6] = ["width", "start", "stop", "at", "limit", "times"];
    for at in 0..cx.args.len() {
        if cx.names.get(at).is_some_and(|n| COUNTS.contains(n)) {
            cx.want(at, TyId::I64)?;
        } else if !matches!(cx.plain(at), Ty::Str) {
            return cx.wrong(at, "text");
        }
    }
    Ok(())
}

pub(crate) fn to_str(cx: &mut Infer<'_>) -> Rule {
    check(cx)?;
    Ok(TyId::STR)
}

pub(crate) fn to_str_or_null(cx: &mut Infer<'_>) -> Rule {
    check(cx)?;
    Ok(cx.types.option(TyId::STR))
}

pub(crate) fn to_i64(cx: &mut Infer<'_>) -> Rule {
    check(cx)?;
    Ok(TyId::I64)
}

pub(crate) fn to_bool(cx: &mut Infer<'_>) -> Rule {
    check(cx)?;
    Ok(TyId::BOOL)
}

pub(crate) fn to_list(cx: &mut Infer<'_>) -> Rule {
    check(cx)?;
    cx.types.list(TyId::STR)
}

pub(crate) fn concat(cx: &mut Infer<'_>) -> Rule {
    if cx.args.is_empty() {
        return Err("takes at least one text".into());
    }
    to_str(cx)
}

pub(crate) fn join(cx: &mut Infer<'_>) -> Rule {
    match cx.types.get(cx.args[0]) {
        Ty::List(element) if matches!(cx.types.plain(*element), Ty::Str) => (),
        _ => return cx.wrong(0, "a list of text"),
    }
    if matches!(cx.plain(1), Ty::Str) { Ok(TyId::STR) } else { cx.wrong(1, "text") }
}

pub(crate) fn format(cx: &mut Infer<'_>) -> Rule {
    match cx.plain(0) {
        Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. } | Ty::Str => Ok(TyId::STR),
        _ => cx.wrong(0, "a number or text; hint: dates and times have `dt.format`"),
    }
}

pub(crate) fn encode(cx: &mut Infer<'_>) -> Rule {
    check(cx)?;
    Ok(TyId::BYTES)
}

pub(crate) fn decode(cx: &mut Infer<'_>) -> Rule {
    cx.want(0, TyId::BYTES)?;
    Ok(cx.types.option(TyId::STR))
}
