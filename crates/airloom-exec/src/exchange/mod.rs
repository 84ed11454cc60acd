//! Rows between partitions: gathered, merged, kept for several readers, and which error is heard where several fail.

mod first_error;
mod gather;
mod made;
mod merge;
mod shared_rows;

pub(crate) use first_error::first_error;
pub use gather::{collect, collect_partitions, gather};
pub use made::Made;
pub use merge::{merge_by_place, placed};
pub use shared_rows::once;
