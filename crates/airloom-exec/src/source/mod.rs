//! Sources: tables that programs read, in memory, in files and in databases.

mod column;
pub mod csv;
mod error;
pub mod ipc;
pub mod json;
pub(crate) mod listing;
pub mod memory;
pub mod parquet;
mod pieces;
mod savings;
pub mod schema;
pub mod sql;
pub mod statistics;
mod table;
mod text;
pub(crate) mod wait;

pub use column::MemoryColumn;
pub use csv::{CsvInference, CsvOptions, CsvTable};
pub use error::{ErrorKind, SourceError, io_inside};
pub use ipc::IpcTable;
pub use json::JsonTable;
pub use listing::FileOptions;
pub use memory::MemoryTable;
pub use parquet::{LateDecoding, ParquetTable};
pub(crate) use savings::Savings;
pub use table::{RowTest, Scan, ScanRequest, Table};

pub(crate) use pieces::PiecesExec;
