//! Keys of groups and joins: rows of key columns as small numbers.
//!
//! Every key column becomes some bits: numbers their own, text and nested values the number under which they were first seen. All columns together
//! are one code of 64 or 128 bits, and codes are equal exactly where keys are `same`.

mod coder;
mod grouped;
mod groups;
mod hash;
mod index;
mod intern;
mod learned;
mod pack;
mod rows;
mod savings;
mod table;

pub use coder::{Coder, Codes, KeyRange, without_nulls};
pub use grouped::{by_group, grouped};
pub use groups::{GroupTable, KeyFacts};
pub use hash::Hashing;
pub use index::Index;
pub use learned::{Learned, can_learn};
pub use rows::row_hashes;
pub use savings::Savings;
pub use table::{Code, CodeTable, EMPTY};
