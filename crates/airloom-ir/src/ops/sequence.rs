//! Arrays made from arrays of one axis, place by place, with regard to order: running totals, ranks, shifts, rolling windows.

use super::cutting;
use super::marks::Aliasing::{Fresh, Holds, View};
use super::marks::Distribution::{ByKey, Ordered, Rowwise};
use super::marks::{CAPTURES, KeyOrder, Need};
use super::ops;
use crate::attrs::{Closed, RankMethod, RankNulls, Skip, SortKey};
use crate::typing::{params, sequence as rule};
use std::sync::Arc;

ops! {
    /// Arrays made from arrays of one axis with regard to order: running totals, ranks, shifts, rolling windows. With `rel.window` they are the window functions.
    /// Where a running result passes over an element, that element itself stands there.
    family Sequence BuildSequence "sequence";

    /// The running sum, typed as the sum. It begins with the first element taken, and where it does not fit it does as the sum does. A null that is not passed over
    /// makes all after it null, here and in all running results.
    CumSum arr_cumsum as_arr_cumsum "arr.cumsum" (array) {skip: Skip = Skip::None, reverse: bool = false} -> rule::running_sum, spreads_by(cutting::RUNNING), aliases(Holds(&["array"])), raises_by(crate::typing::reduce::sum_effect);

    /// The running product, typed as the sum; decimals are not multiplied up.
    CumProd arr_cumprod as_arr_cumprod "arr.cumprod" (array) {skip: Skip = Skip::None, reverse: bool = false} -> rule::running_product, spreads_by(cutting::RUNNING), aliases(Holds(&["array"]));

    /// The least so far. NaN, where not passed over, stays the result.
    CumMin arr_cummin as_arr_cummin "arr.cummin" (array) {skip: Skip = Skip::None, reverse: bool = false} -> rule::running, spreads_by(cutting::RUNNING), aliases(View(&["array"]));

    /// The greatest so far. NaN, where not passed over, stays the result.
    CumMax arr_cummax as_arr_cummax "arr.cummax" (array) {skip: Skip = Skip::None, reverse: bool = false} -> rule::running, spreads_by(cutting::RUNNING), aliases(View(&["array"]));

    /// How many elements so far were not passed over, as `i64`, at every place.
    CumCount arr_cumcount as_arr_cumcount "arr.cumcount" (array) {skip: Skip = Skip::All, reverse: bool = false} -> rule::to_i64, spreads_by(cutting::RUNNING), aliases(Fresh);

    /// The elements moved `by` places toward the end (the start, when negative), `fill` put in where there is none.
    Shift arr_shift as_arr_shift "arr.shift" (array, by, fill) -> rule::shift, spreads(Ordered(Need::Neighbours("by"))), aliases(View(&["array", "fill"]));

    /// The rank of each element, from 1: `f64` for `average`, else `i64`. NaN is the greatest number. `nulls: first` gives nulls the first ranks and `last` the
    /// last, whatever the direction. `percent` divides by the number of ranked elements (`dense`: of ranks).
    Rank arr_rank as_arr_rank "arr.rank" (array)
        {method: RankMethod = RankMethod::Average, descending: bool = false, nulls: RankNulls = RankNulls::Keep, percent: bool = false}
        -> rule::rank, spreads(Ordered(Need::Sorting)), aliases(Fresh);

    /// The place of each element, from 0.
    RowNumber arr_row_number as_arr_row_number "arr.row_number" (array) -> rule::to_i64, spreads(Ordered(Need::Counts)), aliases(Fresh);

    /// The number, from 1, of the one of `buckets` nearly equal parts that each place belongs to, the larger parts first, as SQL's `ntile`. Not positive, it raises.
    Ntile arr_ntile as_arr_ntile "arr.ntile" (array, buckets) -> rule::ntile, spreads(Ordered(Need::Counts)), aliases(Fresh), raises();

    /// The body applied to the `width` elements that end at each place (around it, where `centred`), fewer at the edges; null where fewer than `min_count`
    /// of them are not null. A width below zero raises; of width zero the window is empty. Where `width` is even and `centred`, one more stands before than after.
    /// `closed: both` adds the element before the first, `neither` takes off the last, and `left` does both, as in pandas.
    Rolling arr_rolling as_arr_rolling "arr.rolling" (array, width) |window: params::window|
        {min_count: i64 = 1, centred: bool = false, closed: Closed = Closed::Right} -> rule::rolling, spreads(Ordered(Need::Neighbours("width"))), aliases(Holds(&["array", CAPTURES])), raises();

    /// The body applied to the elements from each place of `starts` up to, and without, that of `ends` beside it; null where fewer than `min_count` of them are not
    /// null. What lies outside the array is cut off; where a start is not before its end, the window is empty.
    Windows arr_windows as_arr_windows "arr.windows" (array, starts, ends) |window: params::window|
        {min_count: i64 = 1} -> rule::windows, spreads(Rowwise(&["starts", "ends"])), aliases(Holds(&["array", CAPTURES])), raises();

    /// The covariance, with `ddof` degrees of freedom taken off, of the pairs of elements from each place of `starts` up to, and without, that of `ends` beside it; with
    /// `scaled` their correlation, which is never beyond -1 and 1. Two passes, in `f64`: the means, then the products. Pairs of which either is null are passed over; null
    /// where fewer than `min_count` are left, where there are no more than `ddof`, and where elements that are all equal have no correlation.
    WindowsCov arr_windows_cov as_arr_windows_cov "arr.windows_cov" (array, other, starts, ends)
        {min_count: i64 = 1, ddof: i64 = 1, scaled: bool = false, reassoc: bool = false} -> rule::windows_cov, spreads(Rowwise(&["starts", "ends"])), aliases(Fresh), raises();

    /// How many elements of an array in rising order are less than each of `values`, or not greater, where `right`: the place where it would be put in. Null for null.
    /// Of an array that is not in order it is some place.
    Search arr_search as_arr_search "arr.search" (array, values) {right: bool = false} -> rule::search, spreads(Rowwise(&["values"])), aliases(Fresh);

    /// The running mean in which older elements count less, as in pandas' `ewm`: at each place the weights of those before are multiplied by `1 - alpha`, to the
    /// power of the number of `steps` beside it. With `adjust`, weights are divided by their sum; else a new element counts `alpha`, and all before the rest. With
    /// `total` it is the sum of weighted elements, where one step is one step. Nulls are passed over, and take no step where `ignore_nulls`; null before the first value.
    Decay arr_decay as_arr_decay "arr.decay" (array, steps, alpha)
        {adjust: bool = true, ignore_nulls: bool = false, total: bool = false} -> rule::decay, spreads(Ordered(Need::Before(&["array", "steps"]))), aliases(Fresh), raises();

    /// The running covariance of two arrays in which older elements count less, weighted as `arr.decay` weighs with one step at each place; corrected for bias, or
    /// `biased`. Places where either is null are passed over; null before the first pair, and where there is nothing to divide by.
    DecayCov arr_decay_cov as_arr_decay_cov "arr.decay_cov" (array, other, alpha)
        {adjust: bool = true, ignore_nulls: bool = false, biased: bool = false} -> rule::decay, spreads(Ordered(Need::Before(&["array", "other"]))), aliases(Fresh), raises();

    /// The elements with each null replaced by the last value before it, at most `limit` in a row (any number, when negative).
    FillForward arr_fill_forward as_arr_fill_forward "arr.fill_forward" (array) {limit: i64 = -1} -> rule::same, spreads(Ordered(Need::Before(&["array"]))), aliases(View(&["array"]));

    /// The elements with each null replaced by the first value after it, at most `limit` in a row.
    FillBackward arr_fill_backward as_arr_fill_backward "arr.fill_backward" (array) {limit: i64 = -1} -> rule::same, spreads(Ordered(Need::After(&["array"]))), aliases(View(&["array"]));

    /// The elements in order, stable.
    Sort arr_sort as_arr_sort "arr.sort" (array) {by: Arc<[SortKey]>} -> rule::sort, spreads(Ordered(Need::Sorting)), aliases(View(&["array"]));

    /// The positions that would sort the elements, stable, as `i64`.
    ArgSort arr_argsort as_arr_argsort "arr.argsort" (array) {by: Arc<[SortKey]>} -> rule::argsort, spreads(Ordered(Need::Sorting)), aliases(Fresh);

    /// Each element once, where it first stands, equal by `same`.
    Unique arr_unique as_arr_unique "arr.unique" (array) -> rule::unique, spreads(ByKey(KeyOrder::First)), aliases(View(&["array"])), idempotent();
}
