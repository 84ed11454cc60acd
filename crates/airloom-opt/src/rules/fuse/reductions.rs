//! Maps into reductions.

use crate::context::Cx;
use crate::rule::{Rule, rule};
use airloom_ir::attrs::{FoldOrder, Overflow, Skip};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::array::BuildArray;
use airloom_ir::ops::control::BuildControl;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::number::BuildNumber;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::{IntTy, Ty, TyId};
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Rule> {
    vec![fuse_map_into_reduce(), fuse_tabulate_into_reduce()]
}

/// What a sum of a type begins with.
fn zero(cx: &Cx<'_>, ty: TyId) -> Option<Value> {
    match cx.types().get(ty) {
        Ty::Int(IntTy::I64 | IntTy::U64) => Some(Value::Int(0)),
        Ty::F64 => Some(Value::F64(0.0)),
        Ty::F32 => Some(Value::F32(0.0)),
        _ => None,
    }
}

fn fuse_map_into_reduce() -> Rule {
    rule! {
        /// The sum of a map is a loop that adds what the map would have written.
        ///
        ///     arr.sum(arr.map(x) |e| f)   →   par.reduce(0, arr.dim(x)) [x] |i, x| f(arr.at(x, i)) |s, e| add(s, e)
        ///
        /// In the same order, so that floats come to the same bits. For elements that have the type of their sum, are never null, and stand on one axis.
        Fuse "fuse-map-into-reduce" at [Reduce::Sum] |cx, node| {
            let sum = cx.as_arr_sum(node)?;
            let map = cx.as_arr_map(sum.array)?;
            let plain = sum.axes.is_empty() && sum.min_count == 0 && matches!(sum.skip, Skip::None | Skip::Null);
            let Ty::Arr(element, dims) = cx.ty(sum.array) else { return None };
            let (element, axes) = (*element, dims.len());
            if !plain || axes != 1 || element != cx.ty_id(node) || cx.uses(sum.array) > 1 {
                return None;
            }
            let arrays = cx.as_tuple(map.arrays)?.parts;
            // Arrays of other lengths raise; only one array is sure to be as long as itself.
            let [array] = arrays.as_slice() else { return None };
            // What is read twice must be there: an array that is itself computed is fused first, or stays.
            if !matches!(cx.op(*array), Op::Core(_)) {
                return None;
            }
            let zero = zero(cx, element)?;
            let initial = cx.constant(zero, element)?;
            let index = cx.slot(50, TyId::I64)?;
            let taken = cx.arr_at(*array, &[index])?;
            let value = cx.open(map.element, &[taken], &map.captures)?;
            let extent = cx.arr_dim(*array, 0)?;
            add_up(cx, initial, &[extent], &[index], value, element)
        }
    }
}

fn fuse_tabulate_into_reduce() -> Rule {
    rule! {
        /// The sum of an array that is computed index by index is a loop that adds.
        ///
        ///     arr.sum(par.tabulate(n) |i| f)   →   par.reduce(0, n) |i| f |s, e| add(s, e)
        Fuse "fuse-tabulate-into-reduce" at [Reduce::Sum] |cx, node| {
            let sum = cx.as_arr_sum(node)?;
            let tabulate = cx.as_tabulate(sum.array)?;
            let plain = sum.axes.is_empty() && sum.min_count == 0 && matches!(sum.skip, Skip::None | Skip::Null);
            let Ty::Arr(element, dims) = cx.ty(sum.array) else { return None };
            let (element, axes) = (*element, dims.len());
            if !plain || element != cx.ty_id(node) || cx.uses(sum.array) > 1 {
                return None;
            }
            let zero = zero(cx, element)?;
            let initial = cx.constant(zero, element)?;
            let mut holes = Vec::new();
            for at in 0..axes {
                holes.push(cx.slot(50 + at as u8, TyId::I64)?);
            }
            let value = cx.open(tabulate.element, &holes, &tabulate.captures)?;
            let extents = cx.as_tuple(tabulate.extents)?.parts;
            add_up(cx, initial, &extents, &holes, value, element)
        }
    }
}

/// A loop that adds `value`, written over `indices`, to `initial`.
fn add_up(cx: &mut Cx<'_>, initial: NodeId, extents: &[NodeId], indices: &[NodeId], value: NodeId, ty: TyId) -> Option<NodeId> {
    let (total, next) = (cx.slot(90, ty)?, cx.slot(91, ty)?);
    let added = cx.add(total, next, Overflow::Wrap)?;
    let closed = cx.close_all(&[(indices, value), (&[total, next], added)])?;
    let extents = cx.tuple(extents)?;
    let &[element, combine] = closed.bodies.as_slice() else { return None };
    cx.par_reduce(initial, extents, element, combine, &closed.captures, FoldOrder::Rows)
}
