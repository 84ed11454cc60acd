//! What the text and the binary form of plans have in common: nodes and steps as records of named items, with functions by number.

mod from_record;
mod functions;
mod item;
mod to_record;

pub(crate) use from_record::{kind_of, step_of};
pub(crate) use functions::Functions;
pub(crate) use item::{Item, Record};
pub(crate) use to_record::{kind_record, step_record};
