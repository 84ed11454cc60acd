//! Bodies, and what is known of keys.

use super::SlotId;
use airloom_ir::graph::NodeId;
use airloom_ir::types::{Ty, TyId, Types};

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
    /// Nullable keys in which there is no null.
    pub not_null: Vec<usize>,
    /// Whether an array by the value of the one determinant key is small beside the rows.
    pub dense: bool,
}

impl KeyFacts {
    /// Whether values of a type can be places of an array, counted from the least of them; a null has a place of its own.
    pub fn is_countable(types: &Types, ty: TyId) -> bool {
        matches!(types.get(types.strip(ty)), Ty::Int(_) | Ty::Date)
    }
}
