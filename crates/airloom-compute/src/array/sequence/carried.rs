//! What goes from one piece of an array to the next.

use arrow::array::ArrayRef;

/// What the pieces of an array have left so far: results that depend on all elements before go on from there. Pieces come in order.
#[derive(Default)]
pub struct Carried {
    /// The result so far, or the last value, as one element; nothing where there was none.
    pub(super) so_far: Option<ArrayRef>,
    /// Whether there was a null that is not passed over: all after it is null.
    pub(super) lost: bool,
    /// How many elements were counted, or how many nulls there were since the last value.
    pub(super) count: i64,
}
