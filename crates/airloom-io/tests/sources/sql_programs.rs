//! Programs over tables of databases, and databases for them.

use crate::support::Directory;
use airloom_compute::data::arrow_to_type;
use airloom_io::source::Table;
use airloom_io::source::sql::SqlTable;
use airloom_ir::types::Types;
use rusqlite::Connection;

/// A database made by these statements.
pub(crate) fn database(directory: &Directory, statements: &str) -> String {
    let path = directory.file("t.db");
    let connection = Connection::open(&path).expect("opens");
    connection.execute_batch(statements).expect("the statements run");
    path.display().to_string()
}

/// The type of a table in the text form.
pub(crate) fn rel_type(table: &SqlTable) -> String {
    let mut types = Types::new();
    let schema = table.schema();
    let fields = schema.fields().iter().map(|field| {
        let ty = arrow_to_type(&mut types, field.data_type(), field.is_nullable()).expect("a type");
        format!("{}: {}", field.name(), types.show(ty))
    });
    format!("rel{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// What is said in every database.
pub(crate) const SAID: [&str; 24] = [
    "return t",
    "return rel.project(t) |r| {b: r.name, a: r.n}",
    "return rel.project(t) |r| with(pick{names: [\"n\", \"name\"]}(r), {big: gt(r.n, 3), here: not(is_null(r.name))})",
    "return rel.filter(t) |r| gt(r.n, 2)",
    "return rel.filter(t) |r| and(ge(r.n, 2), not(eq(r.name, \"b\")))",
    "return rel.filter(t) |r| or(is_null(r.n), lt(r.name, \"b\"))",
    "return rel.filter(t) |r| ne(r.name, \"B\")",
    "return rel.filter(t) |r| is_in(r.name, \"a\", \"ü\", \"it's\")",
    "limit = 2\nreturn rel.filter(t) [limit] |r, limit| le(r.n, limit)",
    "return rel.sort{by: [asc.last]}(t) |r| {k: r.name}",
    "return rel.sort{by: [desc.first, asc.first]}(t) |r| {k: r.n, j: r.name}",
    "return rel.slice(t, 2, 3)",
    "return rel.slice(rel.sort{by: [desc.last]}(t) |r| {k: r.name}, 1, null: i64?)",
    "return rel.top{by: [asc.last]}(rel.filter(t) |r| gt(r.n, 0), 3) |r| {k: r.name}",
    "return rel.group(t) |r| {k: r.name} |g| {c: arr.count{skip: none}(g.n), d: arr.count(g.n), lo: arr.min{skip: null}(g.n), hi: arr.max{skip: all}(g.name)}",
    "return rel.group(t) |r| {} |g| {c: arr.count(g.n), hi: arr.max{skip: null}(g.name)}",
    "return rel.group(rel.filter(t) |r| gt(r.n, 1000)) |r| {} |g| {c: arr.count(g.n), hi: arr.max{skip: null}(g.n)}",
    "return rel.distinct(rel.project(t) |r| {k: r.name}) |r| {k: r.k}",
    "return rel.join(t, u) |l| {k: l.n} |r| {k: r.m} |l, r| true",
    "return rel.join{how: left}(t, u) |l| {k: l.name} |r| {k: r.word} |l, r| gt(r.m, 1)",
    "return rel.join{how: left, nulls: equal}(t, u) |l| {k: l.n} |r| {k: r.m} |l, r| true",
    "return rel.join{how: semi}(t, u) |l| {k: l.n} |r| {k: r.m} |l, r| true",
    "return rel.join{how: anti}(t, u) |l| {k: l.n} |r| {k: r.m} |l, r| ne(l.name, r.word)",
    "x = rel.sort{by: [asc.last]}(rel.join(t, u) |l| {k: l.n} |r| {k: r.m} |l, r| true) |r| {k: r.word}\nreturn rel.project(rel.slice(x, 0, 4)) |r| {n: r.n, w: coalesce(r.name, r.word)}",
];

/// What means something else in SQL, or cannot be said in it.
pub(crate) const NOT_SAID: [&str; 8] = [
    "return rel.project(t) |r| {a: add(r.n, 1)}",
    "return rel.project(t) |r| {a: floordiv(r.n, 2)}",
    "return rel.group(t) |r| {k: r.name} |g| {s: arr.min(g.n)}",
    "return rel.group(rel.sort{by: [asc.last]}(t) |r| {k: r.name}) |r| {k: r.n} |g| {c: arr.count(g.n)}",
    "return rel.slice(t, -2, 1)",
    "return rel.slice(rel.unordered(t), 0, 1)",
    "return rel.distinct(t) |r| {k: r.name}",
    "return rel.join{how: outer}(t, u) |l| {k: l.n} |r| {k: r.m} |l, r| true",
];
