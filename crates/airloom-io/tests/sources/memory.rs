//! Tables in memory.

use crate::support::{Draw, column, read, run, run_partitions, scan, values};
use airloom_compute::data::ErrorKind;
use airloom_io::source::{MemoryColumn, MemoryTable, ScanSpec, Table};
use airloom_ir::oracle::order::{by_keys, canonical, total};
use airloom_ir::value::Value;
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int8Array, Int32Array,
    Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use std::collections::HashSet;
use std::sync::Arc;

fn table(columns: Vec<(&str, ArrayRef)>) -> MemoryTable {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).expect("columns fit");
    MemoryTable::new(&batch.schema(), &[batch]).expect("a table")
}

#[test]
fn foreign_types_are_read_in_physical_types() {
    let words: DictionaryArray<Int32Type> = vec![Some("x"), None, Some("y"), Some("x")].into_iter().collect();
    let money = Decimal128Array::from(vec![Some(150), None, Some(-1), Some(999_999)]).with_precision_and_scale(12, 2).expect("fits");
    let table = table(vec![
        ("text", Arc::new(StringArray::from(vec![Some("a"), None, Some("a text longer than twelve bytes"), Some("")])) as ArrayRef),
        ("large", Arc::new(LargeStringArray::from(vec!["p", "q", "r", "s"]))),
        ("words", Arc::new(words)),
        ("money", Arc::new(money)),
        ("raw", Arc::new(BinaryArray::from(vec![&b"\x00"[..], b"", b"\xff\xfe", b"1"]))),
        ("nothing", Arc::new(NullArray::new(4))),
    ]);
    let types: Vec<_> = table.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let expected =
        [DataType::Utf8View, DataType::Utf8View, DataType::Utf8View, DataType::Decimal64(12, 2), DataType::BinaryView, DataType::Boolean];
    assert_eq!(types, expected);
    let batch = read(&table, 2);
    assert_eq!(column(&batch, "text"), [Value::str("a"), Value::Null, Value::str("a text longer than twelve bytes"), Value::str("")]);
    assert_eq!(column(&batch, "words"), [Value::str("x"), Value::Null, Value::str("y"), Value::str("x")]);
    assert_eq!(column(&batch, "money"), [Value::int(150), Value::Null, Value::int(-1), Value::int(999_999)]);
    assert_eq!(column(&batch, "nothing"), vec![Value::Null; 4]);
}

#[test]
fn numbers_are_not_copied() {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let address = numbers.to_data().buffers()[0].as_ptr();
    let table = table(vec![("n", numbers)]);
    let partitions = run_partitions(&scan(&table, 1).plan).expect("runs");
    assert_eq!(partitions[0][0].column(0).to_data().buffers()[0].as_ptr(), address);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a text longer than twelve bytes"; 10]));
    let address = text.to_data().buffers()[1].as_ptr();
    let table = self::table(vec![("t", text)]);
    let chunk = table.column(0).expect("converts")[0].to_data();
    assert_eq!(chunk.buffers()[1].as_ptr(), address);
}

#[test]
fn partitions_are_contiguous_pieces_in_order() {
    let lengths = [0, 1, 250, 3, 0, 999, 47];
    let schema = Schema::new(vec![Field::new("n", DataType::Int64, false)]);
    let mut next = 0;
    let batches: Vec<RecordBatch> = lengths
        .iter()
        .map(|&length| {
            let numbers = Int64Array::from_iter_values(next..next + length);
            next += length;
            RecordBatch::try_new(Arc::new(schema.clone()), vec![Arc::new(numbers)]).expect("fits")
        })
        .collect();
    let table = MemoryTable::new(&schema, &batches).expect("a table");
    for partitions in [1, 2, 4, 100] {
        let scan = scan(&table, partitions);
        for batch in run_partitions(&scan.plan).expect("runs").iter().flatten() {
            assert!(batch.num_rows() <= 100);
        }
        let expected: Vec<Value> = (0..next).map(Value::int).collect();
        assert_eq!(column(&run(&scan.plan), "n"), expected, "in {partitions} partitions");
    }
}

#[test]
fn columns_in_chunks_of_their_own_are_cut_together() {
    let schema = Schema::new(vec![Field::new("a", DataType::Int32, true), Field::new("b", DataType::Int8, true)]);
    let a: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![1, 2, 3])), Arc::new(Int32Array::from(vec![4, 5]))];
    let b: Vec<ArrayRef> =
        vec![Arc::new(Int8Array::from(vec![1])), Arc::new(Int8Array::from(vec![2, 3, 4])), Arc::new(Int8Array::from(vec![5]))];
    let table = MemoryTable::from_columns(&schema, &[a.clone(), b.clone()], 5).expect("a table");
    let batch = read(&table, 3);
    assert_eq!(column(&batch, "a"), column(&batch, "b"));
    assert_eq!(table.rows(), Some(5));
    let error = MemoryTable::from_columns(&schema, &[a, b[1..].to_vec()], 5).expect_err("lengths differ");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::User, "column `b` has 4 rows where the table has 5"));
}

#[test]
fn columns_are_shared_by_tables_that_cut_them_differently() {
    let shared = |chunks: Vec<ArrayRef>| Arc::new(MemoryColumn::new(&chunks[0].data_type().clone(), chunks).expect("one type"));
    let numbers = |values: std::ops::Range<i64>| Arc::new(Int64Array::from_iter_values(values)) as ArrayRef;
    let a = shared(vec![numbers(0..3), numbers(3..3), numbers(3..10)]);
    let b = shared(vec![numbers(0..5), numbers(5..10)]);
    let text = shared(vec![Arc::new(StringArray::from_iter_values((0..10).map(|n| n.to_string())))]);
    let schema =
        |names: &[(&str, DataType)]| Schema::new(names.iter().map(|(name, ty)| Field::new(*name, ty.clone(), false)).collect::<Vec<_>>());
    let whole = schema(&[("a", DataType::Int64), ("b", DataType::Int64), ("text", DataType::Utf8)]);
    let all = MemoryTable::of_shared(&whole, vec![a.clone(), b.clone(), text.clone()], 10).expect("a table");
    let one = MemoryTable::of_shared(&schema(&[("b", DataType::Int64)]), vec![b.clone()], 10).expect("a table");
    assert_eq!((all.chunk_lengths(), one.chunk_lengths()), (&[3, 2, 5][..], &[5, 5][..]));
    let batch = read(&all, 2);
    assert_eq!(column(&batch, "a"), column(&batch, "b"));
    assert_eq!(column(&read(&one, 1), "b"), column(&batch, "b"));
    assert_eq!(all.statistics(&[1]).expect("known").columns, one.statistics(&[0]).expect("known").columns);
    check(&all);
    // The same buffers, whichever table is asked.
    let buffers =
        |table: &MemoryTable, at: usize| table.column(at).expect("converts").iter().map(|c| c.to_data().buffers()[0].as_ptr()).min();
    assert_eq!(buffers(&all, 1), buffers(&one, 0));
    let error = MemoryTable::of_shared(&schema(&[("a", DataType::Int64)]), vec![a], 9).expect_err("lengths differ");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::User, "column `a` has 10 rows where the table has 9"));
}

#[test]
fn rows_without_columns_are_counted() {
    let table = table(vec![("n", Arc::new(Int64Array::from_iter_values(0..250)) as ArrayRef)]);
    let scan = table.scan(&ScanSpec::of(vec![], 2, 100)).expect("scans");
    let rows: usize = run_partitions(&scan.plan).expect("runs").iter().flatten().map(RecordBatch::num_rows).sum();
    assert_eq!(rows, 250);
    let request = ScanSpec { limit: Some(7), ..ScanSpec::of(vec![0], 2, 100) };
    assert_eq!(run(&table.scan(&request).expect("scans").plan).num_rows(), 7);
}

#[test]
fn what_cannot_be_read_is_named() {
    let schema = Schema::new(vec![Field::new("t", DataType::Interval(arrow::datatypes::IntervalUnit::MonthDayNano), true)]);
    let error = MemoryTable::new(&schema, &[]).expect_err("intervals are refused");
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(error.message.starts_with("column `t` has the type `Interval(MonthDayNano)`, which cannot be read"), "{error}");
    let schema = Schema::new(vec![Field::new("a", DataType::Int32, true), Field::new("a", DataType::Int32, true)]);
    assert_eq!(MemoryTable::new(&schema, &[]).expect_err("names differ").kind, ErrorKind::User);
    let table = table(vec![("n", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    let error = table.scan(&ScanSpec::of(vec![3], 1, 10)).expect_err("there is one column");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::User, "unknown column number 3: the table has 1 columns"));
}

/// Checks what is said of a table against what is true of it, found out the plain way.
fn check(table: &MemoryTable) {
    let width = table.schema().fields().len();
    let columns: Vec<usize> = (0..width).collect();
    let statistics = table.statistics(&columns).expect("statistics");
    let batch = read(table, 1);
    assert_eq!(statistics.rows, Some(batch.num_rows() as u64));
    let named = |name: &str| column(&batch, name);
    for field in table.schema().fields() {
        let said = &statistics.columns[field.name().as_str()];
        let all = named(field.name());
        let present: Vec<&Value> = all.iter().filter(|value| !value.is_null()).collect();
        let least = present.iter().copied().min_by(|a, b| total(a, b)).filter(|_| !present.iter().any(|value| value.is_nan()));
        let greatest = present.iter().copied().max_by(|a, b| total(a, b)).filter(|_| !present.iter().any(|value| value.is_nan()));
        assert_eq!(said.nulls, Some((all.len() - present.len()) as u64), "nulls of `{}`", field.name());
        assert_eq!(said.min.as_ref().map(canonical), least.map(canonical), "min of `{}`", field.name());
        assert_eq!(said.max.as_ref().map(canonical), greatest.map(canonical), "max of `{}`", field.name());
        let distinct = all.iter().map(canonical).collect::<HashSet<_>>().len() as f64;
        let guess = said.distinct.expect("a guess") as f64;
        assert!((guess - distinct).abs() <= 0.1 * distinct + 1.0, "`{}` has {distinct} values, not about {guess}", field.name());
        let unique = statistics.unique.iter().any(|key| key.len() == 1 && key[0].as_str() == field.name());
        // Floats in no order are not asked about.
        let asked = !field.data_type().is_floating();
        assert_eq!(unique || !asked, distinct as usize == all.len() || !asked, "whether `{}` is unique", field.name());
    }
    for key in &statistics.unique {
        let columns: Vec<Vec<Value>> = key.iter().map(|name| named(name)).collect();
        let rows: HashSet<Vec<Value>> = (0..batch.num_rows()).map(|row| columns.iter().map(|c| canonical(&c[row])).collect()).collect();
        assert_eq!(rows.len(), batch.num_rows(), "{key:?} is said to be unique");
    }
    let columns: Vec<Vec<Value>> = statistics.sorted.iter().map(|(name, _)| named(name)).collect();
    let keys: Vec<_> = statistics.sorted.iter().map(|(_, key)| *key).collect();
    let row = |at: usize| columns.iter().map(|column| column[at].clone()).collect::<Vec<_>>();
    for at in 1..batch.num_rows() {
        assert!(by_keys(&row(at - 1), &row(at), &keys).is_le(), "rows are said to be sorted by {:?}", statistics.sorted);
    }
}

#[test]
fn statistics_are_true_of_random_columns() {
    let mut draw = Draw(7);
    for round in 0..400 {
        let rows = [0, 1, 2, 3, 10, 1000][draw.below(6) as usize];
        let values = [1, 2, 10, 1 << 40][draw.below(4) as usize];
        let nulls = [0, 0, 2, 3][draw.below(4) as usize];
        let arrange = draw.below(4);
        let mut numbers: Vec<Option<i64>> =
            (0..rows).map(|_| (nulls == 0 || draw.below(nulls) > 0).then(|| draw.below(values) as i64 - 3)).collect();
        match arrange {
            0 => numbers.sort(),
            1 => numbers.sort_by(|a, b| b.cmp(a)),
            _ => (),
        }
        let floats: Vec<Option<f64>> = numbers
            .iter()
            .map(|n| n.map(|n| [n as f64, -0.0, 0.0, f64::NAN, f64::INFINITY][if n % 7 == 0 { draw.below(5) as usize } else { 0 }]))
            .collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("whole", Arc::new(Int64Array::from(numbers.clone()))),
            ("float", Arc::new(Float64Array::from(floats.clone()))),
            ("half", Arc::new(Float32Array::from(floats.iter().map(|x| x.map(|x| x as f32)).collect::<Vec<_>>()))),
            ("text", Arc::new(StringArray::from(numbers.iter().map(|n| n.map(|n| format!("{n:08}"))).collect::<Vec<_>>()))),
            ("day", Arc::new(Date32Array::from(numbers.iter().map(|n| n.map(|n| n as i32)).collect::<Vec<_>>()))),
            ("truth", Arc::new(BooleanArray::from(numbers.iter().map(|n| n.map(|n| n % 2 == 0)).collect::<Vec<_>>()))),
            ("big", Arc::new(UInt64Array::from(numbers.iter().map(|n| n.map(|n| u64::MAX - (n + 3) as u64)).collect::<Vec<_>>()))),
            ("dense", Arc::new(Int32Array::from_iter_values((0..rows).map(|at| at * 7919 % 1009)))),
        ];
        let chosen: Vec<_> = columns.into_iter().filter(|_| draw.below(3) > 0).collect();
        if chosen.is_empty() {
            continue;
        }
        let whole = RecordBatch::try_from_iter_with_nullable(chosen.into_iter().map(|(name, array)| (name, array, true))).expect("fits");
        let cut = draw.below(whole.num_rows() as u64 + 1) as usize;
        let batches = [whole.slice(0, cut), whole.slice(cut, whole.num_rows() - cut)];
        check(&MemoryTable::new(&whole.schema(), &batches).unwrap_or_else(|error| panic!("round {round}: {error}")));
    }
}

#[test]
fn statistics_find_keys_of_two_columns() {
    let order: ArrayRef = Arc::new(Int64Array::from_iter_values((0..4000).map(|at| at / 4)));
    let line: ArrayRef = Arc::new(Int32Array::from_iter_values((0..4000).map(|at| at % 4)));
    let part: ArrayRef = Arc::new(Int32Array::from_iter_values((0..4000).map(|at| (at * 7919) % 4001 / 7)));
    let table = table(vec![("part", part), ("order", order), ("line", line)]);
    check(&table);
    let statistics = table.statistics(&[0, 1, 2]).expect("statistics");
    let sorted: Vec<&str> = statistics.sorted.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(sorted, ["order", "line"]);
    assert!(statistics.unique.iter().any(|key| key.len() == 2 && key[0].as_str() == "order" && key[1].as_str() == "line"));
}

#[test]
fn distinct_values_of_many_rows_are_estimated() {
    let mut draw = Draw(1);
    for (values, tolerance) in [(10, 0.01), (5_000, 0.1), (200_000, 0.5)] {
        let numbers: Vec<u64> = (0..400_000).map(|_| draw.below(values)).collect();
        let text: ArrayRef = Arc::new(StringArray::from_iter_values(numbers.iter().map(|n| format!("name {n}"))));
        let wide: ArrayRef = Arc::new(UInt64Array::from_iter_values(numbers.iter().map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
        let truth = numbers.iter().collect::<HashSet<_>>().len() as f64;
        let statistics = table(vec![("text", text), ("wide", wide)]).statistics(&[0, 1]).expect("statistics");
        for name in ["text", "wide"] {
            let guess = statistics.columns[name].distinct.expect("a guess") as f64;
            assert!((guess - truth).abs() <= tolerance * truth, "`{name}` has {truth} values, not about {guess}");
        }
        assert!(statistics.unique.is_empty());
    }
}

#[test]
fn nulls_that_are_not_there_are_not_promised() {
    let table =
        table(vec![("a", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef), ("b", Arc::new(Int32Array::from(vec![Some(1), None])))]);
    let schema = table.without_idle_nulls().schema();
    assert!(!schema.field(0).is_nullable() && schema.field(1).is_nullable());
    assert_eq!(values(&(Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef)), [Value::int(1), Value::Null]);
}
