//! What to write, where and how.

use super::csv::CsvWriting;
use super::ipc::IpcWriting;
use super::parquet::ParquetWriting;

/// Where rows go.
#[derive(Clone, Debug)]
pub struct Target {
    /// A path of this machine, or a URL of an object store.
    pub url: String,
    /// How rows are written down.
    pub format: Format,
    /// In one file or in several.
    pub layout: Layout,
    /// The columns whose values name directories instead of being stored in the files. Only with [`Layout::Parts`].
    pub partition_by: Vec<String>,
    /// What to do where something is there already.
    pub overwrite: Overwrite,
    /// Settings of the object store, by the names that it gives them, for URLs.
    pub store: Vec<(String, String)>,
}

/// How rows are written down.
#[derive(Clone, Debug)]
pub enum Format {
    /// Parquet.
    Parquet(ParquetWriting),
    /// Text, a line for each row.
    Csv(CsvWriting),
    /// A JSON object on a line for each row.
    Json,
    /// Arrow's own, also called Feather.
    Ipc(IpcWriting),
}

impl Format {
    /// What names of its files end with.
    pub fn ending(&self) -> &'static str {
        match self {
            Format::Parquet(_) => "parquet",
            Format::Csv(_) => "csv",
            Format::Json => "jsonl",
            Format::Ipc(_) => "arrow",
        }
    }
}

/// In how many files rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In one, partition after partition.
    OneFile,
    /// In a directory, a file or more for each partition, named so that their order by name is the order of the rows.
    Parts,
}

/// What to do where something is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Nothing is written: it is an error.
    Refuse,
    /// What was there is gone once the new is complete, and stays if it never is.
    Replace,
    /// New files are put beside those that are there. Only with [`Layout::Parts`].
    Append,
}
