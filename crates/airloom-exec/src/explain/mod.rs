//! How a program is run, for people: its physical plan, and what each node of it did.

mod build;
mod detail;
mod expression;
mod json;
mod missing;
mod node;
mod placeholder;
mod text;
mod watch;

pub use node::{Counts, PhysicalPlan, PlanNode};
pub use watch::Watch;

pub(crate) use missing::missing;
pub(crate) use placeholder::placeholder;
