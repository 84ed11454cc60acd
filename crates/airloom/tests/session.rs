//! The session: frames and programs, their errors, plans, cancelling and bugs.

use airloom::arrow::array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use airloom::arrow::datatypes::{DataType, Field, Schema};
use airloom::frame::Frame;
use airloom::host::{Host, Stop};
use airloom::source::MemoryTable;
use airloom::{Cancel, Direction, Error, JoinHow, Session, SessionOptions, col, len, lit, when};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::oracle::Raised;
use airloom_ir::value::Value;
use airloom_opt::context::Cx;
use airloom_opt::rule::Rule;
use airloom_opt::stage::Stage;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("airloom-session-{name}-{}", std::process::id()));
        // A process that was killed may have left one behind, and numbers of processes come again.
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("what was left behind can be removed");
        }
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("a readable folder");
        entries.map(|e| e.expect("a readable entry").file_name().to_string_lossy().to_string()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn options() -> SessionOptions {
    SessionOptions { threads: 2, memory: 1 << 30, ..SessionOptions::from_environment().expect("a sound environment") }
}

fn session() -> Session {
    Session::new(options()).expect("sound options")
}

/// `k` from 0 up to `keys` over and over, `x` from 0 on, `t` text.
fn numbers(session: &Session, rows: i64, keys: i64) -> Frame {
    let schema = Arc::new(Schema::new(vec![
        Field::new("k", DataType::Int64, false),
        Field::new("x", DataType::Float64, false),
        Field::new("t", DataType::Utf8, true),
    ]));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values((0..rows).map(|i| i * 7919 % keys))),
        Arc::new(Float64Array::from_iter_values((0..rows).map(|i| i as f64))),
        Arc::new(StringArray::from_iter((0..rows).map(|i| (i % 5 != 0).then(|| format!("text {i}"))))),
    ];
    let batch = RecordBatch::try_new(schema.clone(), columns).expect("columns of one length");
    session.from_batches(&schema, &[batch]).expect("a sound table")
}

fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

fn whole_numbers(batches: &[RecordBatch], column: &str) -> Vec<i64> {
    let column = |batch: &RecordBatch| {
        let array = batch.column_by_name(column).expect("the column").clone();
        array.as_any().downcast_ref::<Int64Array>().expect("integers").values().to_vec()
    };
    batches.iter().flat_map(column).collect()
}

fn program_error(found: Result<impl Sized, Error>) -> String {
    match found.err().expect("an error") {
        Error::Program(message) => message,
        other => panic!("expected an error of the program, found {other:?}"),
    }
}

#[test]
fn a_frame_is_filtered_grouped_joined_sorted_and_cut() {
    let session = session();
    let totals = numbers(&session, 1000, 10)
        .filter(col("x").ge(500).and(col("t").is_not_null()))
        .and_then(|f| f.group_by(["k"]).agg([col("x").sum().alias("total"), len().alias("n"), (col("x") * 2).max().alias("most")]))
        .and_then(|f| f.sort(["k".desc()]))
        .expect("a sound frame");
    let found = totals.collect().expect("it runs");
    assert_eq!(whole_numbers(&found, "k"), [9, 8, 7, 6, 4, 3, 2, 1]);
    assert_eq!(whole_numbers(&found, "n"), [50; 8]);
    let joined =
        numbers(&session, 20, 10).join(&totals, JoinHow::Left, ["k"], ["k"]).and_then(|f| f.sort(["k", "x"])).expect("a sound join");
    assert_eq!(joined.columns(), ["k", "x", "t", "total", "n", "most"]);
    let found = joined.collect().expect("it runs");
    assert_eq!(whole_numbers(&found, "k"), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]);
    let nulls: usize = found.iter().map(|b| b.column_by_name("total").expect("the column").null_count()).sum();
    assert_eq!(nulls, 4, "0 and 5 have no text");
    let chosen = when(col("k").eq(3)).then(lit("three")).otherwise(lit("other")).alias("name");
    assert_eq!(
        numbers(&session, 100, 10).select([chosen]).and_then(|f| f.filter(col("name").eq(lit("three")))).unwrap().count().unwrap(),
        10
    );
    assert_eq!(numbers(&session, 100, 10).tail(7).unwrap().count().unwrap(), 7);
}

#[test]
fn every_kind_of_join_keeps_the_keys() {
    let session = session();
    let left = numbers(&session, 4, 4).select(["k", "x"]).unwrap();
    let right = numbers(&session, 4, 4).select([(col("k") + 2).alias("k"), col("x")]).unwrap();
    let keys = |how: JoinHow| {
        let joined = left.clone().join(&right, how, ["k"], ["k"]).unwrap().sort(["k"]).unwrap();
        (joined.columns().len(), whole_numbers(&joined.collect().unwrap(), "k"))
    };
    assert_eq!(keys(JoinHow::Inner), (3, vec![2, 3]));
    assert_eq!(keys(JoinHow::Left), (3, vec![0, 1, 2, 3]));
    assert_eq!(keys(JoinHow::Right), (3, vec![2, 3, 4, 5]));
    assert_eq!(keys(JoinHow::Outer), (3, vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(keys(JoinHow::Semi), (2, vec![2, 3]));
    assert_eq!(keys(JoinHow::Anti), (2, vec![0, 1]));
}

#[test]
fn files_are_written_and_read_again() {
    let (session, folder) = (session(), Folder::new("files"));
    let frame = numbers(&session, 100, 10).sort(["x".desc()]).unwrap();
    frame.write_parquet(folder.0.join("a.parquet")).unwrap();
    frame.write_csv(folder.0.join("a.csv")).unwrap();
    frame.write_json(folder.0.join("a.jsonl")).unwrap();
    frame.write_ipc(folder.0.join("a.arrow")).unwrap();
    let expected = whole_numbers(&frame.collect().unwrap(), "k");
    let again = [
        session.read_parquet(&folder.0.join("a.parquet")).unwrap(),
        session.read_csv(&folder.0.join("a.csv")).unwrap(),
        session.read_json(&folder.0.join("a.jsonl")).unwrap(),
        session.read_ipc(&folder.0.join("a.arrow")).unwrap(),
    ];
    for frame in again {
        assert_eq!(whole_numbers(&frame.collect().unwrap(), "k"), expected);
    }
}

#[test]
fn an_unknown_column_is_told_with_those_there_are_and_the_line() {
    let session = session();
    let line = line!() + 1;
    let message = program_error(numbers(&session, 3, 3).filter(col("xx").gt(1)));
    let file = file!();
    assert_eq!(message, format!("there is no column `xx`; there are: `k`, `x`, `t` ({file}:{line})\n\nhint: did you mean `x`?"));
    assert!(program_error(numbers(&session, 3, 3).sort(["price"])).contains("there are: `k`, `x`, `t`"));
    assert!(program_error(numbers(&session, 3, 3).drop(["price"])).contains("there is no column `price`"));
    assert!(program_error(numbers(&session, 3, 3).group_by(["k"]).agg([col("z").sum()])).contains("there is no column `z`"));
    assert!(program_error(numbers(&session, 3, 3).join(&numbers(&session, 3, 3), JoinHow::Inner, ["k"], ["q"])).contains("no column `q`"));
}

#[test]
fn a_type_mismatch_names_the_column_and_both_types() {
    let session = session();
    let message = program_error(numbers(&session, 3, 3).filter(col("t").gt(3)));
    assert!(
        message.starts_with("a comparison takes values of one type, but found the column `t`, which is `str?` and the literal `3`"),
        "{message}"
    );
    assert!(message.ends_with("hint: `cast` one of them"), "{message}");
    let message = program_error(numbers(&session, 3, 3).select([col("k").contains("a")]));
    assert!(message.starts_with("`str.contains`: ") && message.contains("it reads `k`, which is `i64`"), "{message}");
    let message = program_error(numbers(&session, 3, 3).filter(col("k")));
    assert!(message.starts_with("a filter takes `bool`, found `i64`"), "{message}");
    let message = program_error(numbers(&session, 3, 3).join(&numbers(&session, 3, 3), JoinHow::Inner, ["k"], ["t"]));
    assert!(message.contains("is `i64` on the left and `str?` on the right"), "{message}");
    let message = program_error(numbers(&session, 3, 3).select([col("x").sum()]));
    assert!(message.contains("`group_by(…).agg(…)`"), "{message}");
    let message = program_error(numbers(&session, 3, 3).group_by(["k"]).agg([col("x")]));
    assert!(message.contains("`col(\"x\").first()`"), "{message}");
}

#[test]
fn missing_and_corrupt_files_are_failures_of_the_world() {
    let (session, folder) = (session(), Folder::new("corrupt"));
    let missing = folder.0.join("missing.parquet");
    match session.read_parquet(&missing) {
        Err(Error::World(error)) => {
            assert_eq!(error.message, format!("cannot open `{}`: no such file or directory", missing.display()));
            assert_eq!(error.io, Some(std::io::ErrorKind::NotFound));
        }
        other => panic!("expected a missing file, found {other:?}"),
    }
    let path = folder.0.join("a.parquet");
    numbers(&session, 1000, 10).write_parquet(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(folder.0.join("short.parquet"), &whole[..whole.len() / 2]).unwrap();
    let found = session.read_parquet(&folder.0.join("short.parquet"));
    assert!(matches!(&found, Err(Error::World(error)) if error.message.contains("short.parquet")), "{found:?}");
    let mut broken = whole.clone();
    for byte in &mut broken[100..whole.len() / 2] {
        *byte ^= 0x5a;
    }
    std::fs::write(folder.0.join("broken.parquet"), &broken).unwrap();
    let found = session.read_parquet(&folder.0.join("broken.parquet")).and_then(|f| f.collect());
    assert!(matches!(&found, Err(Error::World(_))), "{found:?}");
    assert_eq!(session.read_parquet(&path).unwrap().count().unwrap(), 1000, "the session goes on");
}

#[test]
fn a_budget_that_is_too_small_is_told_and_nothing_is_left() {
    let folder = Folder::new("memory");
    let session = Session::new(SessionOptions { memory: 1 << 20, spill_folder: folder.0.clone(), ..options() }).unwrap();
    let frame = numbers(&session, 400_000, 400_000);
    session.register("numbers", memory_table(400_000));
    let module = session.parse(&window_program(), None).unwrap();
    let found = session.call(&module, "f", &[], &Cancel::default());
    match &found {
        Err(Error::Memory(message)) => {
            assert!(message.starts_with("the memory budget of 1048576 bytes is too small"), "{message}");
            assert!(message.ends_with("\n\nhint: allow more memory, or read fewer rows or columns"), "{message}");
        }
        other => panic!("expected too little memory, found {:?}", other.as_ref().map(|_| ())),
    }
    assert_eq!(frame.filter(col("k").lt(10)).unwrap().count().unwrap(), 10, "the session goes on");
    let spilled: usize = folder.names().iter().map(|name| std::fs::read_dir(folder.0.join(name)).expect("a folder").count()).sum();
    assert_eq!(spilled, 0, "no row is left on disk");
    drop(session);
    // Threads that were at work when it failed let go of the folder when they look up.
    let begun = Instant::now();
    while !folder.names().is_empty() && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(folder.names(), Vec::<String>::new(), "nothing is left behind");
}

/// Ranks of all rows, which are not known before all are in order.
fn window_program() -> String {
    "func @f() -> rel{k: i64, x: f64, y: f64} {
        return rel.window(source \"numbers\": rel{k: i64, x: f64}) |r| {} |r| {} |g| {y: arr.rank(g.x)}
    }"
    .to_string()
}

fn memory_table(rows: i64) -> Arc<MemoryTable> {
    let schema = Schema::new(vec![Field::new("k", DataType::Int64, false), Field::new("x", DataType::Float64, false)]);
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from_iter_values(0..rows)), Arc::new(Float64Array::from_iter_values((0..rows).map(|i| i as f64)))];
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), columns).expect("columns of one length");
    Arc::new(MemoryTable::new(&schema, &[batch]).expect("a sound table"))
}

#[test]
fn what_the_program_raises_has_its_line() {
    let session = session();
    let line = line!() + 1;
    let divided = numbers(&session, 3, 3).select([col("k").floor_div(col("k"))]).unwrap();
    match divided.collect() {
        Err(Error::Raised(Raised { message, .. })) => {
            assert!(message.contains("zero") && message.contains(&format!("{}:{line}", file!())), "{message}")
        }
        other => panic!("expected it to raise, found {other:?}"),
    }
}

#[test]
fn options_are_checked() {
    let wrong = [
        (SessionOptions { threads: 0, ..options() }, "`threads` is 0"),
        (SessionOptions { morsel_rows: 0, ..options() }, "`morsel_rows` is 0"),
        (SessionOptions { memory: 5, ..options() }, "`memory` is 5 bytes"),
        (SessionOptions { spill_folder: "/nowhere/at/all".into(), ..options() }, "`spill_folder` is `/nowhere/at/all`"),
    ];
    for (options, part) in wrong {
        assert!(program_error(Session::new(options)).contains(part), "{part}");
    }
}

#[test]
fn a_program_that_comes_again_is_not_optimised_again() {
    let session = Session::new(SessionOptions { plans: 2, ..options() }).unwrap();
    session.register("numbers", memory_table(100));
    let by = |least: i64, key: &str| {
        let frame = session.table("numbers").unwrap().filter(col("k").ge(least)).unwrap().sort([key.desc()]).unwrap();
        rows(&frame.collect().unwrap())
    };
    let query = |least: i64| by(least, "x");
    assert_eq!((query(10), query(10), query(20)), (90, 90, 80));
    let counts = session.plans();
    assert_eq!((counts.hits, counts.misses, counts.kept), (2, 1, 1));
    by(10, "k");
    assert_eq!(session.table("numbers").unwrap().filter(col("k").lt(7)).unwrap().count().unwrap(), 7);
    assert_eq!(session.plans().kept, 2, "no more are kept than there is room for");
    query(10);
    assert_eq!(session.plans().misses, 4, "the one that was used longest ago is gone");
    session.register("numbers", memory_table(50));
    assert_eq!(query(10), 40, "another table of the same name");
    assert_eq!(session.plans().misses, 5, "what was known of the table before is not known of this one");
    // The same file, opened again, is the same table.
    let folder = Folder::new("plans");
    let path = folder.0.join("a.parquet");
    session.table("numbers").unwrap().write_parquet(&path).unwrap();
    let before = session.plans();
    for _ in 0..3 {
        assert_eq!(session.read_parquet(&path).unwrap().filter(col("k").lt(7)).unwrap().count().unwrap(), 7);
    }
    let after = session.plans();
    assert_eq!((after.misses - before.misses, after.hits - before.hits), (1, 2));
}

#[test]
fn a_rule_that_panics_leaves_a_program_and_a_session() {
    let folder = Folder::new("rule");
    let broken = |strict: bool| {
        let session = Session::new(SessionOptions { reports: folder.0.join("reports"), strict, ..options() }).unwrap();
        let apply = |_: &mut Cx<'_>, _: NodeId| -> Option<NodeId> { panic!("invariant `the test's`") };
        let roots = vec![Op::from_name("str.reverse").expect("the op")];
        session.add_rule(Rule::host(Stage::Simplify, "panics-always", "It panics.", roots, Arc::new(apply))).unwrap();
        session
    };
    let program = "func @f(s: str) -> str { return str.reverse(s) }";
    let strict = broken(true);
    let module = strict.parse(program, None).unwrap();
    let error = strict.run(&module, "f", &[Value::str("abc")]).unwrap_err();
    let Error::Broken { message, report: Some(path) } = &error else { panic!("expected a bug with a report, found {error:?}") };
    assert!(message.contains("invariant `the test's`") && error.to_string().contains(&path.display().to_string()), "{error}");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.starts_with("; invariant `the test's`\n; SessionOptions {"), "{text}");
    assert!(airloom_ir::text::parse(&text).is_ok(), "the report is a program: {text}");
    assert!(strict.fallbacks().is_empty());
    let other = strict.parse("func @g(x: i64) -> i64 { return add(x, 1) }", None).unwrap();
    assert_eq!(strict.run(&other, "g", &[Value::int(1)]).unwrap(), Value::int(2), "the session goes on");
    let lenient = broken(false);
    assert_eq!(lenient.run(&module, "f", &[Value::str("abc")]).unwrap(), Value::str("cba"));
    assert!(lenient.fallbacks()[0].contains("invariant `the test's`"), "{:?}", lenient.fallbacks());
}

struct PanickingHost;

impl Host for PanickingHost {
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, Stop> {
        match name {
            "good" => Ok(args[0].clone()),
            other => panic!("no `{other}` here"),
        }
    }
}

#[test]
fn a_host_function_that_panics_leaves_a_program_and_a_session() {
    let folder = Folder::new("host");
    let session = Session::new(SessionOptions { reports: folder.0.clone(), ..options() }).unwrap();
    session.set_host(Arc::new(PanickingHost));
    session.register("numbers", memory_table(1000));
    let program = |name: &str| {
        format!(
            "func @f() -> rel{{y: f64}} {{
                return rel.project(source \"numbers\": rel{{k: i64, x: f64}}) |r| {{y: host.call{{name: \"{name}\", ty: f64, effect: raises}}(r.x)}}
            }}"
        )
    };
    let bad = session.parse(&program("bad"), None).unwrap_or_else(|e| panic!("{e}"));
    let error = session.call(&bad, "f", &[], &Cancel::default()).unwrap_err();
    let Error::Broken { message, report: Some(path) } = &error else { panic!("expected a bug with a report, found {error:?}") };
    assert!(message.contains("no `bad` here"), "{message}");
    assert!(airloom_ir::text::parse(&std::fs::read_to_string(path).unwrap()).is_ok());
    let good = session.parse(&program("good"), None).unwrap();
    assert!(session.call(&good, "f", &[], &Cancel::default()).is_ok(), "the session goes on");
}

#[test]
fn a_long_query_ends_soon_after_it_is_cancelled() {
    let session = session();
    let many = numbers(&session, 20_000, 20_000).select(["k"]).unwrap();
    // Four hundred million pairs, of which none is let through.
    let pairs = many.clone().join(&many.clone().rename([("k", "j")]).unwrap(), JoinHow::Cross, [], []).unwrap();
    let long = pairs.filter((col("k") * 3 + col("j")).eq(-1)).unwrap();
    let cancel = Cancel::default();
    let other = cancel.clone();
    let cancelled = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        other.cancel();
        Instant::now()
    });
    let found = long.collect_until(&cancel);
    let ended = Instant::now();
    let asked = cancelled.join().unwrap();
    assert!(matches!(found, Err(Error::Cancelled)), "it took less than it should have to answer");
    let late = ended.saturating_duration_since(asked);
    assert!(late < Duration::from_millis(100), "it ended {late:?} after it was asked to");
    assert_eq!(many.count().unwrap(), 20_000, "the session goes on");
}

#[test]
fn answers_do_not_depend_on_threads() {
    let answer = |threads: usize, morsel_rows: usize| {
        let session = Session::new(SessionOptions { threads, morsel_rows, ..options() }).unwrap();
        let other = numbers(&session, 300, 300).select([col("k"), (col("x") / 3).alias("y")]).unwrap();
        let frame = numbers(&session, 50_000, 1000).join(&other, JoinHow::Left, ["k"], ["k"]).unwrap();
        let grouped =
            frame.group_by(["k"]).agg([col("x").sum(), col("y").std(), col("t").nunique(), col("x").median().alias("m")]).unwrap();
        let batches = grouped.sort(["x".desc()]).unwrap().collect().unwrap();
        let schema = batches[0].schema();
        airloom::arrow::compute::concat_batches(&schema, &batches).unwrap()
    };
    assert_eq!(answer(1, 16384), answer(4, 1000));
}

#[test]
fn a_session_works_for_many_threads_at_once() {
    let session = session();
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let work = |least: i64| {
            let session = session.clone();
            scope.spawn(move || numbers(&session, 10_000, 10_000).filter(col("k").ge(least)).unwrap().count().unwrap())
        };
        let running: Vec<_> = (0..8).map(|i| work(i * 1000)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(counts, (0..8).map(|i| 10_000 - i * 1000).collect::<Vec<u64>>());
}

#[test]
fn a_table_that_nobody_reads_any_more_is_let_go() {
    let session = session();
    let schema = Schema::new(vec![Field::new("x", DataType::Int64, false)]);
    let column = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![column.clone()]).unwrap();
    let frame = session.from_batches(&schema, &[batch]).unwrap();
    assert_eq!(frame.count().unwrap(), 3);
    drop(frame);
    assert_eq!(Arc::strong_count(&column), 1, "the session holds nothing of it");
}

#[test]
fn nulls_where_the_program_allows_none_are_told() {
    let session = session();
    let schema = Schema::new(vec![Field::new("x", DataType::Int64, true)]);
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![Arc::new(Int64Array::from(vec![Some(1), None]))]).unwrap();
    session.register("t", Arc::new(MemoryTable::new(&schema, &[batch]).unwrap()));
    let module = session.parse("func @f() -> rel{x: i64} { return source \"t\": rel{x: i64} }", None).unwrap();
    let message = program_error(session.call(&module, "f", &[], &Cancel::default()));
    assert_eq!(message, "column `x` of source `t` may hold nulls, expected `i64`\n\nhint: write the type of `x` as `i64?`");
    let module = session.parse("func @f() -> rel{x: i64} { return source \"nowhere\": rel{x: i64} }", None).unwrap();
    assert_eq!(program_error(session.call(&module, "f", &[], &Cancel::default())), "there is no source `nowhere`");
}

#[test]
fn arguments_are_checked() {
    let session = session();
    let module = session.parse("func @f(x: i64) -> i64 { return x }", None).unwrap();
    assert_eq!(program_error(session.run(&module, "f", &[])), "`@f` takes 1 arguments, found 0");
    assert_eq!(program_error(session.run(&module, "f", &[Value::str("a")])), "argument 0 of `@f` is not a value of `i64`");
    assert_eq!(program_error(session.run(&module, "g", &[])), "there is no function `@g`; there are: `@f`");
    assert!(program_error(session.parse("func @f(", Some("a.air"))).starts_with("a.air:1:"));
}

#[test]
fn a_deep_expression_is_no_deeper_than_others() {
    let session = session();
    let mut sum = col("k");
    for _ in 0..20_000 {
        sum = sum + 1;
    }
    let frame = numbers(&session, 2, 2).select([sum.alias("k")]).unwrap();
    assert_eq!(whole_numbers(&frame.collect().unwrap(), "k"), [20_000, 20_001]);
}
