//! Programs said in SQL give the rows that the oracle gives, in the same order.

use crate::sql_programs::{NOT_SAID, SAID, database, rel_type};
use crate::support::{Directory, Draw, column, read, run};
use airloom_io::source::Table;
use airloom_io::source::sql::{SqlTable, query_of};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::oracle::{Limits, Oracle, Source};
use airloom_ir::value::Value;
use std::sync::Arc;

/// What a table holds, for the oracle.
pub(crate) fn oracle_source(table: &SqlTable) -> Source {
    let batch = read(table, 1);
    let columns: Vec<Vec<Value>> = batch.schema().fields().iter().map(|field| column(&batch, field.name())).collect();
    let rows = (0..batch.num_rows()).map(|row| columns.iter().map(|column| column[row].clone()).collect::<Arc<[Value]>>()).collect();
    Source { columns: table.schema().fields().iter().map(|f| Name::new(f.name())).collect(), value: Value::rel(columns.len(), rows) }
}

/// Whether a program is said in SQL; if it is, its rows are checked.
pub(crate) fn check(tables: &[(&str, &Arc<SqlTable>)], body: &str) -> Option<String> {
    let sources: String = tables.iter().map(|(name, table)| format!("{name} = source \"{name}\": {}\n", rel_type(table))).collect();
    let text = format!("func @main() {{\n{sources}{body}\n}}");
    let module = airloom_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let graph: &Graph = &module.graph;
    let function = module.function("main").expect("a function");
    let result: NodeId = graph.result_of(function);
    let find = |name: &str| tables.iter().find(|(known, _)| *known == name).map(|(_, table)| Arc::clone(table));
    let query = query_of(graph, result, &find)?;
    let oracle =
        tables.iter().fold(Oracle::new(graph, Limits::EXAMPLES), |oracle, (name, table)| oracle.with_source(name, oracle_source(table)));
    let Value::Rel(expected) = oracle.eval(result).unwrap_or_else(|error| panic!("{error:?}")) else { panic!("not a relation") };
    let batch = run(&query.scan(7).plan);
    let columns: Vec<Vec<Value>> = batch.schema().fields().iter().map(|field| column(&batch, field.name())).collect();
    let found: Vec<Vec<Value>> = (0..batch.num_rows()).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect();
    let expected: Vec<Vec<Value>> = expected.rows.iter().map(|row| row.to_vec()).collect();
    assert_eq!(found, expected, "\n{body}\n{}", query.text);
    Some(query.text)
}

fn tables(directory: &Directory) -> (Arc<SqlTable>, Arc<SqlTable>) {
    let path = database(
        directory,
        "CREATE TABLE t(n INTEGER, name TEXT COLLATE NOCASE, x REAL, flag BOOLEAN);
         INSERT INTO t VALUES(3,'b',1.5,1),(1,'a',-1.0,0),(NULL,'B',2.0,NULL),(2,NULL,NULL,1),(3,'ü',1e300,0),(2,'it''s',0.0,1),(1,'b',9.5,1),(3,'b',1.5,0);
         CREATE TABLE u(m INTEGER, word TEXT);
         INSERT INTO u VALUES(1,'b'),(3,'x'),(NULL,'a'),(3,'B'),(2,NULL);",
    );
    (Arc::new(SqlTable::sqlite(&path, "t").expect("opens")), Arc::new(SqlTable::sqlite(&path, "u").expect("opens")))
}

#[test]
fn sqlite_gives_what_the_oracle_gives() {
    let directory = Directory::new();
    let (t, u) = tables(&directory);
    let named = [("t", &t), ("u", &u)];
    for body in SAID {
        assert!(check(&named, body).is_some(), "not said: {body}");
    }
    for body in NOT_SAID {
        assert!(check(&named, body).is_none(), "said: {body}");
    }
    // What SQLite alone means as we do.
    for body in [
        "return rel.filter(t) |r| gt(r.x, 1.0)",
        "return rel.filter(t) |r| r.flag",
        "return rel.sort{by: [desc.last]}(t) |r| {k: r.x}",
        "return rel.group(t) |r| {k: r.name} |g| {s: arr.sum{skip: null}(g.n), m: arr.mean{skip: null}(g.n), c: arr.count(g.x)}",
        "return rel.group(t) |r| {f: r.flag, n: r.n} |g| {c: arr.count{skip: none}(g.n)}",
    ] {
        assert!(check(&named, body).is_some(), "not said: {body}");
    }
}

#[test]
fn values_go_beside_the_text() {
    let directory = Directory::new();
    let (t, u) = tables(&directory);
    let text = check(&[("t", &t), ("u", &u)], "return rel.filter(t) |r| eq(r.name, \"x'; DROP TABLE t; --\")").expect("said");
    assert!(!text.contains("DROP"), "{text}");
}

#[test]
fn random_rows_are_grouped_and_joined_alike() {
    let mut draw = Draw(21);
    for _ in 0..15 {
        let directory = Directory::new();
        let mut statements = String::from("CREATE TABLE t(n INTEGER, name TEXT); CREATE TABLE u(m INTEGER, word TEXT); BEGIN;");
        for table in ["t", "u"] {
            for _ in 0..draw.below(60) {
                let number = if draw.below(6) == 0 { "NULL".to_string() } else { (draw.below(8) as i64 - 3).to_string() };
                let word = ["NULL", "'a'", "'A'", "'b'", "''", "'ü'"][draw.below(6) as usize];
                statements.push_str(&format!("INSERT INTO {table} VALUES({number}, {word});"));
            }
        }
        let path = database(&directory, &(statements + "COMMIT;"));
        let t = Arc::new(SqlTable::sqlite(&path, "t").expect("opens"));
        let u = Arc::new(SqlTable::sqlite(&path, "u").expect("opens"));
        // A column that happens to have no nulls has another type, and then some programs are not well typed.
        let nullable = |table: &SqlTable| table.schema().fields().iter().all(|field| field.is_nullable());
        if nullable(&t) && nullable(&u) {
            for body in SAID.iter().chain(&NOT_SAID) {
                check(&[("t", &t), ("u", &u)], body);
            }
        }
    }
}
