//! What reading files costs beside the crates that could read them: CSV and JSON beside Arrow's readers, Parquet beside the `parquet` crate's.
//!
//! Run by `make bench-files`, on one core, which is what the readers of the crates use. `ARGS` names the files to measure, such as `csv` or `csv-wide`.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod written;

use airloom_io::source::csv::whole::{Kind, Request, Wanted, read_whole};
use airloom_io::source::csv::{Dialect, Digits, Missing, Rounding, Truths};
use airloom_io::source::json::whole::{Records, read_records};
use airloom_io::source::{CsvOptions, CsvTable, FileOptions, JsonTable, ParquetTable, ScanSpec, Table};
use arrow::record_batch::RecordBatchReader;
use datafusion_execution::TaskContext;
use futures::StreamExt;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// As in the Python extension: with the system's allocator all readers would be measured by how it clears pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each reader reads each file; the best time counts.
const TURNS: usize = 7;
/// About how long files are.
const BYTES: usize = 48 << 20;

/// Reads a file, and says how many rows there are.
type Read = fn(&Path) -> usize;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let folder = std::env::temp_dir().join(format!("airloom-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let csv: &[(&str, Read)] = &[("stream", csv_stream), ("at once", csv_at_once), ("arrow", csv_arrow)];
    let json: &[(&str, Read)] = &[("at once", json_at_once), ("stream, of arrow's decoder", json_stream), ("arrow", json_arrow)];
    let parquet: &[(&str, Read)] = &[("ours", parquet_ours), ("crate", parquet_crate)];
    for (name, write, readers) in [
        ("csv-plain", written::plain as fn(usize, &Path), csv),
        ("csv-quoted", written::quoted, csv),
        ("csv-wide", written::wide, csv),
        ("csv-text", written::text, csv),
        ("json", written::json, json),
        ("parquet", written::parquet, parquet),
    ] {
        if !wanted.is_empty() && !wanted.iter().any(|word| name.starts_with(word.as_str())) {
            continue;
        }
        let path = folder.join(name);
        write(BYTES, &path);
        measure(name, &path, readers);
    }
    std::fs::remove_dir_all(&folder).expect("what was written can be removed");
}

/// Turn by turn, so that a busy machine disturbs all readers alike.
fn measure(name: &str, path: &Path, readers: &[(&str, Read)]) {
    let mut best = vec![Duration::MAX; readers.len()];
    let mut rows = vec![0; readers.len()];
    for _ in 0..TURNS {
        for (at, (_, read)) in readers.iter().enumerate() {
            let start = Instant::now();
            rows[at] = read(path);
            best[at] = best[at].min(start.elapsed());
        }
    }
    assert!(rows.iter().all(|count| *count == rows[0]), "readers differ in the number of rows: {rows:?}");
    let megabytes = std::fs::metadata(path).expect("the file is there").len() as f64 / 1e6;
    println!("{name}: {} rows, {megabytes:.0} MB", rows[0]);
    for ((reader, _), time) in readers.iter().zip(best) {
        println!("  {reader:28} {:7.1} ms {:7.0} MB/s", time.as_secs_f64() * 1e3, megabytes / time.as_secs_f64());
    }
}

fn paths(path: &Path) -> Vec<String> {
    vec![path.display().to_string()]
}

/// All rows of a table, one partition for each core.
fn scanned(table: &dyn Table) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let columns = (0..table.schema().fields().len()).collect();
    let plan = table.scan(&ScanSpec::of(columns, cores, 8192)).expect("the table can be scanned").plan;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(cores).enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for partition in 0..plan.properties().output_partitioning().partition_count() {
            let mut stream = plan.execute(partition, Arc::new(TaskContext::default())).expect("the scan begins");
            tasks.push(tokio::spawn(async move {
                let mut rows = 0;
                while let Some(batch) = stream.next().await {
                    rows += batch.expect("rows are read").num_rows();
                }
                rows
            }));
        }
        let mut rows = 0;
        for task in tasks {
            rows += task.await.expect("no partition panics");
        }
        rows
    })
}

fn csv_stream(path: &Path) -> usize {
    scanned(&CsvTable::open(&paths(path), &FileOptions::plain(), &CsvOptions::plain()).expect("the file can be read"))
}

fn csv_at_once(path: &Path) -> usize {
    let digits = Digits { decimal: b'.', thousands: None, rounding: Rounding::Pandas };
    let truths = Truths { yes: Vec::new(), no: Vec::new() };
    let header = std::fs::read(path).expect("the file is there");
    let width = header.iter().take_while(|byte| **byte != b'\n').filter(|byte| **byte == b',').count() + 1;
    drop(header);
    let request = Request {
        path: path.to_path_buf(),
        dialect: Dialect { delimiter: b',', quote: Some(b'"'), comment: None, skip_space: false, as_pandas: true },
        digits,
        missing: vec![Missing::new(vec![b"".to_vec(), b"NA".to_vec(), b"NaN".to_vec()], Vec::new(), digits, &truths)],
        truths,
        skipped: Vec::new(),
        header: 1,
        start: None,
        width,
        strict: true,
        exact: false,
        columns: (0..width).map(|place| Wanted { place, kind: Kind::Any, missing: Some(0) }).collect(),
        most: None,
        chunk: None,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        piece: 1 << 20,
    };
    read_whole(&request).expect("the file can be read").0
}

fn csv_arrow(path: &Path) -> usize {
    let mut file = File::open(path).expect("the file is there");
    let format = arrow::csv::reader::Format::default().with_header(true);
    let (schema, _) = format.infer_schema(BufReader::new(&mut file), None).expect("types can be found out");
    file.rewind().expect("the file can be read again");
    let builder = arrow::csv::ReaderBuilder::new(Arc::new(schema)).with_header(true).with_batch_size(8192);
    builder.build(file).expect("the file can be read").map(|batch| batch.expect("rows are read").num_rows()).sum()
}

fn json_stream(path: &Path) -> usize {
    scanned(&JsonTable::open(&paths(path), &FileOptions::plain()).expect("the file can be read"))
}

fn json_at_once(path: &Path) -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let request = Records { path: path.to_path_buf(), lines: true, precise: true, threads, piece: 1 << 20 };
    read_records(&request).expect("the file can be read").0
}

fn json_arrow(path: &Path) -> usize {
    let mut file = BufReader::new(File::open(path).expect("the file is there"));
    let (schema, _) = arrow::json::reader::infer_json_schema(&mut file, None).expect("types can be found out");
    file.rewind().expect("the file can be read again");
    let builder = arrow::json::ReaderBuilder::new(Arc::new(schema)).with_batch_size(8192);
    builder.build(file).expect("the file can be read").map(|batch| batch.expect("rows are read").num_rows()).sum()
}

fn parquet_ours(path: &Path) -> usize {
    scanned(&ParquetTable::open(&paths(path), &FileOptions::plain()).expect("the file can be read"))
}

fn parquet_crate(path: &Path) -> usize {
    let file = File::open(path).expect("the file is there");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("the footer can be read").with_batch_size(8192).build();
    let reader = reader.expect("the file can be read");
    assert!(!reader.schema().fields().is_empty());
    reader.map(|batch| batch.expect("rows are read").num_rows()).sum()
}
