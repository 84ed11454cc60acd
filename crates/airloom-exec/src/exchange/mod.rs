//! Rows between partitions: gathered, merged, kept for several readers, and which error is reported where several fail.

mod gather;
mod materialize;
mod materialized;
mod merge;
mod rows;

pub use gather::{ahead, collect, collect_partitions, gather};
pub use materialize::{EdgeRows, Kept, keep_partitions, materialize};
pub use materialized::Materialized;
pub use merge::{merge_by_position, positioned, with_position, without_positions};
pub use rows::{RowQueue, rows_between};
