//! Keys of groups and joins: rows of key columns as small numbers.
//!
//! Every key column becomes some bits: numbers their own, text and nested values the number under which they were first seen. All columns together
//! are one code of 64 or 128 bits, and codes are equal exactly where keys are `same`.

mod dynamic_filter;
mod encoder;
mod few_keys;
mod few_texts;
mod filter_selectivity;
mod grouped;
mod groups;
mod hash;
mod index;
mod intern;
mod pack;
mod parted_texts;
mod rows;
mod table;

pub use dynamic_filter::{DynamicFilter, is_filterable};
pub use encoder::{EncodedKeys, KeyEncoder, KeyRange, without_nulls};
pub use filter_selectivity::FilterSelectivity;
pub use grouped::{by_group, grouped};
pub use groups::GroupTable;
pub use hash::Hashing;
pub use index::{Index, Piece};
pub use rows::row_hashes;
pub use table::{Code, EMPTY, HashTable};
