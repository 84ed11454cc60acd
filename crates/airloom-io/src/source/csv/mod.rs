//! Text files with a line for each row, read as pandas reads them.
//!
//! A file is looked through as a whole when it is opened, so that the type of a column fits all of its values: first for where records end, in one go, since
//! a quoted field may hold line ends; then for what the fields are, piece by piece and side by side.

mod cut;
mod decode;
mod guess;
mod options;
mod stamp;
mod token;
mod value;
pub mod whole;

pub use options::{CsvInference, CsvOptions};

use super::listing::{FileOptions, hive, list};
use super::table::{Scan, ScanSpec, Table, check_columns};
use super::text::{FileBytes, TextTable};
use airloom_compute::data::SourceError;
use airloom_ir::name::Name;
use airloom_opt::facts::{ColumnStatistics, TableStatistics};
use arrow::datatypes::SchemaRef;
use std::sync::Arc;

/// What a file's name must end with to count as one below a directory.
const ENDINGS: [&str; 3] = [".csv", ".tsv", ".txt"];

/// A table in CSV files.
#[derive(Debug)]
pub struct CsvTable {
    text: TextTable,
    /// How many nulls each column of the files has.
    nulls: Vec<u64>,
}

impl CsvTable {
    /// The table of the files that these paths mean, all of which must have the same columns.
    pub fn open(paths: &[String], files: &FileOptions, options: &CsvOptions) -> Result<CsvTable, SourceError> {
        options.check()?;
        let listing = list(paths, &ENDINGS, files)?;
        let partitions = hive::partitions(&listing.files)?;
        let bytes = FileBytes::of(&listing)?;
        let mut pieces = Vec::new();
        let mut names: Option<Vec<String>> = None;
        for (number, file) in bytes.iter().enumerate() {
            let found = cut::cut(file, number, options).map_err(|error| error.at(format!("`{}`", file.name())))?;
            match &names {
                None => names = Some(found.names),
                Some(known) if *known == found.names => (),
                Some(known) => {
                    return Err(SourceError::user(format!(
                        "`{}` has the columns {:?} where files before it have {known:?}: the files of one table have the same columns",
                        file.name(),
                        found.names
                    )));
                }
            }
            pieces.extend(found.pieces);
        }
        let names = names.unwrap_or_default();
        options.check_names(&names)?;
        let columns = guess::guess_all(&bytes, &pieces, &names, options)?;
        let schema = partitions.after(columns.iter().zip(&names).map(|(column, name)| Arc::new(column.field(name))))?;
        let nulls = columns.iter().map(|column| column.nulls).collect();
        let decoder = Arc::new(decode::CsvDecoder::new(names, columns, options.clone()));
        Ok(CsvTable { text: TextTable { listing, partitions, files: bytes, pieces, decoder, schema }, nulls })
    }
}

impl Table for CsvTable {
    fn kind(&self) -> &'static str {
        "csv"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.text.schema)
    }

    fn rows(&self) -> Option<u64> {
        Some(self.text.rows())
    }

    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError> {
        check_columns(&self.text.schema, columns)?;
        let mut statistics = TableStatistics { rows: self.rows(), ..TableStatistics::default() };
        for &column in columns {
            let known = ColumnStatistics { nulls: self.nulls.get(column).copied(), ..ColumnStatistics::default() };
            statistics.columns.insert(Name::new(self.text.schema.field(column).name()), known);
        }
        Ok(statistics)
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        self.text.scan(request)
    }
}
