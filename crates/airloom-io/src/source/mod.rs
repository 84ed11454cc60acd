//! Sources: tables that programs read, in memory, in files and in databases.

mod column;
pub mod csv;
pub mod ipc;
pub mod json;
pub(crate) mod listing;
pub mod memory;
pub mod parquet;
pub mod schema;
mod splits;
pub mod sql;
pub mod statistics;
mod table;
mod text;
pub(crate) mod wait;

pub use column::MemoryColumn;
pub use csv::{CsvInference, CsvOptions, CsvTable};
pub use ipc::IpcTable;
pub use json::JsonTable;
pub use listing::FileOptions;
pub use memory::MemoryTable;
pub use parquet::{LateDecoding, ParquetTable};
pub use table::{Division, PartitionSize, Scan, ScanPredicate, ScanSpec, Table};

pub use splits::SplitsExec;
