//! Scans of Parquet files.

use super::ParquetTable;
use super::predicate::apply;
use crate::source::error::SourceError;
use crate::source::pieces::{Batches, Pieces, PiecesExec};
use crate::source::table::ScanRequest;
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
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use futures::StreamExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// The plan of a scan, and whether it applies the whole predicate.
pub(crate) fn plan(table: &ParquetTable, request: &ScanRequest) -> Result<(PiecesExec, bool), SourceError> {
    let schema = request.schema(&table.schema)?;
    let table_schema =
        TableSchema::builder(Arc::clone(&table.file_schema)).with_table_partition_cols(table.partitions.fields.clone()).build();
    let factory = CachedParquetFileReaderFactory::new(Arc::clone(&table.listing.store), Arc::clone(&table.cache));
    let mut source =
        ParquetSource::new(table_schema).with_table_parquet_options(options()).with_parquet_file_reader_factory(Arc::new(factory));
    let mut filtered = true;
    if let Some(predicate) = &request.predicate {
        let name = |column: usize| table.schema.field(column).name();
        let everywhere = |column: usize| table.footers.iter().all(|footer| footer.reader_schema.field_with_name(name(column)).is_ok());
        let applied = apply(predicate, &request.columns, &table.schema, &table.file_schema, &everywhere)?;
        let known = |column: usize| table.column_statistics(column).ok().cloned();
        let late = applied.predicate.as_ref().is_some_and(|predicate| table.late.decide(predicate, table.rows, &known));
        filtered = applied.exact && late;
        if let Some(predicate) = applied.predicate {
            source = source.with_predicate(predicate).with_pushdown_filters(late);
        }
    }
    // A limit counts rows that come through, so it can be applied below only where the predicate is.
    let limit = request.limit.filter(|_| filtered);
    let groups = divide(table, request, limit.filter(|_| request.predicate.is_none()));
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
    let pieces = ParquetPieces { inner: DataSourceExec::from_data_source(config), names };
    Ok((PiecesExec::new(schema, Arc::new(pieces)), filtered))
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

/// The row groups of each partition, as files of which only these are read: contiguous, in order, of about as many bytes each.
fn divide(table: &ParquetTable, request: &ScanRequest, limit: Option<usize>) -> Vec<Vec<(usize, PartitionedFile)>> {
    let mut units = Vec::new();
    let mut rows = 0;
    for (file, footer) in table.footers.iter().enumerate() {
        for (number, group) in footer.metadata.row_groups().iter().enumerate() {
            if group.num_rows() == 0 || limit.is_some_and(|limit| rows >= limit) {
                continue;
            }
            rows += group.num_rows().max(0) as usize;
            // A byte more, so that rows of a column that takes none are spread as well.
            units.push((file, number, group.compressed_size().max(0) as u64 + 1));
        }
    }
    let pieces = request.partitions.clamp(1, units.len().max(1)) as u64;
    let total = units.iter().map(|(_, _, bytes)| bytes).sum::<u64>().max(1);
    let mut groups: Vec<Vec<(usize, PartitionedFile)>> = vec![Vec::new(); pieces as usize];
    let mut plans: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    let mut before = 0;
    for (file, number, bytes) in units {
        // By its middle, so that a large group does not push everything after it one partition on.
        let piece = (u128::from(before + bytes / 2) * u128::from(pieces) / u128::from(total)) as usize;
        before += bytes;
        match plans.last_mut() {
            Some((last_piece, last_file, numbers)) if *last_piece == piece && *last_file == file => numbers.push(number),
            _ => plans.push((piece, file, vec![number])),
        }
    }
    for (piece, file, numbers) in plans {
        let footer = &table.footers[file];
        let mut access = ParquetAccessPlan::new_none(footer.metadata.num_row_groups());
        numbers.iter().for_each(|number| access.scan(*number));
        let partitioned = PartitionedFile::new_from_meta(table.listing.files[file].meta.clone())
            .with_arrow_schema(Arc::clone(&footer.reader_schema))
            .with_partition_values(table.partitions.values[file].clone())
            .with_extension(access);
        groups[piece].push((file, partitioned));
    }
    groups.retain(|group| !group.is_empty());
    if groups.is_empty() {
        groups.push(Vec::new());
    }
    groups
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

/// The partitions of DataFusion's scan, with errors that say where they happened.
#[derive(Debug)]
struct ParquetPieces {
    inner: Arc<dyn ExecutionPlan>,
    names: Vec<String>,
}

impl Pieces for ParquetPieces {
    fn kind(&self) -> &'static str {
        "parquet"
    }

    fn detail(&self) -> String {
        datafusion_physical_plan::displayable(self.inner.as_ref()).one_line().to_string().trim_end().to_string()
    }

    fn count(&self) -> usize {
        self.names.len()
    }

    fn open(self: Arc<Self>, piece: usize, context: &Arc<TaskContext>, _: &ExecutionPlanMetricsSet) -> Result<Batches, SourceError> {
        let name = self.names.get(piece).cloned().ok_or_else(|| SourceError::broken(format!("there is no piece {piece}")))?;
        let explain = move |error: &DataFusionError| SourceError::from_plan(error).at(format!("reading {name}"));
        let stream = self.inner.execute(piece, Arc::clone(context)).map_err(|error| explain(&error))?;
        // Decoders believe what they read: bytes that are not what a writer would write may make them panic.
        let caught = AssertUnwindSafe(stream).catch_unwind().map(|batch| batch.unwrap_or_else(|_| Err(damaged().into())));
        Ok(caught.map(move |batch| batch.map_err(|error| explain(&error).into())).boxed())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.inner.metrics()
    }
}
