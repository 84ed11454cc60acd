//! The engine: it runs plans on Arrow data, on every core, within a memory budget.
//!
//! DataFusion's physical plans are its host: their streams, readers, sorts, memory pool and spill files. What they lack, exact row order first of all, is here.
//! What rows are computed with is `airloom-compute`'s, what they are read from and written to is `airloom-io`'s; this crate knows no format of a file and no
//! database, and nothing of Python.
//!
//! A program goes through `place` (which backend runs which part), `engine` (its plan and one run of it), `blocks` (steps in order, loops and calls), `build` (nodes
//! of the plan as operators) and `operators`; below these are `exchange` (rows between partitions), `schedule` (threads and tasks), `memory` (budget and spilling)
//! and `adapter` (our one node in DataFusion's plans). `ARCHITECTURE.md` says which module may use which. Begin with [`engine::Engine::execute`].

pub mod adapter;
pub mod blocks;
pub mod build;
pub mod engine;
pub mod exchange;
pub mod memory;
pub mod operators;
pub mod options;
pub mod place;
pub mod run;
pub mod schedule;
