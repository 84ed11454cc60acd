//! What bodies read, make and can be computed by: questions about functions of the graph that planning and running both ask.

mod aggregates;
mod groups;
mod interpretable;
mod origin;
mod reads;

pub use aggregates::{AggregateInput, Aggregates, Reduction, reassoc, split_aggregates};
pub use groups::holds_no_relation;
pub use interpretable::{interpretable, params, reduced_list};
pub use origin::{Origin, origin, raising};
pub use reads::{ColumnSet, all, fields_of, reads, reads_for};
