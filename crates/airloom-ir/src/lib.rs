//! The graph of airloom: types, ops, text, verifier and oracle.
//!
//! A program is a [`module::Module`]: named functions over one [`graph::Graph`], an append-only, hash-consed arena of typed nodes in which relations, scalars, arrays,
//! loops and functions are one node type. The [`oracle`] computes a graph the plain way, and is the one definition of every op; what ends a run before its
//! result is an [`oracle::Stop`].
//!
//! It uses nothing of ours, and knows no buffers, threads, files, clock, Python or backend.
//!
//! Begin with `ops/`, where each family of ops has its table, then `typing/` (the type rule of an op), `oracle/` (its meaning) and `text/` (how it is written).
#![forbid(unsafe_code)]

pub mod attrs;
pub mod binary;
pub mod graph;
pub mod hash;
pub mod module;
pub mod name;
pub mod ops;
pub mod oracle;
pub mod text;
pub mod types;
pub mod typing;
pub mod value;
pub mod verify;
