//! Parquet files: what is written is read, wherever it lies.

use crate::support::{Directory, Draw, column, read, run, run_partitions, scan, write_parquet};
use airloom_compute::data::ErrorKind;
use airloom_io::source::{Division, FileOptions, ParquetTable, ScanSpec, Table};
use airloom_ir::oracle::order::{canonical, total};
use airloom_ir::value::Value;
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Float64Array, Int32Array,
    Int64Array, ListArray, NullArray, RecordBatch, StringArray, StructArray, Time32MillisecondArray, TimestampMicrosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, TimeUnit};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::Arc;

fn open(path: &Path) -> ParquetTable {
    try_open(path).unwrap_or_else(|error| panic!("{error}"))
}

fn try_open(path: &Path) -> Result<ParquetTable, airloom_compute::data::SourceError> {
    ParquetTable::open(&[path.to_str().expect("a path of text").to_string()], &FileOptions::plain())
}

fn numbers(from: i64, count: i64) -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + count));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values((from..from + count).map(|n| format!("number {n}"))));
    RecordBatch::try_from_iter([("n", n), ("text", text)]).expect("fits")
}

fn groups_of(rows: usize) -> WriterProperties {
    WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build()
}

fn expected(count: i64) -> Vec<Value> {
    (0..count).map(Value::int).collect()
}

#[test]
fn every_type_is_read_in_its_physical_form() {
    let directory = Directory::new();
    let path = directory.file("types.parquet");
    let words: DictionaryArray<Int32Type> = vec![Some("x"), None, Some("y")].into_iter().collect();
    let decimal = |precision, scale| {
        Arc::new(Decimal128Array::from(vec![Some(150), None, Some(-999)]).with_precision_and_scale(precision, scale).expect("fits"))
            as ArrayRef
    };
    let part = StructArray::from(vec![(
        Arc::new(Field::new("p", DataType::Utf8, true)),
        Arc::new(StringArray::from(vec!["a", "b", "c"])) as ArrayRef,
    )]);
    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab", b"cd", b"ef"].iter()).expect("two bytes each");
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None]), None, Some(vec![])]);
    let columns: Vec<(&str, ArrayRef, DataType)> = vec![
        ("text", Arc::new(StringArray::from(vec![Some("a"), None, Some("")])), DataType::Utf8View),
        ("words", Arc::new(words), DataType::Utf8View),
        ("raw", Arc::new(BinaryArray::from(vec![&b"\xff"[..], b"", b"1"])), DataType::BinaryView),
        ("small", decimal(4, 2), DataType::Decimal64(4, 2)),
        ("middle", decimal(18, 2), DataType::Decimal64(18, 2)),
        ("wide", decimal(30, 2), DataType::Decimal128(30, 2)),
        ("day", Arc::new(Date32Array::from(vec![0, -1, 19_000])), DataType::Date32),
        ("second", Arc::new(TimestampSecondArray::from(vec![0, 1, 2])), DataType::Timestamp(TimeUnit::Second, None)),
        (
            "instant",
            Arc::new(TimestampMicrosecondArray::from(vec![0, 1, 2]).with_timezone("Europe/Paris")),
            DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Paris".into())),
        ),
        ("clock", Arc::new(Time32MillisecondArray::from(vec![0, 1, 2])), DataType::Time64(TimeUnit::Nanosecond)),
        ("big", Arc::new(UInt64Array::from(vec![0, 1, u64::MAX])), DataType::UInt64),
        ("fixed", Arc::new(fixed), DataType::BinaryView),
        ("nothing", Arc::new(NullArray::new(3)), DataType::Boolean),
        ("list", Arc::new(lists), DataType::LargeList(Arc::new(Field::new("item", DataType::Int32, true)))),
        ("part", Arc::new(part), DataType::Struct(vec![Field::new("p", DataType::Utf8View, true)].into())),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), DataType::Boolean),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, array, _)| (*name, Arc::clone(array), true))).expect("fits");
    write_parquet(&path, &[batch], None);
    let table = open(&path);
    let found = read(&table, 1);
    for (name, _, physical) in &columns {
        assert_eq!(table.schema().field_with_name(name).expect("a column").data_type(), physical, "type of `{name}`");
        assert_eq!(found.schema().field_with_name(name).expect("a column").data_type(), physical, "type of `{name}` as read");
    }
    assert_eq!(column(&found, "text"), [Value::str("a"), Value::Null, Value::str("")]);
    assert_eq!(column(&found, "words"), [Value::str("x"), Value::Null, Value::str("y")]);
    for name in ["small", "middle", "wide"] {
        assert_eq!(column(&found, name), [Value::int(150), Value::Null, Value::int(-999)]);
    }
    assert_eq!(column(&found, "clock"), [Value::int(0), Value::int(1_000_000), Value::int(2_000_000)]);
    assert_eq!(column(&found, "list")[0], Value::List(Arc::from([Value::int(1), Value::Null])));
    assert_eq!(column(&found, "part")[2], Value::Struct(Arc::from([Value::str("c")])));
    table.statistics(&(0..columns.len()).collect::<Vec<_>>()).expect("statistics of every type");
}

#[test]
fn partitions_are_contiguous_over_files_and_row_groups() {
    let directory = Directory::new();
    let mut next = 0;
    for (number, rows) in [1000, 1, 0, 2500, 700].into_iter().enumerate() {
        write_parquet(&directory.file(&format!("part-{number}.parquet")), &[numbers(next, rows)], Some(groups_of(97)));
        next += rows;
    }
    let table = open(directory.path());
    assert_eq!(table.rows(), Some(next as u64));
    for partitions in [1, 2, 3, 4, 7, 1000] {
        let plan = scan(&table, partitions).plan;
        let pieces = run_partitions(&plan).expect("runs");
        assert!(pieces.len() <= partitions && (partitions > 40 || pieces.len() == partitions));
        if partitions == 4 {
            let rows: Vec<usize> = pieces.iter().map(|piece| piece.iter().map(RecordBatch::num_rows).sum()).collect();
            assert!(rows.iter().all(|rows| (800..1400).contains(rows)), "{rows:?} are not about equal");
        }
        assert_eq!(column(&run(&plan), "n"), expected(next), "in {partitions} partitions");
    }
    let request = ScanSpec { limit: Some(150), ..ScanSpec::of(vec![0], 4, 100) };
    let few = column(&run(&table.scan(&request).expect("scans").plan), "n");
    assert!(few.len() >= 150 && few.len() < 300);
    assert_eq!(few[..150], expected(150));
}

#[test]
fn partitions_have_the_size_that_is_asked_for() {
    let directory = Directory::new();
    let mut next = 0;
    for (number, rows) in [1000, 1, 0, 2500, 700].into_iter().enumerate() {
        write_parquet(&directory.file(&format!("part-{number}.parquet")), &[numbers(next, rows)], Some(groups_of(97)));
        next += rows;
    }
    let table = open(directory.path());
    let request = |bytes: u64| ScanSpec { partitions: Division { count: 3, bytes: Some(bytes) }, ..ScanSpec::of(vec![0], 3, 100) };
    let whole = table.partitions(&request(u64::MAX)).expect("footers are known");
    assert_eq!((whole.len(), whole[0].files, whole[0].rows), (1, 4, next as u64));
    for parts in [2, 5, 11, 1000] {
        let asked = request((whole[0].bytes + whole[0].row_groups).div_ceil(parts));
        let sizes = table.partitions(&asked).expect("footers are known");
        let pieces = run_partitions(&table.scan(&asked).expect("scans").plan).expect("runs");
        let rows = |piece: &Vec<RecordBatch>| piece.iter().map(RecordBatch::num_rows).sum::<usize>() as u64;
        assert_eq!(sizes.iter().map(|size| size.rows).collect::<Vec<_>>(), pieces.iter().map(rows).collect::<Vec<_>>());
        assert_eq!(sizes.iter().map(|size| size.bytes).sum::<u64>(), whole[0].bytes);
        // The last group of a file may be small, and comes to the partition of its neighbour.
        let (most, found) = (parts.min(whole[0].row_groups), sizes.len() as u64);
        assert!(found <= most && found * 10 >= most * 9, "{found} partitions, expected {most}");
        assert_eq!(column(&run(&table.scan(&asked).expect("scans").plan), "n"), expected(next));
    }
}

#[test]
fn rows_without_columns_are_counted() {
    let directory = Directory::new();
    let path = directory.file("n.parquet");
    write_parquet(&path, &[numbers(0, 1000)], Some(groups_of(97)));
    let scan = open(&path).scan(&ScanSpec::of(vec![], 3, 100)).expect("scans");
    let rows: usize = run_partitions(&scan.plan).expect("runs").iter().flatten().map(RecordBatch::num_rows).sum();
    assert_eq!(rows, 1000);
}

#[test]
fn files_are_found_by_name_directory_and_pattern() {
    let directory = Directory::new();
    for (number, name) in ["a.parquet", "b/c d.parquet", "b/ä#1.parquet", "b/100%.parquet"].into_iter().enumerate() {
        write_parquet(&directory.file(name), &[numbers(number as i64 * 10, 10)], None);
    }
    std::fs::write(directory.file("_SUCCESS"), "").expect("writes");
    std::fs::write(directory.file(".hidden.parquet"), "").expect("writes");
    std::fs::write(directory.file("readme.txt"), "").expect("writes");
    let root = directory.path().to_str().expect("text").to_string();
    let rows = |paths: &[String]| ParquetTable::open(paths, &FileOptions::plain()).map(|table| table.rows().expect("known"));
    assert_eq!(rows(std::slice::from_ref(&root)), Ok(40));
    assert_eq!(rows(&[format!("{root}/*.parquet")]), Ok(10));
    assert_eq!(rows(&[format!("{root}/**/*.parquet")]), Ok(40));
    assert_eq!(rows(&[format!("{root}/b/[!x]*.parquet")]), Ok(30));
    assert_eq!(rows(&[format!("file://{root}/a.parquet")]), Ok(10));
    let named = ParquetTable::open(&[format!("{root}/b/ä#1.parquet"), format!("{root}/a.parquet")], &FileOptions::plain()).expect("opens");
    let values = column(&read(&named, 1), "n");
    assert_eq!((values[0].clone(), values[10].clone()), (Value::int(20), Value::int(0)));
    assert_eq!(column(&read(&open(&directory.file("b/100%.parquet")), 1), "n")[0], Value::int(30));
    let error = rows(&[format!("{root}/*.nothing")]).expect_err("there is none");
    assert_eq!(error.kind, ErrorKind::User);
    let error = rows(&[format!("{root}/nowhere.parquet")]).expect_err("there is none");
    assert_eq!((error.kind, error.message), (ErrorKind::World, format!("cannot open `{root}/nowhere.parquet`: no such file or directory")));
}

#[test]
fn directories_are_columns() {
    let directory = Directory::new();
    let mut next = 0;
    for (year, name) in [("2019", "x"), ("2020", "a%2Fb"), ("__HIVE_DEFAULT_PARTITION__", "x")] {
        write_parquet(&directory.file(&format!("year={year}/name={name}/part.parquet")), &[numbers(next, 3)], None);
        next += 3;
    }
    let table = open(directory.path());
    let types: Vec<_> = table.schema().fields().iter().map(|f| (f.name().clone(), f.data_type().clone(), f.is_nullable())).collect();
    assert_eq!(types[2..], [("year".into(), DataType::Int64, true), ("name".into(), DataType::Utf8View, false)]);
    let batch = read(&table, 2);
    assert_eq!(column(&batch, "n"), expected(9));
    let years = column(&batch, "year");
    assert_eq!((years[0].clone(), years[3].clone(), years[8].clone()), (Value::int(2019), Value::int(2020), Value::Null));
    assert_eq!(column(&batch, "name")[3], Value::str("a/b"));
    let statistics = table.statistics(&[2, 3]).expect("statistics");
    let year = &statistics.columns["year"];
    assert_eq!(
        (year.nulls, year.min.clone(), year.max.clone(), year.distinct),
        (Some(3), Some(Value::int(2019)), Some(Value::int(2020)), Some(3))
    );
    let plain = FileOptions { hive: Some(false), ..FileOptions::plain() };
    let without = ParquetTable::open(&[directory.path().to_str().expect("text").into()], &plain).expect("opens");
    assert_eq!(without.schema().fields().len(), 2);
}

#[test]
fn files_may_lack_columns_but_not_disagree() {
    let directory = Directory::new();
    let one: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    write_parquet(&directory.file("a.parquet"), &[RecordBatch::try_from_iter([("a", Arc::clone(&one))]).expect("fits")], None);
    write_parquet(&directory.file("b.parquet"), &[RecordBatch::try_from_iter([("b", Arc::clone(&one)), ("a", one)]).expect("fits")], None);
    let table = open(directory.path());
    let batch = read(&table, 2);
    assert_eq!((column(&batch, "a"), column(&batch, "b")), (vec![Value::int(1), Value::int(1)], vec![Value::Null, Value::int(1)]));
    let statistics = table.statistics(&[0, 1]).expect("statistics");
    assert_eq!((statistics.columns["a"].nulls, statistics.columns["b"].nulls), (Some(0), Some(1)));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    write_parquet(&directory.file("c.parquet"), &[RecordBatch::try_from_iter([("a", text)]).expect("fits")], None);
    let error = try_open(directory.path()).expect_err("types differ");
    assert_eq!(error.kind, ErrorKind::User);
    assert!(error.message.contains("column `a` is `Utf8View` in") && error.message.contains("`Int64` in files before it"), "{error}");
}

#[test]
fn tables_without_rows_are_read() {
    let directory = Directory::new();
    let path = directory.file("none.parquet");
    write_parquet(&path, &[numbers(0, 0)], None);
    let table = open(&path);
    assert_eq!((table.rows(), read(&table, 4).num_rows()), (Some(0), 0));
    let statistics = table.statistics(&[0, 1]).expect("statistics");
    let n = &statistics.columns["n"];
    assert_eq!((n.nulls, n.min.clone(), n.max.clone(), n.distinct), (Some(0), None, None, Some(0)));
}

#[test]
fn footers_prove_only_what_is_true() {
    let mut draw = Draw(3);
    for _ in 0..60 {
        let directory = Directory::new();
        let mut parts = Vec::new();
        for file in 0..1 + draw.below(3) {
            let rows = [0, 1, 5, 300][draw.below(4) as usize];
            let null = |draw: &mut Draw| draw.below(4) == 0;
            let n: Vec<Option<i64>> = (0..rows).map(|_| (!null(&mut draw)).then(|| draw.next() as i64)).collect();
            let text: Vec<Option<String>> =
                n.iter().map(|n| n.map(|n| "long ".repeat((n % 30).unsigned_abs() as usize) + &n.to_string())).collect();
            let floats: Vec<Option<f64>> =
                n.iter().map(|n| n.map(|n| [n as f64, f64::NAN, -0.0][(n % 3).unsigned_abs() as usize])).collect();
            let batch = RecordBatch::try_from_iter_with_nullable([
                ("n", Arc::new(Int64Array::from(n.clone())) as ArrayRef, true),
                ("text", Arc::new(StringArray::from(text)) as ArrayRef, true),
                ("float", Arc::new(Float64Array::from(floats)) as ArrayRef, true),
                ("small", Arc::new(Int32Array::from(n.iter().map(|n| n.map(|n| (n % 10) as i32)).collect::<Vec<_>>())) as ArrayRef, true),
            ])
            .expect("fits");
            write_parquet(&directory.file(&format!("{file}.parquet")), std::slice::from_ref(&batch), Some(groups_of(50)));
            parts.push(batch);
        }
        let table = open(directory.path());
        let all = read(&table, 2);
        let statistics = table.statistics(&[0, 1, 2, 3]).expect("statistics");
        assert_eq!(statistics.rows, Some(all.num_rows() as u64));
        for (name, known) in &statistics.columns {
            let values = column(&all, name);
            let present: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
            assert_eq!(known.nulls, Some((values.len() - present.len()) as u64), "nulls of `{name}`");
            if known.min.is_some() || known.max.is_some() {
                assert_eq!(known.min.as_ref(), present.iter().copied().min_by(|a, b| total(a, b)), "min of `{name}`");
                assert_eq!(known.max.as_ref(), present.iter().copied().max_by(|a, b| total(a, b)), "max of `{name}`");
            }
            assert!(name.as_str() != "float" || known.min.is_none(), "a float may be NaN, which footers do not tell");
            assert!(name.as_str() != "n" || present.is_empty() || known.min.is_some(), "integers have bounds");
            let distinct = values.iter().map(canonical).collect::<std::collections::HashSet<_>>().len() as u64;
            assert!(
                known.distinct.is_some_and(|guess| guess <= 10 * distinct + 10 && distinct <= 20 * guess),
                "`{name}`: {:?}",
                known.distinct
            );
        }
    }
}

#[test]
fn rows_are_sorted_only_where_row_groups_follow_each_other() {
    let sorted = |ranges: &[(i64, i64)]| {
        let directory = Directory::new();
        let key = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
        for (at, (from, count)) in ranges.iter().enumerate() {
            let properties =
                WriterProperties::builder().set_sorting_columns(Some(vec![key.clone()])).set_max_row_group_row_count(Some(10)).build();
            write_parquet(&directory.file(&format!("{at}.parquet")), &[numbers(*from, *count)], Some(properties));
        }
        let statistics = open(directory.path()).statistics(&[0, 1]).expect("statistics");
        statistics.sorted.iter().map(|(name, key)| format!("{name} {}", key.word())).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&[(0, 100), (100, 5)]), ["n asc.last"]);
    assert_eq!(sorted(&[(0, 100), (99, 5)]), ["n asc.last"]);
    assert_eq!(sorted(&[(0, 100), (98, 5)]), Vec::<String>::new());
}

#[test]
fn columns_that_were_looked_at_are_known() {
    let directory = Directory::new();
    let path = directory.file("n.parquet");
    write_parquet(&path, &[numbers(0, 1000)], Some(groups_of(100)));
    let table = open(&path);
    let before = table.statistics(&[0, 1]).expect("statistics");
    // An integer that may well be a key is looked at unasked.
    assert_eq!(before.unique.iter().map(|key| key[0].as_str()).collect::<Vec<_>>(), ["n"]);
    table.look_at(&[0, 1]).expect("looks");
    let after = table.statistics(&[0, 1]).expect("statistics");
    assert_eq!(after.unique.len(), 2);
    assert_eq!(after.sorted.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["n"]);
    assert_eq!((after.columns["text"].distinct, after.columns["text"].min.clone()), (Some(1000), Some(Value::str("number 0"))));
}

/// More rows than are read as a whole: what rises from the first to the last has each value once, and that is seen batch by batch.
#[test]
fn a_large_column_that_rises_is_a_key() {
    let rows = (1i64 << 21) + 100;
    let known = |change: &dyn Fn(&mut Vec<i64>)| {
        let directory = Directory::new();
        let path = directory.file("n.parquet");
        let mut values: Vec<i64> = (0..rows).map(|row| row * 3 - 5).collect();
        change(&mut values);
        let column: ArrayRef = Arc::new(Int64Array::from(values));
        let batch = RecordBatch::try_from_iter([("n", column)]).expect("one column");
        write_parquet(&path, &[batch], Some(groups_of(1 << 18)));
        let statistics = open(&path).statistics(&[0]).expect("statistics");
        (statistics.unique.len(), statistics.sorted.len(), statistics.columns["n"].min.clone())
    };
    assert_eq!(known(&|_| ()), (1, 1, Some(Value::int(-5))));
    // The last value is a duplicate, within a row group and within a batch.
    assert_eq!(known(&|values| values[rows as usize - 1] = values[rows as usize - 2]), (0, 0, Some(Value::int(-5))));
    // Two values at the border of two batches have changed places.
    assert_eq!(known(&|values| values.swap(65_535, 65_536)), (0, 0, Some(Value::int(-5))));
    // The first value of a row group is the last of the one before.
    assert_eq!(known(&|values| values[1 << 18] = values[(1 << 18) - 1]), (0, 0, Some(Value::int(-5))));
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let directory = Directory::new();
    let path = directory.file("whole.parquet");
    write_parquet(&path, &[numbers(0, 1000)], Some(groups_of(100)));
    let whole = std::fs::read(&path).expect("reads");
    let broken = directory.file("broken.parquet");
    let cases: [(&str, Vec<u8>); 4] =
        [("empty", vec![]), ("short", b"PAR1".to_vec()), ("cut", whole[..whole.len() / 2].to_vec()), ("other", vec![b'x'; 5000])];
    for (what, bytes) in cases {
        std::fs::write(&broken, bytes).expect("writes");
        let error = try_open(&broken).expect_err(what);
        assert_eq!(error.kind, ErrorKind::World, "{what}: {error}");
        assert!(error.message.contains("broken.parquet") && error.message.contains("Parquet file"), "{what}: {error}");
    }
    // The footer is whole, the data is not.
    let mut torn = whole.clone();
    torn[200..6000].fill(0xff);
    std::fs::write(&broken, &torn).expect("writes");
    let error = run_partitions(&scan(&open(&broken), 2).plan).expect_err("the data is torn");
    let error = airloom_io::failure::from_datafusion(&error).into_source();
    assert_eq!(error.kind, ErrorKind::World, "{error}");
    assert!(error.message.contains("broken.parquet"), "{error}");
    assert_eq!(try_open(&directory.path().join("whole.parquet/x")).expect_err("not a directory").kind, ErrorKind::World);
    let error = open(&path).scan(&ScanSpec::of(vec![9], 1, 1)).expect_err("no such column");
    assert_eq!(error.kind, ErrorKind::User);
}

#[test]
fn a_damaged_file_is_an_error_or_another_file() {
    let directory = Directory::new();
    let path = directory.file("n.parquet");
    write_parquet(&path, &[numbers(0, 300)], Some(groups_of(100)));
    let whole = std::fs::read(&path).expect("reads");
    let mut draw = Draw(5);
    let mut errors = 0;
    for _ in 0..200 {
        let mut bytes = whole.clone();
        for _ in 0..1 + draw.below(3) {
            let at = draw.below(bytes.len() as u64) as usize;
            bytes[at] = draw.next() as u8;
        }
        std::fs::write(&path, bytes).expect("writes");
        let outcome = std::panic::catch_unwind(|| match try_open(&path) {
            Ok(table) => {
                let statistics = table.statistics(&(0..table.schema().fields().len()).collect::<Vec<_>>()).map(|_| ());
                let scanned = table.scan(&ScanSpec::of((0..table.schema().fields().len()).collect(), 2, 100));
                let read =
                    scanned.and_then(|scan| run_partitions(&scan.plan).map_err(|e| airloom_io::failure::from_datafusion(&e).into_source()));
                statistics.and(read.map(|_| ()))
            }
            Err(error) => Err(error),
        });
        match outcome.expect("nothing panics") {
            Ok(()) => (),
            Err(error) => {
                errors += 1;
                assert!(error.kind != ErrorKind::Broken, "{error}");
            }
        }
    }
    assert!(errors > 50, "{errors} damages were noticed");
}

#[test]
fn a_file_that_changed_is_noticed() {
    let directory = Directory::new();
    let path = directory.file("n.parquet");
    write_parquet(&path, &[numbers(0, 1000)], None);
    let table = open(&path);
    write_parquet(&path, &[numbers(0, 1001)], None);
    let error = table.scan(&ScanSpec::of(vec![0], 1, 100)).expect_err("the file changed");
    assert_eq!(error.kind, ErrorKind::World);
    assert!(error.message.contains("has changed since it was opened"), "{error}");
    std::fs::remove_file(&path).expect("removes");
    assert_eq!(table.scan(&ScanSpec::of(vec![0], 1, 100)).expect_err("the file is gone").kind, ErrorKind::World);
}

#[test]
fn a_file_is_opened_again_as_long_as_it_is_the_same() {
    let directory = Directory::new();
    let path = directory.file("again.parquet");
    let paths = [path.to_str().expect("a path of text").to_string()];
    let again = || ParquetTable::open_again(&paths).unwrap_or_else(|error| panic!("{error}"));
    let aged = |seconds| {
        let file = std::fs::File::options().append(true).open(&path).expect("opens");
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(seconds)).expect("can be set");
    };
    write_parquet(&path, &[numbers(0, 10)], Some(groups_of(10)));
    // What was just written may be written again within the same tick.
    assert!(!Arc::ptr_eq(&again(), &again()));
    aged(100);
    let first = again();
    assert!(Arc::ptr_eq(&first, &again()));
    write_parquet(&path, &[numbers(0, 20)], Some(groups_of(20)));
    aged(90);
    let second = again();
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((first.rows(), second.rows()), (Some(10), Some(20)));
    std::fs::remove_file(&path).expect("is there");
    assert!(ParquetTable::open_again(&paths).is_err());
}
