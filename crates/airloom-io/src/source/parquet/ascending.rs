//! Keys of large tables: whether a column of integers is strictly ascending, and so has each value once.

use super::ParquetTable;
use super::statistics::groups_rise;
use crate::failure::from_datafusion;
use crate::source::statistics::{ColumnFacts, Order};
use crate::source::table::{ScanSpec, Table};
use crate::source::wait::wait;
use airloom_compute::data::SourceError;
use airloom_ir::attrs::SortKey;
use airloom_opt::facts::ColumnStatistics;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion_execution::TaskContext;
use futures::TryStreamExt;
use std::sync::Arc;

/// How many rows are read at once.
const ROWS: usize = 1 << 16;

/// What is known of a column that is strictly ascending from the first row to the last; nothing where it is not. It is read batch by batch, up to the first value that
/// does not rise; not at all where the footers tell.
pub(super) fn ascending(table: &ParquetTable, column: usize, known: &ColumnStatistics) -> Result<Option<ColumnFacts>, SourceError> {
    let field = table.file_schema.field(column);
    if !groups_rise(field.name(), field.data_type(), &table.footers) || !rises(table, column)? {
        return Ok(None);
    }
    let key = SortKey { descending: false, nulls_first: false };
    Ok(Some(ColumnFacts {
        rows: table.rows,
        nulls: 0,
        min: known.min.clone(),
        max: known.max.clone(),
        distinct: Some(table.rows),
        unique: true,
        order: Some(Order { key, strict: true, distinct: table.rows }),
    }))
}

fn rises(table: &ParquetTable, column: usize) -> Result<bool, SourceError> {
    let scan = table.scan(&ScanSpec::of(vec![column], 1, ROWS))?;
    let mut stream = scan.plan.execute(0, Arc::new(TaskContext::default())).map_err(|error| from_datafusion(&error).into_source())?;
    wait(async move {
        let mut last = None;
        while let Some(batch) = stream.try_next().await.map_err(|error| from_datafusion(&error).into_source())? {
            if !goes_on(batch.column(0), &mut last) {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

/// Whether every value is above the one before, and none is null; `last` is the last one so far.
fn goes_on(values: &ArrayRef, last: &mut Option<i64>) -> bool {
    let Ok(values) = cast(values, &DataType::Int64) else { return false };
    let numbers = values.as_primitive::<Int64Type>();
    let Some((&first, &end)) = numbers.values().first().zip(numbers.values().last()) else { return true };
    let rises = numbers.values().array_windows::<2>().all(|[before, after]| before < after);
    let follows = last.is_none_or(|last| last < first);
    *last = Some(end);
    rises && follows && numbers.null_count() == 0
}
