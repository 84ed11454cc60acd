//! Data four times the memory budget: sorted, grouped, joined, made distinct, in windows, read twice, cut off, drawn from and written, with the right answer, within 1.3 times the
//! budget.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a test that starts itself again, and says what it measured")]

use airloom_compute::data::Datum;
use airloom_compute::data::Native;
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::{Catalog, Output, Run};
use airloom_io::sink::{Format, Layout, Overwrite, ParquetWriting, Target};
use airloom_io::source::{FileOptions, ParquetTable};
use airloom_ir::value::Value;
use airloom_opt::registry::Registry;
use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BUDGET: usize = 256 << 20;
const ROWS: i64 = 16_000_000;
/// What a row takes in memory: two integers, a float, and the view and the bytes of a text of twenty.
const ROW: i64 = 8 + 8 + 8 + 16 + 20;
const CHUNK: i64 = 250_000;
const WHICH: &str = "AIRLOOM_TEST_OUT_OF_CORE";
const FOLDER: &str = "AIRLOOM_TEST_FOLDER";

/// A number for each row that looks random and is unique: `ROWS` has no factor in common with the step.
fn key(row: i64) -> i64 {
    row.wrapping_mul(7_919_999) % ROWS
}

fn write(path: &Path) {
    let batch = |start: i64| {
        let rows = start..start + CHUNK;
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("k", Arc::new(Int64Array::from_iter_values(rows.clone().map(key)))),
            ("v", Arc::new(Int64Array::from_iter_values(rows.clone()))),
            ("x", Arc::new(Float64Array::from_iter_values(rows.clone().map(|r| r as f64 / 3.0)))),
            ("t", Arc::new(StringArray::from_iter_values(rows.map(|r| format!("text of row {r:08}"))))),
        ];
        RecordBatch::try_from_iter(columns).expect("columns of one length")
    };
    let file = std::fs::File::create(path).expect("a file");
    let properties = parquet::file::properties::WriterProperties::builder().set_max_row_group_row_count(Some(CHUNK as usize)).build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch(0).schema(), Some(properties)).expect("a writer");
    (0..ROWS).step_by(CHUNK as usize).for_each(|start| writer.write(&batch(start)).expect("rows are written"));
    writer.close().expect("the file is whole");
}

/// The most memory this process has had.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process's own state");
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("the peak is there");
    line.split_whitespace().nth(1).and_then(|n| n.parse::<usize>().ok()).expect("kilobytes") * 1024
}

const TABLE: &str = "source \"t\": rel{k: i64?, v: i64?, x: f64?, t: str?}";

/// A slice of all rows but three: how many of its rows have a `v` that is `first` more than their number, and the bytes of their text.
fn slice(offset: i64, length: &str, first: i64) -> String {
    format!(
        "func @f() -> rel{{right: i64, bytes: i64}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  numbered = rel.number{{name: \"i\"}}(rel.slice(some, {offset}, {length}))
  right = rel.filter(numbered) |r| eq(r.v, add(r.i, {first}))
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
    )
}

/// Each program ends in few rows that say whether all were right.
fn program(which: &str) -> (String, Vec<i128>) {
    let n = i128::from(ROWS);
    match which {
        // Sorted by `k`, the row numbered `i` has `k == i`: the number of rows for which that holds is all of them.
        "sort" => (
            format!(
                "func @f() -> rel{{right: i64, bytes: i64}} {{
  sorted = rel.sort{{by: [asc.last]}}({TABLE}) |r| {{k: r.k}}
  numbered = rel.number{{name: \"i\"}}(sorted)
  right = rel.filter(numbered) |r| eq(r.k, r.i)
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            vec![n, n * 20],
        ),
        // A group for each key: as many groups as rows, and the sum of their sums is the sum of all.
        "group" => (
            format!(
                "func @f() -> rel{{groups: i64, sum: i64}} {{
  grouped = rel.group({TABLE}) |r| {{k: r.k, t: r.t}} |g| {{sum: arr.sum{{skip: null}}(g.v), n: arr.count{{skip: none}}(g.v)}}
  return rel.group(grouped) |r| {{}} |g| {{groups: arr.sum(g.n), sum: arr.sum(g.sum)}}
}}"
            ),
            vec![n, n * (n - 1) / 2],
        ),
        // Every row finds the one row whose `v` is its `k`.
        "join" => (
            format!(
                "func @f() -> rel{{pairs: i64, sum: i64}} {{
  other = rel.project({TABLE}) |r| {{w: r.v, u: r.t, y: r.x}}
  joined = rel.join({TABLE}, other) |l| {{k: l.k}} |r| {{k: r.w}} |l, r| true
  return rel.group(joined) |r| {{}} |g| {{pairs: arr.count{{skip: none}}(g.u), sum: arr.sum{{skip: null}}(arr.map(g.w, g.t) |w, t| add(w, coalesce(str.len(t), 0)))}}
}}"
            ),
            vec![n, n * (n - 1) / 2 + n * 20],
        ),
        // Every row comes twice, and the first of each key is kept, at its position: the row numbered `i` has `v == i`.
        "distinct" => (
            format!(
                "func @f() -> rel{{right: i64, bytes: i64}} {{
  twice = rel.concat({TABLE}, {TABLE})
  numbered = rel.number{{name: \"i\"}}(rel.distinct(twice) |r| {{k: r.k}})
  right = rel.filter(numbered) |r| eq(r.v, r.i)
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            vec![n, n * 20],
        ),
        // Sixteen rows in each partition, numbered from 0 in the order of `v`; rows keep their positions.
        "window" => (
            format!(
                "func @f() -> rel{{right: i64, numbers: i64, bytes: i64}} {{
  windowed = rel.window{{by: [asc.last]}}({TABLE}) |r| {{p: floormod(r.k, {partitions})}} |r| {{v: r.v}} |w| {{n: arr.row_number(w.v)}}
  numbered = rel.number{{name: \"i\"}}(windowed)
  right = rel.filter(numbered) |r| eq(r.v, r.i)
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), numbers: arr.sum(g.n), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}",
                partitions = ROWS / 16
            ),
            vec![n, n / 16 * 120, n * 20],
        ),
        // Windows over all rows: `v` goes up by one from row to row, so that it is one more than the one before, one less than the next, and the mean of both and its own.
        "neighbours" => (
            format!(
                "func @f() -> rel{{right: i64, bytes: i64}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  windowed = rel.window{{by: []}}(some) |r| {{}} |r| {{}} |w| {{a: arr.shift(w.v, 1, null: i64?), b: arr.shift(w.v, -1, null: i64?), c: arr.rolling(w.v, 3) |g| arr.sum{{skip: null}}(g)}}
  right = rel.filter(windowed) |r| and(and(eq(r.v, add(r.a, 1)), eq(r.v, sub(r.b, 1))), eq(r.c, mul(3, r.a)))
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            // The first and the last row have a neighbour less, and the second no third row in its window.
            vec![n - 6, (n - 6) * 20],
        ),
        // The same with results that depend on all rows before: the row numbered `i` has `v == i + 3`, the greatest so far, and the sum of all up to it.
        "onward" => (
            format!(
                "func @f() -> rel{{right: i64, bytes: i64}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  windowed = rel.window{{by: []}}(some) |r| {{}} |r| {{}} |w| {{i: arr.row_number(w.v), most: arr.cummax(w.v), sum: arr.cumsum(w.v), a: arr.shift(w.v, 1, 2)}}
  right = rel.filter(windowed) |r| and(and(eq(r.v, add(r.i, 3)), eq(r.v, r.most)), and(eq(mul(2, r.sum), mul(add(r.i, 1), add(r.i, 6))), eq(r.v, add(r.a, 1))))
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            vec![n - 3, (n - 3) * 20],
        ),
        // Rows that two read, of which there are all but three; numbered, so that every one of them has to come.
        "once" => (
            format!(
                "func @f() -> rel{{numbers: i64, sum: i64, bytes: i64}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  numbered = rel.number{{name: \"i\"}}(rel.concat(some, some))
  return rel.group(numbered) |r| {{}} |g| {{numbers: arr.sum(g.i), sum: arr.sum{{skip: null}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            vec![(n - 3) * (2 * (n - 3) - 1), n * (n - 1) - 6, 2 * (n - 3) * 20],
        ),
        // Few rows at the end of many.
        "tail" => (
            format!(
                "func @f() -> rel{{sum: i64, bytes: i64}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  return rel.group(rel.slice(some, -10, null: i64?)) |r| {{}} |g| {{sum: arr.sum{{skip: null}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            vec![10 * n - 55, 200],
        ),
        // All rows but the first, and many in the middle, of rows that are counted only when all are there: the row numbered `i` has the `v` that was `i` rows further on.
        "rest" => (slice(7, "null: i64?", 10), vec![n - 10, (n - 10) * 20]),
        "middle" => (slice(4_000_000, "8000000", 4_000_003), vec![8_000_000, 160_000_000]),
        // A row in sixty-four, each at most once, in their order.
        "sample" => (
            format!(
                "func @f() -> rel{{rows: i64, keys: i64, bytes: i64}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  drawn = rel.sample(some, {drawn}, cast{{to: u64}}(42))
  keys = rel.group(drawn) |r| {{k: r.k}} |g| {{n: arr.count{{skip: none}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
  return rel.group(keys) |r| {{}} |g| {{rows: arr.sum(g.n), keys: arr.count(g.n), bytes: arr.sum(g.bytes)}}
}}",
                drawn = ROWS / 64
            ),
            vec![n / 64, n / 64, n / 64 * 20],
        ),
        // All rows but three, sorted, to a file; then those of the file, which are in order: the row numbered `i` has `k == i`, but for what the three have left out.
        "write" => (
            format!(
                "func @f() -> rel{{k: i64?, v: i64?, x: f64?, t: str?}} {{
  some = rel.filter({TABLE}) |r| ge(r.x, 1.0)
  return rel.sort{{by: [asc.last]}}(some) |r| {{k: r.k}}
}}"
            ),
            Vec::new(),
        ),
        "written" => (
            format!(
                "func @f() -> rel{{right: i64, sum: i64, bytes: i64}} {{
  numbered = rel.number{{name: \"i\"}}({TABLE})
  right = rel.filter(numbered) |r| and(ge(r.k, r.i), le(sub(r.k, r.i), 3))
  return rel.group(right) |r| {{}} |g| {{right: arr.count{{skip: none}}(g.v), sum: arr.sum{{skip: null}}(g.v), bytes: arr.sum{{skip: null}}(arr.map(g.t) |t| coalesce(str.len(t), 0))}}
}}"
            ),
            vec![n - 3, n * (n - 1) / 2 - 3, (n - 3) * 20],
        ),
        other => panic!("no program `{other}`"),
    }
}

fn run(which: &str, folder: &Path) {
    let spill = folder.join(format!("spill-{which}"));
    std::fs::create_dir_all(&spill).expect("a folder to spill into");
    let options = Options {
        threads: 2,
        memory: BUDGET,
        morsel_rows: 2048,
        spill_folder: spill,
        parts_rows: Options::PARTS_ROWS,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: u64::MAX,
        native: Native::Off,
    };
    let engine = Engine::new(options).expect("an engine");
    let source = folder.join("t.parquet");
    let started = std::time::Instant::now();
    if which == "write" {
        let path = folder.join("written.parquet");
        let target = Target {
            url: path.to_string_lossy().to_string(),
            format: Format::Parquet(ParquetWriting::plain()),
            layout: Layout::OneFile,
            partition_by: Vec::new(),
            overwrite: Overwrite::Replace,
            store: Vec::new(),
        };
        let output = Arc::new(Output::Files { target, written: OnceLock::new() });
        assert_eq!(answer(&engine, which, &source, Some(output)), Vec::<Value>::new(), "rows that are written are not held");
        check("written", &answer(&engine, "written", &path, None));
    } else {
        check(which, &answer(&engine, which, &source, None));
    }
    println!("{which}: {:.1} s, peak {} MiB of a budget of {} MiB", started.elapsed().as_secs_f64(), peak() >> 20, BUDGET >> 20);
    assert!(peak() <= BUDGET * 13 / 10, "{which}: a peak of {} MiB is past 1.3 times the budget of {} MiB", peak() >> 20, BUDGET >> 20);
}

/// The first row of the answer of a program over a file; nothing where rows went elsewhere.
fn answer(engine: &Engine, which: &str, source: &Path, output: Option<Arc<Output>>) -> Vec<Value> {
    let table = ParquetTable::open(&[source.to_string_lossy().to_string()], &FileOptions::plain()).expect("a table");
    let mut run = Run { output, ..Run::over(Catalog::default()) };
    run.sources.insert_table("t", Arc::new(table));
    let mut module = airloom_ir::text::parse(&program(which).0).unwrap_or_else(|e| panic!("{}", e[0]));
    let statistics = run.sources.statistics(&module.graph, &[module.functions[0].lambda]).expect("statistics");
    let rules = airloom_opt::driver::Options {
        statistics: statistics.clone(),
        stages: airloom_exec::engine::stages(&module.graph),
        ..airloom_opt::driver::Options::everything()
    };
    let root = Registry::standard().run(&mut module, &rules).expect("rules that hold").roots[0];
    let found = engine.run(module.graph.clone(), root, &[], statistics, &run).expect("an answer");
    let graph = &module.graph;
    let Datum::Table(rows) = found else { panic!("a relation") };
    let Value::Rel(rows) = rows.to_value(graph.types(), graph.ty_id(graph.result_of(root))) else { panic!("a relation") };
    rows.rows.first().map(|row| row.to_vec()).unwrap_or_default()
}

fn check(which: &str, found: &[Value]) {
    let found: Vec<i128> = found.iter().map(|v| if let Value::Int(i) = v { *i } else { -1 }).collect();
    assert_eq!(found, program(which).1, "{which}");
}

#[test]
fn data_four_times_the_budget() {
    if let Ok(which) = std::env::var(WHICH) {
        run(&which, Path::new(&std::env::var(FOLDER).expect("the folder of the data")));
        return;
    }
    assert!((ROWS * ROW) as usize >= BUDGET * 35 / 10, "the data is about four times the budget");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("out-of-core-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    write(&folder.join("t.parquet"));
    let mut failures = Vec::new();
    for which in
        ["sort", "group", "join", "distinct", "window", "neighbours", "onward", "once", "tail", "rest", "middle", "sample", "write"]
    {
        let me = std::env::current_exe().expect("this test");
        let mut child = Command::new(me);
        child.args(["data_four_times_the_budget", "--exact", "--nocapture"]).env(WHICH, which).env(FOLDER, &folder);
        // As the Python package has it for such a budget: what is freed goes back to the kernel soon.
        let child = child.env("MIMALLOC_PURGE_DELAY", "1").output().expect("a child process");
        let said = String::from_utf8_lossy(&child.stdout).to_string();
        println!("{}", said.lines().filter(|l| l.starts_with(which)).collect::<Vec<_>>().join("\n"));
        let left = std::fs::read_dir(folder.join(format!("spill-{which}"))).map_or(0, Iterator::count);
        if !child.status.success() {
            failures.push(format!("{which}: {}", String::from_utf8_lossy(&child.stderr).lines().take(12).collect::<Vec<_>>().join("\n")));
        } else if left > 0 {
            failures.push(format!("{which}: {left} files were left behind"));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the data goes");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
