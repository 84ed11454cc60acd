//! Parquet files: one, many, or a tree of them.
//!
//! Footers are read once, when the table is opened, and serve its schema, its statistics and every scan. A scan reads the columns asked for and, of
//! those, only the row groups and pages that the predicate may be true in; where the predicate lets few rows through, the other columns are decoded for those
//! rows only. Flat columns in the usual encodings are decoded here; what else there is, DataFusion's reader reads.

mod ascending;
mod decoder;
mod footer;
mod predicate;
mod remembered;
mod sample;
mod scan;
mod selectivity;
mod statistics;

pub use selectivity::LateDecoding;

use super::listing::{FileOptions, Listing, Partitions, hive, list};
use super::splits::SplitsExec;
use super::statistics::{ColumnFacts, column_facts};
use super::table::{PartitionSize, Scan, ScanSpec, Table, check_columns};
use airloom_compute::data::SourceError;
use airloom_ir::name::Name;
use airloom_opt::facts::{ColumnStatistics, TableStatistics};
use arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion_execution::cache::cache_manager::FileMetadataCache;
use footer::Footer;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What a file's name must end with to count as one below a directory.
const ENDINGS: [&str; 3] = [".parquet", ".parq", ".pq"];

/// Columns of more rows than this are not read as a whole only to know more of them.
const LOOKED_AT: u64 = 1 << 21;
/// Nor are those of more than this read up to the first value that does not rise: that takes half a second.
const FOLLOWED: u64 = 1 << 26;

/// A table in Parquet files.
pub struct ParquetTable {
    listing: Listing,
    partitions: Partitions,
    footers: Vec<Footer>,
    cache: Arc<FileMetadataCache>,
    /// The columns of the files, in physical types.
    file_schema: SchemaRef,
    /// Those, then the columns of the directories.
    schema: SchemaRef,
    rows: u64,
    late: LateDecoding,
    facts: Vec<OnceLock<ColumnStatistics>>,
    /// What reading a column showed, where it was read for that.
    seen: Vec<OnceLock<ColumnFacts>>,
    /// Whether a column was followed to see whether it rises.
    followed: Vec<AtomicBool>,
}

impl fmt::Debug for ParquetTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, rows) = (self.footers.len(), self.rows);
        f.debug_struct("ParquetTable").field("given", &self.listing.given).field("files", &files).field("rows", &rows).finish()
    }
}

impl ParquetTable {
    /// The table of the files that these paths mean, all of which must agree on the types of the columns they share.
    pub fn open(paths: &[String], options: &FileOptions) -> Result<ParquetTable, SourceError> {
        let listing = list(paths, &ENDINGS, options)?;
        let partitions = hive::partitions(&listing.files)?;
        let (footers, cache) = footer::read_all(&listing)?;
        let file_schema = footer::common_schema(&listing, &footers, &partitions)?;
        let mut fields: Vec<Arc<Field>> = file_schema.fields().iter().map(Arc::clone).collect();
        fields.extend(partitions.fields.iter().map(Arc::clone));
        let schema = Arc::new(Schema::new(fields));
        let rows = footers.iter().map(Footer::rows).sum();
        let facts = schema.fields().iter().map(|_| OnceLock::new()).collect();
        let seen = schema.fields().iter().map(|_| OnceLock::new()).collect();
        let followed = schema.fields().iter().map(|_| AtomicBool::new(false)).collect();
        let late = LateDecoding::WherePays;
        Ok(ParquetTable { listing, partitions, footers, cache, file_schema, schema, rows, late, facts, seen, followed })
    }

    /// The same table, whose columns are decoded late when this says.
    pub fn with_late_decoding(mut self, late: LateDecoding) -> ParquetTable {
        self.late = late;
        self
    }

    /// How many bytes the files have.
    pub fn bytes(&self) -> u64 {
        self.listing.files.iter().map(|file| file.meta.size).sum()
    }

    /// Reads these columns as a whole to find out what footers do not say: whether values are unique, whether rows are sorted, how many values there are.
    /// What is found is part of the statistics from then on. It costs a scan of the columns, of which one of numbers takes some ten milliseconds for a million rows
    /// or two: worth it for the keys of joins.
    pub fn look_at(&self, columns: &[usize]) -> Result<(), SourceError> {
        check_columns(&self.schema, columns)?;
        for &column in columns.iter().filter(|column| self.seen[**column].get().is_none()) {
            let chunks = sample::read_whole(self, column)?;
            self.seen[column].get_or_init(|| column_facts(&chunks));
        }
        Ok(())
    }

    /// Looks at a column that may well be a key of the table, where reading it to be sure costs little. A key that is known for one decides the order of joins, which rows
    /// need an order at all, and by how many columns rows are grouped.
    fn look_at_key(&self, column: usize) -> Result<(), SourceError> {
        let whole = self.schema.field(column).data_type().is_integer();
        if !whole || !self.listing.local || self.rows > FOLLOWED || self.seen[column].get().is_some() {
            return Ok(());
        }
        let known = self.column_statistics(column)?;
        if known.nulls != Some(0) || known.distinct.is_none_or(|distinct| distinct < self.rows) {
            return Ok(());
        }
        if self.rows <= LOOKED_AT {
            return self.look_at(&[column]);
        }
        // What is not ascending is not read again. The names of directories are in no file.
        let in_files = column < self.file_schema.fields().len();
        if in_files
            && !self.followed[column].swap(true, Ordering::Relaxed)
            && let Some(facts) = ascending::ascending(self, column, known)?
        {
            self.seen[column].get_or_init(|| facts);
        }
        Ok(())
    }

    fn column_statistics(&self, column: usize) -> Result<&ColumnStatistics, SourceError> {
        if let Some(known) = self.facts[column].get() {
            return Ok(known);
        }
        let found = match column.checked_sub(self.file_schema.fields().len()) {
            Some(partition) => self.partition_statistics(partition),
            None => {
                let mut found = statistics::column(&self.file_schema, column, &self.footers)?;
                if found.distinct.is_none() {
                    found.distinct = sample::distinct(self, column)?;
                }
                found
            }
        };
        Ok(self.facts[column].get_or_init(|| found))
    }

    /// What the directories say of their column: each file has one value.
    fn partition_statistics(&self, partition: usize) -> ColumnStatistics {
        let mut facts = ColumnFacts { rows: self.rows, ..ColumnFacts::default() };
        let mut seen = std::collections::HashSet::new();
        for (footer, values) in self.footers.iter().zip(&self.partitions.values) {
            if footer.rows() == 0 {
                continue;
            }
            let value = hive::to_value(&values[partition]);
            if value.is_null() {
                facts.nulls += footer.rows();
            } else {
                statistics::widen(&mut facts.min, &mut facts.max, &value);
            }
            seen.insert(value);
        }
        facts.distinct = Some(seen.len() as u64);
        facts.to_statistics()
    }
}

impl Table for ParquetTable {
    fn kind(&self) -> &'static str {
        "parquet"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn statistics(&self, columns: &[usize]) -> Result<TableStatistics, SourceError> {
        check_columns(&self.schema, columns)?;
        let name = |column: usize| Name::new(self.schema.field(column).name());
        let mut found = TableStatistics { rows: Some(self.rows), ..TableStatistics::default() };
        let sorted = statistics::sorted(&self.file_schema, &self.footers).filter(|(column, _)| columns.contains(column));
        found.sorted = sorted.map(|(column, key)| (name(column), key)).into_iter().collect();
        for &column in columns {
            self.look_at_key(column)?;
            let seen = self.seen[column].get();
            let known = match seen {
                Some(seen) => seen.to_statistics(),
                None => self.column_statistics(column)?.clone(),
            };
            found.columns.insert(name(column), known);
            if self.rows <= 1 || seen.is_some_and(|seen| seen.unique) {
                found.unique.push(vec![name(column)]);
            }
            if let Some(order) = seen.and_then(|seen| seen.order).filter(|order| found.sorted.is_empty() && order.distinct > 1) {
                found.sorted.push((name(column), order.key));
            }
        }
        Ok(found)
    }

    fn scan(&self, request: &ScanSpec) -> Result<Scan, SourceError> {
        self.listing.check_unchanged()?;
        scan::plan(self, request)
    }

    fn partitions(&self, request: &ScanSpec) -> Result<Vec<PartitionSize>, SourceError> {
        let scan = scan::plan(self, request)?;
        Ok(scan.plan.downcast_ref::<SplitsExec>().map(SplitsExec::sizes).unwrap_or_default())
    }
}
