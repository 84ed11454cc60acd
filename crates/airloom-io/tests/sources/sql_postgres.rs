//! Tables of a PostgreSQL server, where one can be started.

use crate::sql_programs::{NOT_SAID, SAID};
use crate::sql_pushdown::check;
use crate::support::{Directory, column, read};
use airloom_compute::data::ErrorKind;
use airloom_io::source::sql::SqlTable;
use airloom_io::source::{ScanSpec, Table};
use airloom_ir::value::Value;
use arrow::datatypes::{DataType, TimeUnit};
use datafusion_execution::TaskContext;
use futures::StreamExt;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The folder of the server's programs: the newest that Debian's packages have installed, or what the shell finds.
fn programs() -> Option<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    installed.filter(|path| path.join("initdb").exists()).max().or_else(|| {
        let found = Command::new("sh").args(["-c", "command -v initdb"]).output().ok()?;
        Some(PathBuf::from(String::from_utf8(found.stdout).ok()?.trim()).parent()?.to_path_buf()).filter(|path| path.is_absolute())
    })
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|found| found.stdout == b"0\n")
}

/// Says that a test is skipped: on the error stream, and to `tests/run.py`, which says it again at the end of the run.
fn skip(why: &str) {
    let line = format!("sql_postgres: {why}\n");
    let list = std::env::temp_dir().join("airloom-skipped.txt");
    if let Ok(mut list) = std::fs::OpenOptions::new().append(true).open(list) {
        list.write_all(line.as_bytes()).expect("the list of what is skipped can be written");
    }
    std::io::stderr().write_all(format!("skipped: {line}").as_bytes()).expect("stderr");
}

/// A server of its own, stopped and removed with everything in it at the end.
struct Server {
    directory: Directory,
    programs: PathBuf,
}

impl Server {
    /// Starts one, or says why the test is skipped.
    fn start() -> Option<Server> {
        let Some(programs) = programs() else {
            skip("there is no PostgreSQL server here: install the package `postgresql`");
            return None;
        };
        let server = Server { directory: Directory::new(), programs };
        let root = server.directory.path().display().to_string();
        let owned = !is_root() || Command::new("chown").args(["postgres", &root]).status().is_ok_and(|status| status.success());
        let options = format!("-k {root} -c listen_addresses='' -c fsync=off -c shared_buffers=16MB -c max_connections=20");
        let started = owned
            && server.run(&format!("initdb -D {root}/data -A trust -U postgres --no-sync"))
            && server.run(&format!("pg_ctl -D {root}/data -w -o \"{options}\" -l {root}/log start"));
        if !started {
            skip("a PostgreSQL server could not be started");
            return None;
        }
        Some(server)
    }

    /// Runs one of the server's programs: as the user `postgres` where we are root, for whom they do not run.
    fn run(&self, command: &str) -> bool {
        let command = format!("{}/{command}", self.programs.display());
        let (shell, arguments): (&str, &[&str]) = if is_root() { ("su", &["postgres", "-c", &command]) } else { ("sh", &["-c", &command]) };
        let quiet = Stdio::null;
        Command::new(shell).args(arguments).stdout(quiet()).stderr(quiet()).stdin(quiet()).status().is_ok_and(|status| status.success())
    }

    fn url(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.directory.path().display())
    }

    fn execute(&self, statements: &str) {
        let mut client = postgres::Client::connect(&self.url(), postgres::NoTls).expect("connects");
        client.batch_execute(statements).expect("the statements run");
    }

    fn kill(&self) {
        self.run(&format!("pg_ctl -D {}/data -m immediate stop", self.directory.path().display()));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

#[test]
fn tables_are_read_and_programs_said() {
    let Some(server) = Server::start() else { return };
    server.execute(
        "CREATE TABLE kinds(id int PRIMARY KEY, small smallint, long bigint NOT NULL, half real, float double precision, name text, code varchar(5),
            padded char(5), raw bytea, day date, clock time, stamp timestamp, instant timestamptz, money numeric(10,2), wide numeric(30,5), truth boolean,
            word uuid);
         INSERT INTO kinds VALUES(2, -3, 9223372036854775807, 1.5, 'NaN', 'ü', 'x', 'ab', '\\x00ff', '2020-02-29', '12:30:00.5', '1969-12-31 23:59:59.999999',
            '2020-01-01 00:00:00+01', -1234.50, 1234567890123456789012345.00001, true, '00000000-0000-0000-0000-000000000001'),
            (1, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0.00001, NULL, NULL);
         CREATE TABLE loose(a numeric); CREATE TABLE many(a int[]);
         CREATE TABLE forever(d date); INSERT INTO forever VALUES('infinity');
         CREATE TABLE t(n int, name text, x double precision, flag boolean);
         INSERT INTO t VALUES(3,'b',1.5,true),(1,'a',-1.0,false),(NULL,'B',2.0,NULL),(2,NULL,NULL,true),(3,'ü','NaN',false),(2,'it''s',0.0,true),(1,'b',9.5,true);
         CREATE TABLE u(m int, word text); INSERT INTO u VALUES(1,'b'),(3,'x'),(NULL,'a'),(3,'B'),(2,NULL);",
    );
    let table = SqlTable::postgres(&server.url(), "public.kinds").unwrap_or_else(|error| panic!("{error}"));
    let batch = read(&table, 2);
    let schema = table.schema();
    let of = |name: &str| schema.field_with_name(name).expect("a column").data_type().clone();
    assert_eq!((of("money"), of("wide"), of("padded")), (DataType::Decimal64(10, 2), DataType::Decimal128(30, 5), DataType::Utf8View));
    assert_eq!(of("instant"), DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
    assert_eq!(column(&batch, "id"), [Value::int(2), Value::int(1)]);
    assert_eq!(column(&batch, "long"), [Value::int(i64::MAX), Value::int(0)]);
    assert_eq!(column(&batch, "float"), [Value::F64(f64::NAN), Value::Null]);
    assert_eq!(column(&batch, "day"), [Value::int(18_321), Value::Null]);
    assert_eq!(column(&batch, "clock"), [Value::int(45_000_500_000_000i64), Value::Null]);
    assert_eq!(column(&batch, "stamp"), [Value::int(-1), Value::Null]);
    assert_eq!(column(&batch, "instant"), [Value::int(1_577_833_200_000_000i64), Value::Null]);
    assert_eq!(column(&batch, "money"), [Value::int(-123_450), Value::int(0)]);
    assert_eq!(column(&batch, "wide"), [Value::int(123_456_789_012_345_678_901_234_500_001i128), Value::int(1)]);
    assert_eq!(column(&batch, "word")[0], Value::str("00000000-0000-0000-0000-000000000001"));
    assert_eq!(table.statistics(&[0]).expect("statistics").unique.len(), 1);
    let kind = |name: &str| SqlTable::postgres(&server.url(), name).map(|table| read(&table, 1)).expect_err("it cannot be read").kind;
    assert_eq!((kind("nothing"), kind("loose"), kind("many")), (ErrorKind::User, ErrorKind::Refused, ErrorKind::Refused));
    let forever = SqlTable::postgres(&server.url(), "forever").expect("opens");
    let plan = forever.scan(&ScanSpec::of(vec![0], 1, 10)).expect("scans").plan;
    let error = crate::support::run_partitions(&plan).expect_err("an infinity");
    let error = airloom_io::failure::from_datafusion(&error).into_source();
    assert!(error.kind == ErrorKind::World && error.message.contains("column `d`"), "{error}");

    let t = Arc::new(SqlTable::postgres(&server.url(), "t").expect("opens"));
    let u = Arc::new(SqlTable::postgres(&server.url(), "u").expect("opens"));
    let named = [("t", &t), ("u", &u)];
    // Integers of this table have 32 bits.
    let narrow = |body: &str| {
        let body = body
            .replace("(r.n, 1000)", "(r.n, 1000: i32)")
            .replace("add(r.n, 1)", "add(r.n, 1: i32)")
            .replace("floordiv(r.n, 2)", "floordiv(r.n, 2: i32)");
        let body = body.replace("(r.n, 3)", "(r.n, 3: i32)").replace("(r.n, 2)", "(r.n, 2: i32)").replace("(r.n, 0)", "(r.n, 0: i32)");
        body.replace("limit = 2", "limit = 2: i32").replace("(r.m, 1)", "(r.m, 1: i32)")
    };
    for body in SAID {
        assert!(check(&named, &narrow(body)).is_some(), "not said: {body}");
    }
    for body in NOT_SAID {
        assert!(check(&named, &narrow(body)).is_none(), "said: {body}");
    }
    for body in [
        "return rel.sort{by: [desc.last]}(t) |r| {k: r.x}",
        "return rel.filter(t) |r| r.flag",
        "return rel.group(t) |r| {k: r.name} |g| {s: arr.sum{skip: null}(g.n)}",
    ] {
        assert!(check(&named, body).is_some(), "not said: {body}");
    }
    for body in ["return rel.filter(t) |r| gt(r.x, 1.0)", "return rel.group(t) |r| {k: r.name} |g| {m: arr.mean{skip: null}(g.n)}"] {
        assert!(check(&named, body).is_none(), "said: {body}");
    }
}

#[test]
fn a_killed_server_is_an_error_and_no_hang() {
    let Some(server) = Server::start() else { return };
    server.execute("CREATE TABLE big AS SELECT g AS n, repeat('x', 200) AS text FROM generate_series(1, 400000) AS g");
    let table = SqlTable::postgres(&server.url(), "big").expect("opens");
    let plan = table.scan(&ScanSpec::of(vec![0, 1], 1, 1000)).expect("scans").plan;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
    let begun = Instant::now();
    let error = runtime.block_on(async {
        let mut stream = plan.execute(0, Arc::new(TaskContext::default())).expect("executes");
        stream.next().await.expect("a batch").expect("rows");
        server.kill();
        loop {
            match stream.next().await {
                Some(Ok(_)) => (),
                Some(Err(error)) => return error,
                None => panic!("the rows ended as if they were all"),
            }
        }
    });
    let error = airloom_io::failure::from_datafusion(&error).into_source();
    assert_eq!(error.kind, ErrorKind::World, "{error}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    let error = SqlTable::postgres(&server.url(), "big").expect_err("it is gone");
    assert!(error.kind == ErrorKind::World && error.message.contains("the PostgreSQL database was lost"), "{error}");
}

#[test]
fn rows_that_nobody_wants_are_not_read() {
    let Some(server) = Server::start() else { return };
    server.execute("CREATE VIEW endless AS SELECT g AS n FROM generate_series(1, 100000000000) AS g");
    let table = SqlTable::postgres(&server.url(), "endless").expect("opens");
    let plan = table.scan(&ScanSpec::of(vec![0], 1, 1000)).expect("scans").plan;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
    // The reader goes before there is a connection, before the server has begun with the query, and after.
    for pause in [0, 2, 5, 10, 20, 50, 500] {
        runtime.block_on(async {
            let mut stream = plan.execute(0, Arc::new(TaskContext::default())).expect("executes");
            let read = tokio::time::timeout(Duration::from_millis(pause), stream.next()).await;
            assert!(read.is_err(), "the server gives no row before it has made them all");
        });
    }
    let mut client = postgres::Client::connect(&server.url(), postgres::NoTls).expect("connects");
    let begun = Instant::now();
    loop {
        let here = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'airloom'";
        let here: i64 = client.query_one(here, &[]).expect("counts").get(0);
        if here == 0 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{here} queries still run");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_query_by_url_is_a_table() {
    let Some(server) = Server::start() else { return };
    server.execute("CREATE TABLE t(n integer, price numeric(8, 2)); INSERT INTO t VALUES(1, 1.5), (2, 2.5), (3, NULL)");
    let url = format!("postgres://postgres@{}/postgres", server.directory.path().display().to_string().replace('/', "%2F"));
    let query = Arc::new(SqlTable::open(&url, "SELECT n + 1 AS m, price FROM t WHERE n > 1").unwrap_or_else(|error| panic!("{error}")));
    let types: Vec<_> = query.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(types, [DataType::Int32, DataType::Decimal64(8, 2)]);
    assert_eq!(column(&read(query.as_ref(), 1), "m"), [Value::int(3), Value::int(4)]);
    let table = Arc::new(SqlTable::open(&url, "t").unwrap_or_else(|error| panic!("{error}")));
    let said = check(&[("t", &table)], "return rel.slice(rel.filter(t) |r| not(is_null(r.price)), 0, 1)");
    assert!(said.is_some_and(|text| text.starts_with("SELECT")));
    let error = SqlTable::open(&url, "SELECT n FORM t").expect_err("no SQL");
    assert!(error.kind == ErrorKind::User && error.message.starts_with("PostgreSQL cannot read the query"), "{error}");
    server.kill();
    assert_eq!(SqlTable::open(&url, "t").expect_err("the server is gone").kind, ErrorKind::World);
}
