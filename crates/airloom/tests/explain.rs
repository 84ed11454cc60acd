//! Physical plans: what is shown of them, and what is counted.

use airloom::arrow::array::{Float64Array, Int64Array, RecordBatch, StringArray};
use airloom::arrow::datatypes::{DataType, Field, Schema};
use airloom::data::{Datum, Relation};
use airloom::frame::Frame;
use airloom::source::Catalog;
use airloom::source::{SourceError, Table};
use airloom::{Direction, Error, JoinHow, PhysicalPlan, Session, SessionOptions, col};
use airloom_compute::data::Native;
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::Run;
use airloom_opt::facts::{Statistics, TableStatistics};
use airloom_plan::explain::{Counts, PlanNode};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn session(threads: usize) -> Session {
    let options = SessionOptions { threads, memory: 1 << 30, ..SessionOptions::from_environment().expect("a sound environment") };
    Session::new(options).expect("sound options")
}

/// `k` from 0 up to `keys` over and over, `x` from 0 on.
fn numbers(session: &Session, rows: i64, keys: i64) -> Frame {
    let schema = Arc::new(Schema::new(vec![Field::new("k", DataType::Int64, false), Field::new("x", DataType::Float64, false)]));
    let columns: Vec<airloom::arrow::array::ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values((0..rows).map(|i| i % keys))),
        Arc::new(Float64Array::from_iter_values((0..rows).map(|i| i as f64))),
    ];
    let batch = RecordBatch::try_new(schema.clone(), columns).expect("columns of one length");
    session.from_batches(&schema, &[batch]).expect("a sound table")
}

fn names(session: &Session) -> Frame {
    let schema = Arc::new(Schema::new(vec![Field::new("key", DataType::Int64, false), Field::new("name", DataType::Utf8, false)]));
    let columns: Vec<airloom::arrow::array::ArrayRef> =
        vec![Arc::new(Int64Array::from(vec![0, 1, 2])), Arc::new(StringArray::from(vec!["zero", "one", "two"]))];
    let batch = RecordBatch::try_new(schema.clone(), columns).expect("columns of one length");
    session.from_batches(&schema, &[batch]).expect("a sound table")
}

/// The frame that the snapshots are of.
fn best(session: &Session) -> Frame {
    numbers(session, 1000, 10)
        .filter(col("x").lt(900.0))
        .and_then(|rows| rows.join(&names(session), JoinHow::Inner, ["k"], ["key"]))
        .and_then(|rows| rows.group_by(["name"]).agg([(col("x") * 2).sum().alias("total")]))
        .and_then(|rows| rows.sort(["total".desc()]))
        .and_then(|rows| rows.limit(2))
        .expect("a sound frame")
}

/// The plan without what differs from run to run.
fn settled(mut plan: PhysicalPlan) -> PhysicalPlan {
    plan.span = plan.span.map(|_| Duration::ZERO);
    let mut stack: Vec<&mut PlanNode> = plan.parts.iter_mut().collect();
    while let Some(node) = stack.pop() {
        if let Some(counts) = &mut node.counts {
            *counts = Counts { time: Duration::ZERO, span: Duration::ZERO, peak_memory: None, ..*counts };
        }
        stack.extend(node.inputs.iter_mut());
    }
    plan
}

fn expected(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/explain/{name}.txt"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn same_text(found: &str, expected: &str) {
    assert_eq!(found.trim_end(), expected.trim_matches('\n').trim_end(), "found:\n{found}");
}

#[test]
fn a_plan_is_a_tree_of_lines() {
    same_text(&best(&session(1)).physical_plan().expect("a plan").to_string(), &expected("planned"));
}

#[test]
fn a_run_is_told_node_by_node() {
    let plan = settled(best(&session(1)).analyze().expect("runs"));
    same_text(&plan.to_string(), &expected("analyzed"));
    let lines: Vec<&str> = plan.nodes().iter().flat_map(|node| &node.places).map(String::as_str).collect();
    assert!(lines.iter().all(|line| line.contains("tests/explain.rs:")) && lines.len() >= 4, "{lines:?}");
}

#[test]
fn a_plan_is_json() {
    let plan = numbers(&session(1), 3, 3).filter(col("x").gt(1.0)).expect("sound").physical_plan().expect("a plan");
    let json = plan.to_json();
    let place = json.split("\"places\": [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default().to_string();
    assert!(place.contains("tests/explain.rs:"), "{json}");
    let expected = "{\"parts\": [{\"op\": \"scan\", \"detail\": \"memory `rows`: k, x; only where x > 1.0\", \"nodes\": [0, 6], \"places\": [], \
        \"partitioning\": \"contiguous\", \"columns\": {\"k\": \"i64\", \"x\": \"f64\"}, \"inputs\": []}]}";
    assert_eq!(json.replace(&place, ""), expected);
}

/// Time is each node's own: together they take no longer than all threads did, and the one that does the work takes most of it.
#[test]
fn time_is_counted_once() {
    let session = session(2);
    let frame = numbers(&session, 2_000_000, 500_000).group_by(["k"]).agg([col("x").sum().alias("s")]).expect("sound");
    frame.analyze().expect("runs");
    let begun = Instant::now();
    let plan = frame.analyze().expect("runs");
    let wall = begun.elapsed();
    let times: Vec<(&str, Duration)> = plan.nodes().iter().map(|node| (node.op.as_str(), node.counts.expect("counted").time)).collect();
    let all: Duration = times.iter().map(|(_, time)| *time).sum();
    assert!(all <= wall * 2, "{times:?} in {wall:?}");
    let group = times.iter().find(|(op, _)| *op == "group").expect("a group").1;
    // How much of the elapsed time it is depends on what else the machine does.
    assert!(group * 2 > all && group > Duration::from_millis(1), "{times:?} in {wall:?}");
    let held = plan.parts[0].counts.expect("counted").peak_memory.expect("groups are held");
    assert!(held > 500_000 * 8, "{held}");
}

fn engine(always_spill: bool) -> Engine {
    let options = Options {
        threads: 2,
        memory: 256 << 20,
        morsel_rows: 1000,
        spill_folder: std::env::temp_dir(),
        parts_rows: Options::PARTS_ROWS,
        always_spill,
        partition_bytes: None,
        equal_hashes: false,
        steps: u64::MAX,
        native: Native::Off,
    };
    Engine::new(options).expect("sound options")
}

fn spilled(text: &str, always_spill: bool) -> Vec<(String, u64, u64)> {
    let module = airloom_ir::text::parse(text).expect("a sound program");
    let function = module.functions[0].lambda;
    let schema = Arc::new(Schema::new(vec![Field::new("k", DataType::Int64, true)]));
    let rows = |count: i64| {
        let column = Arc::new(Int64Array::from_iter_values((0..count).map(|i| i % 997)));
        let batch = RecordBatch::try_new(schema.clone(), vec![column]).expect("one column");
        Datum::Table(Relation { schema: schema.clone(), batches: Arc::from([batch]) })
    };
    let args: Vec<Datum> = module.graph.params_of(function).iter().map(|_| rows(5000)).collect();
    let (engine, run) = (engine(always_spill), Run::over(Catalog::default()));
    let plan = engine.lower(&Arc::new(module.graph.clone()), function, Statistics::default(), &run.sources).expect("a plan");
    let ran = engine.analyze(&engine.executable(plan), &args, &run);
    let (_, plan) = ran.expect("runs");
    let nodes = plan.nodes().into_iter().map(|node| {
        let counts = node.counts.expect("counted");
        (node.op.clone(), counts.spilled_files, counts.spilled_bytes)
    });
    nodes.collect()
}

#[test]
fn what_is_spilled_is_counted_for_who_spilled_it() {
    let group = "func @f(t: rel{k: i64}) -> rel{k: i64, n: i64} { return rel.group(t) |r| {k: r.k} |g| {n: arr.count(g.k)} }";
    let join =
        "func @f(t: rel{k: i64}, u: rel{k: i64}) -> rel{k: i64} { return rel.join{how: semi}(t, u) |l| {k: l.k} |r| {k: r.k} |l, r| true }";
    for (program, op) in [(group, "group"), (join, "join")] {
        for (name, files, bytes) in spilled(program, true) {
            assert_eq!((files > 0, bytes > 0), (name == op, name == op), "{name} spilled {bytes} bytes in {files} files");
        }
        assert!(spilled(program, false).iter().all(|(_, files, bytes)| (*files, *bytes) == (0, 0)));
    }
}

#[test]
fn explaining_runs_nothing() {
    let session = session(2);
    let text = r#"
func @f(n: i64) -> rel{x: i64, y: f64} {
  t = source "nowhere": rel{x: i64, y: f64}
  return rel.slice(rel.filter(t) [n] |r, n| gt(floordiv(r.x, n), 1), 0, 5)
}
"#;
    let module = session.parse(text, Some("f.air")).expect("a sound program");
    let plan = session.physical_plan(&module, "f").expect("a plan");
    same_text(&plan.to_string(), &expected("not-given"));
    assert!(matches!(session.run(&module, "f", &[airloom_ir::value::Value::int(1)]), Err(Error::Program(_))));
}

/// A table that cannot be read: whoever explains a program over it has read nothing.
#[derive(Debug)]
struct Unreadable;

impl Table for Unreadable {
    fn schema(&self) -> airloom::arrow::datatypes::SchemaRef {
        Arc::new(Schema::new(vec![Field::new("k", DataType::Int64, false), Field::new("x", DataType::Float64, false)]))
    }

    fn rows(&self) -> Option<u64> {
        Some(1000)
    }

    fn statistics(&self, _: &[usize]) -> Result<TableStatistics, SourceError> {
        Ok(TableStatistics { rows: Some(1000), ..TableStatistics::default() })
    }

    fn scan(&self, _: &airloom_io::source::ScanSpec) -> Result<airloom_io::source::Scan, SourceError> {
        Err(SourceError::world("the first read fails"))
    }
}

/// Captured rows, loops and calls are planned as the rest is: nothing is computed on the way.
#[test]
fn explaining_reads_no_source() {
    let session = session(2);
    session.register("t", Arc::new(Unreadable));
    let text = r#"
func @f(n: i64) -> rel{k: i64, s: f64} {
  t = source "t": rel{k: i64, x: f64}
  mean = rel.columns(rel.group(t) |r| {} |g| {m: arr.mean(g.x)})
  m = arr.at(mean.m, 0)
  large = rel.filter(t) [m] |r, m| gt(r.x, m)
  fewer = seq.while(large) |s| gt(rel.rows(s), 10) |s| rel.slice(s, 0, 10)
  g = rel.group(fewer) |r| {k: r.k} |g| {s: arr.sum(g.x)}
  return rel.sort{by: [asc.last]}(g) |r| {k: r.k}
}
"#;
    let module = session.parse(text, Some("f.air")).expect("a sound program");
    let plan = session.physical_plan(&module, "f").expect("a plan");
    assert!(plan.parts.len() >= 4 && plan.to_string().contains("sort"), "{plan}");
    assert!(session.explain(&module, "f").expect("an explanation").contains("physical plan:"));
    match session.run(&module, "f", &[airloom_ir::value::Value::int(1)]) {
        Err(Error::World(error)) => assert_eq!(error.message, "the first read fails"),
        other => panic!("expected an error of the world, found {other:?}"),
    }
}
