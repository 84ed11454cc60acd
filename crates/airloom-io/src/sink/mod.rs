//! Sinks: where results are written, whole or not at all.

mod cells;
mod clock;
mod columns;
mod csv;
mod document;
mod encoder;
mod in_order;
mod ipc;
mod json;
mod lines;
mod number;
mod output;
mod parquet;
mod partitioned;
mod stage;
mod target;
mod write;

pub use columns::{ParquetColumns, ParquetLayout, Unwritten};
pub use csv::CsvWriting;
pub use document::{JsonDocument, JsonField, JsonKind, JsonPart, JsonPiece};
pub use in_order::{Stopped, in_order};
pub use ipc::{IpcCompression, IpcWriting};
pub use lines::{LineColumn, LineKind, LineStyle, Lines, Piece};
pub use number::Positional;
pub use parquet::{ParquetCompression, ParquetWriting};
pub use target::{Format, Layout, Overwrite, Target};
pub use write::{Written, write};
