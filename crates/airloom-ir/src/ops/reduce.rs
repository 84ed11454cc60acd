//! Reductions of arrays.

use super::cutting;
use super::marks::Aliasing::{Fresh, View};
use super::ops;
use crate::attrs::{Interpolation, Skip};
use crate::typing::reduce as rule;
use std::sync::Arc;

ops! {
    /// Reductions. Over the axes of `axes`, or over all where it is empty. They are also the aggregates of groups and windows. Elements are taken in row-major
    /// order; floats may be added in another order only where `reassoc` gives permission. `skip` says which elements are passed over; an element that is null
    /// and not passed over makes the result null, but for those that count, pick or collect elements.
    family Reduce BuildReduce "reduce";

    /// The sum: of integers and `bool` as `i64` or `u64`, wrapping; of `decimal(p, s)` as `decimal(38, s)`; of floats in their own type, beginning with 0.
    /// A sum of decimals of more than 38 digits raises, and one of durations wraps; what it goes through on the way does not matter. Null where fewer than `min_count` elements were taken.
    Sum arr_sum as_arr_sum "arr.sum" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, min_count: i64 = 0, reassoc: bool = false}
        -> rule::sum, spreads_by(cutting::SUM), aliases(Fresh), raises_by(rule::sum_effect);

    /// The product, typed as the sum; decimals are not multiplied up.
    Product arr_product as_arr_product "arr.product" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, min_count: i64 = 0, reassoc: bool = false}
        -> rule::product, spreads_by(cutting::SUM), aliases(Fresh);

    /// The mean, as `f64` (`f32` of `f32`); null of nothing. The sum in `f64`, then one division, then the rounding to `f32` if any; of decimals the exact sum to the
    /// nearest `f64`.
    Mean arr_mean as_arr_mean "arr.mean" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, reassoc: bool = false}
        -> rule::mean, spreads_by(cutting::MEAN), aliases(Fresh);

    /// The least element; null of nothing. NaN, where not passed over, is the result. As for `least`, `-0.0` is less than `0.0`.
    Min arr_min as_arr_min "arr.min" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::extreme, spreads_by(cutting::AGAIN), aliases(View(&["array"]));

    /// The greatest element; null of nothing. NaN, where not passed over, is the result. As for `greatest`, `0.0` is greater than `-0.0`.
    Max arr_max as_arr_max "arr.max" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::extreme, spreads_by(cutting::AGAIN), aliases(View(&["array"]));

    /// How many elements are not passed over. Never null: with `skip: none` it counts nulls too.
    Count arr_count as_arr_count "arr.count" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::All} -> rule::count, spreads_by(cutting::COUNT), aliases(Fresh);

    /// How many distinct elements are not passed over, equal by `same`. Never null: with `skip: none` null is one more.
    CountDistinct arr_nunique as_arr_nunique "arr.nunique" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::All}
        -> rule::count, spreads_by(cutting::COUNT_DISTINCT), aliases(Fresh);

    /// The first element not passed over; null of nothing.
    First arr_first as_arr_first "arr.first" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::pick, spreads_by(cutting::AGAIN), aliases(View(&["array"]));

    /// The last element not passed over; null of nothing.
    Last arr_last as_arr_last "arr.last" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::pick, spreads_by(cutting::AGAIN), aliases(View(&["array"]));

    /// The element of this number, from 0, or from the end when negative, among those not passed over; null where there is none.
    Nth arr_nth as_arr_nth "arr.nth" (array) {number: i64, axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::pick, spreads_by(cutting::NTH), aliases(View(&["array"]));

    /// The variance with `ddof` degrees of freedom taken off; null of nothing, and where there are no more than `ddof` elements. Two passes, in `f64`: the mean, then
    /// the squares.
    Var arr_var as_arr_var "arr.var" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, ddof: i64 = 1, reassoc: bool = false}
        -> rule::mean, spreads_by(cutting::VARIANCE), aliases(Fresh);

    /// The square root of the variance, taken in `f64`.
    Std arr_std as_arr_std "arr.std" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, ddof: i64 = 1, reassoc: bool = false}
        -> rule::mean, spreads_by(cutting::VARIANCE), aliases(Fresh);

    /// The sample skewness, corrected for bias as pandas does: `n * sqrt(n - 1) / (n - 2) * (m3 / (m2 * sqrt(m2)))` with `m2` and `m3` the sums of the squares and cubes
    /// of the distances from the mean, in `f64`. Null of fewer than three, NaN where all are equal.
    Skew arr_skew as_arr_skew "arr.skew" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, reassoc: bool = false}
        -> rule::mean, spreads_by(cutting::SHAPE), aliases(Fresh);

    /// The sample excess kurtosis, corrected for bias as pandas does: `(n - 1) / ((n - 2) * (n - 3)) * (n * (n + 1) * (m4 / (m2 * m2)) - 3 * (n - 1))` with `m2` and
    /// `m4` the sums of the squares and fourth powers of the distances from the mean, in `f64`. Null of fewer than four, NaN where all are equal.
    Kurt arr_kurt as_arr_kurt "arr.kurt" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, reassoc: bool = false}
        -> rule::mean, spreads_by(cutting::SHAPE), aliases(Fresh);

    /// The middle element, or the mean of the two middle ones; null of nothing. NaN, where not passed over, is the result.
    Median arr_median as_arr_median "arr.median" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::mean, spreads_by(cutting::QUANTILE), aliases(Fresh);

    /// The quantile `q` (an `f64` from 0 to 1, else it raises): what stands at place `q * (n - 1)` of the sorted elements, by `between` where that is between two that
    /// differ; null of nothing. NaN, where not passed over, is the result. The line from `a` to `b` at `t` is `a + (b - a) * t` below a half and
    /// `b - (b - a) * (1 - t)` from there, as in NumPy.
    Quantile arr_quantile as_arr_quantile "arr.quantile" (array, q)
        {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None, between: Interpolation = Interpolation::Linear}
        -> rule::quantile, spreads_by(cutting::QUANTILE), aliases(Fresh), raises();

    /// Whether any element is true, by Kleene's logic where nulls are not passed over; false of nothing.
    Any arr_any as_arr_any "arr.any" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::truth, spreads_by(cutting::AGAIN), aliases(Fresh);

    /// Whether every element is true, by Kleene's logic where nulls are not passed over; true of nothing.
    All arr_all as_arr_all "arr.all" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::truth, spreads_by(cutting::AGAIN), aliases(Fresh);

    /// The position of the least element, the first of equals, counting those passed over, in row-major order where several axes are reduced; null of nothing.
    /// NaN, where not passed over, is the least; zeros of both signs are equal.
    ArgMin arr_argmin as_arr_argmin "arr.argmin" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::position, spreads_by(cutting::POSITION), aliases(Fresh);

    /// The position of the greatest element, the first of equals, counting those passed over, in row-major order where several axes are reduced; null of nothing.
    /// NaN, where not passed over, is the greatest; zeros of both signs are equal.
    ArgMax arr_argmax as_arr_argmax "arr.argmax" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::position, spreads_by(cutting::POSITION), aliases(Fresh);

    /// The elements not passed over as a list; nulls that are not passed over are elements.
    List arr_list as_arr_list "arr.list" (array) {axes: Arc<[i64]> = Arc::from([]), skip: Skip = Skip::None} -> rule::list, spreads_by(cutting::LIST), aliases(View(&["array"]));
}
