//! Bodies over vectors: a row body over the rows of a batch, an element body over the elements of an array.

mod branch;
mod interpreter;
mod records;
mod select;

pub use interpreter::Interpreter;
pub use records::part as vector_part;
pub use select::{choose, keep, place};
