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
mod tests;
mod trace;

pub use planned::Planned;
pub use planner::{Given, Planner, Wanted};
