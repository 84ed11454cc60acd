//! Files with a JSON object on each line.

mod merge;
pub mod whole;

use super::listing::{FileOptions, hive, list};
use super::schema::{convert, physical_schema};
use super::table::{Scan, ScanSpec, Table, check_columns};
use super::text::{Decode, FileBytes, Piece, TextTable};
use airloom_compute::data::{SourceError, cores, parallel_map};
use airloom_ir::name::Name;
use airloom_opt::facts::{ColumnStatistics, TableStatistics};
use arrow::array::ArrayRef;
use arrow::datatypes::{Fields, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;
use arrow::json::reader::infer_json_schema;
use merge::merge_fields;
use std::sync::Arc;

/// What a file's name must end with to count as one below a directory.
const ENDINGS: [&str; 3] = [".json", ".jsonl", ".ndjson"];
/// How many bytes are looked through at a time.
const WINDOW: u64 = 8 << 20;
/// About how many bytes a piece has.
const PIECE: u64 = 1 << 20;

/// A table in files with a JSON object on each line. Its columns are the keys of all objects, in the order in which they first occur; a key that an object
/// lacks is null. Its types fit every value of every line: numbers with a fraction anywhere are floats, and what is sometimes text is text.
#[derive(Debug)]
pub struct JsonTable {
    text: TextTable,
}

impl JsonTable {
    /// The table of the files that these paths mean.
    pub fn open(paths: &[String], files: &FileOptions) -> Result<JsonTable, SourceError> {
        let listing = list(paths, &ENDINGS, files)?;
        let partitions = hive::partitions(&listing.files)?;
        let bytes = FileBytes::of(&listing)?;
        let mut pieces = Vec::new();
        for (number, file) in bytes.iter().enumerate() {
            pieces.extend(cut(file, number)?);
        }
        let found = infer(&bytes, &pieces)?;
        let own = physical_schema(&Schema::new(found))?;
        let schema = partitions.after(own.fields().iter().map(Arc::clone))?;
        let decoder = Arc::new(JsonDecoder { schema: own });
        Ok(JsonTable { text: TextTable { listing, partitions, files: bytes, pieces, decoder, schema } })
    }
}

impl Table for JsonTable {
    fn kind(&self) -> &'static str {
        "json"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.text.schema)
    }

    fn rows(&self) -> Option<u64> {
        Some(self.text.rows())
    }

    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError> {
        check_columns(&self.text.schema, columns)?;
        let named = columns.iter().map(|&column| (Name::new(self.text.schema.field(column).name()), ColumnStatistics::default()));
        Ok(TableStatistics { rows: self.rows(), columns: named.collect(), ..TableStatistics::default() })
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        self.text.scan(request)
    }
}

/// Cuts a file at line ends: in JSON none is within a value that is on one line.
fn cut(file: &FileBytes, number: usize) -> Result<Vec<Piece>, SourceError> {
    let size = file.size();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut bytes = Vec::new();
    let (mut base, mut read, mut line) = (0, 0, 1);
    while read < size || !bytes.is_empty() {
        let end = size.min(read + WINDOW);
        file.read(read, end, &mut bytes)?;
        read = end;
        let mut at = 0;
        while at < bytes.len() {
            let next = match bytes[at..].iter().position(|byte| *byte == b'\n') {
                Some(length) => at + length + 1,
                None if read == size => bytes.len(),
                None => break,
            };
            let blank = bytes[at..next].iter().all(u8::is_ascii_whitespace);
            let rows = usize::from(!blank);
            let (start, end) = (base + at as u64, base + next as u64);
            match pieces.last_mut() {
                Some(piece) if end - piece.start <= PIECE => {
                    piece.end = end;
                    piece.rows += rows;
                }
                _ => pieces.push(Piece { file: number, start, end, rows, first_line: line }),
            }
            line += 1;
            at = next;
        }
        base += at as u64;
        bytes.drain(..at);
    }
    Ok(pieces)
}

/// The columns of all pieces, which are looked at on all cores.
fn infer(files: &[FileBytes], pieces: &[Piece]) -> Result<Fields, SourceError> {
    let found = parallel_map(cores(), pieces.len(), Vec::new, |bytes, number| {
        let piece = &pieces[number];
        let file = &files[piece.file];
        bytes.clear();
        file.read(piece.start, piece.end, bytes)?;
        infer_piece(bytes, piece).map_err(|error| error.at(format!("`{}`", file.name())))
    })?;
    Ok(found.into_iter().fold(Fields::empty(), |known, more| merge_fields(&known, &more)))
}

fn infer_piece(bytes: &[u8], piece: &Piece) -> Result<Fields, SourceError> {
    match infer_json_schema(bytes, None) {
        Ok((schema, _)) => Ok(schema.fields().clone()),
        // Which line it was is found by looking at them one by one.
        Err(error) => Err(guilty_line(bytes, piece, &error, |line| infer_json_schema(line, None).map(|_| ()))),
    }
}

fn guilty_line(bytes: &[u8], piece: &Piece, error: &ArrowError, mut check: impl FnMut(&[u8]) -> Result<(), ArrowError>) -> SourceError {
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if let Err(error) = check(line) {
            return SourceError::world(format!("line {}: {error}", piece.first_line + at as u64));
        }
    }
    SourceError::world(format!("from line {}: {error}", piece.first_line))
}

/// Reads pieces of JSON files.
#[derive(Debug)]
struct JsonDecoder {
    schema: SchemaRef,
}

impl JsonDecoder {
    fn read(&self, bytes: &[u8], schema: &SchemaRef, rows: usize) -> Result<Vec<ArrayRef>, ArrowError> {
        // Numbers and booleans in a column of text are read as their text.
        let builder = ReaderBuilder::new(Arc::clone(schema)).with_batch_size(rows.max(1)).with_coerce_primitive(true);
        let mut decoder = builder.build_decoder()?;
        let mut at = 0;
        while at < bytes.len() {
            match decoder.decode(&bytes[at..])? {
                0 => break,
                taken => at += taken,
            }
        }
        match decoder.flush()? {
            Some(batch) if batch.num_rows() == rows => Ok(batch.columns().to_vec()),
            Some(batch) => Err(ArrowError::JsonError(format!("{} objects where {rows} lines are", batch.num_rows()))),
            None => Ok(schema.fields().iter().map(|field| arrow::array::new_empty_array(field.data_type())).collect()),
        }
    }
}

impl Decode for JsonDecoder {
    fn kind(&self) -> &'static str {
        "json"
    }

    fn decode(&self, bytes: &[u8], piece: &Piece, columns: &[usize]) -> Result<Vec<ArrayRef>, SourceError> {
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = Arc::new(self.schema.project(columns).map_err(|error| SourceError::broken(error.to_string()))?);
        let arrays = self.read(bytes, &wanted, piece.rows);
        let arrays = arrays.map_err(|error| {
            guilty_line(bytes, piece, &error, |line| match line.iter().all(u8::is_ascii_whitespace) {
                true => Ok(()),
                false => self.read(line, &wanted, 1).map(|_| ()),
            })
        })?;
        arrays.iter().zip(wanted.fields()).map(|(array, field)| convert(array, field.data_type())).collect()
    }
}
