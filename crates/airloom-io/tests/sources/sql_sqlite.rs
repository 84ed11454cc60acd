//! Tables of SQLite files.

use crate::sql_programs::database;
use crate::support::{Directory, column, read, run, run_partitions};
use airloom_compute::data::ErrorKind;
use airloom_io::source::sql::SqlTable;
use airloom_io::source::{ScanSpec, Table};
use airloom_ir::value::Value;
use arrow::datatypes::DataType;
use rusqlite::Connection;

#[test]
fn columns_have_the_types_of_their_values() {
    let directory = Directory::new();
    let path = database(
        &directory,
        "CREATE TABLE t(id INTEGER PRIMARY KEY, \"a \"\"b\" TEXT, x REAL, flag BOOLEAN, raw BLOB, any, empty TEXT);
         INSERT INTO t VALUES(5, 'ü', 1.5, 1, x'00ff', 7, NULL), (2, NULL, 2, 0, NULL, 9223372036854775807, NULL), (9, '', NULL, NULL, x'', NULL, NULL);
         CREATE TABLE mixed(a); INSERT INTO mixed VALUES(1), ('x');
         CREATE TABLE none(a INTEGER, b VARCHAR(3), c DOUBLE, d BLOB);
         CREATE VIEW v AS SELECT id FROM t;
         CREATE TABLE keyed(k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID; INSERT INTO keyed VALUES('b', 1), ('a', 2);",
    );
    let table = SqlTable::sqlite(&path, "t").expect("opens");
    let types: Vec<_> = table.schema().fields().iter().map(|f| f.data_type().clone()).collect();
    let expected = [
        DataType::Int64,
        DataType::Utf8View,
        DataType::Float64,
        DataType::Boolean,
        DataType::BinaryView,
        DataType::Int64,
        DataType::Utf8View,
    ];
    assert_eq!(types, expected);
    let batch = read(&table, 4);
    assert_eq!(column(&batch, "id"), [Value::int(2), Value::int(5), Value::int(9)]);
    assert_eq!(column(&batch, "a \"b"), [Value::Null, Value::str("ü"), Value::str("")]);
    assert_eq!(column(&batch, "x"), [Value::F64(2.0), Value::F64(1.5), Value::Null]);
    assert_eq!(column(&batch, "flag"), [Value::Bool(false), Value::Bool(true), Value::Null]);
    let statistics = table.statistics(&[0, 5]).expect("statistics");
    assert_eq!((statistics.rows, statistics.unique.len(), statistics.sorted.len()), (Some(3), 1, 1));
    assert_eq!((statistics.columns["any"].nulls, statistics.columns["any"].min.clone()), (Some(1), Some(Value::int(7))));
    let limited = table.scan(&ScanSpec { limit: Some(1), ..ScanSpec::of(vec![5, 0], 1, 10) }).expect("scans");
    assert_eq!(column(&run(&limited.plan), "id"), [Value::int(2)]);
    let counted = table.scan(&ScanSpec::of(vec![], 1, 10)).expect("scans");
    assert_eq!(run_partitions(&counted.plan).expect("runs")[0][0].num_rows(), 3);
    assert_eq!(SqlTable::sqlite(&path, "mixed").expect_err("kinds differ").kind, ErrorKind::Refused);
    assert_eq!(read(&SqlTable::sqlite(&path, "none").expect("opens"), 1).num_rows(), 0);
    assert_eq!(read(&SqlTable::sqlite(&path, "v").expect("opens"), 1).num_rows(), 3);
    assert_eq!(column(&read(&SqlTable::sqlite(&path, "keyed").expect("opens"), 1), "v"), [Value::int(2), Value::int(1)]);
}

#[test]
fn what_is_wrong_is_said() {
    let directory = Directory::new();
    let path = database(&directory, "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES(1);");
    let error = SqlTable::sqlite(&path, "nothing").expect_err("no such table");
    assert_eq!((error.kind, error.message), (ErrorKind::User, format!("the SQLite database `{path}` has no table `nothing`")));
    assert_eq!(SqlTable::sqlite(&format!("{path}.no"), "t").expect_err("no such file").kind, ErrorKind::World);
    let other = directory.file("other.db");
    std::fs::write(&other, "this is no database at all, but long enough to be taken for one".repeat(20)).expect("writes");
    let error = SqlTable::sqlite(&other.display().to_string(), "t").expect_err("not a database");
    assert_eq!(error.kind, ErrorKind::World);
    assert!(error.message.contains("it is not a SQLite database"), "{error}");
    let table = SqlTable::sqlite(&path, "t").expect("opens");
    std::thread::sleep(std::time::Duration::from_millis(20));
    Connection::open(&path).expect("opens").execute_batch("INSERT INTO t VALUES('x')").expect("inserts");
    let error = table.scan(&ScanSpec::of(vec![0], 1, 10)).expect_err("the file changed");
    assert!(error.kind == ErrorKind::World && error.message.contains("has changed since"), "{error}");
}

#[test]
fn a_damaged_database_is_an_error() {
    let directory = Directory::new();
    let rows: String = (0..5000).map(|n| format!("INSERT INTO t VALUES({n}, 'some text to fill pages with, {n}');")).collect();
    let path = database(&directory, &format!("CREATE TABLE t(a INTEGER, b TEXT); BEGIN; {rows} COMMIT;"));
    let table = SqlTable::sqlite(&path, "t").expect("opens");
    let plan = table.scan(&ScanSpec::of(vec![0, 1], 1, 100)).expect("scans").plan;
    let mut bytes = std::fs::read(&path).expect("reads");
    let half = bytes.len() / 2;
    bytes[half..].fill(0xaa);
    std::fs::write(&path, bytes).expect("writes");
    let error = run_partitions(&plan).expect_err("half of it is gone");
    assert_eq!(airloom_io::failure::from_datafusion(&error).into_source().kind, ErrorKind::World);
}
