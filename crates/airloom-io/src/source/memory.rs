//! Tables in memory: Arrow arrays that the caller owns, read without a copy.

use super::column::{MemoryColumn, cut};
use super::schema::{batch_of, physical_schema};
use super::splits::{Batches, Splits, SplitsExec};
use super::statistics::{ColumnFacts, Pair, pair_of, summarise};
use super::table::{Scan, ScanSpec, Table, check_columns};
use crate::failure::to_datafusion;
use airloom_compute::data::{Failure, SourceError, cores, parallel_map};
use airloom_ir::name::Name;
use airloom_opt::facts::TableStatistics;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::StreamExt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Columns with fewer values than this are looked at and converted on the caller's thread: starting others costs more.
const WORTH_A_THREAD: usize = 1 << 16;

/// A table in memory. Columns are converted to the engine's physical types, and looked at for statistics, when first asked for.
#[derive(Debug)]
pub struct MemoryTable {
    schema: SchemaRef,
    /// How many rows each chunk has: all columns are cut at the same positions.
    lengths: Vec<usize>,
    rows: usize,
    columns: Vec<Column>,
}

/// A column, which may be in other tables too.
#[derive(Debug)]
struct Column {
    shared: Arc<MemoryColumn>,
    /// Its physical chunks, as long as those of the other columns of this table.
    cut: OnceLock<Arc<[ArrayRef]>>,
}

impl MemoryTable {
    /// The table of these batches, which all have this schema.
    pub fn new(schema: &Schema, batches: &[RecordBatch]) -> Result<MemoryTable, SourceError> {
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            if batch.num_columns() != schema.fields().len() {
                let (found, expected) = (batch.num_columns(), schema.fields().len());
                return Err(SourceError::user(format!("a batch has {found} columns where the table has {expected}")));
            }
        }
        let batches: Vec<&RecordBatch> = batches.iter().filter(|batch| batch.num_rows() > 0).collect();
        let columns = (0..schema.fields().len()).map(|at| batches.iter().map(|batch| Arc::clone(batch.column(at))).collect());
        let columns = shareable(schema, columns)?;
        MemoryTable::checked(schema, columns, batches.iter().map(|batch| batch.num_rows()).collect())
    }

    /// The table of these columns, each in chunks of its own: as they come from a chunked array. All must have `rows` rows.
    pub fn from_columns(schema: &Schema, columns: &[Vec<ArrayRef>], rows: usize) -> Result<MemoryTable, SourceError> {
        MemoryTable::of_shared(schema, shareable(schema, columns.iter().cloned())?, rows)
    }

    /// The table of columns that are in other tables too: what is found out about them here is known there. All must have `rows` rows.
    pub fn of_shared(schema: &Schema, columns: Vec<Arc<MemoryColumn>>, rows: usize) -> Result<MemoryTable, SourceError> {
        for (column, field) in columns.iter().zip(schema.fields()) {
            if column.rows() != rows {
                let (name, found) = (field.name(), column.rows());
                return Err(SourceError::user(format!("column `{name}` has {found} rows where the table has {rows}")));
            }
        }
        let lengths = common_lengths(&columns, rows);
        MemoryTable::checked(schema, columns, lengths)
    }

    fn checked(schema: &Schema, columns: Vec<Arc<MemoryColumn>>, lengths: Vec<usize>) -> Result<MemoryTable, SourceError> {
        for (column, field) in columns.iter().zip(schema.fields()) {
            let (name, said, found) = (field.name(), field.data_type(), column.data_type());
            if found != said {
                return Err(SourceError::user(format!("column `{name}` holds `{found}` where its schema says `{said}`")));
            }
            if !field.is_nullable() && *said != DataType::Null && column.nulls() > 0 {
                return Err(SourceError::user(format!("column `{name}` holds nulls where its schema says there are none")));
            }
        }
        let columns = columns.into_iter().map(|shared| Column { shared, cut: OnceLock::new() });
        let rows = lengths.iter().sum();
        Ok(MemoryTable { schema: physical_schema(schema)?, lengths, rows, columns: columns.collect() })
    }

    /// The same table, with the columns in which there are no nulls marked as never null.
    pub fn without_idle_nulls(mut self) -> MemoryTable {
        let fields = self.schema.fields().iter().zip(&self.columns);
        let fields = fields.map(|(field, column)| Arc::new(field.as_ref().clone().with_nullable(column.shared.nulls() > 0)));
        self.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        self
    }

    /// A column in its physical type, in chunks as long as those of every other column.
    pub fn column(&self, column: usize) -> Result<Arc<[ArrayRef]>, SourceError> {
        let own = &self.columns[column];
        if let Some(cut) = own.cut.get() {
            return Ok(Arc::clone(cut));
        }
        let whole = own.shared.physical().map_err(|error| self.about(column, error))?;
        Ok(Arc::clone(own.cut.get_or_init(|| cut(&whole, &self.lengths))))
    }

    /// A column as it came, in chunks as long as those of every other column.
    pub fn foreign_column(&self, column: usize) -> Arc<[ArrayRef]> {
        cut(&self.columns[column].shared.foreign().into(), &self.lengths)
    }

    /// How many values of a column are null.
    pub fn nulls(&self, column: usize) -> usize {
        self.columns[column].shared.nulls()
    }

    /// How many rows each chunk has.
    pub fn chunk_lengths(&self) -> &[usize] {
        &self.lengths
    }

    fn facts(&self, column: usize) -> Result<&ColumnFacts, SourceError> {
        self.columns[column].shared.facts().map_err(|error| self.about(column, error))
    }

    fn about(&self, column: usize, error: SourceError) -> SourceError {
        error.at(format!("column `{}`", self.schema.field(column).name()))
    }

    /// What two columns say together; looked at once.
    fn pair(&self, first: usize, second: usize) -> Option<Pair> {
        let (one, other) = (&self.columns[first].shared, &self.columns[second].shared);
        one.pair(other, || pair_of(&self.column(first).ok()?, &self.column(second).ok()?))
    }

    /// Does `work` for each column, on several threads where there is enough of it.
    fn for_each(&self, columns: &[usize], work: impl Fn(usize) -> Result<(), SourceError> + Sync) -> Result<(), SourceError> {
        if columns.len() < 2 || self.rows.saturating_mul(columns.len()) < WORTH_A_THREAD {
            return columns.iter().try_for_each(|&column| work(column));
        }
        parallel_map(cores(), columns.len(), || (), |(), number| work(columns[number])).map(|_| ())
    }
}

impl Table for MemoryTable {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows as u64)
    }

    fn is_in_memory(&self) -> bool {
        true
    }

    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError> {
        check_columns(&self.schema, columns)?;
        let missing: Vec<usize> = columns.iter().copied().filter(|&column| !self.columns[column].shared.is_known()).collect();
        self.for_each(&missing, |column| self.facts(column).map(|_| ()))?;
        let named = columns.iter().map(|&column| Ok((Name::new(self.schema.field(column).name()), self.facts(column)?.clone())));
        let named = named.collect::<Result<Vec<_>, SourceError>>()?;
        Ok(summarise(self.rows as u64, &named, |a, b| self.pair(columns[a], columns[b])))
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        let schema = request.schema(&self.schema)?;
        let missing: Vec<usize> = request.columns.iter().copied().filter(|&column| !self.columns[column].shared.is_converted()).collect();
        self.for_each(&missing, |column| self.column(column).map(|_| ()))?;
        let columns = request.columns.iter().map(|&column| self.column(column)).collect::<Result<Vec<_>, _>>()?;
        // Without a predicate the first rows are all that is wanted; with one, it is not known how many rows they come from.
        let rows = match (request.limit, &request.predicate) {
            (Some(limit), None) => self.rows.min(limit),
            _ => self.rows,
        };
        let pieces = MemorySplits {
            schema: Arc::clone(&schema),
            lengths: self.lengths.clone(),
            columns,
            ranges: divide(rows, request),
            batch_rows: request.batch_rows,
        };
        Ok(Scan::plain(Arc::new(SplitsExec::new(schema, Arc::new(pieces))), request))
    }
}

/// The rows of each partition: whole batches, as evenly as they go.
pub(crate) fn divide(rows: usize, request: &ScanSpec) -> Vec<Range<usize>> {
    let batch_rows = request.batch_rows.max(1);
    let batches = rows.div_ceil(batch_rows);
    let pieces = request.partitions.count.clamp(1, batches.max(1));
    let bound = |piece: usize| (batches * piece / pieces).saturating_mul(batch_rows).min(rows);
    (0..pieces).map(|piece| bound(piece)..bound(piece + 1)).collect()
}

/// Columns of chunks that are not shared.
fn shareable(schema: &Schema, columns: impl Iterator<Item = Vec<ArrayRef>>) -> Result<Vec<Arc<MemoryColumn>>, SourceError> {
    let one = |(chunks, field): (Vec<ArrayRef>, &FieldRef)| {
        MemoryColumn::new(field.data_type(), chunks).map(Arc::new).map_err(|error| error.at(format!("column `{}`", field.name())))
    };
    columns.zip(schema.fields()).map(one).collect()
}

/// How long chunks are that end wherever a chunk of one of these columns does.
fn common_lengths(columns: &[Arc<MemoryColumn>], rows: usize) -> Vec<usize> {
    if rows == 0 {
        return Vec::new();
    }
    // Most columns are in one piece.
    if columns.iter().all(|column| column.foreign().len() == 1) {
        return vec![rows];
    }
    let mut cuts = std::collections::BTreeSet::from([rows]);
    for column in columns {
        let mut end = 0;
        cuts.extend(column.foreign().iter().map(|chunk| {
            end += chunk.len();
            end
        }));
    }
    cuts.into_iter().scan(0, |before, end| Some(end - std::mem::replace(before, end))).collect()
}

/// Rows of memory, cut into batches as they are read.
#[derive(Debug)]
struct MemorySplits {
    schema: SchemaRef,
    lengths: Vec<usize>,
    columns: Vec<Arc<[ArrayRef]>>,
    ranges: Vec<Range<usize>>,
    batch_rows: usize,
}

impl Splits for MemorySplits {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn detail(&self) -> String {
        format!("rows={}", self.ranges.last().map_or(0, |range| range.end))
    }

    fn count(&self) -> usize {
        self.ranges.len()
    }

    fn rows(&self, piece: usize) -> Option<usize> {
        self.ranges.get(piece).map(ExactSizeIterator::len)
    }

    fn open(self: Arc<Self>, piece: usize, _: &Arc<TaskContext>, _: &ExecutionPlanMetricsSet) -> Result<Batches, Failure> {
        let range = self.ranges.get(piece).cloned().ok_or_else(|| SourceError::broken(format!("there is no piece {piece}")))?;
        let slices = slices(&self.lengths, range, self.batch_rows);
        let (schema, columns) = (Arc::clone(&self.schema), self.columns.clone());
        let batch = move |(chunk, rows): (usize, Range<usize>)| {
            let arrays = columns.iter().map(|column| column[chunk].slice(rows.start, rows.len())).collect();
            batch_of(Arc::clone(&schema), arrays, rows.len()).map_err(to_datafusion)
        };
        Ok(futures::stream::iter(slices.into_iter().map(batch)).boxed())
    }
}

/// Where the rows of a range are, chunk by chunk, at most `most` at a time.
fn slices(lengths: &[usize], range: Range<usize>, most: usize) -> Vec<(usize, Range<usize>)> {
    let most = most.max(1);
    let mut found = Vec::new();
    let mut before = 0;
    for (chunk, &length) in lengths.iter().enumerate() {
        let from = range.start.max(before).saturating_sub(before);
        let to = range.end.min(before + length).saturating_sub(before);
        let mut at = from;
        while at < to {
            let end = to.min(at + most);
            found.push((chunk, at..end));
            at = end;
        }
        before += length;
    }
    found
}
