//! The engine: it runs graphs on Arrow data, on every core, within a memory budget.
//!
//! DataFusion's physical operators are its host: its plans, streams, readers, sorts, memory pool and spill files. What they lack, exact row order first
//! of all, is here.

pub mod arrays;
pub mod data;
pub mod engine;
pub mod eval;
pub mod explain;
pub mod group;
pub mod kernels;
pub mod keys;
pub mod lanes;
pub mod operators;
pub mod place;
pub mod plan;
pub mod relation;
pub mod run;
pub mod sink;
pub mod source;
pub mod spill;

/// The Arrow that the engine's rows are made of, so that who gives it rows has the same.
pub use arrow;
