//! The engine: it runs graphs on Arrow data, on every core, within a memory budget.
//!
//! DataFusion's physical operators are its host: its plans, streams, readers, sorts, memory pool and spill files. What they lack, exact row order first
//! of all, is here.

pub mod blocks;
pub mod build;
pub mod engine;
pub mod operators;
pub mod place;
pub mod run;
pub mod spill;
