//! Programs over tables of a database: what the planner leaves to it, and that this changes no answer.

#[path = "../../airloom-io/tests/sources/sql_programs.rs"]
mod sql_programs;
#[path = "../../airloom-io/tests/sources/support.rs"]
#[allow(dead_code, reason = "the tests of sources use more of it")]
mod support;

use airloom_compute::data::Native;
use airloom_compute::data::{Datum, ErrorKind, Failure};
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::run::{Catalog, Run};
use airloom_io::source::sql::SqlTable;
use airloom_io::source::{MemoryTable, Table};
use airloom_ir::value::Value;
use airloom_opt::facts::Statistics;
use airloom_plan::explain::PhysicalPlan;
use sql_programs::{NOT_SAID, SAID, database, rel_type};
use std::sync::Arc;
use support::{Directory, read};

fn engine() -> Engine {
    let options = Options {
        threads: 2,
        memory: 64 << 20,
        morsel_rows: 3,
        spill_folder: std::env::temp_dir(),
        parts_rows: Options::PARTS_ROWS,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: u64::MAX,
        native: Native::Off,
    };
    Engine::new(options).expect("sound options")
}

/// What a program gives and how it is run, with these tables.
fn run(tables: &[(&str, Arc<dyn Table>)], types: &[(&str, String)], body: &str) -> Result<(Value, PhysicalPlan), Failure> {
    let sources: String = types.iter().map(|(name, ty)| format!("{name} = source \"{name}\": {ty}\n")).collect();
    let text = format!("func @main() {{\n{sources}{body}\n}}");
    let module = airloom_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let function = module.function("main").expect("a function");
    let engine = engine();
    let mut sources = Catalog::default();
    tables.iter().for_each(|(name, table)| sources.insert_table(name, table.clone()));
    let plan = engine.executable(engine.lower(&Arc::new(module.graph.clone()), function, Statistics::default(), &sources)?);
    let (datum, plan) = engine.analyze(&plan, &[], &Run::over(sources))?;
    let ty = module.graph.ty_id(module.graph.result_of(function));
    assert!(matches!(datum, Datum::Table(_)));
    Ok((datum.to_value(module.graph.types(), ty), plan))
}

fn open(path: &str, table: &str) -> Arc<SqlTable> {
    Arc::new(SqlTable::open(path, table).unwrap_or_else(|error| panic!("{error}")))
}

/// The rows of a table of a database, in memory.
fn in_memory(table: &SqlTable) -> Arc<dyn Table> {
    let rows = read(table, 1);
    Arc::new(MemoryTable::new(&table.schema(), &[rows]).expect("a table"))
}

/// How a program over tables of a database is run, which gives what it gives over the same rows in memory.
fn check(tables: &[(&str, Arc<SqlTable>)], body: &str) -> PhysicalPlan {
    let types: Vec<(&str, String)> = tables.iter().map(|(name, table)| (*name, rel_type(table))).collect();
    let theirs: Vec<(&str, Arc<dyn Table>)> = tables.iter().map(|(name, table)| (*name, table.clone() as Arc<dyn Table>)).collect();
    let ours: Vec<(&str, Arc<dyn Table>)> = tables.iter().map(|(name, table)| (*name, in_memory(table))).collect();
    let (found, plan) = run(&theirs, &types, body).unwrap_or_else(|error| panic!("{error}\n{body}"));
    let (expected, _) = run(&ours, &types, body).unwrap_or_else(|error| panic!("{error}\n{body}"));
    assert_eq!(found, expected, "{body}\n{plan}");
    plan
}

/// Whether a database computes all of it.
fn is_left_to_the_database(plan: &PhysicalPlan) -> bool {
    plan.nodes().len() == 1 && plan.parts[0].detail.contains("SELECT ")
}

fn shop(directory: &Directory) -> String {
    database(
        directory,
        "CREATE TABLE t(n INTEGER, name TEXT COLLATE NOCASE, x REAL, flag BOOLEAN);
         INSERT INTO t VALUES(3,'b',1.5,1),(1,'a',-1.0,0),(NULL,'B',2.0,NULL),(2,NULL,NULL,1),(3,'ü',1e300,0),(2,'it''s',0.0,1),(1,'b',9.5,1),(3,'b',1.5,0);
         CREATE TABLE u(m INTEGER, word TEXT);
         INSERT INTO u VALUES(1,'b'),(3,'x'),(NULL,'a'),(3,'B'),(2,NULL);
         CREATE VIEW v AS SELECT n, name FROM t;
         CREATE TABLE odd(a NUMERIC, b INTEGER);
         INSERT INTO odd VALUES(9007199254740993,'!x'),(9007199254740992.0,'12x'),(0.5,'abc');",
    )
}

#[test]
fn the_database_does_what_it_can() {
    let directory = Directory::new();
    let path = shop(&directory);
    let tables = [("t", open(&path, "t")), ("u", open(&path, "u"))];
    for body in SAID.iter().skip(1) {
        let plan = check(&tables, body);
        assert_eq!((plan.nodes().len(), plan.parts[0].op.as_str()), (1, "scan"), "{body}\n{plan}");
        assert!(plan.parts[0].detail.starts_with("sqlite: SELECT q."), "{body}\n{plan}");
    }
    for body in NOT_SAID {
        assert!(check(&tables, body).nodes().len() > 1, "{body}");
    }
    // The largest part that can be said: the filter and the sort, not the sum of numbers that might not fit.
    let body = "s = rel.sort{by: [desc.last]}(rel.filter(t) |r| gt(r.n, 1)) |r| {k: r.x}\nreturn rel.project(s) |r| {a: add(r.n, 1)}";
    let plan = check(&tables, body);
    assert_eq!(plan.nodes().iter().map(|node| node.op.as_str()).collect::<Vec<_>>(), ["project", "scan"], "{plan}");
    let expected = "sqlite: SELECT q.c0, q.c1, q.c2, q.c3 FROM (SELECT t.c0 AS c0, t.c1 AS c1, t.c2 AS c2, t.c3 AS c3, t.c2 AS o0, t.o0 AS o1 FROM \
        (SELECT t.c0 AS c0, t.c1 AS c1, t.c2 AS c2, t.c3 AS c3, t.o0 AS o0 FROM (SELECT \"n\" AS c0, \"name\" AS c1, \"x\" AS c2, \"flag\" AS c3, rowid AS o0 FROM \"t\") AS t \
        WHERE (t.c0 > ?1)) AS t) AS q ORDER BY q.o0 DESC NULLS LAST, q.o1 ASC NULLS LAST";
    assert_eq!(plan.nodes()[1].detail, expected);
}

/// Where SQL means something else, the database is not asked: numbers that overflow, divisions, the order of a view, floats that lose digits, text that looks like a number.
#[test]
fn what_sql_means_otherwise_is_done_here() {
    let directory = Directory::new();
    let path = shop(&directory);
    let (t, v, odd) = (open(&path, "t"), open(&path, "v"), open(&path, "odd"));
    for (name, table, body) in [
        ("t", &t, "return rel.filter(t) |r| gt(mul(r.n, 9223372036854775807), 0)"),
        ("t", &t, "return rel.filter(t) |r| gt(div(r.x, 0.0), 0.0)"),
        ("t", &t, "return rel.group(t) |r| {k: r.x} |g| {c: arr.count(g.n)}"),
        ("t", &t, "return rel.group(t) |r| {} |g| {s: arr.sum{skip: null}(g.x)}"),
        ("v", &v, "return rel.filter(v) |r| gt(r.n, 1)"),
        ("v", &v, "return rel.sort{by: [asc.last]}(v) |r| {k: r.n}"),
        ("odd", &odd, "return rel.filter(odd) |r| eq(r.a, 9007199254740992.0)"),
        ("odd", &odd, "return rel.sort{by: [asc.last]}(odd) |r| {k: r.a}"),
        ("odd", &odd, "return rel.filter(odd) |r| lt(r.b, \"12\")"),
    ] {
        let plan = check(&[(name, table.clone())], body);
        assert!(!is_left_to_the_database(&plan), "{body}\n{plan}");
    }
    // A view can be asked where the order is not observed of its rows.
    let plan = check(
        &[("v", v)],
        "return rel.group(rel.filter(v) |r| gt(r.n, 1)) |r| {} |g| {c: arr.count(g.n), hi: arr.max{skip: null}(g.name)}",
    );
    assert_eq!(plan.nodes().len(), 1, "{plan}");
}

#[test]
fn the_rows_of_a_query_are_a_table() {
    let directory = Directory::new();
    let path = shop(&directory);
    let q = open(&format!("sqlite://{path}"), " select m * 2 AS twice, word FROM u WHERE m > 1 -- not all\n;");
    assert_eq!(rel_type(&q), "rel{twice: i64, word: str?}");
    let plan = check(&[("q", q)], "return rel.group(q) |r| {} |g| {s: arr.sum(g.twice), c: arr.count(g.word)}");
    assert!(plan.nodes().len() == 1 && plan.parts[0].detail.contains("m * 2"), "{plan}");
    for (query, expected) in [
        ("SELECT 1 AS a, 2 AS a", "the query has two columns `a`"),
        ("SELECT n FORM t", "SQLite cannot read the query"),
        ("SELECT nowhere FROM t", "SQLite cannot read the query: no such column: nowhere"),
        ("nothing", "has no table `nothing`"),
    ] {
        let error = SqlTable::open(&path, query).expect_err("wrong");
        assert!(error.message.contains(expected), "{query}: {error}");
    }
}

/// A body that shares its parts doubles with every level when it is written out: it is not said.
#[test]
fn what_would_be_too_long_is_not_said() {
    let directory = Directory::new();
    let tables = [("t", open(&shop(&directory), "t"))];
    let mut body = String::from("x0 = rel.filter(t) |r| gt(r.n, 2)\n");
    (1..20).for_each(|at| {
        body.push_str(&format!("x{at} = rel.join{{how: semi}}(x{0}, x{0}) |l| {{k: l.n}} |r| {{k: r.n}} |l, r| true\n", at - 1))
    });
    let plan = check(&tables, &format!("{body}return x19"));
    assert!(!is_left_to_the_database(&plan));
    let items: Vec<String> = (0..40_000).map(|item| item.to_string()).collect();
    let plan = check(&tables, &format!("return rel.filter(t) |r| is_in(r.n, {})", items.join(", ")));
    assert!(!is_left_to_the_database(&plan));
}

#[test]
fn a_database_that_is_gone_is_an_error_of_the_world() {
    let directory = Directory::new();
    let path = shop(&directory);
    let t = open(&path, "t");
    let types = [("t", rel_type(&t))];
    std::fs::remove_file(&path).expect("it was there");
    for body in ["return t", "return rel.filter(t) |r| gt(r.n, 1)"] {
        match run(&[("t", t.clone())], &types, body) {
            Err(Failure::Source(error)) => assert_eq!(
                (error.kind, error.message),
                (ErrorKind::World, format!("the SQLite database `{path}` is gone since its table was opened"))
            ),
            other => panic!("expected an error of the world, found {other:?}"),
        }
    }
}
