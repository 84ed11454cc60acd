//! The binary form: what travels to a worker. Versioned, compact, and distrusted when read.
//!
//! After the magic and the version come four lists, each behind its length: texts, types, nodes, functions. Everything refers backwards by number, so a reader
//! needs one pass, and a length is never believed beyond the bytes that are left.

pub mod cursor;
mod reader;
mod writer;

pub use reader::decode;
pub use writer::encode;

use std::fmt;

/// What a file begins with.
const MAGIC: [u8; 4] = *b"AIRB";
/// The version written; the only one read.
pub const VERSION: u8 = 1;

/// Why bytes are not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// How many bytes were read before it.
    pub offset: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for DecodeError {}

/// The numbers that identify types, attributes and values.
mod tag {
    pub(super) const BOOL: u8 = 0;
    pub(super) const INT: u8 = 1;
    pub(super) const F32: u8 = 2;
    pub(super) const F64: u8 = 3;
    pub(super) const DECIMAL: u8 = 4;
    pub(super) const STR: u8 = 5;
    pub(super) const BYTES: u8 = 6;
    pub(super) const DATE: u8 = 7;
    pub(super) const TIME: u8 = 8;
    pub(super) const TIMESTAMP: u8 = 9;
    pub(super) const DURATION: u8 = 10;
    pub(super) const DICT: u8 = 11;
    pub(super) const CATEGORY: u8 = 12;
    pub(super) const LIST: u8 = 13;
    pub(super) const STRUCT: u8 = 14;
    pub(super) const REL: u8 = 15;
    pub(super) const ARR: u8 = 16;
    pub(super) const TUPLE: u8 = 17;
    pub(super) const FN: u8 = 18;
    pub(super) const TOKEN: u8 = 19;
    pub(super) const OPTION: u8 = 20;
    pub(super) const NULL: u8 = 21;
}
