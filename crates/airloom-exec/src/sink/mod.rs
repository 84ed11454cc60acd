//! Sinks: where results are written, whole or not at all.

mod csv;
mod encoder;
mod error;
mod ipc;
mod json;
mod number;
mod output;
mod parquet;
mod partitioned;
mod stage;
mod target;
mod write;

pub use csv::CsvWriting;
pub use error::SinkError;
pub use ipc::{IpcCompression, IpcWriting};
pub use parquet::{ParquetCompression, ParquetWriting};
pub use target::{Format, Layout, Overwrite, Target};
pub use write::{Written, write};
