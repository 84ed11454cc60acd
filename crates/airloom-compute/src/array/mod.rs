//! Array ops over Arrow buffers: arrays, reductions, sequences, loops and branches.
//!
//! As in the kernels, the oracle defines every op. What is here is the same over whole buffers; where an op without bodies must raise, or is of a kind that has no
//! loop of its own, the oracle does it.

mod affine;
mod call;
mod cells;
mod combine;
mod contract;
mod control;
mod element_loop;
mod elements;
mod fill;
mod fold;
mod leading;
mod make;
mod place;
mod reduce;
mod sequence;
mod shape;
mod strided;

pub use call::{Bodies, apply, datum_to_value, in_groups, onward, value_to_datum};
pub use sequence::{Carried, GroupsInPlace, STEPS_IN_GROUPS};
pub use shape::room;
