//! Lists.

use super::marks::Aliasing::{Fresh, View};
use super::marks::Distribution::{Scalar, Single};
use super::ops;
use crate::types::TyId;
use crate::typing::nested as rule;

ops! {
    /// Lists. Null gives null. Every reduction of arrays works on a list through `list.array`.
    family Nested BuildNested "nested";

    /// The list of these values.
    Of list_of as_list_of "list.of" (; ..values) {element: TyId} -> rule::of, spreads(Scalar), aliases(View(&["values"]));

    /// How many elements there are, as `i64`.
    Len list_len as_list_len "list.len" (list) -> rule::to_i64, spreads(Scalar), aliases(Fresh), propagates();

    /// The element at a position, counted from the end when negative; null where there is none.
    At list_at as_list_at "list.at" (list, at) -> rule::at, spreads(Scalar), aliases(View(&["list"])), propagates();

    /// The elements from `start` up to `stop`, as Python's `list[start:stop]`.
    Slice list_slice as_list_slice "list.slice" (list, start, stop) -> rule::slice, spreads(Scalar), aliases(View(&["list"])), propagates();

    /// Whether an element is the same as the value.
    Contains list_contains as_list_contains "list.contains" (list, value) -> rule::contains, spreads(Scalar), aliases(Fresh), propagates();

    /// One list after the other.
    Concat list_concat as_list_concat "list.concat" (left, right) -> rule::concat, spreads(Scalar), aliases(View(&["left", "right"])), propagates(), associates();

    /// The elements in order, nulls last; NaN is the greatest.
    Sort list_sort as_list_sort "list.sort" (list) {descending: bool = false} -> rule::sort, spreads(Scalar), aliases(View(&["list"])), propagates(), idempotent();

    /// Each element once, where it first stands.
    Unique list_unique as_list_unique "list.unique" (list) -> rule::same_list, spreads(Scalar), aliases(View(&["list"])), propagates(), idempotent();

    /// The elements in the opposite order.
    Reverse list_reverse as_list_reverse "list.reverse" (list) -> rule::same_list, spreads(Scalar), aliases(View(&["list"])), propagates();

    /// The list as an array of one axis; null as an empty one.
    Array list_array as_list_array "list.array" (list) -> rule::array, spreads(Single), aliases(View(&["list"]));
}
