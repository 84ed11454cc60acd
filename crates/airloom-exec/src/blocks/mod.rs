//! Blocks of a plan, run step by step: values and arrays are computed here, rows by whoever has operators.

mod executable;
mod records;
mod runner;

pub use executable::Executable;
pub use runner::{NoRelations, Relations, Runner};
