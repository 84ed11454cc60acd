//! What the tests of sources share: numbers that look random, plans run to the end, a directory that goes away.

use airloom_compute::data::{arrow_to_type, value_at};
use airloom_io::source::{Scan, ScanSpec, Table};
use airloom_ir::types::Types;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbers that look random, the same in every run.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }
}

/// A directory that is removed with everything in it when the test is over.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Directory {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("airloom-test-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // A process that was killed may have left one behind, and numbers of processes come again.
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("what was left behind can be removed");
        }
        std::fs::create_dir_all(&path).expect("a temporary directory can be made");
        Directory(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a directory can be made");
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs every partition of a plan, each to its end, and gives their batches partition by partition.
pub(crate) fn run_partitions(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<Vec<RecordBatch>>, datafusion_common::DataFusionError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let context = Arc::new(TaskContext::default());
        let mut tasks = Vec::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let mut stream = plan.execute(partition, Arc::clone(&context))?;
            tasks.push(tokio::spawn(async move {
                let mut batches = Vec::new();
                while let Some(batch) = stream.next().await {
                    batches.push(batch?);
                }
                Ok::<_, datafusion_common::DataFusionError>(batches)
            }));
        }
        let mut partitions = Vec::new();
        for task in tasks {
            partitions.push(task.await.expect("no partition panics")?);
        }
        Ok(partitions)
    })
}

/// All rows of a plan, as one batch.
pub(crate) fn run(plan: &Arc<dyn ExecutionPlan>) -> RecordBatch {
    let batches: Vec<RecordBatch> = run_partitions(plan).expect("the plan runs").into_iter().flatten().collect();
    for batch in &batches {
        assert_eq!(batch.schema().fields().len(), plan.schema().fields().len());
    }
    arrow::compute::concat_batches(&plan.schema(), &batches).expect("batches of one plan have one schema")
}

/// All rows of a table, read in `partitions` partitions.
pub(crate) fn read(table: &dyn Table, partitions: usize) -> RecordBatch {
    run(&scan(table, partitions).plan)
}

pub(crate) fn scan(table: &dyn Table, partitions: usize) -> Scan {
    let columns = (0..table.schema().fields().len()).collect();
    table.scan(&ScanSpec::of(columns, partitions, 100)).expect("the table can be scanned")
}

/// The values of an array in a physical type.
pub(crate) fn values(array: &ArrayRef) -> Vec<Value> {
    let mut types = Types::new();
    let ty = arrow_to_type(&mut types, array.data_type(), true).expect("the array has a physical type");
    (0..array.len()).map(|at| value_at(&types, ty, array, at)).collect()
}

/// The values of a column of a batch.
pub(crate) fn column(batch: &RecordBatch, name: &str) -> Vec<Value> {
    values(batch.column_by_name(name).unwrap_or_else(|| panic!("there is no column `{name}`")))
}

/// Writes batches into a Parquet file.
pub(crate) fn write_parquet(path: &Path, batches: &[RecordBatch], properties: Option<parquet::file::properties::WriterProperties>) {
    let file = std::fs::File::create(path).expect("a file can be made");
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batches[0].schema(), properties).expect("the schema can be written");
    for batch in batches {
        writer.write(batch).expect("the rows can be written");
    }
    writer.close().expect("the footer can be written");
}
