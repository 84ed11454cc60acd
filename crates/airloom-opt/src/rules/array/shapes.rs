//! Shapes and places that are known.

use crate::rule::{Rule, RuleError, rule};
use crate::rules::bodies::pure_bodies;
use airloom_ir::attrs::Effect;
use airloom_ir::graph::Args;
use airloom_ir::ops::array::{Array, BuildArray};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::types::{Dim, Ty, TyId};
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [
        transpose_of_transpose(),
        redundant_transpose(),
        redundant_reshape(),
        reshape_of_reshape(),
        dim_of_known(),
        redundant_map(),
        at_of_map(),
        at_of_items(),
    ]
    .map(Ok)
    .into()
}

fn transpose_of_transpose() -> Rule {
    rule! {
        /// Two changes of axes are one.
        ///
        ///     arr.transpose{axes: [1, 0]}(arr.transpose{axes: [1, 0]}(x))   →   arr.transpose{axes: [0, 1]}(x)
        Array "transpose-of-transpose" at [Array::Transpose] |cx, node| {
            let outer = cx.as_arr_transpose(node)?;
            let inner = cx.as_arr_transpose(outer.array)?;
            let axes: Option<Vec<i64>> = outer.axes.iter().map(|&a| inner.axes.get(a as usize).copied()).collect();
            cx.arr_transpose(inner.array, axes?.into())
        }
    }
}

fn redundant_transpose() -> Rule {
    rule! {
        /// A change of axes that leaves them where they are is none.
        ///
        ///     arr.transpose{axes: [0, 1]}(x)   →   x
        Array "redundant-transpose" at [Array::Transpose] |cx, node| {
            let transpose = cx.as_arr_transpose(node)?;
            transpose.axes.iter().copied().eq(0..transpose.axes.len() as i64).then_some(transpose.array)
        }
    }
}

fn redundant_reshape() -> Rule {
    rule! {
        /// Extents that the array has already change nothing.
        ///
        ///     arr.reshape(x, arr.dim(x))   →   x
        Array "redundant-reshape" at [Array::Reshape] |cx, node| {
            let reshape = cx.as_arr_reshape(node)?;
            if cx.ty_id(node) != cx.ty_id(reshape.array) {
                return None;
            }
            let same = reshape.extents.iter().enumerate().all(|(axis, &extent)| {
                cx.as_arr_dim(extent).is_some_and(|dim| dim.array == reshape.array && dim.axis == axis as i64)
            });
            same.then_some(reshape.array)
        }
    }
}

fn reshape_of_reshape() -> Rule {
    rule! {
        /// Only the last of several extents counts.
        ///
        ///     arr.reshape(arr.reshape(x, 2, 3), 6)   →   arr.reshape(x, 6)
        ///
        /// The inner one must have extents that are right for sure: those of constants might raise.
        Array "reshape-of-reshape" at [Array::Reshape] |cx, node| {
            let outer = cx.as_arr_reshape(node)?;
            let inner = cx.as_arr_reshape(outer.array)?;
            // A single -1 fits every array.
            let sure = matches!(inner.extents.as_slice(), [only] if cx.const_int(*only) == Some(-1));
            if sure { cx.arr_reshape(inner.array, &outer.extents) } else { None }
        }
    }
}

fn dim_of_known() -> Rule {
    rule! {
        /// An extent that the type tells is a constant; that of a map is that of what it maps.
        ///
        ///     arr.dim(arr.of(1, 2, 3))   →   3
        Array "dim-of-known" at [Array::Dim] |cx, node| {
            let dim = cx.as_arr_dim(node)?;
            let Ty::Arr(_, dims) = cx.ty(dim.array) else { return None };
            if let Dim::Fixed(extent) = dims.get(dim.axis as usize)?
                && cx.effect(dim.array) == Effect::Pure
            {
                let value = Value::Int(i128::from(*extent));
                return cx.constant(value, TyId::I64);
            }
            let map = cx.as_arr_map(dim.array)?;
            let first = *cx.as_tuple(map.arrays)?.parts.first()?;
            let only = cx.as_tuple(map.arrays)?.parts.len() == 1;
            // Several arrays might differ in shape, and raise.
            if only && pure_bodies(cx, dim.array) { cx.arr_dim(first, dim.axis) } else { None }
        }
    }
}

fn redundant_map() -> Rule {
    rule! {
        /// A map that gives every element back is none.
        ///
        ///     arr.map(x) |e| e   →   x
        Array "redundant-map" at [Array::Map] |cx, node| {
            let map = cx.as_arr_map(node)?;
            let arrays = cx.as_tuple(map.arrays)?;
            let [array] = arrays.parts.as_slice() else { return None };
            let identity = cx.as_param(cx.result_of(map.element)).is_some_and(|p| p.number == 0);
            (identity && cx.ty_id(*array) == cx.ty_id(node) && pure_bodies(cx, node)).then_some(*array)
        }
    }
}

fn at_of_map() -> Rule {
    rule! {
        /// One element of a map is the body for that element.
        ///
        ///     arr.at(arr.map(x) |e| neg(e), i)   →   neg(arr.at(x, i))
        ///
        /// Not where the body may raise for another element.
        Array "at-of-map" at [Array::At] |cx, node| {
            let at = cx.as_arr_at(node)?;
            let map = cx.as_arr_map(at.array)?;
            let arrays = cx.as_tuple(map.arrays)?;
            let [array] = arrays.parts.as_slice() else { return None };
            if cx.effect(map.element) != Effect::Pure || cx.uses(at.array) > 1 {
                return None;
            }
            let element = cx.arr_at(*array, &at.indices)?;
            let given: Args = std::iter::once(element).chain(map.captures).collect();
            cx.open(map.element, &[], &given)
        }
    }
}

fn at_of_items() -> Rule {
    rule! {
        /// One element of a constant array is known.
        ///
        ///     arr.at(arr.of(x, y), 1)   →   y
        Array "at-of-items" at [Array::At] |cx, node| {
            let at = cx.as_arr_at(node)?;
            let of = cx.as_arr_of(at.array)?;
            let [index] = at.indices.as_slice() else { return None };
            let index = cx.const_int(*index)?;
            let place = if index < 0 { index.checked_add(of.items.len() as i64)? } else { index };
            let item = *of.items.get(usize::try_from(place).ok()?)?;
            let others_pure = of.items.iter().all(|&i| cx.effect(i) == Effect::Pure);
            (others_pure && cx.ty_id(item) == cx.ty_id(node)).then_some(item)
        }
    }
}
