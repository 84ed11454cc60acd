//! Scans by this decoder: which row groups, in which pieces.

use super::group::{Group, Progress, Tests};
use super::pages::Pages;
use super::supported::{make, supports};
use crate::failure::{store_error, to_datafusion};
use crate::source::parquet::ParquetTable;
use crate::source::parquet::footer::Footer;
use crate::source::parquet::scan::{Unit, catch_damage, divide, size_of};
use crate::source::splits::{Batches, Splits};
use crate::source::table::{PartitionSize, ScanPredicate, ScanSpec};
use airloom_compute::data::{Failure, SourceError};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use datafusion_datasource_parquet::{ParquetAccessPlan, ParquetFileMetrics, RowGroupAccessPlanFilter};
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryLimit;
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::StreamExt;
use object_store::ObjectStore;
use object_store::path::Path;
use parquet::file::metadata::ParquetMetaData;
use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use tokio::task::JoinSet;

/// A scan by this decoder.
pub(crate) struct Direct {
    store: Arc<dyn ObjectStore>,
    files: Vec<File>,
    /// All columns that are read.
    read: SchemaRef,
    /// The columns that are emitted.
    kept: Vec<usize>,
    schema: SchemaRef,
    tests: Vec<Arc<dyn ScanPredicate>>,
    batch_rows: usize,
    /// The row groups of each piece.
    pieces: Vec<Vec<Unit>>,
    /// How many row groups the predicate rules out.
    ruled_out: usize,
}

/// A file, as far as it is read.
struct File {
    url: String,
    location: Path,
    metadata: Arc<ParquetMetaData>,
    /// For each column of the scan its position in the file.
    leaves: Vec<usize>,
}

/// A row group of no more bytes than this is fetched while the one before it is decoded.
const AHEAD: u64 = 32 << 20;

/// The share of the memory that the row groups being read and those fetched ahead of them may take.
const AHEAD_SHARE: u64 = 8;

/// The scan, where this decoder can do it. The predicate is in columns of the table, and only rules out row groups.
pub(crate) fn plan(
    table: &ParquetTable,
    request: &ScanSpec,
    predicate: Option<&Arc<dyn PhysicalExpr>>,
) -> Result<Option<Direct>, SourceError> {
    let schema = request.schema(&table.schema)?;
    if request.columns.is_empty() || request.limit.is_some() {
        return Ok(None);
    }
    let mut files = Vec::with_capacity(table.footers.len());
    for (listed, footer) in table.listing.files.iter().zip(&table.footers) {
        let Some(leaves) = leaves(table, request, footer) else { return Ok(None) };
        let (url, location) = (listed.url.clone(), listed.meta.location.clone());
        files.push(File { url, location, metadata: Arc::clone(&footer.metadata), leaves });
    }
    let mut units = Vec::new();
    let mut ruled_out = 0;
    let pruning = PruningPredicateBuilder::new().with_file_schema(Arc::clone(&table.file_schema));
    let pruning = predicate.and_then(|predicate| pruning.build(Arc::clone(predicate)));
    for (file, footer) in table.footers.iter().enumerate() {
        let kept = kept_groups(footer, pruning.as_deref());
        for (group, metadata) in footer.metadata.row_groups().iter().enumerate().filter(|(_, group)| group.num_rows() > 0) {
            if !kept[group] {
                ruled_out += 1;
                continue;
            }
            let bytes = files[file].leaves.iter().map(|&leaf| metadata.column(leaf).compressed_size().max(0) as u64).sum();
            units.push(Unit { file, group, rows: metadata.num_rows().max(0) as u64, bytes });
        }
    }
    let read = Arc::clone(&schema);
    let schema =
        schema.project(&request.kept).map_err(|error| SourceError::broken(format!("columns are kept that are not read: {error}")))?;
    Ok(Some(Direct {
        store: Arc::clone(&table.listing.store),
        files,
        read,
        kept: request.kept.clone(),
        schema: Arc::new(schema),
        tests: request.tests.clone(),
        batch_rows: request.batch_rows.max(1),
        pieces: divide(units, request.partitions),
        ruled_out,
    }))
}

/// The position of each column in a file, where all of them are there and can be decoded.
fn leaves(table: &ParquetTable, request: &ScanSpec, footer: &Footer) -> Option<Vec<usize>> {
    let descriptor = footer.metadata.file_metadata().schema_descr();
    let leaf = |&column: &usize| {
        let field = table.file_schema.fields().get(column)?;
        let (_, decoded) = footer.reader_schema.column_with_name(field.name())?;
        let leaf = descriptor.columns().iter().position(|leaf| leaf.path().parts() == [field.name().as_str()])?;
        let parts = footer.metadata.row_groups().iter().map(|group| group.column(leaf));
        let same = decoded.data_type() == field.data_type() && decoded.is_nullable() <= field.is_nullable();
        (same && supports(&descriptor.column(leaf), field.data_type(), parts)).then_some(leaf)
    };
    request.columns.iter().map(leaf).collect()
}

/// For each row group of a file whether the predicate may be true in it.
fn kept_groups(footer: &Footer, pruning: Option<&PruningPredicate>) -> Vec<bool> {
    let groups = footer.metadata.row_groups();
    let Some(pruning) = pruning else { return vec![true; groups.len()] };
    let mut filter = RowGroupAccessPlanFilter::new(ParquetAccessPlan::new_all(groups.len()));
    let metrics = ParquetFileMetrics::new(0, "", &ExecutionPlanMetricsSet::new());
    let descriptor = footer.metadata.file_metadata().schema_descr();
    filter.prune_by_statistics(&footer.reader_schema, descriptor, groups, pruning, &metrics);
    let plan = filter.build();
    (0..groups.len()).map(|group| plan.should_scan(group)).collect()
}

impl Direct {
    /// The columns that are emitted.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl fmt::Debug for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").field("files", &self.files.len()).field("pieces", &self.pieces.len()).finish()
    }
}

impl Splits for Direct {
    fn kind(&self) -> &'static str {
        "parquet"
    }

    fn detail(&self) -> String {
        let groups: usize = self.pieces.iter().map(Vec::len).sum();
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let first = self.files.first().map_or("no file", |file| file.url.as_str());
        let more = if self.files.len() > 1 { format!(" and {} more", self.files.len() - 1) } else { String::new() };
        let ruled_out = if self.ruled_out > 0 { format!(", {} ruled out", self.ruled_out) } else { String::new() };
        format!("{first}{more}, columns=[{}], row groups={groups}{ruled_out}, tests={}", names.join(", "), self.tests.len())
    }

    fn count(&self) -> usize {
        self.pieces.len()
    }

    fn sizes(&self) -> Vec<PartitionSize> {
        self.pieces.iter().map(|piece| size_of(piece)).collect()
    }

    fn learned(&self) -> Vec<&str> {
        let optional = self.tests.iter().filter(|test| test.is_optional()).flat_map(|test| test.columns());
        optional.map(|&column| self.read.field(column).name().as_str()).collect()
    }

    fn open(self: Arc<Self>, piece: usize, context: &Arc<TaskContext>, _: &ExecutionPlanMetricsSet) -> Result<Batches, Failure> {
        let units = self.pieces.get(piece).cloned().ok_or_else(|| SourceError::broken(format!("there is no piece {piece}")))?;
        let tests = Tests::new(&self.tests);
        // Every piece holds a row group while it fetches another.
        let most_ahead = match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(memory) => AHEAD.min(memory as u64 / AHEAD_SHARE / (2 * self.pieces.len() as u64)),
            _ => AHEAD,
        };
        let reading = Reading { scan: self, units: units.into(), ahead: JoinSet::new(), most_ahead, tests, group: None };
        Ok(futures::stream::unfold(Some(reading), |reading| async move {
            let mut reading = reading?;
            match reading.next().await {
                Ok(Some(batch)) => Some((Ok(batch), Some(reading))),
                Ok(None) => None,
                Err(error) => Some((Err(to_datafusion(error)), None)),
            }
        })
        .boxed())
    }
}

/// One piece being read.
struct Reading {
    scan: Arc<Direct>,
    units: VecDeque<Unit>,
    /// The bytes of the first unit's columns, on their way.
    ahead: JoinSet<object_store::Result<Vec<Bytes>>>,
    /// How many bytes are fetched ahead at most.
    most_ahead: u64,
    tests: Tests,
    group: Option<(Unit, Group)>,
}

impl Reading {
    async fn next(&mut self) -> Result<Option<RecordBatch>, SourceError> {
        loop {
            let Some((unit, group)) = &mut self.group else {
                match self.units.pop_front() {
                    Some(unit) => self.group = Some((unit, self.begin(unit).await?)),
                    None => return Ok(None),
                }
                continue;
            };
            let url = &self.scan.files[unit.file].url;
            let tests = &self.tests;
            match catch_damage(|| group.next(tests)).map_err(|error| error.at(format!("reading `{url}`, row group {}", unit.group)))? {
                Progress::Batch(batch) => return Ok(Some(batch)),
                Progress::Working => tokio::task::yield_now().await,
                Progress::End => self.group = None,
            }
        }
    }

    async fn begin(&mut self, unit: Unit) -> Result<Group, SourceError> {
        let scan = Arc::clone(&self.scan);
        let file = &scan.files[unit.file];
        let fetched = match self.ahead.join_next().await {
            Some(Ok(fetched)) => fetched,
            _ => fetch(Arc::clone(&scan.store), file.location.clone(), ranges(file, unit.group)?).await,
        };
        let fetched = fetched.map_err(|error| store_error("read", &file.url, &error))?;
        if let Some(next) = self.units.front().filter(|next| next.bytes <= self.most_ahead) {
            let file = &scan.files[next.file];
            self.ahead.spawn(fetch(Arc::clone(&scan.store), file.location.clone(), ranges(file, next.group)?));
        }
        let metadata = file.metadata.row_group(unit.group);
        let rows = metadata.num_rows().max(0) as usize;
        let mut columns = Vec::with_capacity(file.leaves.len());
        for ((&leaf, bytes), field) in file.leaves.iter().zip(fetched).zip(scan.read.fields()) {
            let column = metadata.column(leaf);
            let pages = catch_damage(|| Pages::new(column, rows, bytes)).map_err(|error| error.at(format!("reading `{}`", file.url)))?;
            let make = make(column.column_descr(), field.data_type());
            let make = make.ok_or_else(|| SourceError::broken("invariant `what is planned is supported`"))?;
            columns.push(make(pages, scan.batch_rows));
        }
        Ok(Group::new(columns, &scan.kept, Arc::clone(&scan.schema), rows, scan.batch_rows, &mut self.tests))
    }
}

/// Where the columns of a row group are.
fn ranges(file: &File, group: usize) -> Result<Vec<Range<u64>>, SourceError> {
    let metadata = file.metadata.row_group(group);
    let range = |&leaf: &usize| {
        let (start, length) = metadata.column(leaf).byte_range();
        start..start.saturating_add(length)
    };
    catch_damage(|| Ok(file.leaves.iter().map(range).collect())).map_err(|error| error.at(format!("reading `{}`", file.url)))
}

async fn fetch(store: Arc<dyn ObjectStore>, location: Path, ranges: Vec<Range<u64>>) -> object_store::Result<Vec<Bytes>> {
    store.get_ranges(&location, &ranges).await
}
