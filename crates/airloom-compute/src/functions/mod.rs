//! Scalar ops over whole batches: what each op of numbers, logic, text, time and lists makes of its arguments in every row.
//!
//! The oracle defines every op. A kernel here is the same op over Arrow buffers, for the types it is used with most; it never raises. What it cannot do, which
//! includes rows that must raise, it leaves to the oracle, row by row: so there is one text of every error.

mod call;
mod list;
mod logic;
mod number;
mod temporal;
mod text;
pub(crate) mod views;

pub use call::{KernelCall, apply};
