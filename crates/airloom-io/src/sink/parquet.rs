//! Parquet files.

use super::encoder::{Bytes, Encoder, unsayable};
use super::ipc::interchange_schema;
use airloom_compute::data::SourceError;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::sync::Arc;

/// How Parquet is written.
#[derive(Clone, Debug)]
pub struct ParquetWriting {
    /// How pages are made smaller.
    pub compression: ParquetCompression,
    /// How many rows a row group has at most.
    pub row_group_rows: usize,
    /// How many bytes it takes at most, about: they are held until it is whole. A run whose memory is small writes smaller ones.
    pub row_group_bytes: usize,
    /// Columns that get a Bloom filter, by which a reader that looks for one value passes over most row groups.
    pub bloom_filters: Vec<String>,
    /// The columns by which the rows are sorted, each with whether it falls. It is written down, not checked.
    pub sorted_by: Vec<(String, bool)>,
}

impl ParquetWriting {
    /// What suits most.
    pub fn plain() -> ParquetWriting {
        ParquetWriting {
            compression: ParquetCompression::Snappy,
            row_group_rows: 1 << 20,
            row_group_bytes: 512 << 20,
            bloom_filters: Vec::new(),
            sorted_by: Vec::new(),
        }
    }
}

/// The share of the memory of a run that a row group takes while it is written.
pub(super) const ROW_GROUP_SHARE: usize = 16;

/// How pages are made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParquetCompression {
    /// Not at all.
    None,
    /// Fast.
    Snappy,
    /// Fast.
    Lz4,
    /// Small, at a level from 1 to 22.
    Zstd(i32),
    /// At a level from 0 to 9.
    Gzip(u32),
    /// At a level from 0 to 11.
    Brotli(u32),
}

/// What the format calls a way to make pages smaller.
pub(crate) fn codec(compression: ParquetCompression) -> Result<Compression, SourceError> {
    let level = |error: parquet::errors::ParquetError| SourceError::user(format!("there is no such level of compression: {error}"));
    Ok(match compression {
        ParquetCompression::None => Compression::UNCOMPRESSED,
        ParquetCompression::Snappy => Compression::SNAPPY,
        ParquetCompression::Lz4 => Compression::LZ4_RAW,
        ParquetCompression::Zstd(at) => Compression::ZSTD(ZstdLevel::try_new(at).map_err(level)?),
        ParquetCompression::Gzip(at) => Compression::GZIP(GzipLevel::try_new(at).map_err(level)?),
        ParquetCompression::Brotli(at) => Compression::BROTLI(BrotliLevel::try_new(at).map_err(level)?),
    })
}

pub(crate) fn encoder(writing: &ParquetWriting, schema: &SchemaRef, bytes: Bytes) -> Result<Box<dyn Encoder>, SourceError> {
    let position = |name: &str| {
        schema.index_of(name).map_err(|_| SourceError::user(format!("unknown column `{name}`: there is none of that name to write")))
    };
    // What the columns were is recorded in types that every reader knows; views and short decimals are how they are stored in memory here.
    let plain = encode_arrow_schema(&interchange_schema(schema));
    let mut properties = WriterProperties::builder()
        .set_compression(codec(writing.compression)?)
        .set_max_row_group_row_count(Some(writing.row_group_rows.max(1)))
        // For each page, so that a reader may pass over pages.
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_created_by(format!("airloom version {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), plain)]));
    for name in &writing.bloom_filters {
        position(name)?;
        properties = properties.set_column_bloom_filter_enabled(ColumnPath::from(name.as_str()), true);
    }
    let mut sorted = Vec::new();
    for (name, descending) in &writing.sorted_by {
        // Leaves are counted, not columns: a nested column before would shift what comes after.
        let at = position(name)?;
        if schema.fields()[..=at].iter().any(|field| field.data_type().is_nested()) {
            break;
        }
        sorted.push(SortingColumn { column_idx: at as i32, descending: *descending, nulls_first: false });
    }
    if !sorted.is_empty() {
        properties = properties.set_sorting_columns(Some(sorted));
    }
    let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
    let writer = ArrowWriter::try_new_with_options(bytes, Arc::clone(schema), options).map_err(|error| unsayable("Parquet", error))?;
    Ok(Box::new(ParquetEncoder { writer, row_group_bytes: writing.row_group_bytes }))
}

struct ParquetEncoder {
    writer: ArrowWriter<Bytes>,
    row_group_bytes: usize,
}

impl Encoder for ParquetEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError> {
        self.writer.write(batch).map_err(|error| unsayable("Parquet", error))?;
        if self.writer.memory_size() < self.row_group_bytes {
            return Ok(());
        }
        self.writer.flush().map_err(|error| unsayable("Parquet", error))
    }

    fn finish(&mut self) -> Result<(), SourceError> {
        self.writer.finish().map(|_| ()).map_err(|error| unsayable("Parquet", error))
    }
}
