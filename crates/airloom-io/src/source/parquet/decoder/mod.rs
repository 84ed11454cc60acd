//! A decoder for flat columns, written plain or by a dictionary, as nearly all columns of nearly all files are.
//!
//! It differs from the reader that the Arrow project maintains in what it leaves undone. A test of one column is computed once for each entry of the column's
//! dictionary, and rows are looked up in the answer. Columns that no test reads are decoded for the rows that passed, pages without such a row are not even
//! decompressed. Values are written where they stay, into memory that is not cleared before.

mod column;
mod fixed;
mod group;
mod hybrid;
mod kind;
mod pages;
mod scan;
mod selection;
mod supported;
mod text;
mod truth;
mod unpack;

pub(crate) use scan::plan;
