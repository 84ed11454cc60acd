//! Plans for people: a tree for each relation that is computed, with what each node did where it has run.

mod detail;
mod expression;
mod json;
mod node;
mod text;
mod tree;

pub use node::{Counts, NativeCode, Partition, PhysicalPlan, PlanNode};
pub use tree::{Known, explain};
