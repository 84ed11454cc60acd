//! Arrays.

use super::cutting;
use super::marks::Aliasing::{Fresh, Holds, View};
use super::marks::Distribution::{Indices, Ordered, Rowwise, Single};
use super::marks::{CAPTURES, Need};
use super::ops;
use crate::types::TyId;
use crate::typing::{array as rule, params};
use std::sync::Arc;

ops! {
    /// Arrays of any number of axes. Broadcasting is written out. Extents that the types leave open are checked when running, and raise.
    family Array BuildArray "array";

    /// The array of these elements, of one axis.
    Of arr_of as_arr_of "arr.of" (; ..items) {element: TyId} -> rule::of, spreads(Single), aliases(View(&["items"]));

    /// An array of these extents, every element the same.
    Fill arr_fill as_arr_fill "arr.fill" (item; ..extents) -> rule::fill, spreads(Indices("extents")), aliases(View(&["item"])), raises();

    /// The numbers from 0 up to `extent`, as `i64`.
    Iota arr_iota as_arr_iota "arr.iota" (extent) -> rule::iota, spreads(Indices("extent")), aliases(Fresh), raises();

    /// The extent of an axis, as `i64`.
    Dim arr_dim as_arr_dim "arr.dim" (array) {axis: i64 = 0} -> rule::dim, spreads_by(cutting::DIM), aliases(Fresh);

    /// The array repeated to these extents: its axis `k` becomes axis `axes[k]` of the result, whose extent is the same or, where it was 1, any.
    Broadcast arr_broadcast as_arr_broadcast "arr.broadcast" (array; ..extents) {axes: Arc<[i64]>} -> rule::broadcast, spreads_by(cutting::BROADCAST), aliases(View(&["array"])), raises();

    /// The body applied to the elements at the same place of every array; all have the same shape.
    Map arr_map as_arr_map "arr.map" (; *arrays) |element: params::elements| -> rule::map, spreads(Rowwise(&["arrays"])), aliases(Holds(&["arrays", CAPTURES])), raises();

    /// Every `step`-th element along an axis from `start` up to `stop`, as Python's `array[start:stop:step]`; a null bound is the end it stands at,
    /// and a null step is 1. A zero step raises.
    Slice arr_slice as_arr_slice "arr.slice" (array, start, stop, step) {axis: i64 = 0} -> rule::slice, spreads_by(cutting::ALONG), aliases(View(&["array"])), raises();

    /// The elements in the same row-major order under other extents, of which one may be -1: what the others leave over. Where they leave it open (one of them
    /// is 0), or the number of elements is another, it raises.
    Reshape arr_reshape as_arr_reshape "arr.reshape" (array; ..extents) -> rule::reshape, spreads(Ordered(Need::Counts)), aliases(View(&["array"])), raises();

    /// The axes in another order: axis `k` of the result is axis `axes[k]` of the array.
    Transpose arr_transpose as_arr_transpose "arr.transpose" (array) {axes: Arc<[i64]>} -> rule::transpose, spreads_by(cutting::TRANSPOSE), aliases(View(&["array"]));

    /// The arrays one after the other along an axis; the other extents are equal.
    Concat arr_concat as_arr_concat "arr.concat" (; ..arrays) {axis: i64 = 0} -> rule::concat, spreads_by(cutting::CONCAT), aliases(View(&["arrays"])), raises();

    /// The element at a position, one index for each axis, counted from the end when negative; outside it raises.
    At arr_at as_arr_at "arr.at" (array; ..indices) -> rule::at, spreads(Ordered(Need::Counts)), aliases(View(&["array"])), raises();

    /// The array with another element at a position, one index for each axis, counted from the end when negative; outside it raises. The array that is given stays as it is.
    Put arr_put as_arr_put "arr.put" (array, item; ..indices) -> rule::put, spreads(Single), aliases(View(&["array", "item"])), raises();

    /// Products of elements, added up: axes with equal labels are one axis, and what `out` does not name is summed. `{left: [0, 1], right: [1, 2], out: [0, 2]}` is the product of two matrices.
    /// Each sum begins at zero and goes on in the order of the summed axes, as `left` and then `right` name them; integers wrap. Axes with equal labels have equal extents, or it raises.
    Contract arr_contract as_arr_contract "arr.contract" (a, b) {left: Arc<[i64]>, right: Arc<[i64]>, out: Arc<[i64]>} -> rule::contract, spreads(Single), aliases(Fresh), raises();

    /// The elements along an axis at the positions of an index array of one axis, counted from the end when negative; outside it raises.
    Take arr_take as_arr_take "arr.take" (array, indices) {axis: i64 = 0} -> rule::take, spreads_by(cutting::TAKE), aliases(View(&["array"])), raises();
}
