//! How long relations of a million rows take: `cargo run --release -p airloom-exec --example relation_speed`.

use airloom_compute::data::Native;
use airloom_compute::data::{Datum, Relation};
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::{Catalog, Run};
use airloom_ir::text;
use airloom_opt::facts::Statistics;
use arrow::array::{ArrayRef, Float64Array, Int64Array, LargeListArray, RecordBatch, StringViewArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use std::sync::Arc;
use std::time::Instant;

const ROWS: i64 = 1_000_000;

const PROGRAMS: &str = r#"
func @row_number_by_key(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, n: i64} { return rel.window(t) |r| {k: r.k} |r| {} |c| {n: arr.row_number(c.v)} }
func @row_number_ordered(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, n: i64} { return rel.window{by: [asc.last]}(t) |r| {k: r.k} |r| {v: r.v} |c| {n: arr.row_number(c.v)} }
func @cumsum_by_key(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, n: f64} { return rel.window(t) |r| {k: r.k} |r| {} |c| {n: arr.cumsum(c.x)} }
func @rank_by_key(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, n: f64} { return rel.window(t) |r| {k: r.k} |r| {} |c| {n: arr.rank{method: average}(c.x)} }
func @share_of_key(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, n: f64} { return rel.window(t) |r| {k: r.k} |r| {} |c| {s = arr.sum(c.x) return {n: arr.map(c.x) [s] |x, s| div(x, s)}} }
func @median_by_key(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, m: f64?} { return rel.group(t) |r| {k: r.k} |g| {m: arr.median(g.x)} }
func @pivot(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, a: i64?, b: i64?, c: i64?} { return rel.pivot{names: ["a", "b", "c"]}(t) |r| {k: r.k} |r| r.c |g| arr.sum(g.v) }
func @asof(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, l: i64?, w: f64?} { return rel.asof(t, rel.project(t) |r| {l: r.v, w: r.x}, null: i64?) |x| x.v |y| y.l |x| {} |y| {} }
func @asof_by_key(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64, m: i64?, l: i64?} { return rel.asof(t, rel.project(t) |r| {m: r.k, l: r.v}, null: i64?) |x| x.v |y| y.l |x| {k: x.k} |y| {k: y.m} }
func @unpivot(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{c: str, x: f64, name: str, value: i64} { return rel.unpivot{columns: ["k", "v"], variable: "name", value: "value"}(t) }
func @sample(t: rel{k: i64, c: str, v: i64, x: f64}) -> rel{k: i64, c: str, v: i64, x: f64} { return rel.sample(t, 100000, cast{to: u64}(7)) }
func @explode(t: rel{i: i64, l: list<i64>}) -> rel{i: i64, l: i64} { return rel.explode{columns: ["l"], empty: drop}(t) }
"#;

#[allow(clippy::print_stdout, reason = "the figures are what the reader looks for")]
fn main() {
    let module = text::parse(PROGRAMS).expect("programs that parse");
    let options = Options {
        threads: 2,
        memory: 8 << 30,
        morsel_rows: 8192,
        spill_folder: std::env::temp_dir(),
        parts_rows: Options::PARTS_ROWS,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: u64::MAX,
        native: Native::Off,
    };
    let engine = Engine::new(options).expect("options that hold");
    for keys in [1000, 100_000] {
        for function in &module.functions {
            let table = if function.name.as_str() == "explode" { lists() } else { table(keys) };
            let mut best = f64::MAX;
            for _ in 0..3 {
                let start = Instant::now();
                let (args, run) = ([Datum::Table(table.clone())], Run::over(Catalog::default()));
                let made = engine.run(module.graph.clone(), function.lambda, &args, Statistics::default(), &run);
                made.expect("it runs");
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            println!("{:20} {keys:7} keys {best:9.1} ms", function.name);
        }
    }
}

fn mixed(at: i64) -> i64 {
    ((at as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as i64
}

fn relation(columns: Vec<(&str, ArrayRef)>) -> Relation {
    let schema = Arc::new(Schema::new(columns.iter().map(|(name, c)| Field::new(*name, c.data_type().clone(), true)).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, c)| c).collect()).expect("columns of one length");
    Relation { schema, batches: Arc::from([batch]) }
}

fn table(keys: i64) -> Relation {
    let names = ["a", "b", "c", "d"];
    relation(vec![
        ("k", Arc::new(Int64Array::from_iter_values((0..ROWS).map(|at| mixed(at) % keys)))),
        ("c", Arc::new(StringViewArray::from_iter_values((0..ROWS).map(|at| names[(mixed(at + 7) % 4) as usize])))),
        ("v", Arc::new(Int64Array::from_iter_values((0..ROWS).map(|at| mixed(at + 13) % 1_000_000)))),
        ("x", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|at| (mixed(at + 29) % 1_000_000) as f64 / 7.0)))),
    ])
}

fn lists() -> Relation {
    let offsets = OffsetBuffer::from_lengths((0..ROWS).map(|at| (at % 7) as usize));
    let count = offsets.last().copied().unwrap_or(0);
    let values = Arc::new(arrow::array::PrimitiveArray::<Int64Type>::from_iter_values(0..count));
    let list = LargeListArray::new(Arc::new(Field::new("item", DataType::Int64, true)), offsets, values, None);
    relation(vec![("i", Arc::new(Int64Array::from_iter_values(0..ROWS))), ("l", Arc::new(list))])
}
