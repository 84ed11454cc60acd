//! Loops and branches.

use super::cutting;
use super::marks::Aliasing::{Holds, Same};
use super::marks::Distribution::{Indices, Ordered, Single};
use super::marks::{CAPTURES, Need};
use super::ops;
use crate::attrs::FoldOrder;
use crate::name::Name;
use crate::typing::{control as rule, params};

ops! {
    /// Loops and branches: five parallel skeletons and four sequential forms. A body sees its own parameters and what is captured in brackets.
    family Control BuildControl "control";

    /// The array whose element at each index is what the body makes of the index. A negative extent raises.
    Tabulate tabulate as_tabulate "par.tabulate" (; *extents) |element: params::indices| -> rule::tabulate, spreads(Indices("extents")), aliases(Holds(&[CAPTURES])), raises();

    /// The elements combined, in row-major order, beginning with `initial`. The combiner need not be associative; where it is, backends may split the work.
    /// With `order: pairwise` the elements are combined by halves first, as NumPy adds floats, and `initial` with the result of that.
    ParReduce par_reduce as_par_reduce "par.reduce" (initial; *extents) |element: params::indices, combine: params::combiner| {order: FoldOrder = FoldOrder::Rows}
        -> rule::reduce, spreads_by(cutting::FOLDED), aliases(Holds(&["initial", CAPTURES])), raises();

    /// As `par.reduce` along one axis, with every intermediate result: an array as long as the extent.
    Scan par_scan as_par_scan "par.scan" (initial, extent) |element: params::index, combine: params::combiner| -> rule::scan, spreads(Ordered(Need::Fold)), aliases(Holds(&["initial", CAPTURES])), raises();

    /// An array of one axis into which values are combined: for each index of the extent, the first body gives a place and the second a value, and the third
    /// makes the new element from the old one and the value. A place outside raises.
    Scatter par_scatter as_par_scatter "par.scatter" (initial, extent) |place: params::index, value: params::index, combine: params::scatter| -> rule::scatter, spreads(Ordered(Need::Fold)), aliases(Holds(&["initial", CAPTURES])), raises();

    /// The values of the second body at the indices for which the first is true, in order.
    Compact par_compact as_par_compact "par.compact" (extent) |keep: params::index, value: params::index| -> rule::compact, spreads(Indices("extent")), aliases(Holds(&[CAPTURES])), raises();

    /// The first body where the condition is true, else the second. Null is not true. Only one of them runs.
    If branch as_branch "seq.if" (condition) |then: params::none, otherwise: params::none| -> rule::branch, spreads(Single), aliases(Holds(&[CAPTURES]));

    /// The state after the second body has been applied for as long as the first is true of it.
    While repeat_while as_while "seq.while" (state) |test: params::state, step: params::state| -> rule::repeat, spreads(Single), aliases(Holds(&["state", CAPTURES])), raises();

    /// The state after the body has been applied to each number of Python's `range(start, stop, step)`, in order, and to the state that the number before left. A zero step
    /// raises.
    For repeat_for as_for "seq.for" (state, start, stop, step) |turn: params::counted| -> rule::counted, spreads(Single), aliases(Holds(&["state", CAPTURES])), raises();

    /// The value, where the condition is true; where it is false or null, it raises the message.
    Check check as_check "seq.check" (condition, value) {message: Name} -> rule::check, spreads(Single), aliases(Same("value")), raises();
}
