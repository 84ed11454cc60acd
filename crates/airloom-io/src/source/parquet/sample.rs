//! How many different values a column has, guessed from some of its rows where the footers do not say.

use super::ParquetTable;
use super::footer::Footer;
use crate::failure::from_datafusion;
use crate::source::schema::convert;
use crate::source::statistics::column_facts;
use crate::source::table::{ScanSpec, Table};
use crate::source::wait::wait;
use airloom_compute::data::SourceError;
use arrow::array::{ArrayRef, RecordBatch};
use datafusion_datasource::PartitionedFile;
use datafusion_datasource_parquet::{CachedParquetFileReaderFactory, ParquetFileReaderFactory};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::TryStreamExt;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, RowSelection, RowSelector};
use parquet::arrow::async_reader::{AsyncFileReader, ParquetRecordBatchStreamBuilder};
use std::sync::Arc;

/// How many rows are looked at, in one row group.
const ROWS: usize = 1 << 14;
/// How many rows a batch has where a whole column is read.
const WHOLE_ROWS: usize = 1 << 16;

/// About how many different values a column has: rows of the row group in the middle are read as a sample of the others. `None` for nested columns.
pub(crate) fn distinct(table: &ParquetTable, column: usize) -> Result<Option<u64>, SourceError> {
    let field = table.file_schema.field(column);
    let groups = table.footers.iter().enumerate().flat_map(|(file, footer)| {
        let rows = footer.metadata.row_groups().iter().map(|group| group.num_rows().max(0) as usize);
        rows.enumerate().map(move |(group, rows)| (file, group, rows))
    });
    let groups: Vec<(usize, usize, usize)> = groups.filter(|(_, _, rows)| *rows > 0).collect();
    if groups.is_empty() || field.data_type().is_nested() {
        return Ok(None);
    }
    let (file, group, rows) = groups[groups.len() / 2];
    let footer = &table.footers[file];
    let Ok(position) = footer.reader_schema.index_of(field.name()) else { return Ok(None) };
    let chunks = wait(read(table, file, footer, group, position, rows))?;
    let chunks = chunks.iter().map(|chunk| convert(chunk, field.data_type())).collect::<Result<Vec<_>, _>>()?;
    let facts = column_facts(&chunks);
    let Some(seen) = facts.distinct.filter(|_| facts.rows > 0) else { return Ok(None) };
    // Few values in many rows are probably all there are; as many values as rows go on being new.
    let share = seen as f64 / facts.rows as f64;
    let guess = if share < 0.1 { seen as f64 } else { share * table.rows as f64 };
    Ok(Some((guess.round() as u64).clamp(1, table.rows.max(1))))
}

/// A column as a whole, in its physical type.
pub(crate) fn read_whole(table: &ParquetTable, column: usize) -> Result<Vec<ArrayRef>, SourceError> {
    let request = ScanSpec::of(vec![column], 1, WHOLE_ROWS);
    let scan = table.scan(&request)?;
    let stream = scan.plan.execute(0, Arc::new(TaskContext::default())).map_err(|error| from_datafusion(&error).into_source())?;
    wait(async move {
        let batches: Vec<RecordBatch> = stream.try_collect().await.map_err(|error| from_datafusion(&error).into_source())?;
        Ok(batches.iter().map(|batch| Arc::clone(batch.column(0))).collect())
    })
}

async fn read(
    table: &ParquetTable,
    file: usize,
    footer: &Footer,
    group: usize,
    position: usize,
    rows: usize,
) -> Result<Vec<ArrayRef>, SourceError> {
    let listed = &table.listing.files[file];
    let failed = |error: &dyn std::fmt::Display| SourceError::world(format!("cannot read `{}`, row group {group}: {error}", listed.url));
    let options = ArrowReaderOptions::new().with_schema(Arc::clone(&footer.reader_schema));
    let metadata = ArrowReaderMetadata::try_new(Arc::clone(&footer.metadata), options).map_err(|error| failed(&error))?;
    let reader: Box<dyn AsyncFileReader> = CachedParquetFileReaderFactory::new(Arc::clone(&table.listing.store), Arc::clone(&table.cache))
        .create_reader(0, PartitionedFile::new_from_meta(listed.meta.clone()), None, &ExecutionPlanMetricsSet::new())
        .map_err(|error| failed(&error))?;
    let mask = ProjectionMask::roots(footer.metadata.file_metadata().schema_descr(), [position]);
    let take = rows.min(ROWS);
    let selection = RowSelection::from(vec![RowSelector::select(take), RowSelector::skip(rows - take)]);
    let stream = ParquetRecordBatchStreamBuilder::new_with_metadata(reader, metadata)
        .with_projection(mask)
        .with_row_groups(vec![group])
        .with_row_selection(selection)
        .with_batch_size(ROWS)
        .build()
        .map_err(|error| failed(&error))?;
    let batches: Vec<_> = stream.try_collect().await.map_err(|error| failed(&error))?;
    Ok(batches.iter().map(|batch| Arc::clone(batch.column(0))).collect())
}
