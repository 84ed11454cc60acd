//! What is written is read back.

use crate::plans::{awkward, numbers, plan_of, run_write, target};
use crate::support::{Directory, column, read};
use airloom_io::sink::{CsvWriting, Format, IpcCompression, IpcWriting, Layout, Overwrite, ParquetCompression, ParquetWriting};
use airloom_io::source::{FileOptions, ParquetTable};
use parquet::basic::Type;
use parquet::file::reader::{FileReader, SerializedFileReader};

#[test]
fn parquet_is_read_back_whatever_the_compression() {
    for compression in [
        ParquetCompression::None,
        ParquetCompression::Snappy,
        ParquetCompression::Lz4,
        ParquetCompression::Zstd(3),
        ParquetCompression::Gzip(6),
        ParquetCompression::Brotli(3),
    ] {
        let directory = Directory::new();
        let path = directory.file("a.parquet");
        let writing = ParquetWriting { compression, ..ParquetWriting::plain() };
        run_write(plan_of(awkward(), 1), &target(&path, Format::Parquet(writing), Layout::OneFile, Overwrite::Refuse)).expect("writes");
        let table = ParquetTable::open(&[path.display().to_string()], &FileOptions::plain()).expect("opens");
        let (before, after) = (awkward(), read(&table, 1));
        for field in before.schema().fields() {
            assert_eq!(column(&before, field.name()), column(&after, field.name()), "`{}` under {compression:?}", field.name());
            assert_eq!(after.schema().field_with_name(field.name()).expect("a column").data_type(), field.data_type());
        }
    }
}

#[test]
fn parquet_holds_what_every_reader_knows() {
    let directory = Directory::new();
    let path = directory.file("a.parquet");
    let writing =
        ParquetWriting { bloom_filters: vec!["text ü".into()], sorted_by: vec![("whole".into(), false)], ..ParquetWriting::plain() };
    run_write(plan_of(awkward(), 1), &target(&path, Format::Parquet(writing), Layout::OneFile, Overwrite::Refuse)).expect("writes");
    let reader = SerializedFileReader::new(std::fs::File::open(&path).expect("opens")).expect("reads");
    let group = reader.metadata().row_group(0);
    let stored = |name: &str| {
        let leaf = group.columns().iter().find(|leaf| leaf.column_path().string() == name).expect("a column");
        (leaf.column_type(), leaf.bloom_filter_offset().is_some(), leaf.column_index_offset().is_some(), leaf.statistics().is_some())
    };
    assert_eq!(stored("money"), (Type::INT64, false, true, true));
    assert_eq!(stored("long"), (Type::INT64, false, true, true));
    assert_eq!(stored("text ü"), (Type::BYTE_ARRAY, true, true, true));
    assert_eq!(group.sorting_columns().map(|columns| columns.len()), Some(1));
    let schema = parquet::arrow::parquet_to_arrow_schema(
        reader.metadata().file_metadata().schema_descr(),
        reader.metadata().file_metadata().key_value_metadata(),
    )
    .expect("a schema");
    let types: Vec<String> = schema.fields().iter().map(|field| field.data_type().to_string()).collect();
    assert!(!types.iter().any(|data_type| data_type.contains("View") || data_type.contains("Decimal64")), "{types:?}");
}

#[test]
fn csv_is_written_as_pandas_writes_it() {
    let directory = Directory::new();
    let path = directory.file("a.csv");
    let batch = awkward();
    let rows = batch.project(&[0, 1, 2, 3, 4, 6, 7, 9]).expect("columns");
    run_write(plan_of(rows.clone(), 1), &target(&path, Format::Csv(CsvWriting::plain()), Layout::OneFile, Overwrite::Refuse))
        .expect("writes");
    let expected = "whole,float,text ü,truth,money,day,stamp,nulls\n\
        -9223372036854775808,-0.0,\"a,\"\"b\"\"\nc\",True,0.00,1970-01-01,1970-01-01 00:00:00,\n\
        ,,,,,,,\n\
        0,1e-05,\"\",False,-0.01,1969-12-31,1969-12-31 23:59:59.999999,\n\
        9223372036854775807,inf,NA ü,True,9999999999.99,2024-10-04,2020-09-13 12:26:40,\n";
    assert_eq!(std::fs::read_to_string(&path).expect("text"), expected);
    let other = CsvWriting { delimiter: ';', header: false, null: "NA".into(), ..CsvWriting::plain() };
    let path = directory.file("b.csv");
    run_write(plan_of(rows.project(&[1, 2]).expect("columns"), 1), &target(&path, Format::Csv(other), Layout::OneFile, Overwrite::Refuse))
        .expect("writes");
    let expected = "-0.0;\"a,\"\"b\"\"\nc\"\nNA;NA\n1e-05;\ninf;NA ü\n";
    assert_eq!(std::fs::read_to_string(&path).expect("text"), expected);
    let error = run_write(
        plan_of(batch, 1),
        &target(&directory.file("c.csv"), Format::Csv(CsvWriting::plain()), Layout::OneFile, Overwrite::Refuse),
    );
    assert!(error.expect_err("bytes").to_string().contains("column `raw` has the type `BinaryView`"));
}

#[test]
fn json_has_an_object_on_each_line() {
    let directory = Directory::new();
    let path = directory.file("a.jsonl");
    let rows = awkward().project(&[0, 2, 3, 4]).expect("columns");
    run_write(plan_of(rows, 1), &target(&path, Format::Json, Layout::OneFile, Overwrite::Refuse)).expect("writes");
    let text = std::fs::read_to_string(&path).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[1], r#"{"whole":null,"text ü":null,"truth":null,"money":null}"#);
    assert_eq!(lines[2], r#"{"whole":0,"text ü":"","truth":false,"money":-0.01}"#);
}

#[test]
fn ipc_is_read_by_any_reader() {
    for (compression, stream) in
        [(IpcCompression::None, false), (IpcCompression::Lz4, false), (IpcCompression::Zstd, false), (IpcCompression::None, true)]
    {
        let directory = Directory::new();
        let path = directory.file("a.arrow");
        let writing = IpcWriting { compression, stream, as_it_stands: false };
        run_write(numbers(1000, 3), &target(&path, Format::Ipc(writing), Layout::OneFile, Overwrite::Refuse)).expect("writes");
        let file = std::fs::File::open(&path).expect("opens");
        let batches: Vec<_> = match stream {
            true => arrow::ipc::reader::StreamReader::try_new(file, None).expect("a stream").map(|batch| batch.expect("a batch")).collect(),
            false => arrow::ipc::reader::FileReader::try_new(file, None).expect("a file").map(|batch| batch.expect("a batch")).collect(),
        };
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1000);
        assert_eq!(batches[0].schema().field(1).data_type(), &arrow::datatypes::DataType::Utf8);
    }
}
