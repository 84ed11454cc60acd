//! Text files with a line for each row, read as pandas reads them.
//!
//! Records are found by one reader (`records`, `pieces`) and fields are read by one set of conversions (`number`, `timestamp`, `missing`). Above them are a table
//! that programs scan, whose types fit all values of its files, so that each file is looked through when it is opened, and `whole`, which reads a file into
//! memory at once, by pandas' rules to the bit. Where the two differ is said by `Dialect::as_pandas` and by `Rounding`.

mod decode;
mod guess;
mod header;
mod missing;
mod number;
mod options;
mod pieces;
mod records;
mod scan;
mod text;
mod timestamp;
mod values;
pub mod whole;
mod window;

pub use missing::{Missing, Truths};
pub use number::{Digits, Rounding};
pub use options::{CsvInference, CsvOptions};
pub use records::Dialect;
pub use text::{TextField, text_to_records};

use super::listing::{FileOptions, hive, list};
use super::table::{Scan, ScanSpec, Table, check_columns};
use super::text::{FileBytes, Piece, TextTable};
use airloom_compute::data::{SourceError, cores};
use airloom_ir::name::Name;
use airloom_opt::facts::{ColumnStatistics, TableStatistics};
use arrow::datatypes::SchemaRef;
use guess::{Column, Guess};
use header::{Beginning, beginning, count_lines, told};
use pieces::{Fields, Pieces, read_all};
use records::Layout;
use std::sync::Arc;
use values::Rules;

/// What a file's name must end with to count as one below a directory.
const ENDINGS: [&str; 3] = [".csv", ".tsv", ".txt"];

/// About how many bytes a piece has.
const PIECE: u64 = 1 << 20;

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
        let dialect = options.dialect();
        let mut beginnings: Vec<Beginning> = Vec::new();
        for file in &bytes {
            let found = beginning(file, &dialect, options).map_err(|error| error.at(format!("`{}`", file.name())))?;
            if let Some(known) = beginnings.first().filter(|known| known.names != found.names) {
                return Err(SourceError::user(format!(
                    "`{}` has the columns {:?} where files before it have {:?}: the files of one table have the same columns",
                    file.name(),
                    found.names,
                    known.names
                )));
            }
            beginnings.push(found);
        }
        let names = beginnings.first().map(|beginning| beginning.names.clone()).unwrap_or_default();
        options.check_names(&names)?;
        let (pieces, columns) = look_through(&bytes, &beginnings, &names, options)?;
        let schema = partitions.after(columns.iter().zip(&names).map(|(column, name)| Arc::new(column.field(name))))?;
        let nulls = columns.iter().map(|column| column.nulls).collect();
        let decoder = Arc::new(decode::CsvDecoder::new(names, columns, options));
        Ok(CsvTable { text: TextTable { listing, partitions, files: bytes, pieces, decoder, schema }, nulls })
    }
}

/// Where the pieces of files are, and what their columns are.
fn look_through(
    files: &[FileBytes],
    beginnings: &[Beginning],
    names: &[String],
    options: &CsvOptions,
) -> Result<(Vec<Piece>, Vec<Column>), SourceError> {
    let (dialect, rules) = (options.dialect(), Rules::of(options));
    let all: Vec<usize> = (0..names.len()).collect();
    let layout = Layout::new(&all, names.len());
    let fresh: Vec<Guess> = names.iter().map(|name| Guess::of(name, options)).collect();
    let in_pieces = files.iter().zip(beginnings).map(|(file, beginning)| Pieces {
        file,
        dialect: &dialect,
        layout: &layout,
        start: beginning.start,
        length: PIECE,
    });
    let look = |fields: Fields<'_>, bytes: &[u8]| {
        let mut guesses = fresh.clone();
        guesses.iter_mut().enumerate().for_each(|(at, guess)| guess.see_all(fields, at, &rules));
        (guesses, count_lines(bytes))
    };
    let found = read_all(&in_pieces.collect::<Vec<_>>(), cores(), look).map_err(|(file, trouble)| {
        let file = &files[file];
        told(file, names.len(), trouble).at(format!("`{}`", file.name()))
    })?;
    let mut guesses = fresh.clone();
    let mut pieces = Vec::new();
    for (file, (found, beginning)) in found.into_iter().zip(beginnings).enumerate() {
        let mut line = beginning.line;
        for piece in found {
            let (more, lines) = piece.made;
            guesses.iter_mut().zip(&more).for_each(|(guess, more)| guess.merge(more));
            pieces.push(Piece { file, start: piece.start, end: piece.end, rows: piece.rows, first_line: line });
            line += lines;
        }
    }
    let columns = guesses.iter().zip(names).map(|(guess, name)| guess.decide(name, options)).collect();
    Ok((pieces, columns))
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
