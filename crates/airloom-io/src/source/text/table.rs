//! A table whose files were cut into pieces.

use super::bytes::FileBytes;
use crate::failure::to_datafusion;
use crate::source::listing::{Listing, Partitions};
use crate::source::schema::batch_of;
use crate::source::splits::{Batches, Splits, SplitsExec, cut_batch};
use crate::source::table::{Scan, ScanSpec};
use airloom_compute::data::{Failure, SourceError};
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::StreamExt;
use std::fmt::Debug;
use std::sync::Arc;

/// Whole records of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) file: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) rows: usize,
    /// The line, from 1, of the first record.
    pub(crate) first_line: u64,
}

/// What makes columns of the bytes of a piece.
pub(crate) trait Decode: Send + Sync + Debug {
    /// What the plan is called where it is shown.
    fn kind(&self) -> &'static str;

    /// These columns of the file, in this order, each with as many rows as the piece. Errors say on which line.
    fn decode(&self, bytes: &[u8], piece: &Piece, columns: &[usize]) -> Result<Vec<ArrayRef>, SourceError>;
}

/// Files cut into pieces, with what decodes them.
#[derive(Debug)]
pub(crate) struct TextTable {
    pub(crate) listing: Listing,
    pub(crate) partitions: Partitions,
    pub(crate) files: Vec<FileBytes>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) decoder: Arc<dyn Decode>,
    /// The columns of the files, then those of the directories.
    pub(crate) schema: SchemaRef,
}

impl TextTable {
    pub(crate) fn rows(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.rows as u64).sum()
    }

    /// How many columns the files have.
    fn width(&self) -> usize {
        self.schema.fields().len() - self.partitions.fields.len()
    }

    pub(crate) fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        let schema = request.schema(&self.schema)?;
        self.listing.check_unchanged()?;
        let limit = request.limit.filter(|_| request.predicate.is_none());
        let mut rows = 0;
        let wanted = self.pieces.iter().take_while(|piece| {
            let before = rows;
            rows += piece.rows;
            limit.is_none_or(|limit| before < limit)
        });
        let wanted: Vec<Piece> = wanted.filter(|piece| piece.rows > 0).cloned().collect();
        let count = request.partitions.count.clamp(1, wanted.len().max(1));
        let total: u64 = wanted.iter().map(|piece| piece.end - piece.start).sum::<u64>().max(1);
        let mut groups = vec![Vec::new(); count];
        let mut before = 0;
        for piece in wanted {
            let middle = before + (piece.end - piece.start) / 2;
            before += piece.end - piece.start;
            groups[(u128::from(middle) * count as u128 / u128::from(total)) as usize].push(piece);
        }
        groups.retain(|group| !group.is_empty());
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        let pieces = TextSplits {
            schema: Arc::clone(&schema),
            columns: request.columns.clone(),
            width: self.width(),
            groups,
            files: self.files.clone(),
            partitions: self.partitions.clone(),
            decoder: Arc::clone(&self.decoder),
            batch_rows: request.batch_rows.max(1),
        };
        Ok(Scan::plain(Arc::new(SplitsExec::new(schema, Arc::new(pieces))), request))
    }
}

/// Reads a piece and decodes it.
pub(crate) fn decode_piece(
    files: &[FileBytes],
    piece: &Piece,
    decoder: &dyn Decode,
    columns: &[usize],
) -> Result<Vec<ArrayRef>, SourceError> {
    let mut bytes = Vec::new();
    files[piece.file].read(piece.start, piece.end, &mut bytes)?;
    decoder.decode(&bytes, piece, columns).map_err(|error| error.at(format!("`{}`", files[piece.file].name())))
}

#[derive(Debug)]
struct TextSplits {
    schema: SchemaRef,
    columns: Vec<usize>,
    width: usize,
    groups: Vec<Vec<Piece>>,
    files: Vec<FileBytes>,
    partitions: Partitions,
    decoder: Arc<dyn Decode>,
    batch_rows: usize,
}

impl TextSplits {
    /// The rows of a piece in the order of columns that was asked for.
    fn read(&self, piece: &Piece) -> Result<RecordBatch, SourceError> {
        let inside: Vec<usize> = self.columns.iter().copied().filter(|column| *column < self.width).collect();
        let mut decoded = decode_piece(&self.files, piece, self.decoder.as_ref(), &inside)?.into_iter();
        let columns = self.columns.iter().map(|column| match column.checked_sub(self.width) {
            None => decoded.next().ok_or_else(|| SourceError::broken("a decoder gave fewer columns than it was asked for")),
            Some(partition) => {
                let value = &self.partitions.values[piece.file][partition];
                value.to_array_of_size(piece.rows).map_err(|error| SourceError::broken(error.strip_backtrace()))
            }
        });
        batch_of(Arc::clone(&self.schema), columns.collect::<Result<Vec<_>, _>>()?, piece.rows)
    }
}

impl Splits for TextSplits {
    fn kind(&self) -> &'static str {
        self.decoder.kind()
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
        let batches = group.into_iter().flat_map(move |piece| match this.read(&piece) {
            Ok(batch) => cut_batch(&batch, this.batch_rows),
            Err(error) => vec![Err(to_datafusion(error))],
        });
        Ok(futures::stream::iter(batches).boxed())
    }
}
