//! The engine: it runs graphs on Arrow data, on every core, within a memory budget.
//!
//! DataFusion's physical plans are its host: their streams, readers, sorts, memory pool and spill files. What they lack, exact row order first of all, is here.
//! What rows are computed with is `airloom-compute`'s, what they are read from and written to is `airloom-io`'s; this crate knows no format of a file and no
//! database, and nothing of Python.
//!
//! A program goes through `place` (which backend runs which part), `eval` (nodes in order, loops and calls), `plan` (a relation as a tree of operators) and
//! `operators`; below these are `exchange` (rows between partitions), `schedule` (tasks), `memory` (budget and spilling) and `adapter` (our one node in DataFusion's
//! plans). `ARCHITECTURE.md` says which module may use which. Begin with [`engine::Engine::run`].

pub mod adapter;
pub mod engine;
pub mod eval;
pub mod exchange;
pub mod explain;
pub mod memory;
pub mod operators;
pub mod options;
pub mod place;
pub mod plan;
pub mod schedule;
