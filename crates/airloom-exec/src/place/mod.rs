//! Placing: which backend runs which part of a program, and running a program in its parts.
//!
//! Backends are asked in order, node by node, before anything runs; the engine takes what is left. Nodes of one backend are computed together as far as
//! nothing else reads what is between them: each part is a function, of which no node is computed by another part as well.

mod ask;
mod backend;
mod bound;
mod fits;
mod oracle;
mod placed;
mod regions;
mod write;

pub use backend::{Backend, Compiled, Refusal, Refused};
pub use oracle::OracleBackend;
pub use placed::{ENGINE, Placed, place};
