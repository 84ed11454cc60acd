//! Grouping: rows of equal keys, and what is made of them.

mod grouped;
mod reductions;
mod table;

pub(crate) use grouped::grouped;
pub(crate) use reductions::by_group;
pub use reductions::{Reduction, ReductionSpec};
pub use table::{GroupTable, KeyFacts};
