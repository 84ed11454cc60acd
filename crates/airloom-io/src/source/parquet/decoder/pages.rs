//! The pages of one column in one row group, decompressed one by one.

use super::hybrid::Hybrid;
use airloom_compute::data::SourceError;
use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

/// What is wrong with a file that a writer wrote in part, or not at all.
pub(super) fn damaged(what: &str) -> SourceError {
    SourceError::world(format!("the file is damaged: {what}"))
}

/// The bytes of a column in a row group, by their positions in the file.
struct Chunk {
    start: u64,
    bytes: Bytes,
}

impl Chunk {
    fn from(&self, start: u64) -> Result<Bytes, ParquetError> {
        let at = start.checked_sub(self.start).and_then(|at| usize::try_from(at).ok()).filter(|&at| at <= self.bytes.len());
        at.map(|at| self.bytes.slice(at..)).ok_or_else(|| ParquetError::General(format!("there is no page at byte {start}")))
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for Chunk {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Reader<Bytes>, ParquetError> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let rest = self.from(start)?;
        if length > rest.len() {
            return Err(ParquetError::EOF(format!("{length} bytes were expected at byte {start}, found {}", rest.len())));
        }
        Ok(rest.slice(..length))
    }
}

/// The values of a page.
pub(super) enum Values {
    /// Positions in the dictionary.
    Codes(Hybrid),
    /// One after the other, from a position on.
    Plain { bytes: Bytes, at: usize },
}

/// A page on its way.
pub(super) struct DataPage {
    /// The rows that have not been taken.
    pub(super) left: usize,
    /// For each row, one where it has a value and zero where it is null; nothing where all have.
    pub(super) levels: Option<Hybrid>,
    pub(super) values: Values,
}

/// A page as it comes.
pub(super) enum Next {
    Dictionary { bytes: Bytes, count: usize },
    Data(DataPage),
    End,
}

/// The pages of a column in a row group.
pub(super) struct Pages {
    reader: SerializedPageReader<Chunk>,
    /// Whether rows may be null.
    optional: bool,
}

impl Pages {
    /// Of a column, of which all bytes are there.
    pub(super) fn new(column: &ColumnChunkMetaData, rows: usize, bytes: Bytes) -> Result<Pages, SourceError> {
        let chunk = Chunk { start: column.byte_range().0, bytes };
        let reader = SerializedPageReader::new(Arc::new(chunk), column, rows, None).map_err(unreadable)?;
        Ok(Pages { reader, optional: column.column_descr().max_def_level() > 0 })
    }

    /// The rows of the page that comes next, where it holds rows.
    pub(super) fn peek(&mut self) -> Result<Option<usize>, SourceError> {
        let next = self.reader.peek_next_page().map_err(unreadable)?;
        // Rows of a flat column have one level each.
        Ok(next.filter(|page| !page.is_dict).and_then(|page| page.num_rows.or(page.num_levels)))
    }

    /// Passes over the page that comes next.
    pub(super) fn pass(&mut self) -> Result<(), SourceError> {
        self.reader.skip_next_page().map_err(unreadable)
    }

    /// The next page.
    pub(super) fn next(&mut self) -> Result<Next, SourceError> {
        let Some(page) = self.reader.get_next_page().map_err(unreadable)? else { return Ok(Next::End) };
        match page {
            Page::DictionaryPage { buf, num_values, .. } => Ok(Next::Dictionary { bytes: buf, count: num_values as usize }),
            Page::DataPage { mut buf, num_values, encoding, .. } => {
                let levels = match self.optional {
                    false => None,
                    true => {
                        let length = cut(&mut buf, 4)?;
                        Some(cut(&mut buf, length.iter().rev().fold(0, |length, &byte| (length << 8) | usize::from(byte)))?)
                    }
                };
                data_page(num_values, levels, encoding, buf)
            }
            Page::DataPageV2 { mut buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                cut(&mut buf, rep_levels_byte_len as usize)?;
                let levels = cut(&mut buf, def_levels_byte_len as usize)?;
                data_page(num_values, self.optional.then_some(levels), encoding, buf)
            }
        }
    }
}

fn data_page(rows: u32, levels: Option<Bytes>, encoding: Encoding, mut bytes: Bytes) -> Result<Next, SourceError> {
    let values = match encoding {
        Encoding::PLAIN => Values::Plain { bytes, at: 0 },
        // A page of nothing but nulls need not even say how wide its codes are.
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if bytes.is_empty() => Values::Codes(Hybrid::new(bytes, 0)?),
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
            let width = cut(&mut bytes, 1)?[0];
            Values::Codes(Hybrid::new(bytes, usize::from(width))?)
        }
        // Booleans in runs: positions in the dictionary of the two there are.
        Encoding::RLE => {
            cut(&mut bytes, 4)?;
            Values::Codes(Hybrid::new(bytes, 1)?)
        }
        other => return Err(damaged(&format!("a page is written in `{other}`, of which the footer says nothing"))),
    };
    Ok(Next::Data(DataPage { left: rows as usize, levels: levels.map(|levels| Hybrid::new(levels, 1)).transpose()?, values }))
}

/// The first `length` bytes, which are taken away.
fn cut(bytes: &mut Bytes, length: usize) -> Result<Bytes, SourceError> {
    if length > bytes.len() {
        return Err(damaged("a page is shorter than it says"));
    }
    Ok(bytes.split_to(length))
}

fn unreadable(error: ParquetError) -> SourceError {
    damaged(&error.to_string())
}
