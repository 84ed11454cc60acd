//! Rows on disk, for what does not fit in memory: cut by the hash of their keys, so that each part fits.

mod merge;
mod parts;

pub use merge::{merge_by_place, placed};
pub(crate) use parts::part_of;
pub use parts::{PARTS, PartFiles, PartWriter, Spill, SpillWriter};
