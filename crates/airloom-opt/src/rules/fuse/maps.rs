//! Maps into maps.

use crate::rule::{Rule, rule};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::array::{Array, BuildArray};
use airloom_ir::ops::control::BuildControl;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::types::{Ty, TyId};

pub(super) fn rules() -> Vec<Rule> {
    vec![fuse_map_into_map(), fuse_fill_into_map(), fuse_tabulate_into_map()]
}

fn element_of(cx: &crate::context::Cx<'_>, array: NodeId) -> Option<TyId> {
    match cx.ty(array) {
        Ty::Arr(element, _) => Some(*element),
        _ => None,
    }
}

/// Whether a body reads its parameter of a number.
fn reads(graph: &Graph, lambda: NodeId, number: usize) -> bool {
    let mut found = false;
    graph.visit_open(graph.result_of(lambda), |id| found |= graph.as_param(id).is_some_and(|p| p.number == number as i64));
    found
}

fn fuse_map_into_map() -> Rule {
    rule! {
        /// A map of a map is one map, and the array between them is never written.
        ///
        ///     arr.map(arr.map(x) |e| f) |e| g   →   arr.map(x) |e| g(f)
        ///
        /// Not where something else reads the inner one, nor where it may raise and the outer one does not read it.
        Fuse "fuse-map-into-map" at [Array::Map] |cx, node| {
            let outer = cx.as_arr_map(node)?;
            let arrays = cx.as_tuple(outer.arrays)?.parts;
            let found = arrays.iter().position(|&a| cx.as_arr_map(a).is_some() && cx.uses(a) <= 1)?;
            let inner = cx.as_arr_map(arrays[found])?;
            let below = cx.as_tuple(inner.arrays)?.parts;
            let unread = cx.effect(inner.element) != Effect::Pure && !reads(cx, outer.element, found);
            if arrays.len() + below.len() > 32 || unread {
                return None;
            }
            // The inner arrays stand where the inner map stood; an array that is read twice is passed once.
            let mut joined: Vec<NodeId> = Vec::new();
            let place = |array: NodeId, joined: &mut Vec<NodeId>| match joined.iter().position(|&a| a == array) {
                Some(at) => at,
                None => {
                    joined.push(array);
                    joined.len() - 1
                }
            };
            let mut outer_places = Vec::new();
            let mut inner_places = Vec::new();
            for (at, &array) in arrays.iter().enumerate() {
                if at == found {
                    inner_places = below.iter().map(|&b| place(b, &mut joined)).collect();
                    outer_places.push(usize::MAX);
                } else {
                    outer_places.push(place(array, &mut joined));
                }
            }
            let mut holes = Vec::new();
            for (at, &array) in joined.iter().enumerate() {
                let ty = element_of(cx, array)?;
                holes.push(cx.slot(50 + at as u8, ty)?);
            }
            let own: Args = inner_places.iter().map(|&p| holes[p]).collect();
            let between = cx.open(inner.element, &own, &inner.captures)?;
            let own: Args = outer_places.iter().map(|&p| if p == usize::MAX { between } else { holes[p] }).collect();
            let result = cx.open(outer.element, &own, &outer.captures)?;
            let (body, captures) = cx.close(&holes, result)?;
            let tuple = cx.tuple(&joined)?;
            cx.arr_map(tuple, body, &captures)
        }
    }
}

fn fuse_fill_into_map() -> Rule {
    rule! {
        /// A map over a constant array beside another reads the constant instead.
        ///
        ///     arr.map(x, arr.fill(2.0, arr.dim(x))) |e, f| mul(e, f)   →   arr.map(x) [2.0] |e, c| mul(e, c)
        ///
        /// The extents must be those of the other array for sure.
        Fuse "fuse-fill-into-map" at [Array::Map] |cx, node| {
            let map = cx.as_arr_map(node)?;
            let arrays = cx.as_tuple(map.arrays)?.parts;
            let (found, item) = arrays.iter().enumerate().find_map(|(at, &array)| {
                let fill = cx.as_arr_fill(array)?;
                let others = arrays.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, &a)| a);
                let like = |other: NodeId| fill.extents.iter().enumerate().all(|(axis, &extent)| {
                    cx.as_arr_dim(extent).is_some_and(|dim| dim.array == other && dim.axis == axis as i64)
                });
                others.into_iter().any(like).then_some((at, fill.item))
            })?;
            let mut holes = Vec::new();
            let mut kept = Args::new();
            let mut own = Args::new();
            for (at, &array) in arrays.iter().enumerate() {
                if at == found {
                    cx.keep_outside(item);
                    own.push(item);
                    continue;
                }
                let ty = element_of(cx, array)?;
                let hole = cx.slot(50 + at as u8, ty)?;
                holes.push(hole);
                own.push(hole);
                kept.push(array);
            }
            let result = cx.open(map.element, &own, &map.captures)?;
            let (body, captures) = cx.close(&holes, result)?;
            let tuple = cx.tuple(&kept)?;
            cx.arr_map(tuple, body, &captures)
        }
    }
}

fn fuse_tabulate_into_map() -> Rule {
    rule! {
        /// A map of an array that is computed index by index is computed index by index.
        ///
        ///     arr.map(par.tabulate(n) |i| f) |e| g   →   par.tabulate(n) |i| g(f)
        ///
        /// Not where something else reads the array, nor where computing it may raise and the map does not read it.
        Fuse "fuse-tabulate-into-map" at [Array::Map] |cx, node| {
            let map = cx.as_arr_map(node)?;
            let arrays = cx.as_tuple(map.arrays)?.parts;
            let [array] = arrays.as_slice() else { return None };
            let tabulate = cx.as_tabulate(*array)?;
            let unread = cx.effect(tabulate.element) != Effect::Pure && !reads(cx, map.element, 0);
            if cx.uses(*array) > 1 || unread {
                return None;
            }
            let Ty::Tuple(extents) = cx.ty(tabulate.extents) else { return None };
            let count = extents.len();
            let mut holes = Vec::new();
            for at in 0..count {
                holes.push(cx.slot(50 + at as u8, TyId::I64)?);
            }
            let element = cx.open(tabulate.element, &holes, &tabulate.captures)?;
            let result = cx.open(map.element, &[element], &map.captures)?;
            let (body, captures) = cx.close(&holes, result)?;
            cx.tabulate(tabulate.extents, body, &captures)
        }
    }
}
