//! Rows written to an object store: a bucket in this process, behind the part of S3's protocol that writing and reading back need.

use crate::plans::{numbers, parquet, run_write};
use crate::support::{column, read};
use airloom_compute::data::ErrorKind;
use airloom_io::sink::{Format, Layout, Overwrite, Target};
use airloom_io::source::{FileOptions, ParquetTable};
use airloom_ir::value::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The objects of a bucket by their keys, and uploads that are not complete.
#[derive(Default)]
struct Objects {
    whole: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    /// Whether parts of uploads are refused from now on.
    full: bool,
}

#[derive(Clone, Default)]
struct Bucket(Arc<Mutex<Objects>>);

/// What was asked.
struct Asked {
    method: String,
    key: String,
    query: BTreeMap<String, String>,
    range: Option<(usize, usize)>,
    body: Vec<u8>,
}

struct Answer {
    status: &'static str,
    headers: String,
    body: Vec<u8>,
}

impl Answer {
    fn of(status: &'static str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status, headers: String::new(), body: body.into() }
    }
}

impl Bucket {
    /// Answers for as long as the test runs; where to reach it.
    fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("an address");
        let bucket = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let bucket = bucket.clone();
                std::thread::spawn(move || bucket.speak(stream));
            }
        });
        format!("http://{address}")
    }

    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self) -> Vec<String> {
        self.objects().whole.keys().cloned().collect()
    }

    fn speak(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        loop {
            let asked = Asked::read(&mut reader)?;
            let answer = self.answer(&asked);
            let (status, length, own) = (answer.status, answer.body.len(), &answer.headers);
            let common = "ETag: \"tag\"\r\nLast-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
            let mut said = format!("HTTP/1.1 {status}\r\n{common}{own}Content-Length: {length}\r\n\r\n").into_bytes();
            if asked.method != "HEAD" {
                said.extend_from_slice(&answer.body);
            }
            // In one piece: a second one would wait until the first is known to have come.
            stream.write_all(&said).ok()?;
        }
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let mut objects = self.objects();
        let upload = asked.query.get("uploadId").cloned();
        match (asked.method.as_str(), upload) {
            ("POST", None) if asked.query.contains_key("uploads") => {
                objects.uploads.insert(asked.key.clone(), BTreeMap::new());
                Answer::of(
                    "200 OK",
                    format!("<InitiateMultipartUploadResult><UploadId>{}</UploadId></InitiateMultipartUploadResult>", asked.key),
                )
            }
            ("PUT", Some(_)) if objects.full => Answer::of("403 Forbidden", "<Error><Code>QuotaExceeded</Code></Error>"),
            ("PUT", Some(_)) => {
                let number = asked.query["partNumber"].parse().expect("a number");
                objects.uploads.entry(asked.key.clone()).or_default().insert(number, asked.body.clone());
                Answer::of("200 OK", "")
            }
            ("POST", Some(_)) => {
                let parts = objects.uploads.remove(&asked.key).unwrap_or_default();
                objects.whole.insert(asked.key.clone(), parts.into_values().flatten().collect());
                Answer::of("200 OK", "<CompleteMultipartUploadResult><ETag>tag</ETag></CompleteMultipartUploadResult>")
            }
            ("DELETE", Some(_)) => {
                objects.uploads.remove(&asked.key);
                Answer::of("204 No Content", "")
            }
            ("POST", None) => {
                let body = String::from_utf8_lossy(&asked.body).to_string();
                let keys = body.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
                let gone = keys.map(|key| {
                    objects.whole.remove(key);
                    format!("<Deleted><Key>{key}</Key></Deleted>")
                });
                Answer::of("200 OK", format!("<DeleteResult>{}</DeleteResult>", gone.collect::<String>()))
            }
            ("DELETE", None) => {
                objects.whole.remove(&asked.key);
                Answer::of("204 No Content", "")
            }
            (_, None) if asked.query.contains_key("list-type") => {
                let prefix = asked.query.get("prefix").cloned().unwrap_or_default();
                let found = objects.whole.iter().filter(|(key, _)| key.starts_with(&prefix)).map(|(key, bytes)| {
                    let (size, time) = (bytes.len(), "2015-10-21T07:28:00.000Z");
                    format!("<Contents><Key>{key}</Key><LastModified>{time}</LastModified><ETag>tag</ETag><Size>{size}</Size></Contents>")
                });
                Answer::of("200 OK", format!("<ListBucketResult>{}</ListBucketResult>", found.collect::<String>()))
            }
            _ => match (objects.whole.get(&asked.key), asked.range) {
                (None, _) => Answer::of("404 Not Found", ""),
                (Some(bytes), None) => Answer::of("200 OK", bytes.clone()),
                (Some(bytes), Some((from, to))) => {
                    let to = to.min(bytes.len() - 1);
                    let headers = format!("Content-Range: bytes {from}-{to}/{}\r\n", bytes.len());
                    Answer { status: "206 Partial Content", headers, body: bytes[from..=to].to_vec() }
                }
            },
        }
    }
}

impl Asked {
    fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
        let mut first = String::new();
        reader.read_line(&mut first).ok().filter(|length| *length > 0)?;
        let (mut range, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let lower = line.trim().to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("range: bytes=") {
                let (from, to) = value.split_once('-')?;
                range = Some((from.parse().ok()?, to.parse().unwrap_or(usize::MAX)));
            }
            if let Some(value) = lower.strip_prefix("content-length: ") {
                length = value.parse().ok()?;
            }
            if lower.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let mut words = first.split_whitespace();
        let (method, target) = (words.next()?.to_string(), words.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let plain = |text: &str| text.replace("%2F", "/").replace("%3D", "=");
        let pair = |text: &str| text.split_once('=').map_or((plain(text), String::new()), |(name, value)| (plain(name), plain(value)));
        let key = plain(path.trim_start_matches("/bucket").trim_start_matches('/'));
        Some(Asked { method, key, query: query.split('&').map(pair).collect(), range, body })
    }
}

fn settings(endpoint: &str) -> Vec<(String, String)> {
    let pairs =
        [("endpoint", endpoint), ("allow_http", "true"), ("access_key_id", "key"), ("secret_access_key", "secret"), ("region", "here")];
    pairs.iter().map(|(name, value)| (format!("aws_{name}"), value.to_string())).collect()
}

fn target(endpoint: &str, path: &str, format: Format, layout: Layout, overwrite: Overwrite) -> Target {
    let url = format!("s3://bucket/{path}");
    Target { url, format, layout, partition_by: Vec::new(), overwrite, store: settings(endpoint) }
}

fn numbers_of(endpoint: &str, path: &str) -> Vec<Value> {
    let options = FileOptions { hive: None, store: settings(endpoint) };
    let table = ParquetTable::open(&[format!("s3://bucket/{path}")], &options).unwrap_or_else(|error| panic!("{error}"));
    column(&read(&table, 2), "n")
}

#[test]
fn what_is_written_to_a_store_is_read_from_it() {
    let bucket = Bucket::default();
    let endpoint = bucket.serve();
    let one = target(&endpoint, "one/n.parquet", parquet(), Layout::OneFile, Overwrite::Refuse);
    let written = run_write(numbers(5000, 3), &one).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((written.rows, bucket.keys()), (5000, vec!["one/n.parquet".to_string()]));
    assert_eq!(written.bytes as usize, bucket.objects().whole["one/n.parquet"].len());
    assert_eq!(numbers_of(&endpoint, "one/n.parquet"), (0..5000).map(Value::int).collect::<Vec<_>>());
    let error = run_write(numbers(1, 1), &one).expect_err("it is there already");
    assert_eq!((error.kind(), error.to_string().contains("it exists already")), (ErrorKind::User, true), "{error}");

    let parts = target(&endpoint, "many", parquet(), Layout::Parts, Overwrite::Replace);
    run_write(numbers(4000, 4), &parts).unwrap_or_else(|error| panic!("{error}"));
    let before = bucket.keys();
    assert!(before.len() > 2, "{before:?}");
    let written = run_write(numbers(300, 1), &parts).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(written.files.len(), 1, "what was there before is gone: {:?}", bucket.keys());
    assert_eq!(bucket.keys().len(), 2);
    assert_eq!(numbers_of(&endpoint, "many/"), (0..300).map(Value::int).collect::<Vec<_>>());
}

#[test]
fn a_store_that_refuses_is_an_error_and_nothing_is_left() {
    let bucket = Bucket::default();
    let endpoint = bucket.serve();
    bucket.objects().full = true;
    for layout in [Layout::OneFile, Layout::Parts] {
        let error =
            run_write(numbers(5000, 2), &target(&endpoint, "n", parquet(), layout, Overwrite::Replace)).expect_err("nothing is taken");
        assert_eq!(error.kind(), ErrorKind::World, "{error}");
        assert_eq!(bucket.keys(), Vec::<String>::new());
        assert!(bucket.objects().uploads.is_empty(), "uploads that were begun are given up");
    }
}
