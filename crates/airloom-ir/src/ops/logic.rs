//! Comparison, truth, nulls, choice and conversion.

use super::marks::Aliasing::{Fresh, Holds, View};
use super::marks::Distribution::Scalar;
use super::ops;
use crate::attrs::{CastMode, NanOrder, NullMatch};
use crate::types::TyId;
use crate::typing::logic as rule;

ops! {
    /// Comparison, truth, nulls, choice and conversion.
    family Logic BuildLogic "logic";

    /// Whether two values are equal; null when either is null. Zeros are equal; NaN goes by `nan`. Lists and structs compare part by part, where a null equals a null.
    Eq eq as_eq "eq" (left, right) {nan: NanOrder = NanOrder::Ieee} -> rule::equality, spreads(Scalar), aliases(Fresh), propagates(), commutes();

    /// Whether two values differ; null when either is null.
    Ne ne as_ne "ne" (left, right) {nan: NanOrder = NanOrder::Ieee} -> rule::equality, spreads(Scalar), aliases(Fresh), propagates(), commutes();

    /// Whether the first comes before the second. Text is ordered by its Unicode scalar values, `false` before `true`, an ordered category by its place.
    Lt lt as_lt "lt" (left, right) {nan: NanOrder = NanOrder::Ieee} -> rule::comparison, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether the first does not come after the second.
    Le le as_le "le" (left, right) {nan: NanOrder = NanOrder::Ieee} -> rule::comparison, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether the first comes after the second.
    Gt gt as_gt "gt" (left, right) {nan: NanOrder = NanOrder::Ieee} -> rule::comparison, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether the first does not come before the second.
    Ge ge as_ge "ge" (left, right) {nan: NanOrder = NanOrder::Ieee} -> rule::comparison, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether two values are the same, nulls and NaN included: never null. Zeros of both signs are the same.
    Same same as_same "same" (left, right) -> rule::same, spreads(Scalar), aliases(Fresh), commutes();

    /// True where both are. By Kleene's logic: `and(false, null)` is false, `and(true, null)` is null.
    And and as_and "and" (left, right) -> rule::kleene, spreads(Scalar), aliases(Fresh), commutes(), associates(), idempotent();

    /// True where either is. By Kleene's logic: `or(true, null)` is true, `or(false, null)` is null.
    Or or as_or "or" (left, right) -> rule::kleene, spreads(Scalar), aliases(Fresh), commutes(), associates(), idempotent();

    /// True where exactly one is; null when either is null.
    Xor xor as_xor "xor" (left, right) -> rule::truth, spreads(Scalar), aliases(Fresh), propagates(), commutes(), associates();

    /// True where it is false; null stays null.
    Not not as_not "not" (value) -> rule::truth, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether it is null.
    IsNull is_null as_is_null "is_null" (value) -> rule::is_null, spreads(Scalar), aliases(Fresh);

    /// Whether it is true: false of null.
    IsTrue is_true as_is_true "is_true" (value) -> rule::is_true, spreads(Scalar), aliases(Fresh);

    /// The first of the values that is not null; null where all are.
    Coalesce coalesce as_coalesce "coalesce" (; ..values) -> rule::coalesce, spreads(Scalar), aliases(View(&["values"]));

    /// Null where the float is NaN.
    NanToNull nan_to_null as_nan_to_null "nan_to_null" (value) -> rule::nan_to_null, spreads(Scalar), aliases(View(&["value"]));

    /// NaN where the float is null.
    NullToNan null_to_nan as_null_to_nan "null_to_nan" (value) -> rule::null_to_nan, spreads(Scalar), aliases(Holds(&["value"]));

    /// The second where the condition is true, else the third: null is not true. Both are computed; `seq.if` computes one.
    Select select as_select "select" (condition, then, otherwise) -> rule::select, spreads(Scalar), aliases(View(&["then", "otherwise"]));

    /// Whether the value is among the items. With `nulls: never`, as SQL: null of null, null when it is not found but an item is null, and NaN is never found.
    /// With `nulls: equal`, null is an item like others, as is NaN.
    IsIn is_in as_is_in "is_in" (value; ..items) {nulls: NullMatch = NullMatch::Never} -> rule::is_in, spreads(Scalar), aliases(Fresh);

    /// The value as another type. What does not convert (does not fit, does not parse, is NaN for an integer) goes by `mode`.
    /// A float or decimal becomes an integer by dropping its fraction, a number becomes a decimal by rounding half to even, a number is true unless it is zero,
    /// a float too great for a narrower one is infinite, and a timestamp or duration in a coarser unit is rounded down. A category keeps its name, or is its place as a number.
    /// Text is read as literals are, with white space around it allowed, and written so; a duration is its count. Of a list, an element that does not convert is null where
    /// the elements may be null and the mode is lenient; else the list does not convert. With `mode: wrap`, what becomes a decimal saturates.
    Cast cast as_cast "cast" (value) {to: TyId, mode: CastMode = CastMode::Strict} -> rule::cast, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises_by(rule::cast_effect);

    /// A 64-bit hash that is the same on every run and machine. Equal values (by `same`) have equal hashes; null has one too.
    Hash hash as_hash "hash" (value) {seed: i64 = 0} -> rule::hash, spreads(Scalar), aliases(Fresh);
}
