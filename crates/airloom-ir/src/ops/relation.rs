//! Relations.

use super::marks::Aliasing::{Fresh, Holds, Same, View};
use super::marks::Distribution::{Appends, ByKey, Ordered, Reduces, Rowwise};
use super::marks::{CAPTURES, Combine, KeyOrder, Need};
use super::ops;
use crate::attrs::{AsofDirection, EmptyList, JoinHow, Keep, NullMatch, Side, SortKey};
use crate::name::Name;
use crate::typing::{params, relation as rule};
use std::sync::Arc;

ops! {
    /// Relations: sequences of rows. Order is part of the meaning; `rel.unordered` says that nobody looks at it.
    family Relation BuildRelation "relation";

    /// One row for each row.
    Project project as_project "rel.project" (input) |row: params::row| -> rule::project, spreads(Rowwise(&["input"])), aliases(Holds(&["input", CAPTURES]));

    /// The rows for which the predicate is true. Null is not true.
    Filter filter as_filter "rel.filter" (input) |predicate: params::row| -> rule::filter, spreads(Rowwise(&["input"])), aliases(View(&["input"]));

    /// One row for each distinct key, in the order in which keys first stand: the key's fields, then what the second body makes of the group. That body
    /// sees the group's columns as arrays of `rows` elements, so that an aggregate is a reduction: `|g| {total: arr.sum(g.price)}`.
    /// Keys are equal by `same`, and each is given as it stands in the first row of its group. Without key fields there is exactly one group, even of no rows.
    Group group as_group "rel.group" (input) |keys: params::row, aggregates: params::columns| -> rule::group, spreads(ByKey(KeyOrder::First)), aliases(Holds(&["input", CAPTURES]));

    /// The pairs of rows whose keys (the first two bodies: structs of the same field types) are equal by `same` and for which the third body is true, by `how`.
    /// With `nulls: never` a key of which any field is null equals none.
    /// The result has the fields of both, which must differ in name; the fields of a side that may be missing become nullable; `semi` and `anti` have the left fields.
    /// With `major: left` the rows come in the order of the left input, matches of one row in the order of the right, right rows without a match last;
    /// with `major: right` the other way round. `semi` and `anti` always keep the order of the left.
    Join join as_join "rel.join" (left, right) |left_keys: params::row, right_keys: params::second_row, predicate: params::both_rows|
        {how: JoinHow = JoinHow::Inner, nulls: NullMatch = NullMatch::Never, major: Side = Side::Left} -> rule::join, spreads(ByKey(KeyOrder::Rows)), aliases(View(&["left", "right"]));

    /// For each left row the right row whose `on` is nearest by `direction`, among those whose `by` is equal by `same` (bodies: left on, right on, left by, right by).
    /// Neither side need be sorted. Right fields become nullable. Rows farther than `tolerance` do not match; pass null for no limit. Equal `on` matches where `exact`.
    /// A null or NaN `on` matches nothing; of several right rows with the same `on` the last stands nearest backward (and for `nearest`, when equal) and the first forward.
    /// Distances of floats are taken in their own type.
    Asof asof as_asof "rel.asof" (left, right, tolerance)
        |left_on: params::row, right_on: params::second_row, left_by: params::row, right_by: params::second_row|
        {direction: AsofDirection = AsofDirection::Backward, exact: bool = true} -> rule::asof, spreads(ByKey(KeyOrder::Rows)), aliases(View(&["left", "right"]));

    /// The rows in the order of the keys, field by field; rows with equal keys stay in their order.
    Sort sort as_sort "rel.sort" (input) |keys: params::row| {by: Arc<[SortKey]>} -> rule::sort, spreads(Ordered(Need::Sorting)), aliases(View(&["input"]));

    /// The rows at the `length` places from `offset`, as far as there are any; a negative offset counts from the end, and may lie before the first row.
    /// A null length is all the rest; a negative one raises.
    Slice slice as_slice "rel.slice" (input, offset, length) -> rule::slice, spreads(Ordered(Need::Counts)), aliases(View(&["input"])), raises();

    /// The first `count` rows of the sort by these keys. A negative count raises.
    Top top as_top "rel.top" (input, count) |keys: params::row| {by: Arc<[SortKey]>} -> rule::top, spreads(Reduces(Combine::Again)), aliases(View(&["input"])), raises();

    /// The rows of one relation after the other; all have the same type.
    Concat concat as_concat "rel.concat" (; ..inputs) -> rule::concat, spreads(Appends("inputs")), aliases(View(&["inputs"])), associates();

    /// The rows whose key stands nowhere before (`first`), nowhere after (`last`), or nowhere else (`none`), in their order. Keys are equal by `same`.
    Distinct distinct as_distinct "rel.distinct" (input) |keys: params::row| {keep: Keep = Keep::First} -> rule::distinct, spreads(ByKey(KeyOrder::Rows)), aliases(View(&["input"]));

    /// The rows with further columns, each computed over the partition its row belongs to. The bodies: the partition's key; the order of rows within it
    /// (by `by`, stable; no fields is the order they stand in); the new columns as arrays of `rows` elements from the partition's columns as such arrays.
    /// Rows stay where they are. A column that is not as long as its partition (one captured from elsewhere) raises.
    Window window as_window "rel.window" (input) |partition: params::row, order: params::row, columns: params::columns|
        {by: Arc<[SortKey]> = Arc::from([])} -> rule::window, spreads(ByKey(KeyOrder::Rows)), aliases(Holds(&["input", CAPTURES]));

    /// One row for each element of these list columns, which must be equally long in each row (else it raises). A null list counts as an empty one.
    Explode explode as_explode "rel.explode" (input) {columns: Arc<[Name]>, empty: EmptyList = EmptyList::Null} -> rule::explode, spreads(Rowwise(&["input"])), aliases(View(&["input"])), raises();

    /// One row for each row and each of these columns, all rows of the first column before those of the second: the other columns, the column's name, its value.
    Unpivot unpivot as_unpivot "rel.unpivot" (input) {columns: Arc<[Name]>, variable: Name, value: Name} -> rule::unpivot, spreads(Ordered(Need::Counts)), aliases(Holds(&["input"]));

    /// One row for each distinct key, in the order in which keys first stand, with one column for each of `names`: what the third body makes of the rows of
    /// the group for which the second body is that name; null where there are none. Rows of another name, or of null, are in no column. Without key fields there is
    /// exactly one row, even of no rows.
    Pivot pivot as_pivot "rel.pivot" (input) |keys: params::row, on: params::row, aggregate: params::columns|
        {names: Arc<[Name]>} -> rule::pivot, spreads(ByKey(KeyOrder::First)), aliases(Holds(&["input", CAPTURES]));

    /// The rows with their number, from `start`, as a last column. It wraps.
    Number number as_number "rel.number" (input) {name: Name, start: i64 = 0} -> rule::number, spreads(Ordered(Need::Counts)), aliases(Holds(&["input"]));

    /// `count` rows drawn by a key (`u64`): the same key draws the same rows. Without replacement they stay in their order and asking for more than there are
    /// raises; with replacement they come in the order drawn, and drawing from none raises. The key draws at place `i`, from 0, the number
    /// `mix(mix(key) + (i + 1) * 0x9e3779b97f4a7c15)` modulo 2^64, `mix` being SplitMix64's `x ^= x >> 30; x *= 0xbf58476d1ce4e5b9; x ^= x >> 27;
    /// x *= 0x94d049bb133111eb; x ^= x >> 31`. Without replacement the rows at whose places the least numbers are drawn are taken (of equal ones the earlier);
    /// with replacement, draw `i` takes the row at `number * rows / 2^64`, rounded down.
    Sample sample as_sample "rel.sample" (input, count, key) {replace: bool = false} -> rule::sample, spreads(Ordered(Need::Counts)), aliases(View(&["input"])), raises();

    /// The same rows, in no promised order. The oracle keeps their order.
    Unordered unordered as_unordered "rel.unordered" (input) -> rule::unordered, spreads(Rowwise(&["input"])), aliases(Same("input")), idempotent();

    /// The columns as a struct of arrays of one axis.
    Columns columns as_columns "rel.columns" (input) -> rule::columns, spreads(Rowwise(&["input"])), aliases(View(&["input"]));

    /// The relation of these columns: a struct of arrays of one axis, equally long (else it raises). Without columns it has no rows.
    Pack pack as_pack "rel.pack" (columns) -> rule::pack, spreads(Rowwise(&["columns"])), aliases(View(&["columns"])), raises();

    /// How many rows there are.
    Rows rows as_rows "rel.rows" (input) -> rule::rows, spreads(Reduces(Combine::Sum)), aliases(Fresh);
}
