//! The graph of airloom: types, ops, text, verifier and oracle.
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
