//! Arrow IPC files and streams.

use crate::support::{Directory, Draw, column, read, run, run_partitions, scan};
use airloom_compute::data::{ErrorKind, SourceError};
use airloom_io::source::{FileOptions, IpcTable, ScanSpec, Table};
use airloom_ir::name::Name;
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use std::path::Path;
use std::sync::Arc;

fn batch(from: i64, count: i64) -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + count));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values((from..from + count).map(|n| format!("a text, {n}"))));
    let keys = Int32Array::from_iter_values((from..from + count).map(|n| (n % 2) as i32));
    let words: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::new(StringArray::from(vec!["x", "y"]))));
    RecordBatch::try_from_iter_with_nullable([("n", n, false), ("text", text, true), ("words", words, true)]).expect("fits")
}

fn write(path: &Path, sizes: &[i64], stream: bool, compression: Option<arrow::ipc::CompressionType>) {
    let file = std::fs::File::create(path).expect("creates");
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("options");
    let mut next = 0;
    let batches = sizes.iter().map(|size| {
        next += size;
        batch(next - size, *size)
    });
    let schema = batch(0, 1).schema();
    if stream {
        let mut writer = StreamWriter::try_new_with_options(file, &schema, options).expect("writes");
        batches.for_each(|batch| writer.write(&batch).expect("writes"));
        writer.finish().expect("writes");
    } else {
        let mut writer = FileWriter::try_new_with_options(file, &schema, options).expect("writes");
        batches.for_each(|batch| writer.write(&batch).expect("writes"));
        writer.finish().expect("writes");
    }
}

fn open(path: &Path) -> Result<IpcTable, SourceError> {
    IpcTable::open(&[path.display().to_string()], &FileOptions::plain())
}

#[test]
fn nulls_are_counted_by_the_heads_of_batches() {
    let directory = Directory::new();
    let path = directory.file("t.arrow");
    let n: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(4)]));
    let full: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let words: ArrayRef = Arc::new([None, Some("y")].into_iter().collect::<DictionaryArray<Int32Type>>());
    let batch = RecordBatch::try_from_iter_with_nullable([("n", n, true), ("full", full, true), ("words", words, true)]).expect("fits");
    let mut writer = FileWriter::try_new(std::fs::File::create(&path).expect("creates"), &batch.schema()).expect("writes");
    writer.write(&batch).expect("writes");
    writer.write(&batch).expect("writes");
    writer.finish().expect("writes");
    let table = open(&path).unwrap_or_else(|error| panic!("{error}"));
    let known = table.statistics(&[0, 1, 2]).unwrap_or_else(|error| panic!("{error}"));
    let nulls = |name: &str| known.columns.get(&Name::new(name)).and_then(|column| column.nulls);
    assert_eq!((nulls("n"), nulls("full"), nulls("words")), (Some(2), Some(0), None));
}

#[test]
fn files_and_streams_are_read_in_order() {
    use arrow::ipc::CompressionType;
    let directory = Directory::new();
    for (stream, compression) in
        [(false, None), (false, Some(CompressionType::ZSTD)), (false, Some(CompressionType::LZ4_FRAME)), (true, None)]
    {
        let path = directory.file("t.arrow");
        write(&path, &[10, 0, 500, 1, 300], stream, compression);
        let table = open(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(table.rows(), Some(811));
        for partitions in [1, 2, 4] {
            let found = read(&table, partitions);
            assert_eq!(column(&found, "n"), (0..811).map(Value::int).collect::<Vec<_>>());
            assert_eq!(
                (column(&found, "text")[810].clone(), column(&found, "words")[810].clone()),
                (Value::str("a text, 810"), Value::str("x"))
            );
        }
        let swapped = run(&table.scan(&ScanSpec::of(vec![2, 0], 2, 100)).expect("scans").plan);
        assert_eq!((column(&swapped, "words")[1].clone(), column(&swapped, "n")[1].clone()), (Value::str("y"), Value::int(1)));
        let none = table.scan(&ScanSpec::of(vec![], 2, 100)).expect("scans").plan;
        assert_eq!(run_partitions(&none).expect("runs").iter().flatten().map(RecordBatch::num_rows).sum::<usize>(), 811);
    }
    for stream in [false, true] {
        write(&directory.file("none.arrow"), &[], stream, None);
        let table = open(&directory.file("none.arrow")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((table.rows(), read(&table, 2).num_rows(), table.schema().fields().len()), (Some(0), 0, 3));
    }
}

#[test]
fn many_files_are_one_table() {
    let directory = Directory::new();
    write(&directory.file("a.arrow"), &[10, 20], false, None);
    write(&directory.file("b.feather"), &[5], false, None);
    let table = open(directory.path()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((table.rows(), read(&table, 2).num_rows()), (Some(35), 35));
}

#[test]
fn a_damaged_file_is_an_error_or_another_file() {
    let directory = Directory::new();
    let path = directory.file("t.arrow");
    let mut draw = Draw(9);
    for stream in [false, true] {
        write(&path, &[100, 100], stream, None);
        let whole = std::fs::read(&path).expect("reads");
        std::fs::write(&path, &whole[..whole.len() / 2]).expect("writes");
        assert_eq!(open(&path).expect_err("cut short").kind, ErrorKind::World);
        std::fs::write(&path, b"no arrow at all").expect("writes");
        assert_eq!(open(&path).expect_err("something else").kind, ErrorKind::World);
        let mut errors = 0;
        for _ in 0..200 {
            let mut bytes = whole.clone();
            let at = draw.below(bytes.len() as u64) as usize;
            bytes[at] = draw.next() as u8;
            std::fs::write(&path, bytes).expect("writes");
            let outcome = open(&path).and_then(|table| {
                let columns = (0..table.schema().fields().len()).collect();
                let plan = table.scan(&ScanSpec::of(columns, 2, 100))?.plan;
                run_partitions(&plan).map_err(|error| airloom_io::failure::from_datafusion(&error).into_source())
            });
            if let Err(error) = outcome {
                errors += 1;
                assert_ne!(error.kind, ErrorKind::Broken, "{error}");
            }
        }
        assert!(errors > 5, "{errors} damages were noticed");
    }
}

#[test]
fn batches_are_cut_to_size() {
    let directory = Directory::new();
    let path = directory.file("t.arrow");
    write(&path, &[1000], false, None);
    let table = open(&path).unwrap_or_else(|error| panic!("{error}"));
    assert!(run_partitions(&scan(&table, 1).plan).expect("runs")[0].iter().all(|batch| batch.num_rows() <= 100));
}
