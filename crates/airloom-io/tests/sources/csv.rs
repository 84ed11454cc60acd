//! CSV files, read as pandas reads them.

use crate::support::{Directory, Draw, column, read, run, run_partitions, scan};
use airloom_compute::data::{ErrorKind, SourceError};
use airloom_io::source::{CsvInference, CsvOptions, CsvTable, FileOptions, ScanSpec, Table};
use airloom_ir::value::Value;
use arrow::datatypes::{DataType, TimeUnit};
use std::cell::RefCell;

thread_local! {
    /// Tables read their files when they are scanned: these go when the thread of the test ends.
    static KEPT: RefCell<Vec<Directory>> = const { RefCell::new(Vec::new()) };
}

fn try_open(text: impl AsRef<[u8]>, options: &CsvOptions) -> Result<CsvTable, SourceError> {
    let directory = Directory::new();
    let path = directory.file("t.csv");
    std::fs::write(&path, text).expect("writes");
    let table = CsvTable::open(&[path.display().to_string()], &FileOptions::plain(), options);
    KEPT.with_borrow_mut(|kept| kept.push(directory));
    table
}

fn open(text: impl AsRef<[u8]>) -> CsvTable {
    try_open(text, &CsvOptions::plain()).unwrap_or_else(|error| panic!("{error}"))
}

fn exact() -> CsvOptions {
    CsvOptions { inference: CsvInference::Exact, ..CsvOptions::plain() }
}

/// The type of the only column, and its values.
fn one(values: &[&str], options: &CsvOptions) -> (DataType, Vec<Value>) {
    let text: String = ["a,b"].iter().copied().map(String::from).chain(values.iter().map(|v| format!("{v},x"))).map(|l| l + "\n").collect();
    let table = try_open(text, options).unwrap_or_else(|error| panic!("{error}"));
    (table.schema().field(0).data_type().clone(), column(&read(&table, 2), "a"))
}

fn float(x: f64) -> Value {
    Value::F64(x)
}

#[test]
fn types_are_found_out_as_pandas_does() {
    let pandas = CsvOptions::plain();
    let nan = float(f64::NAN);
    assert_eq!(one(&["1", " 2", "-3"], &pandas), (DataType::Int64, vec![Value::int(1), Value::int(2), Value::int(-3)]));
    assert_eq!(one(&["1", "", "3"], &pandas), (DataType::Float64, vec![float(1.0), nan.clone(), float(3.0)]));
    assert_eq!(one(&["1", "2.5", "NA"], &pandas), (DataType::Float64, vec![float(1.0), float(2.5), nan.clone()]));
    assert_eq!(one(&["1e3", "-inf", "null"], &pandas), (DataType::Float64, vec![float(1000.0), float(f64::NEG_INFINITY), nan.clone()]));
    assert_eq!(one(&["", "NaN", "None"], &pandas), (DataType::Float64, vec![nan.clone(); 3]));
    assert_eq!(
        one(&["True", "false", "TRUE"], &pandas),
        (DataType::Boolean, vec![Value::Bool(true), Value::Bool(false), Value::Bool(true)])
    );
    assert_eq!(one(&["True", "", "no"], &pandas), (DataType::Utf8View, vec![Value::str("True"), Value::Null, Value::str("no")]));
    assert_eq!(one(&["18446744073709551615", "1"], &pandas), (DataType::UInt64, vec![Value::int(u64::MAX), Value::int(1)]));
    assert_eq!(one(&["-1", "18446744073709551615"], &pandas).0, DataType::Utf8View);
    assert_eq!(
        one(&["1", "99999999999999999999999"], &pandas),
        (DataType::Utf8View, vec![Value::str("1"), Value::str("99999999999999999999999")])
    );
    assert_eq!(one(&["1.5", "99999999999999999999999"], &pandas).0, DataType::Float64);
    assert_eq!(one(&["007", "1_000"], &pandas), (DataType::Utf8View, vec![Value::str("007"), Value::str("1_000")]));
    assert_eq!(one(&["2020-01-01", "x"], &pandas).0, DataType::Utf8View);
}

#[test]
fn nothing_is_lost_by_exact_rules() {
    let exact = exact();
    let long = i64::MAX - 1;
    assert_eq!(one(&[&long.to_string(), "", "3"], &exact), (DataType::Int64, vec![Value::int(long), Value::Null, Value::int(3)]));
    assert_eq!(one(&["1.5", "NA"], &exact), (DataType::Float64, vec![float(1.5), Value::Null]));
    assert_eq!(one(&["\"\"", "", "\"NA\""], &exact), (DataType::Utf8View, vec![Value::str(""), Value::Null, Value::str("NA")]));
    assert_eq!(one(&["True", ""], &exact), (DataType::Boolean, vec![Value::Bool(true), Value::Null]));
}

#[test]
fn a_value_at_the_very_end_decides_the_type() {
    let mut text = String::from("n,m\n");
    for n in 0..300_000 {
        text.push_str(&format!("{n},{n}\n"));
    }
    text.push_str("x,1.5\n");
    let table = open(&text);
    let types: Vec<_> = table.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(types, [DataType::Utf8View, DataType::Float64]);
    assert_eq!(table.rows(), Some(300_001));
    for partitions in [1, 4] {
        let plan = scan(&table, partitions).plan;
        assert_eq!(run_partitions(&plan).expect("runs").len(), partitions);
        let found = column(&run(&plan), "n");
        assert!(found.iter().take(300_000).enumerate().all(|(at, value)| *value == Value::str(&at.to_string())));
        assert_eq!(found[300_000], Value::str("x"));
    }
}

#[test]
fn quotes_line_ends_and_marks_are_understood() {
    let table = open("\u{feff}a,\"b,c\"\r\n1,\"x\ny\"\r\n\r\n   \n2,\"say \"\"hi\"\"\"\r3,\"q\"z\n4,5\" pipe\n5\n");
    assert_eq!(table.schema().field(1).name(), "b,c");
    let batch = read(&table, 1);
    assert_eq!(column(&batch, "a"), (1..=5).map(Value::int).collect::<Vec<_>>());
    let expected = [Value::str("x\ny"), Value::str("say \"hi\""), Value::str("qz"), Value::str("5\" pipe"), Value::Null];
    assert_eq!(column(&batch, "b,c"), expected);
    let table = open("a,b\n1,2");
    assert_eq!((table.rows(), column(&read(&table, 1), "b")), (Some(1), vec![Value::int(2)]));
    let table = open("a\tb\n");
    assert_eq!((table.rows(), table.schema().fields().len(), read(&table, 3).num_rows()), (Some(0), 1, 0));
}

#[test]
fn names_are_made_different() {
    let names = |text: &str, options: &CsvOptions| {
        let table = try_open(text, options).unwrap_or_else(|error| panic!("{error}"));
        table.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("a,a,,a.1,a,\n1,2,3,4,5,6\n", &CsvOptions::plain()), ["a", "a.2", "Unnamed: 2", "a.1", "a.3", "Unnamed: 5"]);
    let none = CsvOptions { header: false, ..CsvOptions::plain() };
    assert_eq!(names("1,2\n", &none), ["0", "1"]);
    let given = CsvOptions { header: false, names: Some(vec!["x".into(), "y".into()]), ..CsvOptions::plain() };
    assert_eq!(names("1,2\n", &given), ["x", "y"]);
}

#[test]
fn options_are_obeyed() {
    let options = CsvOptions {
        delimiter: b';',
        comment: Some(b'#'),
        skip_rows: 2,
        types: vec![("code".into(), DataType::Utf8View), ("small".into(), DataType::Int8), ("money".into(), DataType::Decimal64(10, 2))],
        dates: vec!["when".into(), "never".into(), "zoned".into()],
        nulls: vec!["-".into()],
        thousands: Some(b','),
        ..exact()
    };
    let text = "some words\nmore, \"words\n# a comment\ncode;small;money;when;never;zoned;big\n\
                007;-5;1.50;2020-02-29 12:30:00;2020-01-01;2020-01-01T00:00:00Z;1,234,567 # rest\n-;-;-;-;x;-;2\n";
    let table = try_open(text, &options).unwrap_or_else(|error| panic!("{error}"));
    let types: Vec<_> = table.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let expected = [
        DataType::Utf8View,
        DataType::Int8,
        DataType::Decimal64(10, 2),
        DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Utf8View,
        DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        DataType::Int64,
    ];
    assert_eq!(types[..6], expected[..6]);
    let batch = read(&table, 1);
    assert_eq!(column(&batch, "code"), [Value::str("007"), Value::Null]);
    assert_eq!(column(&batch, "small"), [Value::int(-5), Value::Null]);
    assert_eq!(column(&batch, "money"), [Value::int(150), Value::Null]);
    assert_eq!(column(&batch, "when"), [Value::int(1_582_979_400_000_000i64), Value::Null]);
    assert_eq!(table.statistics(&[0]).expect("statistics").columns["code"].nulls, Some(1));
    let request = ScanSpec::of(vec![2, 0], 1, 1);
    let picked = run(&table.scan(&request).expect("scans").plan);
    assert_eq!((picked.schema().field(0).name().as_str(), picked.num_rows()), ("money", 2));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let message = |text: &[u8], options: &CsvOptions| {
        let failed = try_open(text, options).and_then(|table| {
            let columns = (0..table.schema().fields().len()).collect();
            let plan = table.scan(&ScanSpec::of(columns, 1, 100))?.plan;
            run_partitions(&plan).map_err(|error| airloom_io::failure::from_datafusion(&error).into_source())
        });
        let error = failed.expect_err("something is wrong");
        (error.kind, error.message.split_once("t.csv`: ").map_or(error.message.clone(), |(_, rest)| rest.to_string()))
    };
    let plain = CsvOptions::plain();
    let world = |text: &str| (ErrorKind::World, text.to_string());
    let user = |text: &str| (ErrorKind::User, text.to_string());
    assert_eq!(message(b"a,b\n1,2\n\"x\ny\",3\n1,2,3\n", &plain), world("line 5: 2 fields were expected, and 3 found"));
    assert_eq!(message(b"a,b\n1,\"2\n", &plain), world("line 2: a quote is opened and never closed"));
    assert_eq!(message(b"", &plain), user("the file is empty: there are no columns to read"));
    assert_eq!(message(b"a,b\nx,1\n\xff,2\n", &plain), user("line 3, column `a`: `\u{fffd}` is not valid UTF-8"));
    assert_eq!(message(b"\xff\xfea\0", &plain), user("the file is in UTF-16, and only UTF-8 is read"));
    assert_eq!(message(b"\x1f\x8bxx", &plain).0, ErrorKind::Refused);
    let typed = CsvOptions { types: vec![("a".into(), DataType::Int64)], ..CsvOptions::plain() };
    assert_eq!(message(b"a\n1\nx\n", &typed), user("line 3, column `a`: `x` is not an integer of 64 bits"));
    let small = CsvOptions { types: vec![("a".into(), DataType::Int8)], ..CsvOptions::plain() };
    let (kind, text) = message(b"a\n1\n300\n", &small);
    assert_eq!(kind, ErrorKind::User);
    assert!(text.starts_with("lines 2 to 4, column `a`: a value of type `Int64` does not fit the type `Int8`"), "{text}");
    let unknown = CsvOptions { dates: vec!["z".into()], ..CsvOptions::plain() };
    assert_eq!(message(b"a,b\n1,2\n", &unknown), user("unknown column `z`: the file has [\"a\", \"b\"]"));
}

#[test]
fn many_files_are_one_table() {
    let directory = Directory::new();
    std::fs::write(directory.file("year=2020/a.csv"), "n\n1\n2\n").expect("writes");
    std::fs::write(directory.file("year=2021/b.csv"), "n\n3.5\n").expect("writes");
    let root = directory.path().display().to_string();
    let table = CsvTable::open(std::slice::from_ref(&root), &FileOptions::plain(), &CsvOptions::plain()).expect("opens");
    let batch = read(&table, 4);
    assert_eq!(column(&batch, "n"), [float(1.0), float(2.0), float(3.5)]);
    assert_eq!(column(&batch, "year"), [Value::int(2020), Value::int(2020), Value::int(2021)]);
    std::fs::write(directory.file("year=2022/c.csv"), "m\n1\n").expect("writes");
    let error = CsvTable::open(&[root], &FileOptions::plain(), &CsvOptions::plain()).expect_err("other columns");
    assert_eq!(error.kind, ErrorKind::User);
}

/// Random texts, written with quotes where they must be, come back as they were, however the file is cut.
#[test]
fn random_fields_come_back() {
    let mut draw = Draw(11);
    let parts = ["a", "\"", ",", "\n", "\r\n", "ü", " ", "x\"y", "NA", ""];
    for _ in 0..50 {
        let width = 1 + draw.below(4) as usize;
        let rows: Vec<Vec<String>> = (0..draw.below(200))
            .map(|_| (0..width).map(|_| (0..draw.below(5)).map(|_| parts[draw.below(10) as usize]).collect::<String>() + "z").collect())
            .collect();
        let mut text = (0..width).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",") + "\n";
        for row in &rows {
            let fields: Vec<String> = row.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
            text.push_str(&(fields.join(",") + ["\n", "\r\n"][draw.below(2) as usize]));
        }
        let batch = read(&open(&text), 2);
        assert_eq!(batch.num_rows(), rows.len());
        for at in (0..width).filter(|_| !rows.is_empty()) {
            let expected: Vec<Value> = rows.iter().map(|row| Value::str(&row[at])).collect();
            assert_eq!(column(&batch, &format!("c{at}")), expected);
        }
    }
}

/// Files of several pieces, which are found by guesses: line ends in quotes that look like rows, and lines that end with a carriage return alone.
#[test]
fn pieces_begin_where_rows_do() {
    let rows = 120_000;
    let mut text = String::from("n,said\n");
    for n in 0..rows {
        let said = if n % 3 == 0 { "\"a\n7,b\n8,c\"" } else { "plain words here" };
        text.push_str(&format!("{n},{said}\n{}", if n % 1000 == 0 { "\n" } else { "" }));
    }
    assert!(text.len() > 2 << 20);
    for (text, line_end) in [(text.clone(), "\n"), (text.replace('\n', "\r"), "\r"), (text.replace('\n', "\r\n"), "\r\n")] {
        let table = open(&text);
        assert_eq!(table.rows(), Some(rows));
        let batch = read(&table, 3);
        assert_eq!(column(&batch, "n"), (0..rows).map(|n| Value::int(n as i64)).collect::<Vec<_>>());
        assert_eq!(column(&batch, "said")[3], Value::str(&format!("a{line_end}7,b{line_end}8,c")));
        let lines = 1 + rows + 2 * rows.div_ceil(3) + rows.div_ceil(1000);
        let error = try_open(format!("{text}1,2,3{line_end}"), &CsvOptions::plain()).expect_err("too many fields");
        assert!(error.message.ends_with(&format!("line {}: 2 fields were expected, and 3 found", lines + 1)), "{}", error.message);
        let typed = CsvOptions { types: vec![("n".into(), DataType::Int64)], ..CsvOptions::plain() };
        let table = try_open(format!("{text}x,y{line_end}"), &typed).unwrap_or_else(|error| panic!("{error}"));
        let plan = table.scan(&ScanSpec::of(vec![1, 0], 2, 100)).expect("scans").plan;
        let error = airloom_io::failure::from_datafusion(&run_partitions(&plan).expect_err("no number")).into_source();
        assert!(error.message.contains(&format!("line {}, column `n`: `x` is not", lines + 1)), "{}", error.message);
    }
}

#[test]
fn comments_and_short_rows_are_understood() {
    let options = CsvOptions { comment: Some(b'#'), usual_nulls: false, ..exact() };
    let text = "a,b\n  # blanks before a comment\n\"x\"# right after a quote\ny,#\r\r,z\n\"\",\n";
    let batch = read(&try_open(text, &options).unwrap_or_else(|error| panic!("{error}")), 1);
    assert_eq!(column(&batch, "a"), ["x", "y", "", ""].map(Value::str));
    // Of a row that is too short nothing is known, whatever counts as missing; an empty field is there.
    assert_eq!(column(&batch, "b"), [Value::Null, Value::str(""), Value::str("z"), Value::str("")]);
}

#[test]
fn few_rows_are_enough_to_know_the_columns() {
    let given = CsvOptions { header: false, names: Some(vec!["x".into(), "y".into()]), ..CsvOptions::plain() };
    let empty = try_open("", &given).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((empty.rows(), read(&empty, 2).num_rows()), (Some(0), 0));
    let skipped = CsvOptions { skip_rows: 5, ..CsvOptions::plain() };
    assert!(try_open("a\r\nb\r\n", &skipped).is_err());
    let one = CsvOptions { skip_rows: 1, ..CsvOptions::plain() };
    let table = try_open("words, \"words\r\n\r\na\r\n1", &one).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(column(&read(&table, 1), "a"), [Value::int(1)]);
}
