//! Whole programs: values from leaves to root. Relations are planned when something needs their rows, arrays and single values are computed at once.

mod evaluator;
mod inner;
mod parts;

pub use evaluator::{Evaluator, World};
