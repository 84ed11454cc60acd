//! Arrow IPC: files, also called Feather, and streams.
//!
//! The batches of a file are read one by one, each into one buffer of which its columns are parts, so that nothing is copied after it was read. A stream has no
//! index, so it is read as a whole when it is opened.

use super::listing::{FileOptions, Listing, list};
use super::memory::MemoryTable;
use super::schema::{convert_batch, physical_schema};
use super::splits::{Batches, Splits, SplitsExec, cut_batch};
use super::table::{Scan, ScanSpec, Table, check_columns};
use super::text::FileBytes;
use crate::failure::to_datafusion;
use airloom_compute::data::{Failure, SourceError};
use airloom_ir::name::Name;
use airloom_opt::facts::{ColumnStatistics, TableStatistics};
use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{FileDecoder, StreamDecoder};
use arrow::ipc::{Block, MetadataVersion, root_as_footer, root_as_message};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::StreamExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// What a file's name must end with to count as one below a directory.
const ENDINGS: [&str; 4] = [".arrow", ".feather", ".ipc", ".arrows"];
/// What a file, but not a stream, begins and ends with.
const MAGIC: &[u8; 6] = b"ARROW1";

/// A table in Arrow IPC files or streams.
#[derive(Debug)]
pub struct IpcTable {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Files(Files),
    Streams(MemoryTable),
}

impl IpcTable {
    /// The table of the files that these paths mean, all of which must have the same columns.
    pub fn open(paths: &[String], options: &FileOptions) -> Result<IpcTable, SourceError> {
        let listing = list(paths, &ENDINGS, options)?;
        let bytes = FileBytes::of(&listing)?;
        let mut files = Vec::new();
        let mut streams = Vec::new();
        for file in bytes {
            let opened = std::panic::catch_unwind(AssertUnwindSafe(|| open(&file)))
                .unwrap_or_else(|_| Err(SourceError::world("the file is damaged: it cannot be decoded")));
            match opened.map_err(|error| error.at(format!("`{}`", file.name())))? {
                Opened::File(file) => files.push(file),
                Opened::Stream(schema, batches) => streams.push((file.name(), schema, batches)),
            }
        }
        if files.is_empty() {
            return Ok(IpcTable { kind: Kind::Streams(in_memory(&streams)?) });
        }
        if let Some((name, _, _)) = streams.first() {
            return Err(SourceError::user(format!("`{name}` is a stream where the others are files: one table is one or the other")));
        }
        let schema = Arc::clone(&files[0].schema);
        for file in &files {
            check_same(&schema, &file.schema, &file.bytes.name())?;
        }
        Ok(IpcTable { kind: Kind::Files(Files { physical: physical_schema(&schema)?, listing, files }) })
    }
}

fn check_same(schema: &Schema, other: &Schema, name: &str) -> Result<(), SourceError> {
    let same = schema.fields().len() == other.fields().len()
        && schema.fields().iter().zip(other.fields()).all(|(a, b)| a.name() == b.name() && a.data_type() == b.data_type());
    match same {
        true => Ok(()),
        false => Err(SourceError::user(format!("the columns of `{name}` are not those of the files before it, or have other types"))),
    }
}

fn in_memory(streams: &[(String, SchemaRef, Vec<RecordBatch>)]) -> Result<MemoryTable, SourceError> {
    let schema =
        streams.first().map(|(_, schema, _)| Arc::clone(schema)).ok_or_else(|| SourceError::broken("a table of no files was opened"))?;
    let mut all = Vec::new();
    for (name, other, batches) in streams {
        check_same(&schema, other, name)?;
        all.extend(batches.iter().cloned());
    }
    MemoryTable::new(&schema, &all)
}

impl Table for IpcTable {
    fn kind(&self) -> &'static str {
        "ipc"
    }

    fn schema(&self) -> SchemaRef {
        match &self.kind {
            Kind::Files(files) => Arc::clone(&files.physical),
            Kind::Streams(memory) => memory.schema(),
        }
    }

    fn rows(&self) -> Option<u64> {
        match &self.kind {
            Kind::Files(files) => Some(files.files.iter().flat_map(|file| &file.blocks).map(|block| block.rows as u64).sum()),
            Kind::Streams(memory) => memory.rows(),
        }
    }

    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError> {
        match &self.kind {
            Kind::Files(files) => {
                check_columns(&files.physical, columns)?;
                let named = columns.iter().map(|&column| {
                    let statistics = ColumnStatistics { nulls: files.nulls(column), ..ColumnStatistics::default() };
                    (Name::new(files.physical.field(column).name()), statistics)
                });
                Ok(TableStatistics { rows: self.rows(), columns: named.collect(), ..TableStatistics::default() })
            }
            Kind::Streams(memory) => memory.statistics(columns),
        }
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        match &self.kind {
            Kind::Files(files) => files.scan(request),
            Kind::Streams(memory) => memory.scan(request),
        }
    }
}

/// Files with an index of their batches.
#[derive(Debug)]
struct Files {
    listing: Listing,
    physical: SchemaRef,
    files: Vec<IpcFile>,
}

#[derive(Clone, Debug)]
struct IpcFile {
    bytes: FileBytes,
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    blocks: Vec<BatchBlock>,
}

#[derive(Clone, Debug)]
struct BatchBlock {
    block: Block,
    rows: usize,
    /// How many nulls each column has; `None` where values are nested in values, whose nulls are counted among those of the columns.
    nulls: Option<Vec<u64>>,
}

enum Opened {
    File(IpcFile),
    Stream(SchemaRef, Vec<RecordBatch>),
}

fn open(bytes: &FileBytes) -> Result<Opened, SourceError> {
    let size = bytes.size();
    let mut head = Vec::new();
    bytes.read(0, size.min(6), &mut head)?;
    if head != MAGIC {
        return open_stream(bytes);
    }
    let cut_short = || SourceError::world(format!("the file is cut short: it has {size} bytes"));
    let tail_start = size.checked_sub(10).filter(|start| *start >= 8).ok_or_else(cut_short)?;
    let mut tail = Vec::new();
    bytes.read(tail_start, size, &mut tail)?;
    let (length, magic) = tail.split_at(4);
    if magic != MAGIC {
        return Err(cut_short());
    }
    let length = u64::from(u32::from_le_bytes([length[0], length[1], length[2], length[3]]));
    let start = tail_start
        .checked_sub(length)
        .ok_or_else(|| SourceError::world(format!("the file says that its index has {length} bytes of {size}")))?;
    let mut index = Vec::new();
    bytes.read(start, tail_start, &mut index)?;
    let footer = root_as_footer(&index).map_err(|error| SourceError::world(format!("the index of the file cannot be read: {error}")))?;
    let schema = footer.schema().ok_or_else(|| SourceError::world("the file has no schema"))?;
    let schema = Arc::new(fb_to_schema(schema));
    let dictionaries: Vec<Block> = footer.dictionaries().map(|blocks| blocks.iter().copied().collect()).unwrap_or_default();
    let mut blocks = Vec::new();
    for block in footer.recordBatches().map(|blocks| blocks.iter().copied().collect::<Vec<Block>>()).unwrap_or_default() {
        let (rows, nulls) = head_of(bytes, &block)?;
        blocks.push(BatchBlock { block, rows, nulls: nulls.filter(|nulls| nulls.len() == schema.fields().len()) });
    }
    Ok(Opened::File(IpcFile { bytes: bytes.clone(), schema, version: footer.version(), dictionaries, blocks }))
}

/// How many rows a batch has, and how many nulls its columns and what is within them have, by its head.
fn head_of(bytes: &FileBytes, block: &Block) -> Result<(usize, Option<Vec<u64>>), SourceError> {
    let damaged = || SourceError::world("the file is damaged: its index points outside of it");
    let start = u64::try_from(block.offset()).map_err(|_| damaged())?;
    let length = u64::try_from(block.metaDataLength()).map_err(|_| damaged())?;
    let body = u64::try_from(block.bodyLength()).map_err(|_| damaged())?;
    let end = start.checked_add(length).and_then(|end| end.checked_add(body)).filter(|end| *end <= bytes.size() && length >= 8);
    end.ok_or_else(damaged)?;
    let mut head = Vec::new();
    bytes.read(start, start + length, &mut head)?;
    // Four bytes that say "continue" come before the length since version 5 of the format.
    let message = if head[..4] == [0xff; 4] { &head[8..] } else { &head[4..] };
    let message = root_as_message(message).map_err(|error| SourceError::world(format!("the head of a batch cannot be read: {error}")))?;
    let batch = message
        .header_as_record_batch()
        .ok_or_else(|| SourceError::world("the index of the file points at something else than a batch"))?;
    let rows = usize::try_from(batch.length()).map_err(|_| damaged())?;
    let nulls = batch.nodes().map(|nodes| nodes.iter().map(|node| u64::try_from(node.null_count())).collect::<Result<_, _>>());
    Ok((rows, nulls.transpose().map_err(|_| damaged())?))
}

fn open_stream(bytes: &FileBytes) -> Result<Opened, SourceError> {
    let damaged =
        |error: arrow::error::ArrowError| SourceError::world(format!("it is neither an Arrow file nor a whole Arrow stream: {error}"));
    let mut all = Vec::new();
    bytes.read(0, bytes.size(), &mut all)?;
    let mut buffer = Buffer::from_vec(all);
    let mut decoder = StreamDecoder::new();
    let mut batches = Vec::new();
    while let Some(batch) = decoder.decode(&mut buffer).map_err(damaged)? {
        batches.push(batch);
    }
    decoder.finish().map_err(damaged)?;
    match decoder.schema() {
        Some(schema) => Ok(Opened::Stream(schema, batches)),
        None => Err(SourceError::world("it is neither an Arrow file nor an Arrow stream: it has no schema")),
    }
}

impl Files {
    /// How many nulls a column has, where the heads of all batches say so. Codes of a dictionary that has a null among its values do not.
    fn nulls(&self, column: usize) -> Option<u64> {
        let counted = |file: &IpcFile| -> Option<u64> {
            match file.schema.field(column).data_type() {
                DataType::Dictionary(..) | DataType::RunEndEncoded(..) => None,
                _ => file.blocks.iter().map(|block| block.nulls.as_ref()?.get(column).copied()).sum(),
            }
        };
        self.files.iter().map(counted).sum()
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        let schema = request.schema(&self.physical)?;
        self.listing.check_unchanged()?;
        let limit = request.limit.filter(|_| request.predicate.is_none());
        let mut units = Vec::new();
        let mut rows = 0;
        for (file, opened) in self.files.iter().enumerate() {
            for (number, block) in opened.blocks.iter().enumerate() {
                if block.rows > 0 && limit.is_none_or(|limit| rows < limit) {
                    units.push((file, number, block.rows));
                }
                rows += block.rows;
            }
        }
        let count = request.partitions.count.clamp(1, units.len().max(1));
        let total = units.iter().map(|(_, _, rows)| *rows as u128).sum::<u128>().max(1);
        let mut groups: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        let mut before = 0;
        for (file, number, rows) in units {
            let middle = before + rows as u128 / 2;
            before += rows as u128;
            groups[(middle * count as u128 / total) as usize].push((file, number));
        }
        groups.retain(|group| !group.is_empty());
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        let columns = request.columns.clone();
        let pieces =
            IpcSplits { schema: Arc::clone(&schema), files: self.files.clone(), columns, groups, batch_rows: request.batch_rows.max(1) };
        Ok(Scan::plain(Arc::new(SplitsExec::new(schema, Arc::new(pieces))), request))
    }
}

#[derive(Debug)]
struct IpcSplits {
    schema: SchemaRef,
    files: Vec<IpcFile>,
    columns: Vec<usize>,
    groups: Vec<Vec<(usize, usize)>>,
    batch_rows: usize,
}

impl IpcFile {
    /// A decoder of these columns that knows the dictionaries.
    fn decoder(&self, columns: &[usize]) -> Result<FileDecoder, SourceError> {
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version).with_projection(columns.to_vec());
        for block in &self.dictionaries {
            decoder
                .read_dictionary(block, &self.block(block)?)
                .map_err(|error| SourceError::world(format!("a dictionary cannot be read: {error}")))?;
        }
        Ok(decoder)
    }

    fn block(&self, block: &Block) -> Result<Buffer, SourceError> {
        let mut bytes = Vec::new();
        let length = block.metaDataLength() as u64 + block.bodyLength() as u64;
        self.bytes.read(block.offset() as u64, block.offset() as u64 + length, &mut bytes)?;
        Ok(Buffer::from_vec(bytes))
    }
}

impl IpcSplits {
    fn read(&self, decoder: &FileDecoder, file: usize, number: usize) -> Result<RecordBatch, SourceError> {
        let block = &self.files[file].blocks[number].block;
        let buffer = self.files[file].block(block)?;
        let damaged = |what: String| SourceError::world(format!("batch {number} cannot be read: {what}"));
        let batch = decoder.read_record_batch(block, &buffer).map_err(|error| damaged(error.to_string()))?;
        convert_batch(&batch.ok_or_else(|| damaged("there is none".into()))?, &self.schema)
    }
}

impl Splits for IpcSplits {
    fn kind(&self) -> &'static str {
        "ipc"
    }

    fn detail(&self) -> String {
        format!("files={}", self.files.len())
    }

    fn count(&self) -> usize {
        self.groups.len()
    }

    fn open(self: Arc<Self>, piece: usize, _: &Arc<TaskContext>, _: &ExecutionPlanMetricsSet) -> Result<Batches, Failure> {
        let group = self.groups.get(piece).cloned().ok_or_else(|| SourceError::broken(format!("there is no piece {piece}")))?;
        let this = self;
        let mut known: Option<(usize, FileDecoder)> = None;
        let mut read = move |file: usize, number: usize| {
            if known.as_ref().is_none_or(|(of, _)| *of != file) {
                known = Some((file, this.files[file].decoder(&this.columns)?));
            }
            let (_, decoder) = known.as_ref().ok_or_else(|| SourceError::broken("a decoder that was just made is gone"))?;
            let read = std::panic::catch_unwind(AssertUnwindSafe(|| this.read(decoder, file, number)));
            let batch = read.unwrap_or_else(|_| Err(SourceError::world(format!("batch {number} is damaged: it cannot be decoded"))));
            let batch = batch.map_err(|error| error.at(format!("`{}`", this.files[file].bytes.name())))?;
            Ok::<_, SourceError>(cut_batch(&batch, this.batch_rows))
        };
        let batches = group
            .into_iter()
            .flat_map(move |(file, number)| read(file, number).unwrap_or_else(|error: SourceError| vec![Err(to_datafusion(error))]));
        Ok(futures::stream::iter(batches).boxed())
    }
}
