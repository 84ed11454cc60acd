//! SQLite.

use super::columns::Cell;
use super::query::{Sender, SqlQuery, Stop};
use super::send::{on_thread, send_rows};
use super::table::{Found, SqlColumn, by_name, check_names, derived};
use crate::sql::quoted;
use airloom_compute::data::SourceError;
use airloom_ir::value::Value;
use arrow::datatypes::{DataType, Field};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, InterruptHandle, OpenFlags, ToSql};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the file of a database was: its length and when it was written to, and those of what is still to be written into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Vec<Option<(u64, SystemTime)>>);

impl Stamp {
    fn of(path: &str) -> Stamp {
        let look = |path: PathBuf| {
            std::fs::metadata(path).ok().and_then(|meta| Some((meta.len(), meta.modified().ok()?))).filter(|(length, _)| *length > 0)
        };
        Stamp(vec![look(PathBuf::from(path)), look(PathBuf::from(format!("{path}-wal")))])
    }

    pub(crate) fn check(&self, path: &str) -> Result<(), SourceError> {
        let now = Stamp::of(path);
        match now.0.first() {
            _ if now == *self => Ok(()),
            Some(None) => Err(SourceError::world(format!("the SQLite database `{path}` is gone since its table was opened"))),
            _ => Err(SourceError::world(format!("the SQLite database `{path}` has changed since its table was opened"))),
        }
    }
}

fn connect(path: &str) -> Result<Connection, SourceError> {
    if !Path::new(path).is_file() {
        return Err(SourceError::missing("open", path));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| explain(path, &error))?;
    connection.busy_timeout(PATIENCE).map_err(|error| explain(path, &error))?;
    Ok(connection)
}

fn explain(path: &str, error: &rusqlite::Error) -> SourceError {
    let what = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "it is not a SQLite database".to_string(),
        Some(ErrorCode::DatabaseCorrupt) => format!("it is damaged: {error}"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            format!("somebody has been writing to it for {} seconds", PATIENCE.as_secs())
        }
        _ => error.to_string(),
    };
    SourceError::world(format!("cannot read the SQLite database `{path}`: {what}"))
}

/// Finds out what a table is: its columns and, since any value may be stored in any of them, which kinds of values do.
pub(crate) fn look(path: &str, table: &str) -> Result<Found, SourceError> {
    let stamp = Stamp::of(path);
    let connection = connect(path)?;
    let failed = |error: rusqlite::Error| explain(path, &error);
    let name = quoted(table);
    let mut declared: Vec<(String, String, i64)> = Vec::new();
    let mut statement = connection.prepare("SELECT name, type, pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1").map_err(failed)?;
    let mut rows = statement.query([table]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        declared.push((row.get(0).map_err(failed)?, row.get(1).map_err(failed)?, row.get(2).map_err(failed)?));
    }
    if declared.is_empty() {
        return Err(SourceError::user(format!("the SQLite database `{path}` has no table `{table}`")));
    }
    let is_table = "SELECT count(*) FROM sqlite_schema WHERE lower(name) = lower(?1) AND type = 'table'";
    let is_table: i64 = connection.query_row(is_table, [table], |row| row.get(0)).map_err(failed)?;
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0)).map_err(failed)?;
    let has_rowid = is_table > 0 && connection.prepare(&format!("SELECT rowid FROM {name}")).is_ok();
    let mut key: Vec<&(String, String, i64)> = declared.iter().filter(|(_, _, pk)| *pk > 0).collect();
    key.sort_by_key(|(_, _, pk)| *pk);
    // An `INTEGER PRIMARY KEY` is the rowid under another name: never null, and what rows are ordered by.
    let alias = matches!(key.as_slice(), [(_, declared, _)] if declared.eq_ignore_ascii_case("integer")) && has_rowid;
    let order = match (is_table > 0, has_rowid) {
        (false, _) => Vec::new(),
        (true, true) => vec!["rowid".to_string()],
        (true, false) => key.iter().map(|(column, _, _)| by_name(column)).collect(),
    };
    let (columns, count) = look_at_values(&connection, path, &name, &declared)?;
    let key_names: Vec<String> = key.iter().map(|(column, _, _)| column.clone()).collect();
    let never_null = alias || (!has_rowid && is_table > 0);
    let unique = if key_names.is_empty() || !never_null { Vec::new() } else { vec![key_names.clone()] };
    let sorted = if alias { key_names.into_iter().next() } else { None };
    Ok(Found { name, columns, order, rows: Some(count), ordered_text: encoding == "UTF-8", unique, sorted, stamp: Some(stamp) })
}

/// Finds out what the rows of a query are, as [`look`] does of a table. They are in no order that could be said.
pub(crate) fn look_at_query(path: &str, query: &str) -> Result<Found, SourceError> {
    let stamp = Stamp::of(path);
    let connection = connect(path)?;
    let failed = |error: rusqlite::Error| explain(path, &error);
    let name = derived(query);
    let wrong = |error: rusqlite::Error| match error {
        rusqlite::Error::SqlInputError { .. } => SourceError::user(format!("SQLite cannot read the query: {error}")),
        other => failed(other),
    };
    // By itself first: inside another query SQLite gives the second of two equal names another one.
    check_names(connection.prepare(query).map_err(wrong)?.column_names())?;
    let statement = connection.prepare(&format!("SELECT * FROM {name}")).map_err(wrong)?;
    let declared: Vec<(String, String, i64)> =
        statement.columns().map(|column| (column.name().to_string(), column.decl_type().unwrap_or_default().to_string(), 0)).collect();
    drop(statement);
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0)).map_err(failed)?;
    let (columns, count) = look_at_values(&connection, path, &name, &declared)?;
    let ordered_text = encoding == "UTF-8";
    Ok(Found { name, columns, order: Vec::new(), rows: Some(count), ordered_text, unique: Vec::new(), sorted: None, stamp: Some(stamp) })
}

/// Which kinds of values are stored in each column, all in one pass over the table.
fn look_at_values(
    connection: &Connection,
    path: &str,
    name: &str,
    declared: &[(String, String, i64)],
) -> Result<(Vec<SqlColumn>, u64), SourceError> {
    let failed = |error: rusqlite::Error| explain(path, &error);
    let mut counts = vec!["count(*)".to_string()];
    for (column, _, _) in declared {
        let column = by_name(column);
        for kind in ["integer", "real", "text", "blob"] {
            counts.push(format!("coalesce(sum(typeof({column}) = '{kind}'), 0)"));
        }
        counts.push(format!("min(CASE WHEN typeof({column}) = 'integer' THEN {column} END)"));
        counts.push(format!("max(CASE WHEN typeof({column}) = 'integer' THEN {column} END)"));
    }
    let mut statement = connection.prepare(&format!("SELECT {} FROM {name}", counts.join(", "))).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let row = rows.next().map_err(failed)?.ok_or_else(|| SourceError::broken("a count gave no row"))?;
    let count: i64 = row.get(0).map_err(failed)?;
    let mut columns = Vec::new();
    for (at, (column, declared, _)) in declared.iter().enumerate() {
        let get = |offset: usize| row.get::<_, i64>(1 + 6 * at + offset).map_err(failed);
        let (whole, real, text, blob) = (get(0)?, get(1)?, get(2)?, get(3)?);
        let bounds: (Option<i64>, Option<i64>) = (row.get(5 + 6 * at).map_err(failed)?, row.get(6 + 6 * at).map_err(failed)?);
        let kinds = [(whole > 0 || real > 0, "numbers"), (text > 0, "text"), (blob > 0, "bytes")];
        let kinds: Vec<&str> = kinds.iter().filter(|(any, _)| *any).map(|(_, kind)| *kind).collect();
        if kinds.len() > 1 {
            let kinds = kinds.join(" and ");
            return Err(SourceError::refused(format!("column `{column}` of {name} holds {kinds}: a column has values of one type")));
        }
        let upper = declared.to_ascii_uppercase();
        let truths = upper.starts_with("BOOL") && real == 0 && bounds.0.is_none_or(|low| low >= 0) && bounds.1.is_none_or(|high| high <= 1);
        let data_type = match kinds.first() {
            Some(&"text") => DataType::Utf8View,
            Some(&"bytes") => DataType::BinaryView,
            Some(_) if truths => DataType::Boolean,
            Some(_) if real > 0 => DataType::Float64,
            Some(_) if is_real(&upper) => DataType::Float64,
            Some(_) => DataType::Int64,
            None => declared_type(&upper),
        };
        let nulls = count - whole - real - text - blob;
        let plain = match data_type {
            // Text in a column for numbers: what it is compared with is made a number first, where it looks like one.
            DataType::Utf8View => !has_numeric_affinity(&upper),
            // Read as floats, integers beyond 2^53 lose digits that SQLite compares.
            DataType::Float64 => bounds.0.is_none_or(|low| low >= -EXACT) && bounds.1.is_none_or(|high| high <= EXACT),
            _ => true,
        };
        let bounded = data_type == DataType::Int64;
        columns.push(SqlColumn {
            select: by_name(column),
            field: Field::new(column, data_type, nulls > 0),
            plain,
            nulls: Some(nulls as u64),
            min: bounds.0.filter(|_| bounded).map(Value::int),
            max: bounds.1.filter(|_| bounded).map(Value::int),
        });
    }
    Ok((columns, count as u64))
}

/// Up to here every integer is a float.
const EXACT: i64 = 1 << 53;

/// Whether a column declared so makes numbers of what is put into it, and of what it is compared with, where it can.
fn has_numeric_affinity(upper: &str) -> bool {
    let says = |parts: &[&str]| parts.iter().any(|part| upper.contains(part));
    says(&["INT"]) || !(upper.is_empty() || says(&["CHAR", "CLOB", "TEXT", "BLOB"]))
}

fn is_real(upper: &str) -> bool {
    ["REAL", "FLOA", "DOUB"].iter().any(|part| upper.contains(part))
}

/// What a column without values is, by the rules of affinity.
fn declared_type(upper: &str) -> DataType {
    if upper.starts_with("BOOL") {
        DataType::Boolean
    } else if upper.contains("INT") {
        DataType::Int64
    } else if ["CHAR", "CLOB", "TEXT"].iter().any(|part| upper.contains(part)) {
        DataType::Utf8View
    } else if upper.contains("BLOB") {
        DataType::BinaryView
    } else if is_real(upper) || upper.contains("NUM") || upper.contains("DEC") {
        DataType::Float64
    } else {
        DataType::Utf8View
    }
}

/// Starts a query on a thread of its own. It ends when its rows do, or when what is given back is dropped.
pub(crate) fn start(path: &str, query: &SqlQuery, batch_rows: usize, sender: Sender) -> Result<Stop, SourceError> {
    query.stamps.iter().try_for_each(|stamp| stamp.check(path))?;
    let connection = connect(path)?;
    let stop = Interrupt(connection.get_interrupt_handle());
    let (path, query) = (path.to_string(), query.clone());
    on_thread("airloom-sqlite", sender, move |sender| run(&connection, &path, &query, batch_rows, sender))?;
    Ok(Box::new(stop))
}

struct Interrupt(InterruptHandle);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}

fn run(connection: &Connection, path: &str, query: &SqlQuery, batch_rows: usize, sender: &Sender) -> Result<(), SourceError> {
    let failed = |error: rusqlite::Error| explain(path, &error);
    let mut statement = connection.prepare(&query.text).map_err(failed)?;
    let parameters = query.parameters.iter().map(|parameter| Bound(&parameter.0));
    let mut found = statement.query(rusqlite::params_from_iter(parameters)).map_err(failed)?;
    let width = query.schema.fields().len();
    send_rows(query, batch_rows, sender, |rows| {
        let Some(row) = found.next().map_err(failed)? else { return Ok(false) };
        for column in 0..width {
            let cell = match row.get_ref(column).map_err(failed)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(value) => Cell::Whole(i128::from(value)),
                ValueRef::Real(value) => Cell::Float(value),
                ValueRef::Text(bytes) => Cell::Text(std::str::from_utf8(bytes).map_err(|_| {
                    SourceError::world(format!(
                        "the SQLite database `{path}` holds text that is not valid UTF-8 in column `{}`",
                        query.schema.field(column).name()
                    ))
                })?),
                ValueRef::Blob(bytes) => Cell::Bytes(bytes),
            };
            rows.push(column, &cell)?;
        }
        Ok(true)
    })
}

struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Value::Null => ValueRef::Null,
            Value::Bool(truth) => ValueRef::Integer(i64::from(*truth)),
            Value::Int(number) => {
                ValueRef::Integer(i64::try_from(*number).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?)
            }
            Value::F64(number) => ValueRef::Real(*number),
            Value::Str(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
            _ => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
