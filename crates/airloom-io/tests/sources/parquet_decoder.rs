//! The decoder of flat columns beside DataFusion's: the same files, written in every way, give the same rows, whichever of them are wanted.

use crate::support::{Directory, Draw, column, run, values, write_parquet};
use airloom_compute::data::SourceError;
use airloom_io::source::{FileOptions, LateDecoding, ParquetTable, Scan, ScanPredicate, ScanSpec, Table};
use airloom_ir::value::Value;
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DurationMicrosecondArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray, TimestampNanosecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter_record_batch;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::sync::Arc;

/// Texts that differ in length, in bytes for a character, and in whether a view has room for them.
const TEXTS: [&str; 7] = ["", "a", "Zürich", "日本", "exactly twelv", "a text that no view has room for", "𝄞𝄞𝄞𝄞"];

/// A column of each type that files have, with `count` rows and this chance of a null; few values, or all different.
fn rows(draw: &mut Draw, count: usize, nulls: u64, few: bool) -> RecordBatch {
    let mut column = |limit: u64| -> Vec<Option<u64>> {
        let most = if few { 5 } else { limit };
        (0..count).map(|_| (draw.below(100) >= nulls).then(|| draw.below(most))).collect()
    };
    fn array<T: Copy, A: From<Vec<Option<T>>> + arrow::array::Array + 'static>(drawn: Vec<Option<u64>>, of: impl Fn(u64) -> T) -> ArrayRef {
        Arc::new(A::from(drawn.into_iter().map(|value| value.map(&of)).collect::<Vec<_>>()))
    }
    let text = |value: u64| format!("{}{}", TEXTS[(value % 7) as usize], if value < 7 { String::new() } else { value.to_string() });
    let texts = StringArray::from_iter(column(1000).into_iter().map(|value| value.map(text)));
    let long = StringArray::from_iter(column(1000).into_iter().map(|value| value.map(|value| "é".repeat(value as usize % 300))));
    let bytes: Vec<Option<Vec<u8>>> = column(1000).into_iter().map(|v| v.map(|v| vec![0xff; v as usize % 20])).collect();
    let decimal = |drawn: Vec<Option<u64>>, precision: u8, scale: i8, of: &dyn Fn(u64) -> i128| -> ArrayRef {
        let array = Decimal128Array::from_iter(drawn.into_iter().map(|value| value.map(of)));
        Arc::new(array.with_precision_and_scale(precision, scale).expect("digits"))
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("bool", array::<bool, BooleanArray>(column(2), |v| v % 2 == 1)),
        ("i8", array::<i8, Int8Array>(column(256), |v| v as u8 as i8)),
        ("i16", array::<i16, Int16Array>(column(1 << 16), |v| v as u16 as i16)),
        ("i32", array::<i32, Int32Array>(column(1 << 32), |v| v as u32 as i32)),
        ("i64", array::<i64, Int64Array>(column(u64::MAX), |v| v as i64)),
        ("u8", array::<u8, UInt8Array>(column(256), |v| v as u8)),
        ("u16", array::<u16, UInt16Array>(column(1 << 16), |v| v as u16)),
        ("u32", array::<u32, UInt32Array>(column(1 << 32), |v| v as u32)),
        ("u64", array::<u64, UInt64Array>(column(u64::MAX), |v| v)),
        ("f32", array::<f32, Float32Array>(column(1 << 32), |v| f32::from_bits(v as u32))),
        ("f64", array::<f64, Float64Array>(column(u64::MAX), |v| if v == 1 { -0.0 } else { f64::from_bits(v) })),
        ("date", array::<i32, Date32Array>(column(40_000), |v| v as i32 - 20_000)),
        ("us", array::<i64, TimestampMicrosecondArray>(column(u64::MAX), |v| v as i64)),
        ("ns", array::<i64, TimestampNanosecondArray>(column(u64::MAX), |v| v as i64)),
        ("span", array::<i64, DurationMicrosecondArray>(column(u64::MAX), |v| v as i64)),
        ("d5", decimal(column(99_999), 5, 2, &|v| -i128::from(v))),
        ("d15", decimal(column(1 << 40), 15, 2, &|v| i128::from(v) - (1 << 39))),
        ("d38", decimal(column(u64::MAX), 38, 10, &|v| (i128::from(v) << 40) - (1 << 90))),
        ("text", Arc::new(texts)),
        ("long", Arc::new(long)),
        ("bytes", Arc::new(BinaryArray::from_iter(bytes))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, nulls > 0)))
        .expect("columns of one length")
}

/// Ways to write a file.
fn ways() -> Vec<(&'static str, WriterProperties)> {
    let builder = || WriterProperties::builder().set_max_row_group_row_count(Some(700)).set_write_batch_size(64);
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).expect("a level"));
    vec![
        ("dictionaries", builder().set_data_page_row_count_limit(100).build()),
        ("plain", builder().set_dictionary_enabled(false).set_compression(Compression::SNAPPY).build()),
        ("small dictionaries", builder().set_dictionary_page_size_limit(64).set_data_page_row_count_limit(90).build()),
        ("second version", builder().set_writer_version(WriterVersion::PARQUET_2_0).set_compression(zstd).build()),
        ("large pages", builder().set_compression(Compression::SNAPPY).build()),
    ]
}

/// The tables of a file: by our decoder, and by DataFusion's.
fn tables(directory: &Directory, batch: &RecordBatch, properties: WriterProperties) -> (ParquetTable, ParquetTable) {
    let path = directory.file("rows.parquet");
    write_parquet(&path, std::slice::from_ref(batch), Some(properties));
    let open = || ParquetTable::open(&[path.to_str().expect("text").to_string()], &FileOptions::plain()).expect("opens");
    (open(), open().with_late_decoding(LateDecoding::Never))
}

fn is_ours(scan: &Scan) -> bool {
    let shown = datafusion_physical_plan::displayable(scan.plan.as_ref()).one_line().to_string();
    shown.contains("row groups=")
}

/// Wants rows by what their values look like in text, so that all types can be tested.
#[derive(Debug)]
struct Looks {
    columns: Vec<usize>,
    /// One row in `one_in` is wanted.
    one_in: u64,
    optional: bool,
}

fn wants(values: &[&Value], one_in: u64) -> bool {
    let text: String = values.iter().map(|value| format!("{value:?}")).collect();
    text.bytes().fold(7u64, |so_far, byte| so_far.wrapping_mul(31).wrapping_add(u64::from(byte))) % one_in == 0
}

impl ScanPredicate for Looks {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn test(&self, columns: &[ArrayRef], rows: usize) -> Result<BooleanBuffer, SourceError> {
        let columns: Vec<Vec<Value>> = columns.iter().map(values).collect();
        Ok(BooleanBuffer::collect_bool(rows, |row| wants(&columns.iter().map(|column| &column[row]).collect::<Vec<_>>(), self.one_in)))
    }

    fn is_optional(&self) -> bool {
        self.optional
    }
}

#[test]
fn rows_are_those_that_datafusion_reads() {
    let mut draw = Draw(1);
    let mut compared = 0;
    for nulls in [0, 10, 95, 100] {
        for few in [true, false] {
            // No row and one row are tables too.
            let count = |way: usize| [1500, 1500, 1, 1500, 0, 1500, 1500, 1500, 1][way];
            for (at, (way, properties)) in ways().into_iter().chain(ways().into_iter().take(4)).enumerate() {
                let batch = rows(&mut draw, count(at), nulls, few);
                let directory = Directory::new();
                let (ours, theirs) = tables(&directory, &batch, properties);
                let all: Vec<usize> = (0..batch.num_columns()).collect();
                for column in &all {
                    for (partitions, batch_rows) in [(1, 8192), (3, 7)] {
                        let request = ScanSpec::of(vec![*column], partitions, batch_rows);
                        let (scan, reference) = (ours.scan(&request).expect("scans"), theirs.scan(&request).expect("scans"));
                        let name = batch.schema().field(*column).name().clone();
                        assert!(!is_ours(&reference));
                        compared += usize::from(is_ours(&scan));
                        // What is written by differences is not decoded here.
                        assert!(is_ours(&scan) || way == "second version", "{name}, {way}: DataFusion reads it");
                        assert_eq!(
                            values(run(&scan.plan).column(0)),
                            values(run(&reference.plan).column(0)),
                            "{name}, {way}, nulls {nulls}"
                        );
                    }
                }
                let request = ScanSpec::of(all, 2, 100);
                let (scan, reference) = (ours.scan(&request).expect("scans"), theirs.scan(&request).expect("scans"));
                assert_eq!(run(&scan.plan), run(&reference.plan), "{way}");
            }
        }
    }
    assert!(compared > 1000, "only {compared} columns were decoded");
}

#[test]
fn tested_rows_are_those_that_pass() {
    let mut draw = Draw(2);
    for turn in 0..120 {
        let (nulls, few) = ([0, 20, 100][turn % 3], turn % 2 == 0);
        let batch = rows(&mut draw, 2000, nulls, few);
        let directory = Directory::new();
        let (ours, theirs) = tables(&directory, &batch, ways().swap_remove(turn % 3).1);
        let columns: Vec<usize> = (0..4).map(|_| draw.below(batch.num_columns() as u64) as usize).collect();
        let mut tests: Vec<Arc<dyn ScanPredicate>> = Vec::new();
        for _ in 0..1 + draw.below(3) {
            let read: Vec<usize> = (0..1 + draw.below(2)).map(|_| draw.below(4) as usize).collect();
            tests.push(Arc::new(Looks { columns: read, one_in: [1, 2, 3, 40, 4000][draw.below(5) as usize], optional: false }));
        }
        let kept: Vec<usize> = (0..4).filter(|_| draw.below(3) > 0).collect();
        let request = ScanSpec { tests: tests.clone(), kept: kept.clone(), ..ScanSpec::of(columns, 3, 1 + draw.below(500) as usize) };
        let plain = ScanSpec { tests: Vec::new(), ..request.clone() };
        let all = run(&theirs.scan(&plain).expect("scans").plan);
        let mask = tests.iter().fold(BooleanBuffer::new_set(all.num_rows()), |mask, test| {
            let read: Vec<ArrayRef> = test.columns().iter().map(|&at| all.column(at).clone()).collect();
            &mask & &test.test(&read, all.num_rows()).expect("a mask")
        });
        let expected =
            filter_record_batch(&all, &BooleanArray::new(mask, None)).expect("a mask of its rows").project(&kept).expect("columns");
        let scan = ours.scan(&request).expect("scans");
        assert!(scan.tested && is_ours(&scan));
        let found = run(&scan.plan);
        assert_eq!(found.num_rows(), expected.num_rows(), "turn {turn}");
        for (found, expected) in found.columns().iter().zip(expected.columns()) {
            assert_eq!(values(found), values(expected), "turn {turn}");
        }
    }
}

#[test]
fn a_test_that_only_saves_work_is_left_when_it_does_not() {
    let directory = Directory::new();
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..200_000));
    let batch = RecordBatch::try_from_iter([("n", numbers)]).expect("one column");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(50_000)).build();
    let (ours, _) = tables(&directory, &batch, properties);
    let scan_with = |one_in: u64, optional: bool| {
        let tests: Vec<Arc<dyn ScanPredicate>> = vec![Arc::new(Looks { columns: vec![0], one_in, optional })];
        run(&ours.scan(&ScanSpec { tests, ..ScanSpec::of(vec![0], 1, 8192) }).expect("scans").plan).num_rows()
    };
    let exact = (0..200_000).filter(|&n| wants(&[&Value::int(n)], 2)).count();
    assert_eq!(scan_with(2, false), exact);
    assert_eq!(scan_with(2, true), exact);
    assert_eq!(scan_with(1, true), 200_000);
}

#[test]
fn a_cut_file_is_an_error() {
    let directory = Directory::new();
    let batch = rows(&mut Draw(3), 3000, 5, false);
    let (ours, _) = tables(&directory, &batch, ways().swap_remove(1).1);
    let path = directory.file("rows.parquet");
    let bytes = std::fs::read(&path).expect("it was written");
    // Bytes of pages changed under an open table: the length and the time stay, and the footer was read.
    let changed: Vec<u8> =
        bytes.iter().enumerate().map(|(at, &byte)| if at > 100 && at < bytes.len() / 2 { byte ^ 0x5a } else { byte }).collect();
    let time = std::fs::metadata(&path).and_then(|meta| meta.modified()).expect("a time");
    std::fs::write(&path, changed).expect("it can be written");
    std::fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time can be set");
    let request = ScanSpec::of((0..batch.num_columns()).collect(), 2, 1000);
    let error = crate::support::run_partitions(&ours.scan(&request).expect("scans").plan).expect_err("it is damaged");
    let said = error.to_string();
    assert!(said.contains("damaged") && said.contains("rows.parquet"), "{said}");
}

#[test]
fn columns_are_found_by_name_in_every_file() {
    let directory = Directory::new();
    let two = |a: ArrayRef, b: ArrayRef, names: [&str; 2]| RecordBatch::try_from_iter([(names[0], a), (names[1], b)]).expect("two columns");
    let numbers = || -> ArrayRef { Arc::new(Int64Array::from(vec![1, 2])) };
    let texts = || -> ArrayRef { Arc::new(StringArray::from(vec!["x", "y"])) };
    let paths = [directory.file("a.parquet"), directory.file("b.parquet")];
    write_parquet(&paths[0], &[two(numbers(), texts(), ["n", "t"])], None);
    write_parquet(&paths[1], &[two(texts(), numbers(), ["t", "n"])], None);
    let paths: Vec<String> = paths.iter().map(|path| path.to_str().expect("text").to_string()).collect();
    let table = ParquetTable::open(&paths, &FileOptions::plain()).expect("opens");
    let scan = table.scan(&ScanSpec::of(vec![1, 0], 2, 10)).expect("scans");
    assert!(is_ours(&scan));
    let rows = run(&scan.plan);
    assert_eq!(column(&rows, "n"), [1, 2, 1, 2].map(Value::int));
    assert_eq!(column(&rows, "t"), ["x", "y", "x", "y"].map(Value::str));
}
