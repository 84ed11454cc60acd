//! Files of a server, by URL.

use crate::support::{Directory, column, read, run, write_parquet};
use airloom_compute::data::ErrorKind;
use airloom_io::source::{CsvOptions, CsvTable, FileOptions, IpcTable, JsonTable, ParquetTable, ScanSpec, Table};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serves the files of a directory by `HEAD` and `GET`, a range at a time if asked, for as long as the test runs.
fn serve(root: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("an address");
    let root = root.to_path_buf();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let root = root.clone();
            std::thread::spawn(move || answer(stream, &root));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: TcpStream, root: &Path) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut first = String::new();
        reader.read_line(&mut first).ok().filter(|length| *length > 0)?;
        let mut range = None;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
                let (from, to) = value.trim().split_once('-')?;
                range = Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()));
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut words = first.split_whitespace();
        let (method, path) = (words.next()?, words.next()?);
        let Ok(bytes) = std::fs::read(PathBuf::from(root).join(path.trim_start_matches('/'))) else {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").ok()?;
            continue;
        };
        let (status, extra, body) = match range {
            Some((from, to)) => {
                let to = to.map_or(bytes.len(), |to| (to + 1).min(bytes.len()));
                ("206 Partial Content", format!("Content-Range: bytes {from}-{}/{}\r\n", to - 1, bytes.len()), &bytes[from..to])
            }
            None => ("200 OK", String::new(), &bytes[..]),
        };
        let modified = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
        stream.write_all(format!("HTTP/1.1 {status}\r\n{modified}{extra}Content-Length: {}\r\n\r\n", body.len()).as_bytes()).ok()?;
        if method != "HEAD" {
            stream.write_all(body).ok()?;
        }
    }
}

#[test]
fn files_of_a_server_are_read() {
    let directory = Directory::new();
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..5000));
    let batch = RecordBatch::try_from_iter([("n", n)]).expect("fits");
    write_parquet(&directory.file("n.parquet"), std::slice::from_ref(&batch), None);
    std::fs::write(directory.file("n.csv"), "n\n0\n1\n").expect("writes");
    std::fs::write(directory.file("n.jsonl"), "{\"n\":0}\n{\"n\":1}\n").expect("writes");
    let mut writer =
        arrow::ipc::writer::FileWriter::try_new(std::fs::File::create(directory.file("n.arrow")).expect("creates"), &batch.schema())
            .expect("writes");
    writer.write(&batch).and_then(|()| writer.finish()).expect("writes");
    let root = serve(directory.path());
    let options = FileOptions { hive: None, store: vec![("allow_http".into(), "true".into())] };
    let at = |name: &str| vec![format!("{root}/{name}")];
    let parquet = ParquetTable::open(&at("n.parquet"), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(column(&read(&parquet, 2), "n"), (0..5000).map(Value::int).collect::<Vec<_>>());
    assert_eq!(parquet.statistics(&[0]).expect("statistics").columns["n"].max, Some(Value::int(4999)));
    let csv = CsvTable::open(&at("n.csv"), &options, &CsvOptions::plain()).unwrap_or_else(|error| panic!("{error}"));
    let json = JsonTable::open(&at("n.jsonl"), &options).unwrap_or_else(|error| panic!("{error}"));
    let ipc = IpcTable::open(&at("n.arrow"), &options).unwrap_or_else(|error| panic!("{error}"));
    for table in [&csv as &dyn Table, &json, &ipc] {
        let few = run(&table.scan(&ScanSpec { limit: Some(2), ..ScanSpec::of(vec![0], 1, 2) }).expect("scans").plan);
        assert_eq!(column(&few.slice(0, 2), "n"), [Value::int(0), Value::int(1)]);
    }
    let error = ParquetTable::open(&["gopher://x/y".to_string()], &options).expect_err("no such store");
    assert_eq!(error.kind, ErrorKind::User, "{error}");
    let error = ParquetTable::open(
        &["http://127.0.0.1:1/n.parquet".to_string()],
        &FileOptions {
            hive: None,
            store: vec![("allow_http".into(), "true".into()), ("timeout".into(), "1s".into()), ("connect_timeout".into(), "1s".into())],
        },
    );
    assert!(matches!(error.expect_err("nobody is there").kind, ErrorKind::World | ErrorKind::User));
}
