//! Rows written into parts by their hash, and read again part by part.

use airloom_compute::data::{PartPlaces, batch_size, compacted, record_batch};
use airloom_io::metrics::OperatorMetrics;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::{SendableRecordBatchStream, SpillFile, TaskContext};
use datafusion_physical_plan::SpillManager;
use datafusion_physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use std::sync::Arc;
use tracing::debug_span;

/// Into how many parts rows are cut.
pub const SPILL_PARTITIONS: usize = 128;

/// How many parts are worked on at once at most: each takes its share of the memory.
pub const SPILL_TASKS: usize = 4;

/// How many rows wait in memory before they are cut into parts: each batch on disk costs as much as some hundred rows do, to write and to read.
const WAITING_ROWS: usize = 1024 * SPILL_PARTITIONS;

/// And how many bytes.
const WAITING_BYTES: usize = 4 << 20;

/// How many bytes of a file are read at once where many files are merged: each of them has some in memory.
const MERGED: usize = 1 << 16;
/// And how many rows at least: those of a batch that is written cost as much as some rows do.
const MERGED_ROWS: usize = 256;

/// A file being written: rows are appended, then, with none, it is finished.
type Writing = Box<dyn FnMut(Option<&RecordBatch>) -> Result<Option<Arc<dyn SpillFile>>> + Send>;

/// Writes and reads rows of one schema.
#[derive(Clone)]
pub struct Spill {
    manager: Arc<SpillManager>,
    schema: SchemaRef,
}

impl Spill {
    /// For rows of a schema, in the folder of the run; counted for the operator that asks.
    pub fn new(context: &TaskContext, schema: SchemaRef) -> Spill {
        let metrics = match OperatorMetrics::working() {
            Some(counters) => SpillMetrics::new(counters.set().0, counters.set().1),
            None => SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0),
        };
        Spill { manager: Arc::new(SpillManager::new(context.runtime_env(), metrics, schema.clone())), schema }
    }

    /// A writer of parts.
    pub fn writer(&self) -> PartitionWriter {
        PartitionWriter {
            spill: self.clone(),
            files: (0..SPILL_PARTITIONS).map(|_| None).collect(),
            rows: vec![0; SPILL_PARTITIONS],
            waiting: Vec::new(),
            parts: Vec::new(),
            bytes: 0,
        }
    }

    fn begin(&self) -> Result<Writing> {
        let span = debug_span!("spill", columns = self.schema.fields().len());
        let mut file = span.in_scope(|| self.manager.create_in_progress_file("airloom"))?;
        Ok(Box::new(move |rows| {
            let _entered = span.enter();
            match rows {
                Some(rows) => file.append_batch(rows).map(|_| None),
                None => file.finish(),
            }
        }))
    }

    /// A file to write rows into.
    pub fn file(&self) -> SpillWriter {
        SpillWriter { file: None, spill: self.clone() }
    }

    /// The rows of a file.
    pub fn read(&self, file: Arc<dyn SpillFile>) -> Result<SendableRecordBatchStream> {
        self.manager.read_spill_as_stream(file, None)
    }

    /// The columns of its rows.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// One file being written; there is none as long as there are no rows.
pub struct SpillWriter {
    file: Option<Writing>,
    spill: Spill,
}

impl SpillWriter {
    /// Writes rows after those before, to be read a few at a time: for files that are merged.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        let step = (rows.num_rows() * MERGED / batch_size(rows).max(1)).max(MERGED_ROWS);
        (0..rows.num_rows()).step_by(step).try_for_each(|at| self.append(&rows.slice(at, step.min(rows.num_rows() - at))))
    }

    /// Writes rows after those before, to be read together.
    pub fn append(&mut self, rows: &RecordBatch) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.spill.begin()?),
        };
        file(Some(rows)).map(|_| ())
    }

    /// The file, where there are rows.
    pub fn finish(self) -> Result<Option<Arc<dyn SpillFile>>> {
        self.file.map_or(Ok(None), |mut file| file(None))
    }
}

/// Files being written, one for each part. Rows wait until there are enough of them for all parts: cut one batch at a time, each part would get a few rows, which
/// hold on to all text of the batch they came from.
pub struct PartitionWriter {
    spill: Spill,
    files: Vec<Option<Writing>>,
    /// How many rows each has.
    rows: Vec<usize>,
    waiting: Vec<RecordBatch>,
    /// The part of each row that waits.
    parts: Vec<u8>,
    bytes: usize,
}

impl PartitionWriter {
    /// Writes rows, each into the part of its hash. Rows of one part stay in their order.
    pub fn write(&mut self, batch: &RecordBatch, hashes: &[u64]) -> Result<()> {
        self.parts.extend(hashes.iter().map(|&hash| partition_of(hash) as u8));
        self.take(batch)
    }

    /// Writes rows, each into a part that is told. Rows of one part stay in their order.
    pub fn write_parts(&mut self, batch: &RecordBatch, parts: &[u8]) -> Result<()> {
        self.parts.extend(parts);
        self.take(batch)
    }

    /// Writes rows of one part.
    pub fn write_part(&mut self, batch: &RecordBatch, part: usize) -> Result<()> {
        self.parts.extend(std::iter::repeat_n(part as u8, batch.num_rows()));
        self.take(batch)
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        self.bytes += batch_size(batch);
        self.waiting.push(batch.clone());
        if self.parts.len() >= WAITING_ROWS || self.bytes >= WAITING_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let places = PartPlaces::new(&self.parts, SPILL_PARTITIONS);
        let column = |at: usize| places.scatter(&self.waiting.iter().map(|batch| batch.column(at).as_ref()).collect::<Vec<_>>());
        let columns: Vec<ArrayRef> = (0..self.spill.schema().fields().len()).map(column).collect();
        for part in 0..SPILL_PARTITIONS {
            let own = places.ends.of(part);
            if own.is_empty() {
                continue;
            }
            // A file has the text of its own rows alone.
            let columns = columns.iter().map(|column| compacted(&column.slice(own.start, own.len()))).collect();
            let rows = record_batch(self.spill.schema(), columns, own.len());
            let file = match &mut self.files[part] {
                Some(file) => file,
                none => none.insert(self.spill.begin()?),
            };
            file(Some(&rows))?;
            self.rows[part] += own.len();
        }
        self.waiting.clear();
        self.parts.clear();
        self.bytes = 0;
        Ok(())
    }

    /// The files, written.
    pub fn finish(mut self) -> Result<PartitionFiles> {
        self.flush()?;
        let files = self.files.into_iter().map(|file| file.map_or(Ok(None), |mut file| file(None))).collect::<Result<_>>()?;
        Ok(PartitionFiles { spill: self.spill, files, rows: self.rows })
    }
}

/// Which part a hash belongs to.
pub(crate) fn partition_of(hash: u64) -> usize {
    (hash >> 32) as usize % SPILL_PARTITIONS
}

/// Files that were written, one for each part that has rows.
pub struct PartitionFiles {
    spill: Spill,
    files: Vec<Option<Arc<dyn SpillFile>>>,
    rows: Vec<usize>,
}

impl PartitionFiles {
    /// The columns of the rows.
    pub fn schema(&self) -> &SchemaRef {
        self.spill.schema()
    }

    /// How many rows a part has.
    pub fn rows(&self, part: usize) -> usize {
        self.rows[part]
    }

    /// The rows of a part, in the order they were written.
    pub fn read(&self, part: usize) -> Result<Option<SendableRecordBatchStream>> {
        self.files[part].as_ref().map(|file| self.spill.read(file.clone())).transpose()
    }
}
