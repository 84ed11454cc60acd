//! The rules of airloom: patterns, stages, the driver and the facts rules may use.
#![forbid(unsafe_code)]

pub mod check;
pub mod context;
pub mod driver;
pub mod facts;
pub mod generate;
pub mod matching;
pub mod registry;
pub mod rule;
pub mod rules;
pub mod stage;
