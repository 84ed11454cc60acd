//! Type rules of arrays.

use super::Infer;
use crate::types::{Dim, Ty, TyId};
use std::sync::Arc;

type Rule = Result<TyId, String>;

/// The most axes an array may have.
const MAX_AXES: usize = 32;

pub(crate) fn of(cx: &mut Infer<'_>) -> Rule {
    let element: TyId = cx.attr(0);
    for (at, &ty) in cx.args.iter().enumerate() {
        if ty != element && !(cx.types.nullable(element) && cx.types.strip(element) == ty) {
            return Err(format!("item {at} is `{}`, but the elements are `{}`", cx.show(ty), cx.show(element)));
        }
    }
    let extent = Dim::Fixed(cx.args.len() as u64);
    cx.types.arr(element, vec![extent])
}

fn extents(cx: &Infer<'_>, from: usize) -> Result<usize, String> {
    for at in from..cx.args.len() {
        cx.want(at, TyId::I64)?;
    }
    match cx.args.len() - from {
        0 => Err("takes at least one extent".into()),
        n if n > MAX_AXES => Err(format!("an array has at most {MAX_AXES} axes")),
        n => Ok(n),
    }
}

pub(crate) fn fill(cx: &mut Infer<'_>) -> Rule {
    if !cx.types.is_value(cx.args[0]) {
        return cx.wrong(0, "a value");
    }
    let axes = extents(cx, 1)?;
    cx.types.arr(cx.args[0], vec![Dim::Any; axes])
}

pub(crate) fn iota(cx: &mut Infer<'_>) -> Rule {
    cx.want(0, TyId::I64)?;
    cx.types.arr(TyId::I64, vec![Dim::Any])
}

/// An axis that the array has.
pub(crate) fn axis(axis: i64, dims: &[Dim]) -> Result<usize, String> {
    usize::try_from(axis)
        .ok()
        .filter(|&a| a < dims.len())
        .ok_or_else(|| format!("there is no axis {axis} in an array of {} axes", dims.len()))
}

pub(crate) fn dim(cx: &mut Infer<'_>) -> Rule {
    let (_, dims) = cx.arr(0)?;
    axis(cx.attr(0), &dims)?;
    Ok(TyId::I64)
}

pub(crate) fn broadcast(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = cx.arr(0)?;
    let count = extents(cx, 1)?;
    let axes: Arc<[i64]> = cx.attr(0);
    if axes.len() != dims.len() {
        return Err(format!("`axes` places {} axes, but the array has {}", axes.len(), dims.len()));
    }
    let mut out = vec![Dim::Any; count];
    let mut before = -1;
    for (&axis, dim) in axes.iter().zip(&dims) {
        if axis <= before || axis >= count as i64 {
            return Err("`axes` must rise and stay below the number of extents".into());
        }
        before = axis;
        if *dim != Dim::Fixed(1) {
            out[axis as usize] = Dim::Any;
        }
    }
    cx.types.arr(element, out)
}

pub(crate) fn map(cx: &mut Infer<'_>) -> Rule {
    let Ty::Tuple(parts) = cx.types.get(cx.args[0]).clone() else { return cx.wrong(0, "a tuple of arrays") };
    let mut shape: Option<Vec<Dim>> = None;
    for part in parts {
        let Ty::Arr(_, dims) = cx.types.get(part) else { return cx.wrong(0, "a tuple of arrays") };
        shape = Some(match shape {
            None => dims.clone(),
            Some(old) if old.len() != dims.len() => {
                return Err(format!("the arrays must have the same number of axes, but one has {} and another {}", old.len(), dims.len()));
            }
            Some(old) => {
                let unified: Option<Vec<Dim>> = old.iter().zip(dims).map(|(a, b)| a.unify(b)).collect();
                unified.ok_or_else(|| format!("an array of `{}` does not have the shape of the others", cx.show(part)))?
            }
        });
    }
    let element = cx.result_value(0, "element")?;
    cx.types.arr(element, shape.ok_or("takes at least one array")?)
}

pub(crate) fn slice(cx: &mut Infer<'_>) -> Rule {
    let (element, mut dims) = cx.arr(0)?;
    (1..4).try_for_each(|at| cx.want_maybe(at, TyId::I64))?;
    let axis = axis(cx.attr(0), &dims)?;
    dims[axis] = Dim::Any;
    cx.types.arr(element, dims)
}

pub(crate) fn reshape(cx: &mut Infer<'_>) -> Rule {
    let (element, _) = cx.arr(0)?;
    let axes = extents(cx, 1)?;
    cx.types.arr(element, vec![Dim::Any; axes])
}

pub(crate) fn transpose(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = cx.arr(0)?;
    let axes: Arc<[i64]> = cx.attr(0);
    let mut seen: Vec<i64> = axes.to_vec();
    seen.sort_unstable();
    if !seen.iter().copied().eq(0..dims.len() as i64) {
        return Err(format!("`axes` must name each of the {} axes once", dims.len()));
    }
    let dims = axes.iter().map(|&a| dims[a as usize].clone()).collect();
    cx.types.arr(element, dims)
}

pub(crate) fn concat(cx: &mut Infer<'_>) -> Rule {
    if cx.args.is_empty() {
        return Err("takes at least one array".into());
    }
    let (element, mut shape) = cx.arr(0)?;
    let along = axis(cx.attr(0), &shape)?;
    shape[along] = Dim::Any;
    for at in 1..cx.args.len() {
        let (other, mut dims) = cx.arr(at)?;
        if other != element || dims.len() != shape.len() {
            return cx.wrong(at, &format!("like the first, `{}`", cx.show(cx.args[0])));
        }
        dims[along] = Dim::Any;
        let unified: Option<Vec<Dim>> = shape.iter().zip(&dims).map(|(a, b)| a.unify(b)).collect();
        shape = unified.ok_or_else(|| format!("array {at} does not have the extents of the others"))?;
        shape[along] = Dim::Any;
    }
    cx.types.arr(element, shape)
}

pub(crate) fn at(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = cx.arr(0)?;
    if cx.args.len() - 1 != dims.len() {
        return Err(format!("takes {} indices for an array of {} axes, found {}", dims.len(), dims.len(), cx.args.len() - 1));
    }
    (1..cx.args.len()).try_for_each(|at| cx.want(at, TyId::I64))?;
    Ok(element)
}

pub(crate) fn put(cx: &mut Infer<'_>) -> Rule {
    let (element, dims) = cx.arr(0)?;
    cx.want(1, element)?;
    if cx.args.len() - 2 != dims.len() {
        return Err(format!("takes {} indices for an array of {} axes, found {}", dims.len(), dims.len(), cx.args.len() - 2));
    }
    (2..cx.args.len()).try_for_each(|at| cx.want(at, TyId::I64))?;
    Ok(cx.args[0])
}

pub(crate) fn contract(cx: &mut Infer<'_>) -> Rule {
    let ((element, left), (other, right)) = (cx.arr(0)?, cx.arr(1)?);
    if other != element {
        return cx.wrong(1, &format!("of `{}`, as the other", cx.show(element)));
    }
    if !matches!(cx.types.get(element), Ty::Int(_) | Ty::F32 | Ty::F64) {
        return cx.wrong(0, "an array of integers or floats that are never null");
    }
    let mut known: Vec<(i64, Dim)> = Vec::new();
    for (at, dims) in [left, right].into_iter().enumerate() {
        let labels: Arc<[i64]> = cx.attr(at);
        if labels.len() != dims.len() {
            return Err(format!("{} labels for the {} axes of {}", labels.len(), dims.len(), cx.name(at)));
        }
        for (&label, dim) in labels.iter().zip(dims) {
            match known.iter_mut().find(|(found, _)| *found == label) {
                Some((_, found)) => *found = found.unify(&dim).ok_or_else(|| format!("the axes labelled {label} have other extents"))?,
                None => known.push((label, dim)),
            }
        }
    }
    let out: Arc<[i64]> = cx.attr(2);
    if out.is_empty() || out.iter().enumerate().any(|(at, label)| out[..at].contains(label)) {
        return Err("`out` names at least one label, and each once".into());
    }
    let dims: Option<Vec<Dim>> =
        out.iter().map(|label| known.iter().find(|(found, _)| found == label).map(|(_, dim)| dim.clone())).collect();
    let dims = dims.ok_or("`out` names a label that neither array has")?;
    cx.types.arr(element, dims)
}

pub(crate) fn take(cx: &mut Infer<'_>) -> Rule {
    let (element, mut dims) = cx.arr(0)?;
    let (index, extent) = cx.arr1(1)?;
    if index != TyId::I64 {
        return cx.wrong(1, "an array of `i64`");
    }
    let along = axis(cx.attr(0), &dims)?;
    dims[along] = extent;
    cx.types.arr(element, dims)
}
