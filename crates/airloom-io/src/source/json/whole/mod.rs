//! A file of JSON records read as a whole, at once and into memory, as pandas reads it: to the bit, and on every core.
//!
//! Records are objects whose values are numbers, texts, booleans or null. They are one on each line, or in one array. Anything that is not plainly that is
//! refused, so that pandas itself reads it, or says what is wrong with it.

mod arrays;
mod column;
mod cut;
mod number;
mod parse;
mod text;

pub use arrays::{RecordColumn, RecordsAs, read_records};

use std::path::PathBuf;

/// A file of records to read, and how.
#[derive(Clone, Debug)]
pub struct Records {
    /// Where it is.
    pub path: PathBuf,
    /// Whether each line is a record, and otherwise the file is an array of them.
    pub lines: bool,
    /// Whether floats are the nearest ones to what is written, and otherwise what pandas computes of their digits.
    pub precise: bool,
    /// On how many threads.
    pub threads: usize,
    /// About how many bytes are read at a time.
    pub piece: usize,
}
