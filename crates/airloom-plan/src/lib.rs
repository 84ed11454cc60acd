//! Physical plans as values: what planning decides, and nothing that runs.
//!
//! [`lower`] is a pure function from a graph, facts and a catalog to a [`value::Plan`]: blocks of steps, and nodes that read one another. Running consumes the plan,
//! `explain` prints it, a cache keys it, a worker receives its bytes.
//!
//! It may use `airloom-ir` and `airloom-opt`. It knows no Arrow, no DataFusion, no thread, no file and no clock.
//!
//! Start with [`value`] (what a plan is), then [`mod@lower`] (how one is made), [`verify`] (what holds of every plan), [`text`] and [`binary`] (its two forms).
#![forbid(unsafe_code)]

pub mod binary;
pub mod bodies;
pub mod explain;
mod form;
pub mod lower;
pub mod pipeline;
pub mod text;
pub mod value;
pub mod verify;
