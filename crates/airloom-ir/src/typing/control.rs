//! Type rules of loops and branches.

use super::Infer;
use crate::attrs::FoldOrder;
use crate::types::{Dim, Ty, TyId};

type Rule = Result<TyId, String>;

pub(crate) fn tabulate(cx: &mut Infer<'_>) -> Rule {
    let Ty::Tuple(extents) = cx.types.get(cx.args[0]) else { return cx.wrong(0, "a tuple of extents") };
    let dims = vec![Dim::Any; extents.len()];
    let element = cx.result_value(0, "element")?;
    cx.types.arr(element, dims)
}

fn combines(cx: &Infer<'_>, which: usize, ty: TyId) -> Result<(), String> {
    if cx.results[which] == ty {
        Ok(())
    } else {
        Err(format!("the body `combine` must return `{}`, not `{}`", cx.show(ty), cx.show(cx.results[which])))
    }
}

pub(crate) fn reduce(cx: &mut Infer<'_>) -> Rule {
    combines(cx, 1, cx.args[0])?;
    // By halves, elements are combined with elements.
    if cx.attr::<FoldOrder>(0) == FoldOrder::Pairwise && cx.results[0] != cx.args[0] {
        let (found, wanted) = (cx.show(cx.results[0]), cx.show(cx.args[0]));
        return Err(format!(
            "the body `element` must return `{wanted}`, which the initial value is, not `{found}`, where `order` is `pairwise`"
        ));
    }
    Ok(cx.args[0])
}

pub(crate) fn scan(cx: &mut Infer<'_>) -> Rule {
    cx.want(1, TyId::I64)?;
    combines(cx, 1, cx.args[0])?;
    cx.types.arr(cx.args[0], vec![Dim::Any])
}

pub(crate) fn scatter(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr1(0)?;
    cx.want(1, TyId::I64)?;
    if cx.results[0] != TyId::I64 {
        return Err(format!("the body `place` must return `i64`, not `{}`", cx.show(cx.results[0])));
    }
    combines(cx, 2, element)?;
    Ok(cx.args[0])
}

pub(crate) fn compact(cx: &mut Infer<'_>) -> Rule {
    cx.want(0, TyId::I64)?;
    cx.result_truth(0, "keep")?;
    let value = cx.result_value(1, "value")?;
    cx.types.arr(value, vec![Dim::Any])
}

pub(crate) fn branch(cx: &mut Infer<'_>) -> Rule {
    cx.want_maybe(0, TyId::BOOL)?;
    let (then, otherwise) = (cx.results[0], cx.results[1]);
    if then == otherwise {
        Ok(then)
    } else {
        Err(format!("both branches must have one type, but they are `{}` and `{}`", cx.show(then), cx.show(otherwise)))
    }
}

pub(crate) fn counted(cx: &mut Infer<'_>) -> Rule {
    (1..4).try_for_each(|at| cx.want(at, TyId::I64))?;
    if cx.results[0] == cx.args[0] {
        Ok(cx.args[0])
    } else {
        Err(format!("the body `turn` must return the state, `{}`, not `{}`", cx.show(cx.args[0]), cx.show(cx.results[0])))
    }
}

pub(crate) fn check(cx: &mut Infer<'_>) -> Rule {
    cx.want_maybe(0, TyId::BOOL)?;
    Ok(cx.args[1])
}

pub(crate) fn repeat(cx: &mut Infer<'_>) -> Rule {
    cx.result_truth(0, "test")?;
    if cx.results[1] == cx.args[0] {
        Ok(cx.args[0])
    } else {
        Err(format!("the body `step` must return the state, `{}`, not `{}`", cx.show(cx.args[0]), cx.show(cx.results[1])))
    }
}
