//! The memory budget, and rows on disk for what does not fit in it: cut by the hash of their keys, so that each part fits.

mod buffered;
mod folder;
mod pool;
mod spill;

pub(crate) use folder::SpillFolder;
pub(crate) use pool::TrackedMemoryPool;
pub(crate) use spill::partition_of;
pub use spill::{PartitionFiles, PartitionWriter, SPILL_PARTITIONS, SPILL_TASKS, Spill, SpillWriter};
