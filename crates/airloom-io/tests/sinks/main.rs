//! Sinks: what is written is whole, in order and readable, and what fails leaves nothing behind.

#[path = "../sources/support.rs"]
#[allow(dead_code, reason = "the tests of sources use more of it")]
mod support;

mod failing;
mod formats;
mod parts;
mod plans;
mod remote;
