//! Bodies, and what is known of keys.

use super::SlotId;
use airloom_ir::graph::NodeId;

/// A closed function over the rows of an input. Its first parameters are rows, whose fields are found among the input's columns by name; then come its captures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The function.
    pub function: NodeId,
    /// What it captures.
    pub captures: Vec<SlotId>,
}

/// What is known of the values of group keys.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyFacts {
    /// For each key that is an integer column its minimum and maximum, where they are known. Empty: nothing is known.
    pub ranges: Vec<Option<(i64, i64)>>,
    /// Determinant keys: the other keys depend on them functionally, and need not be hashed. `None`: all of them.
    pub determinants: Option<Vec<usize>>,
    /// Whether an array by the value of the one determinant key is small beside the rows.
    pub dense: bool,
}
