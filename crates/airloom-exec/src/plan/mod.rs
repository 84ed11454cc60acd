//! Plans: relations of the graph as trees of operators.

mod aggregates;
mod body;
mod gathered;
mod group;
mod join;
mod ordered;
mod planned;
mod planner;
mod pushdown;
mod reads;
mod rows_of;
mod shared;
mod sources;
mod tests;
mod trace;

pub use planned::Planned;
pub use planner::{Given, Planner, Wanted};
pub use shared::Shared;
pub use sources::reads_sources;
