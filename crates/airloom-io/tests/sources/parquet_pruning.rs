//! What a predicate saves, and that it saves nothing it should not.

use crate::support::{Directory, column, run, write_parquet};
use airloom_io::source::{FileOptions, LateDecoding, ParquetTable, Scan, ScanSpec, Table};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion_common::ScalarValue;
use datafusion_expr::Operator;
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::expressions::{BinaryExpr, Column, DynamicFilterPhysicalExpr, IsNullExpr, Literal, NotExpr, in_list};
use datafusion_physical_plan::metrics::MetricValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::sync::Arc;

fn col(at: usize) -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new("any", at))
}

fn lit(value: impl Into<ScalarValue>) -> Arc<dyn PhysicalExpr> {
    Arc::new(Literal::new(value.into()))
}

fn op(left: Arc<dyn PhysicalExpr>, operator: Operator, right: Arc<dyn PhysicalExpr>) -> Arc<dyn PhysicalExpr> {
    Arc::new(BinaryExpr::new(left, operator, right))
}

/// A table of 10 000 rows in row groups of 1000: `n` rises, `mixed` jumps about, `text` is of `n`, `float` has NaN and zeros.
fn table(directory: &Directory, properties: WriterProperties) -> ParquetTable {
    let path = directory.file("n.parquet");
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10_000));
    let mixed: ArrayRef = Arc::new(Int64Array::from_iter((0..10_000).map(|n| (n % 10 != 0).then_some(n * 7919 % 10_007))));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values((0..10_000).map(|n| format!("name {:05}", n * 7919 % 10_007))));
    let special = [-0.0, 0.0, f64::NAN, 1.0, -1.0];
    let float: ArrayRef = Arc::new(Float64Array::from_iter((0..10_000).map(|n| match n {
        0..1000 => Some(special[n % 5]),
        1000..2000 => Some([0.0, f64::NAN][n % 2]),
        2000..3000 => Some(5.0),
        3000..4000 => Some([5.0, f64::NAN][n % 2]),
        n => (n % 7 != 0).then_some(n as f64),
    })));
    let batch =
        RecordBatch::try_from_iter_with_nullable([("n", n, false), ("mixed", mixed, true), ("text", text, false), ("float", float, true)]);
    write_parquet(&path, &[batch.expect("fits")], Some(properties));
    ParquetTable::open(&[path.to_str().expect("text").to_string()], &FileOptions::plain())
        .expect("opens")
        .with_late_decoding(LateDecoding::Always)
}

fn plain() -> WriterProperties {
    WriterProperties::builder().set_max_row_group_row_count(Some(1000)).set_data_page_row_count_limit(100).set_write_batch_size(100).build()
}

fn scan_with(table: &ParquetTable, predicate: Arc<dyn PhysicalExpr>) -> Scan {
    let columns = (0..table.schema().fields().len()).collect();
    let request = ScanSpec { predicate: Some(predicate), ..ScanSpec::of(columns, 4, 500) };
    table.scan(&request).expect("scans")
}

/// What a plan counted under a name: pruned, where it says how much was and was not.
fn counted(scan: &Scan, name: &str) -> usize {
    let metrics = scan.plan.metrics().expect("metrics");
    metrics
        .iter()
        .filter(|metric| metric.value().name() == name)
        .map(|metric| match metric.value() {
            MetricValue::PruningMetrics { pruning_metrics, .. } => pruning_metrics.pruned(),
            other => other.as_usize(),
        })
        .sum()
}

#[test]
fn row_groups_are_pruned_by_their_bounds() {
    let directory = Directory::new();
    let table = table(&directory, plain());
    let scan = scan_with(&table, op(col(0), Operator::Lt, lit(1500i64)));
    assert!(scan.filtered);
    let expected: Vec<Value> = (0..1500).map(Value::int).collect();
    assert_eq!(column(&run(&scan.plan), "n"), expected);
    assert_eq!(counted(&scan, "row_groups_pruned_statistics"), 8);
    // Of the second row group, half the pages.
    assert!(counted(&scan, "page_index_rows_pruned") >= 400, "{} rows", counted(&scan, "page_index_rows_pruned"));
}

#[test]
fn pages_are_pruned_by_their_bounds() {
    let directory = Directory::new();
    let table = table(&directory, plain());
    let scan = scan_with(&table, op(col(0), Operator::Eq, lit(4321i64)));
    assert_eq!(column(&run(&scan.plan), "n"), [Value::int(4321)]);
    assert_eq!(counted(&scan, "row_groups_pruned_statistics"), 9);
    assert_eq!(counted(&scan, "page_index_rows_pruned"), 900);
    assert_eq!(counted(&scan, "pushdown_rows_pruned"), 99);
}

#[test]
fn bloom_filters_prune_row_groups() {
    let directory = Directory::new();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).set_bloom_filter_enabled(true);
    let table = table(&directory, properties.set_statistics_enabled(EnabledStatistics::Chunk).build());
    let wanted = (4321 * 7919) % 10_007;
    for predicate in [
        op(col(1), Operator::Eq, lit(wanted as i64)),
        op(col(2), Operator::Eq, lit(ScalarValue::Utf8View(Some(format!("name {wanted:05}"))))),
    ] {
        let scan = scan_with(&table, predicate);
        assert!(scan.filtered);
        assert_eq!(column(&run(&scan.plan), "n"), [Value::int(4321)]);
        let pruned = counted(&scan, "row_groups_pruned_bloom_filter");
        assert!(pruned >= 7, "{pruned} row groups were pruned");
    }
    let none = scan_with(&table, op(col(1), Operator::Eq, lit(3i64)));
    assert!(run(&none.plan).num_rows() <= 1);
}

#[test]
fn columns_are_decoded_only_where_the_predicate_is_true() {
    let directory = Directory::new();
    let table = table(&directory, WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build());
    let predicate = op(col(1), Operator::Lt, lit(100i64));
    let scan = scan_with(&table, Arc::clone(&predicate));
    assert!(scan.filtered);
    let all = crate::support::read(&table, 1);
    let (numbers, mixed) = (column(&all, "n"), column(&all, "mixed"));
    let expected: Vec<Value> =
        numbers.into_iter().zip(mixed).filter(|(_, mixed)| matches!(mixed, Value::Int(mixed) if *mixed < 100)).map(|(n, _)| n).collect();
    assert_eq!(column(&run(&scan.plan), "n"), expected);
    assert_eq!(counted(&scan, "pushdown_rows_matched"), expected.len());
    let request = ScanSpec { predicate: Some(op(col(0), Operator::Lt, lit(100i64))), limit: Some(5), ..ScanSpec::of(vec![1, 0], 1, 10) };
    let few = run(&table.scan(&request).expect("scans").plan);
    assert_eq!(column(&few, "n"), expected[..5]);
}

#[test]
fn no_row_is_lost_to_nan_or_negative_zero() {
    let directory = Directory::new();
    let table = table(&directory, plain());
    let all = crate::support::read(&table, 1);
    let floats: Vec<Option<f64>> =
        column(&all, "float").iter().map(|value| if let Value::F64(x) = value { Some(*x) } else { None }).collect();
    let cases: Vec<(Arc<dyn PhysicalExpr>, Box<dyn Fn(Option<f64>) -> bool>)> = vec![
        (op(col(3), Operator::Eq, lit(0.0)), Box::new(|x| x == Some(0.0))),
        (op(col(3), Operator::GtEq, lit(0.0)), Box::new(|x| x.is_some_and(|x| x >= 0.0))),
        (op(col(3), Operator::LtEq, lit(-0.0)), Box::new(|x| x.is_some_and(|x| x <= 0.0))),
        (op(col(3), Operator::Lt, lit(0.0)), Box::new(|x| x.is_some_and(|x| x < 0.0))),
        (op(col(3), Operator::NotEq, lit(5.0)), Box::new(|x| x.is_some_and(|x| x != 5.0))),
        (Arc::new(NotExpr::new(op(col(3), Operator::Gt, lit(5.0)))), Box::new(|x| x.is_some_and(|x| x.is_nan() || x <= 5.0))),
        (op(col(3), Operator::Gt, lit(5.0)), Box::new(|x| x.is_some_and(|x| x > 5.0))),
        (op(lit(5.0), Operator::Eq, col(3)), Box::new(|x| x == Some(5.0))),
        (
            op(op(col(3), Operator::Gt, lit(9000.0)), Operator::Or, op(col(3), Operator::Lt, lit(-0.5))),
            Box::new(|x| x.is_some_and(|x| [x > 9000.0, x < -0.5].contains(&true))),
        ),
        (
            in_list(col(3), vec![lit(0.0), lit(1.0)], &false, &table.schema()).expect("a list"),
            Box::new(|x| x == Some(0.0) || x == Some(1.0)),
        ),
        (Arc::new(IsNullExpr::new(col(3))), Box::new(|x| x.is_none())),
    ];
    for (predicate, wanted) in cases {
        let scan = scan_with(&table, Arc::clone(&predicate));
        let found = run(&scan.plan);
        let numbers: Vec<Value> = column(&found, "n");
        let kept: std::collections::HashSet<&Value> = numbers.iter().collect();
        for (n, float) in floats.iter().enumerate() {
            assert!(!wanted(*float) || kept.contains(&Value::int(n as i64)), "{predicate} lost row {n}, {float:?}");
        }
        let exact = floats.iter().filter(|float| wanted(**float)).count();
        assert!(!scan.filtered || exact == numbers.len(), "{predicate} is said to be applied");
    }
    let scan = scan_with(&table, op(col(3), Operator::Gt, lit(8999.0)));
    run(&scan.plan);
    assert_eq!(counted(&scan, "row_groups_pruned_statistics"), 9);
}

#[test]
fn a_filter_learned_while_running_prunes() {
    let directory = Directory::new();
    let table = table(&directory, plain());
    let learned = Arc::new(DynamicFilterPhysicalExpr::new(vec![col(0)], lit(true)));
    let both = op(op(col(0), Operator::Lt, lit(9000i64)), Operator::And, Arc::clone(&learned) as _);
    let scan = scan_with(&table, both);
    assert!(scan.filtered);
    learned.update(op(col(0), Operator::GtEq, lit(8000i64))).expect("updates");
    let expected: Vec<Value> = (8000..9000).map(Value::int).collect();
    assert_eq!(column(&run(&scan.plan), "n"), expected);
    assert!(counted(&scan, "row_groups_pruned_statistics") >= 9);
}

#[test]
fn directories_prune_files() {
    let directory = Directory::new();
    for year in 2000..2010i64 {
        let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
        write_parquet(&directory.file(&format!("year={year}/p.parquet")), &[RecordBatch::try_from_iter([("n", n)]).expect("fits")], None);
    }
    let table = ParquetTable::open(&[directory.path().to_str().expect("text").to_string()], &FileOptions::plain()).expect("opens");
    let table = table.with_late_decoding(LateDecoding::Always);
    let request = ScanSpec {
        predicate: Some(op(op(col(0), Operator::Eq, lit(2005i64)), Operator::And, op(col(1), Operator::Lt, lit(3i64)))),
        ..ScanSpec::of(vec![1, 0], 4, 100)
    };
    let scan = table.scan(&request).expect("scans");
    let found = run(&scan.plan);
    let rows: Vec<(Value, Value)> = column(&found, "year").into_iter().zip(column(&found, "n")).collect();
    let wanted: Vec<(Value, Value)> = (0..3).map(|n| (Value::int(2005), Value::int(n))).collect();
    assert_eq!(rows, wanted);
    assert!(counted(&scan, "row_groups_pruned_statistics") + counted(&scan, "files_ranges_pruned_statistics") >= 9);
}

#[test]
fn columns_are_decoded_late_where_few_rows_come_through() {
    let directory = Directory::new();
    let table = table(&directory, plain()).with_late_decoding(LateDecoding::WherePays);
    let filtered = |predicate: Arc<dyn PhysicalExpr>| {
        let scan = scan_with(&table, predicate);
        run(&scan.plan);
        assert_eq!(scan.filtered, counted(&scan, "pushdown_rows_matched") > 0, "{}", scan.plan.name());
        scan.filtered
    };
    assert!(filtered(op(col(0), Operator::Eq, lit(4321i64))));
    assert!(filtered(op(col(0), Operator::Lt, lit(3i64))));
    assert!(!filtered(op(col(0), Operator::Lt, lit(1500i64))));
    assert!(!filtered(op(lit(9i64), Operator::Lt, col(0))));
    let few = op(op(col(0), Operator::Gt, lit(9990i64)), Operator::And, op(col(1), Operator::Gt, lit(100i64)));
    assert!(!filtered(few));
}
