//! What every source can do.

use super::sql::SqlTable;
use airloom_compute::data::SourceError;
use airloom_opt::facts::TableStatistics;
use arrow::array::ArrayRef;
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{Schema, SchemaRef};
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_plan::ExecutionPlan;
use std::fmt::Debug;
use std::sync::Arc;

/// A table that programs can read as a source.
pub trait Table: Send + Sync + Debug {
    /// What it is read from, in a word: `parquet`, `memory`.
    fn kind(&self) -> &'static str {
        "table"
    }

    /// Its columns, in the engine's physical types.
    fn schema(&self) -> SchemaRef;

    /// How many rows, only where exactly known without reading the data.
    fn rows(&self) -> Option<u64>;

    /// What is known of the columns asked for: exact or absent (distinct counts alone are estimates). Computed when first asked, then cached.
    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError>;

    /// A plan that reads the columns asked for, in that order. Partition `p` of the plan is the `p`-th contiguous piece of the table's rows: one
    /// partition after the other they are exactly the table's rows, in order, less those the predicate does not let through.
    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError>;

    /// What each partition of such a plan reads of files, where that is known without reading them.
    fn partitions(&self, _request: &ScanSpec) -> Result<Vec<PartitionSize>, SourceError> {
        Ok(Vec::new())
    }

    /// Whether its rows are in memory, so that nothing has to be waited for.
    fn is_in_memory(&self) -> bool {
        false
    }

    /// The table of a database that it is, which can be asked for more than rows.
    fn sql(self: Arc<Self>) -> Option<Arc<SqlTable>> {
        None
    }
}

/// What to read of a table.
#[derive(Clone, Debug)]
pub struct ScanSpec {
    /// The columns, by position in the table's schema, in the order in which they are wanted.
    pub columns: Vec<usize>,
    /// Rows for which this is not true are not wanted. Its columns are positions in `columns`.
    pub predicate: Option<Arc<dyn PhysicalExpr>>,
    /// Rows that one of these does not want are not wanted either. What they read is what the predicate says in words for statistics, and more.
    pub tests: Vec<Arc<dyn ScanPredicate>>,
    /// The columns, by position in `columns`, that are wanted for more than the predicate and the tests: a scan that applies all tests gives only these.
    pub kept: Vec<usize>,
    /// Only the first `limit` rows for which the predicate is true are wanted. A scan may emit more.
    pub limit: Option<usize>,
    /// Into how many partitions to divide the rows.
    pub partitions: Division,
    /// How many rows a batch should have.
    pub batch_rows: usize,
}

impl ScanSpec {
    /// A request for all rows of these columns.
    pub fn of(columns: Vec<usize>, partitions: usize, batch_rows: usize) -> ScanSpec {
        let kept = (0..columns.len()).collect();
        let partitions = Division { count: partitions, bytes: None };
        ScanSpec { columns, predicate: None, tests: Vec::new(), kept, limit: None, partitions, batch_rows }
    }

    /// The schema of the scan's rows, or an error where a column is not in the table.
    pub(crate) fn schema(&self, table: &Schema) -> Result<SchemaRef, SourceError> {
        check_columns(table, &self.columns)?;
        let fields: Vec<_> = self.columns.iter().map(|&column| Arc::clone(&table.fields()[column])).collect();
        Ok(Arc::new(Schema::new(fields)))
    }
}

/// How the rows of a table are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Division {
    /// How many there are at most, where nothing is said of their size.
    pub count: usize,
    /// How many bytes of its files a partition should read; then there are as many as that takes.
    pub bytes: Option<u64>,
}

/// What a partition of a scan reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PartitionSize {
    /// Of how many files.
    pub files: u64,
    /// How many of their row groups.
    pub row_groups: u64,
    /// How many rows they have.
    pub rows: u64,
    /// How many bytes they take in the files, of the columns that are read.
    pub bytes: u64,
}

/// A plan that reads a table.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The plan.
    pub plan: Arc<dyn ExecutionPlan>,
    /// Whether the predicate was applied to every row exactly, so that no filter is needed above.
    pub filtered: bool,
    /// Whether the tests were, but for those that only save work. Then the plan gives only the columns that are kept.
    pub tested: bool,
}

impl Scan {
    /// A plan that gives every row, whatever was asked.
    pub(crate) fn plain(plan: Arc<dyn ExecutionPlan>, request: &ScanSpec) -> Scan {
        Scan { plan, filtered: request.predicate.is_none(), tested: false }
    }
}

/// A test of rows, which a scan may apply to the columns it reads before it decodes the others.
pub trait ScanPredicate: Send + Sync + Debug {
    /// What it reads: positions in the columns of the request.
    fn columns(&self) -> &[usize];

    /// For each of `rows` rows whether it is wanted. It may be asked about values that are in no row.
    fn test(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer, SourceError>;

    /// Whether it only saves work: rows that it does not want do no harm.
    fn is_optional(&self) -> bool {
        false
    }

    /// Whether it can be asked yet. One that cannot is optional.
    fn is_ready(&self) -> bool {
        true
    }
}

/// An error where one of these positions is no column of the table.
pub(crate) fn check_columns(schema: &Schema, columns: &[usize]) -> Result<(), SourceError> {
    let width = schema.fields().len();
    match columns.iter().find(|&&column| column >= width) {
        Some(column) => Err(SourceError::user(format!("unknown column number {column}: the table has {width} columns"))),
        None => Ok(()),
    }
}
