//! Files with a JSON object on each line.

use crate::support::{Directory, column, read, run_partitions, scan};
use airloom_compute::data::{ErrorKind, SourceError};
use airloom_io::source::{FileOptions, JsonTable, Table};
use airloom_ir::value::Value;
use arrow::datatypes::DataType;
use std::sync::Arc;

fn try_open(directory: &Directory, text: &str) -> Result<JsonTable, SourceError> {
    let path = directory.file("t.jsonl");
    std::fs::write(&path, text).expect("writes");
    JsonTable::open(&[path.display().to_string()], &FileOptions::plain())
}

#[test]
fn types_fit_every_line() {
    let directory = Directory::new();
    let text =
        "{\"a\": 1, \"b\": \"x\", \"c\": true}\n\n{\"a\": 2.5, \"d\": [1, null], \"b\": 3}\r\n{\"e\": {\"f\": \"ü\"}, \"g\": null}\n";
    let table = try_open(&directory, text).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<_> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "g"]);
    let batch = read(&table, 2);
    assert_eq!(table.rows(), Some(3));
    assert_eq!(column(&batch, "a"), [Value::F64(1.0), Value::F64(2.5), Value::Null]);
    assert_eq!(column(&batch, "b"), [Value::str("x"), Value::str("3"), Value::Null]);
    assert_eq!(column(&batch, "d")[1], Value::List(Arc::from([Value::int(1), Value::Null])));
    assert_eq!(column(&batch, "e")[2], Value::Struct(Arc::from([Value::str("ü")])));
    assert_eq!(column(&batch, "g"), vec![Value::Null; 3]);
}

#[test]
fn a_value_at_the_very_end_decides_the_type() {
    let directory = Directory::new();
    let mut text: String = (0..200_000).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    text.push_str("{\"n\":\"x\",\"m\":1}");
    let table = try_open(&directory, &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(table.schema().field(0).data_type(), &DataType::Utf8View);
    assert_eq!(run_partitions(&scan(&table, 3).plan).expect("runs").len(), 3);
    let found = column(&read(&table, 3), "n");
    assert!(found.iter().take(200_000).enumerate().all(|(at, value)| *value == Value::str(&at.to_string())));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let directory = Directory::new();
    for (text, line) in [("{\"a\":1}\n{\"a\":\n{\"a\":2}\n", "line 2"), ("{\"a\":1}\n\n[1]\n", "line 3"), ("{\"a\":1}\nnonsense", "line 2")]
    {
        let outcome = try_open(&directory, text).and_then(|table| {
            run_partitions(&scan(&table, 1).plan).map_err(|error| airloom_io::failure::from_datafusion(&error).into_source())
        });
        let error = outcome.expect_err(text);
        assert_eq!(error.kind, ErrorKind::World, "{error}");
        assert!(error.message.contains("t.jsonl") && error.message.contains(line), "{error}");
    }
    let table = try_open(&directory, "").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((table.rows(), table.schema().fields().len()), (Some(0), 0));
}
