//! Keys of groups and joins: rows of key columns as small numbers.
//!
//! Every key column becomes some bits: numbers their own, text and nested values the number under which they were first seen. All columns together
//! are one code of 64 or 128 bits, and codes are equal exactly where keys are `same`.

mod coder;
mod hash;
mod intern;
mod pack;
mod rows;
mod table;

pub use coder::{Coder, Codes, KeyRange, without_nulls};
pub use hash::Hashing;
pub use rows::row_hashes;
pub use table::{Code, CodeTable, EMPTY};
