//! Rows to write.

use airloom_io::sink::{Format, Layout, Overwrite, ParquetWriting, Target, Written, write};
use airloom_io::source::{MemoryTable, ScanSpec, Table};
use arrow::array::{
    ArrayRef, BinaryViewArray, BooleanArray, Date32Array, Decimal64Array, Float64Array, Int64Array, RecordBatch, StringViewArray,
    TimestampMicrosecondArray,
};
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use std::path::Path;
use std::sync::Arc;

/// Rows `0..count` in `partitions` partitions: a number, a text, and a small group.
pub(crate) fn numbers(count: i64, partitions: usize) -> Arc<dyn ExecutionPlan> {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count));
    let text: ArrayRef = Arc::new(StringViewArray::from_iter_values((0..count).map(|n| format!("a text that is long enough, {n}"))));
    let group: ArrayRef =
        Arc::new(StringViewArray::from_iter((0..count).map(|n| [Some("a/b"), Some("ü"), None, Some("")][(n % 4) as usize])));
    let batch = RecordBatch::try_from_iter_with_nullable([("n", n, false), ("text", text, false), ("group", group, true)]).expect("fits");
    plan_of(batch, partitions)
}

/// Rows of every plain type, awkward ones among them.
pub(crate) fn awkward() -> RecordBatch {
    let money = Decimal64Array::from(vec![Some(0), None, Some(-1), Some(999_999_999_999)]).with_precision_and_scale(12, 2).expect("fits");
    let long = Decimal64Array::from(vec![Some(i64::from(i32::MAX) * 1000), None, Some(-1), Some(1)])
        .with_precision_and_scale(18, 0)
        .expect("fits");
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("whole", Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(0), Some(i64::MAX)])), true),
        ("float", Arc::new(Float64Array::from(vec![Some(-0.0), None, Some(1e-5), Some(f64::INFINITY)])), true),
        ("text ü", Arc::new(StringViewArray::from(vec![Some("a,\"b\"\nc"), None, Some(""), Some("NA ü")])), true),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)])), true),
        ("money", Arc::new(money), true),
        ("long", Arc::new(long), true),
        ("day", Arc::new(Date32Array::from(vec![Some(0), None, Some(-1), Some(20_000)])), true),
        ("stamp", Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None, Some(-1), Some(1_600_000_000_000_000)])), true),
        ("raw", Arc::new(BinaryViewArray::from(vec![Some(&b"\x00\xff"[..]), None, Some(b""), Some(b"x")])), true),
        ("nulls", Arc::new(Int64Array::from(vec![None; 4])), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("fits")
}

pub(crate) fn plan_of(batch: RecordBatch, partitions: usize) -> Arc<dyn ExecutionPlan> {
    let table = MemoryTable::new(&batch.schema(), std::slice::from_ref(&batch)).expect("a table");
    let columns = (0..batch.num_columns()).collect();
    table.scan(&ScanSpec::of(columns, partitions, 100)).expect("scans").plan
}

pub(crate) fn target(path: &Path, format: Format, layout: Layout, overwrite: Overwrite) -> Target {
    let url = path.to_str().expect("text").to_string();
    Target { url, format, layout, partition_by: Vec::new(), overwrite, store: Vec::new() }
}

pub(crate) fn parquet() -> Format {
    Format::Parquet(ParquetWriting { row_group_rows: 300, ..ParquetWriting::plain() })
}

pub(crate) fn run_write(plan: Arc<dyn ExecutionPlan>, target: &Target) -> Result<Written, airloom_compute::data::Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
    runtime.block_on(write(plan, Arc::new(TaskContext::default()), target))
}

/// Everything in a directory and below, in order.
pub(crate) fn everything(directory: &Path) -> Vec<String> {
    let mut left = vec![directory.to_path_buf()];
    let mut found = Vec::new();
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            found.push(entry.strip_prefix(directory).expect("below").display().to_string());
            if entry.is_dir() {
                left.push(entry);
            }
        }
    }
    found.sort();
    found
}
