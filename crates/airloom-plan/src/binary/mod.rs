//! The binary form: what travels to a worker and lies in a cache. Versioned, compact, and distrusted when read.
//!
//! After the magic and the version come the functions, in the binary form of programs, behind their length; then types, blocks and nodes, each list behind its length.

mod reader;
mod writer;

pub use reader::decode;
pub use writer::encode;

/// What a plan begins with.
const MAGIC: [u8; 4] = *b"AIRP";
/// The version written; the only one read.
pub const VERSION: u8 = 2;

/// The numbers that tell items apart.
mod tag {
    pub(super) const BODY: u8 = 0;
    pub(super) const SLOT: u8 = 1;
    pub(super) const SLOTS: u8 = 2;
    pub(super) const BLOCKS: u8 = 3;
    pub(super) const NODES: u8 = 4;
    pub(super) const NAME: u8 = 5;
    pub(super) const NAMES: u8 = 6;
    pub(super) const INT: u8 = 7;
    pub(super) const INTS: u8 = 8;
    pub(super) const FLAG: u8 = 9;
    pub(super) const WORD: u8 = 10;
    pub(super) const SORT: u8 = 11;
    pub(super) const TYPE: u8 = 12;
    pub(super) const TYPES: u8 = 13;
    pub(super) const USES: u8 = 14;
    pub(super) const PUBLISHED: u8 = 15;
    pub(super) const ARGUMENTS: u8 = 16;
    pub(super) const RANGES: u8 = 17;
    pub(super) const VALUES: u8 = 18;
}
