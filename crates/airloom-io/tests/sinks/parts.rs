//! Where files come to lie.

use crate::plans::{awkward, everything, numbers, parquet, plan_of, run_write, target};
use crate::support::{Directory, column, read};
use airloom_compute::data::ErrorKind;
use airloom_io::sink::{Layout, Overwrite, Target};
use airloom_io::source::{FileOptions, ParquetTable, Table};
use airloom_ir::value::Value;
use std::path::Path;

fn open(path: &Path) -> ParquetTable {
    ParquetTable::open(&[path.to_str().expect("text").to_string()], &FileOptions::plain()).unwrap_or_else(|error| panic!("{error}"))
}

fn expected(count: i64) -> Vec<Value> {
    (0..count).map(Value::int).collect()
}

#[test]
fn partitions_are_written_in_order_into_one_file() {
    let directory = Directory::new();
    let path = directory.file("n.parquet");
    let written = run_write(numbers(5000, 7), &target(&path, parquet(), Layout::OneFile, Overwrite::Refuse)).expect("writes");
    assert_eq!((written.rows, written.files), (5000, vec![path.display().to_string()]));
    assert_eq!(written.bytes, std::fs::metadata(&path).expect("a file").len());
    assert_eq!(column(&read(&open(&path), 3), "n"), expected(5000));
    assert_eq!(everything(directory.path()), ["n.parquet"]);
}

#[test]
fn parts_are_read_back_in_order() {
    let directory = Directory::new();
    let path = directory.path().join("n");
    let written = run_write(numbers(5000, 7), &target(&path, parquet(), Layout::Parts, Overwrite::Refuse)).expect("writes");
    assert_eq!((written.rows, written.files.len()), (5000, 7));
    assert_eq!(column(&read(&open(&path), 3), "n"), expected(5000));
    assert_eq!(everything(directory.path()).len(), 8);
}

#[test]
fn rows_are_divided_by_the_values_of_columns() {
    let directory = Directory::new();
    let path = directory.path().join("n");
    let target = Target { partition_by: vec!["group".into()], ..target(&path, parquet(), Layout::Parts, Overwrite::Refuse) };
    let written = run_write(numbers(1000, 3), &target).expect("writes");
    assert_eq!(written.rows, 1000);
    let mut directories: Vec<String> = everything(&path).into_iter().filter(|name| !name.contains("part-")).collect();
    directories.sort();
    assert_eq!(directories, ["group=", "group=__HIVE_DEFAULT_PARTITION__", "group=a%2Fb", "group=ü"]);
    let batch = read(&open(&path), 2);
    let rows: Vec<(Value, Value)> = column(&batch, "group").into_iter().zip(column(&batch, "n")).collect();
    for (at, group) in [Value::str("a/b"), Value::str("ü"), Value::Null, Value::str("")].into_iter().enumerate() {
        let found: Vec<Value> = rows.iter().filter(|(of, _)| *of == group).map(|(_, n)| n.clone()).collect();
        let wanted: Vec<Value> = (0..250).map(|n| Value::int(4 * n + at as i64)).collect();
        assert_eq!(found, wanted, "rows of {group:?}");
    }
}

#[test]
fn more_values_than_open_files_are_written() {
    let directory = Directory::new();
    let path = directory.path().join("n");
    let target = Target { partition_by: vec!["n".into()], ..target(&path, parquet(), Layout::Parts, Overwrite::Refuse) };
    assert_eq!(run_write(numbers(600, 1), &target).expect("writes").files.len(), 600);
    let table = open(&path);
    assert_eq!(table.rows(), Some(600));
    let mut found = column(&read(&table, 2), "n");
    found.sort_by(airloom_ir::oracle::order::total);
    assert_eq!(found, expected(600));
}

#[test]
fn what_is_there_is_kept_replaced_or_added_to() {
    let directory = Directory::new();
    for (layout, name) in [(Layout::OneFile, "one.parquet"), (Layout::Parts, "many")] {
        let path = directory.path().join(name);
        run_write(numbers(10, 2), &target(&path, parquet(), layout, Overwrite::Refuse)).expect("writes");
        let before = everything(directory.path());
        let error = run_write(numbers(20, 2), &target(&path, parquet(), layout, Overwrite::Refuse)).expect_err("it is there");
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::User, format!("cannot write `{}`: it exists already", path.display())));
        assert_eq!((open(&path).rows(), everything(directory.path())), (Some(10), before));
        run_write(numbers(20, 1), &target(&path, parquet(), layout, Overwrite::Replace)).expect("replaces");
        assert_eq!(open(&path).rows(), Some(20));
    }
    let many = directory.path().join("many");
    run_write(numbers(5, 2), &target(&many, parquet(), Layout::Parts, Overwrite::Append)).expect("adds");
    assert_eq!(open(&many).rows(), Some(25));
    run_write(numbers(5, 1), &target(&directory.path().join("new"), parquet(), Layout::Parts, Overwrite::Append)).expect("begins");
    assert_eq!(open(&directory.path().join("new")).rows(), Some(5));
    assert!(!everything(directory.path()).iter().any(|name| name.contains("tmp") || name.contains("old")));
}

#[test]
fn rows_that_are_not_there_are_written_too() {
    let directory = Directory::new();
    for (layout, name) in [(Layout::OneFile, "one.parquet"), (Layout::Parts, "many")] {
        let path = directory.path().join(name);
        let written = run_write(numbers(0, 2), &target(&path, parquet(), layout, Overwrite::Refuse)).expect("writes");
        assert_eq!((written.rows, written.files.len()), (0, 1));
        assert_eq!((open(&path).rows(), open(&path).schema().fields().len()), (Some(0), 3));
    }
}

#[test]
fn a_wrong_target_is_named() {
    let directory = Directory::new();
    let path = directory.path().join("nowhere/n.parquet");
    let cases = [
        (target(&path, parquet(), Layout::OneFile, Overwrite::Refuse), "there is no directory"),
        (target(directory.path(), parquet(), Layout::OneFile, Overwrite::Replace), "it is a directory where a file is to be"),
        (target(&directory.path().join("x"), parquet(), Layout::OneFile, Overwrite::Append), "nothing is added to the end of one file"),
        (
            Target {
                partition_by: vec!["what".into()],
                ..target(&directory.path().join("x"), parquet(), Layout::Parts, Overwrite::Refuse)
            },
            "unknown column `what`",
        ),
        (
            Target { partition_by: vec!["n".into()], ..target(&directory.path().join("x"), parquet(), Layout::OneFile, Overwrite::Refuse) },
            "go into a directory",
        ),
    ];
    for (target, message) in cases {
        let error = run_write(plan_of(awkward(), 1), &target).expect_err(message);
        assert_eq!(error.kind(), ErrorKind::User, "{error}");
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(everything(directory.path()), Vec::<String>::new());
    }
}
