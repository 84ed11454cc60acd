//! Bodies over many lanes at once: a row body over the rows of a batch, an element body over the elements of an array.

mod branch;
mod program;
mod records;
mod select;

pub use program::{LaneProgram, params};
pub use records::part as lane_part;
pub use select::{choose, keep, place};
