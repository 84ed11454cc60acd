//! Scans of Parquet files.

use super::predicate::apply;
use super::{LateDecoding, ParquetTable, decoder};
use crate::failure::{from_datafusion, to_datafusion};
use crate::source::splits::{Batches, Splits, SplitsExec};
use crate::source::table::{Division, PartitionSize, Scan, ScanSpec};
use airloom_compute::data::{Failure, SourceError};
use datafusion_common::DataFusionError;
use datafusion_common::config::TableParquetOptions;
use datafusion_datasource::file_groups::FileGroup;
use datafusion_datasource::file_scan_config::FileScanConfigBuilder;
use datafusion_datasource::source::DataSourceExec;
use datafusion_datasource::{PartitionedFile, TableSchema};
use datafusion_datasource_parquet::source::ParquetSource;
use datafusion_datasource_parquet::{CachedParquetFileReaderFactory, ParquetAccessPlan};
use datafusion_execution::TaskContext;
use datafusion_execution::object_store::ObjectStoreUrl;
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::utils::collect_columns;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use futures::StreamExt;
use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// The plan of a scan.
pub(crate) fn plan(table: &ParquetTable, request: &ScanSpec) -> Result<Scan, SourceError> {
    let schema = request.schema(&table.schema)?;
    let applied = request.predicate.as_ref().map(|predicate| {
        let name = |column: usize| table.schema.field(column).name();
        let everywhere = |column: usize| table.footers.iter().all(|footer| footer.reader_schema.field_with_name(name(column)).is_ok());
        apply(predicate, &request.columns, &table.schema, &table.file_schema, &everywhere)
    });
    let (predicate, exact) = applied.transpose()?.map_or((None, true), |applied| (applied.predicate, applied.exact));
    let known = |column: usize| table.column_statistics(column).ok().cloned();
    let late = predicate.as_ref().is_some_and(|predicate| table.late.decide(predicate, table.rows, &known));
    let pruned_elsewhere = late || predicate.as_ref().is_some_and(|predicate| has_bloom_filter(table, predicate));
    if table.late == LateDecoding::WherePays
        && !pruned_elsewhere
        && let Some(direct) = decoder::plan(table, request, predicate.as_ref())?
    {
        let plan = Arc::new(SplitsExec::new(direct.schema(), Arc::new(direct)));
        return Ok(Scan { plan, filtered: request.predicate.is_none(), tested: true });
    }
    let filtered = request.predicate.is_none() || (exact && late);
    let table_schema =
        TableSchema::builder(Arc::clone(&table.file_schema)).with_table_partition_cols(table.partitions.fields.clone()).build();
    let factory = CachedParquetFileReaderFactory::new(Arc::clone(&table.listing.store), Arc::clone(&table.cache));
    let mut source =
        ParquetSource::new(table_schema).with_table_parquet_options(options()).with_parquet_file_reader_factory(Arc::new(factory));
    if let Some(predicate) = predicate {
        source = source.with_predicate(predicate).with_pushdown_filters(late);
    }
    // A limit counts rows that come through, so it can be applied below only where the predicate is.
    let limit = request.limit.filter(|_| filtered);
    let pieces = divide(units(table, request, limit.filter(|_| request.predicate.is_none())), request.partitions);
    let sizes = pieces.iter().map(|piece| size_of(piece)).collect();
    let groups = partitioned(table, pieces);
    let names = groups.iter().map(|group| describe(table, group)).collect();
    let groups: Vec<FileGroup> =
        groups.into_iter().map(|group| FileGroup::new(group.into_iter().map(|(_, file)| file).collect())).collect();
    // The store belongs to the reader factory: the one that the runtime finds by this URL is never asked.
    let config = FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), Arc::new(source))
        .with_file_groups(groups)
        .with_projection_indices(Some(request.columns.clone()))
        .map_err(|error| SourceError::broken(error.strip_backtrace()))?
        .with_limit(limit)
        // No partition may take a file from another.
        .with_preserve_order(true)
        .with_batch_size(Some(request.batch_rows.max(1)))
        .build();
    let pieces = ParquetSplits { inner: DataSourceExec::from_data_source(config), names, sizes };
    Ok(Scan { plan: Arc::new(SplitsExec::new(schema, Arc::new(pieces))), filtered, tested: false })
}

/// Whether a column that the predicate reads has a Bloom filter, which rules out what bounds cannot.
fn has_bloom_filter(table: &ParquetTable, predicate: &Arc<dyn PhysicalExpr>) -> bool {
    let read = collect_columns(predicate);
    let named = |path: &[String]| read.iter().any(|column| path == [column.name()]);
    table
        .footers
        .iter()
        .flat_map(|footer| footer.metadata.row_groups())
        .flat_map(|group| group.columns())
        .any(|column| column.bloom_filter_offset().is_some() && named(column.column_path().parts()))
}

/// Everything that rules rows out before they are decoded is on: the bounds of row groups and of pages, and Bloom filters.
fn options() -> TableParquetOptions {
    let mut options = TableParquetOptions::default();
    options.global.pruning = true;
    options.global.enable_page_index = true;
    options.global.bloom_filter_on_read = true;
    options.global.reorder_filters = true;
    options
}

/// A row group to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) file: usize,
    pub(crate) group: usize,
    /// How many rows it has.
    pub(crate) rows: u64,
    /// What it takes to read it.
    pub(crate) bytes: u64,
}

/// What row groups of a piece are together.
pub(crate) fn size_of(units: &[Unit]) -> PartitionSize {
    PartitionSize {
        files: units.chunk_by(|one, other| one.file == other.file).count() as u64,
        row_groups: units.len() as u64,
        rows: units.iter().map(|unit| unit.rows).sum(),
        bytes: units.iter().map(|unit| unit.bytes).sum(),
    }
}

/// All row groups, or the first ones that together have `limit` rows.
fn units(table: &ParquetTable, request: &ScanSpec, limit: Option<usize>) -> Vec<Unit> {
    let wanted: HashSet<&str> = request.columns.iter().map(|&column| table.schema.field(column).name().as_str()).collect();
    let mut units = Vec::new();
    let mut rows = 0;
    for (file, footer) in table.footers.iter().enumerate() {
        for (group, metadata) in footer.metadata.row_groups().iter().enumerate() {
            if metadata.num_rows() == 0 || limit.is_some_and(|limit| rows >= limit) {
                continue;
            }
            rows += metadata.num_rows().max(0) as usize;
            let read = metadata
                .columns()
                .iter()
                .filter(|column| column.column_path().parts().first().is_some_and(|name| wanted.contains(name.as_str())));
            let bytes = read.map(|column| column.compressed_size().max(0) as u64).sum();
            units.push(Unit { file, group, rows: metadata.num_rows().max(0) as u64, bytes });
        }
    }
    units
}

/// Divides row groups into pieces: contiguous, in order, of about as many bytes each, so that small files come together and large ones are split. There is always one.
pub(crate) fn divide(units: Vec<Unit>, partitions: Division) -> Vec<Vec<Unit>> {
    // A byte more for each, so that rows of a column that takes none are distributed as well.
    let total = units.iter().map(|unit| unit.bytes + 1).sum::<u64>().max(1);
    let wanted = partitions.bytes.map_or(partitions.count as u64, |bytes| total.div_ceil(bytes.max(1)));
    let count = wanted.clamp(1, units.len().max(1) as u64);
    let mut pieces: Vec<Vec<Unit>> = vec![Vec::new(); count as usize];
    let mut before = 0;
    for unit in units {
        let bytes = unit.bytes + 1;
        // By its middle, so that a large group does not push everything after it one partition on.
        let piece = (u128::from(before + bytes / 2) * u128::from(count) / u128::from(total)) as usize;
        before += bytes;
        pieces[piece].push(unit);
    }
    pieces.retain(|piece| !piece.is_empty());
    if pieces.is_empty() {
        pieces.push(Vec::new());
    }
    pieces
}

/// The files of each partition, of which only its row groups are read.
fn partitioned(table: &ParquetTable, pieces: Vec<Vec<Unit>>) -> Vec<Vec<(usize, PartitionedFile)>> {
    let piece = |units: Vec<Unit>| {
        let of_one_file = units.chunk_by(|a, b| a.file == b.file);
        let file = |units: &[Unit]| {
            let (at, footer) = (units[0].file, &table.footers[units[0].file]);
            let mut access = ParquetAccessPlan::new_none(footer.metadata.num_row_groups());
            units.iter().for_each(|unit| access.scan(unit.group));
            let partitioned = PartitionedFile::new_from_meta(table.listing.files[at].meta.clone())
                .with_arrow_schema(Arc::clone(&footer.reader_schema))
                .with_partition_values(table.partitions.values[at].clone())
                .with_extension(access);
            (at, partitioned)
        };
        of_one_file.map(file).collect()
    };
    pieces.into_iter().map(piece).collect()
}

/// What to call the files of a partition where something goes wrong in it.
fn describe(table: &ParquetTable, group: &[(usize, PartitionedFile)]) -> String {
    let url = |at: usize| &table.listing.files[at].url;
    match group {
        [] => "no file".to_string(),
        [(only, _)] => format!("`{}`", url(*only)),
        [(first, _), .., (last, _)] => format!("one of {} files from `{}` to `{}`", group.len(), url(*first), url(*last)),
    }
}

fn damaged() -> SourceError {
    SourceError::world("the file is damaged: what it holds cannot be decoded")
}

/// Decodes something. Decoders believe what they read: bytes that are not what a writer would write may make them panic.
pub(crate) fn catch_damage<T>(decode: impl FnOnce() -> Result<T, SourceError>) -> Result<T, SourceError> {
    std::panic::catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| Err(damaged()))
}

/// The partitions of DataFusion's scan, with errors that say where they happened.
#[derive(Debug)]
struct ParquetSplits {
    inner: Arc<dyn ExecutionPlan>,
    names: Vec<String>,
    sizes: Vec<PartitionSize>,
}

impl Splits for ParquetSplits {
    fn kind(&self) -> &'static str {
        "parquet"
    }

    fn detail(&self) -> String {
        datafusion_physical_plan::displayable(self.inner.as_ref()).one_line().to_string().trim_end().to_string()
    }

    fn count(&self) -> usize {
        self.names.len()
    }

    fn sizes(&self) -> Vec<PartitionSize> {
        self.sizes.clone()
    }

    fn open(self: Arc<Self>, piece: usize, context: &Arc<TaskContext>, _: &ExecutionPlanMetricsSet) -> Result<Batches, Failure> {
        let name = self.names.get(piece).cloned().ok_or_else(|| SourceError::broken(format!("there is no piece {piece}")))?;
        let explain = move |error: &DataFusionError| match from_datafusion(error) {
            Failure::Source(error) => Failure::Source(error.at(format!("reading {name}"))),
            other => other,
        };
        let stream = self.inner.execute(piece, Arc::clone(context)).map_err(|error| explain(&error))?;
        let caught = AssertUnwindSafe(stream).catch_unwind().map(|batch| batch.unwrap_or_else(|_| Err(to_datafusion(damaged()))));
        Ok(caught.map(move |batch| batch.map_err(|error| to_datafusion(explain(&error)))).boxed())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.inner.metrics()
    }
}
