//! PostgreSQL.

use super::columns::Cell;
use super::query::{Sender, SqlQuery, Stop};
use super::send::{on_thread, send_rows};
use super::table::{Found, SqlColumn, by_name, check_names, derived};
use crate::sql::quoted;
use airloom_compute::data::SourceError;
use airloom_ir::value::Value;
use arrow::datatypes::{DataType, Field, TimeUnit};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, Kind, ToSql, Type};
use postgres::{CancelToken, Client, Config, NoTls};
use std::error::Error;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait for a server to answer at all.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long a server may be silent before it counts as gone.
const SILENCE: Duration = Duration::from_secs(30);
/// Days, and microseconds, from 1970, where programs count from, to 2000, where the server does.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROS: i64 = EPOCH_DAYS as i64 * 86_400_000_000;

fn connect(url: &str) -> Result<Client, SourceError> {
    let mut config: Config =
        url.parse().map_err(|error| SourceError::user(format!("the address of the PostgreSQL database cannot be read: {error}")))?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECTING);
    }
    config.keepalives(true).keepalives_idle(Duration::from_secs(10)).keepalives_interval(Duration::from_secs(5)).keepalives_retries(3);
    config.tcp_user_timeout(SILENCE).application_name("airloom");
    let mut client = config.connect(NoTls).map_err(|error| lost(&error))?;
    // A scan goes from the beginning of a table to its end, alone, so that rows come in the order in which they are held; all of them from one snapshot.
    let settings =
        "SET synchronize_seqscans = off; SET max_parallel_workers_per_gather = 0; SET extra_float_digits = 3; SET TIME ZONE 'UTC'";
    client.batch_execute(settings).map_err(|error| lost(&error))?;
    Ok(client)
}

/// An error of the server, or of the way to it.
fn lost(error: &postgres::Error) -> SourceError {
    match error.as_db_error() {
        Some(said) if *said.code() == postgres::error::SqlState::UNDEFINED_TABLE => {
            SourceError::user(format!("PostgreSQL says: {}", said.message()))
        }
        Some(said) => SourceError::world(format!("PostgreSQL says: {} ({})", said.message(), said.code().code())),
        None => {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            SourceError::world(format!("the PostgreSQL database was lost: {error}{cause}"))
        }
    }
}

/// Does something with a server on a thread of its own: its client must not run inside another runtime.
fn aside<T: Send>(work: impl FnOnce() -> Result<T, SourceError> + Send) -> Result<T, SourceError> {
    std::thread::scope(|scope| {
        scope.spawn(work).join().unwrap_or_else(|_| Err(SourceError::broken("a thread that spoke to a database panicked")))
    })
}

/// Finds out what a table is.
pub(crate) fn look(url: &str, table: &str) -> Result<Found, SourceError> {
    aside(|| {
        let mut client = connect(url)?;
        let qualified = table.split('.').map(quoted).collect::<Vec<_>>().join(".");
        let failed = |error: postgres::Error| lost(&error);
        let known = "SELECT c.oid, c.relkind::text, c.oid::regclass::text FROM pg_class c WHERE c.oid = to_regclass($1::text)";
        let known = client.query_opt(known, &[&qualified]).map_err(failed)?;
        let Some(known) = known else {
            return Err(SourceError::user(format!("the PostgreSQL database has no table `{table}`")));
        };
        let (oid, kind): (u32, String) = (known.try_get(0).map_err(failed)?, known.try_get(1).map_err(failed)?);
        let attributes = "SELECT a.attname::text, t.typname::text, a.atttypmod, a.attnotnull, t.typtype::text, t.typelem <> 0 AND t.typlen = -1 \
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
        let mut columns = Vec::new();
        for row in client.query(attributes, &[&oid]).map_err(failed)? {
            let (name, type_name): (String, String) = (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
            let (modifier, not_null): (i32, bool) = (row.try_get(2).map_err(failed)?, row.try_get(3).map_err(failed)?);
            let is_array: bool = row.try_get(5).map_err(failed)?;
            columns.push(column(&name, &type_name, modifier, not_null, is_array)?);
        }
        let key = "SELECT a.attname::text FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place), pg_attribute a \
            WHERE i.indrelid = $1 AND i.indisprimary AND a.attrelid = i.indrelid AND a.attnum = k.number ORDER BY k.place";
        let key = client.query(key, &[&oid]).map_err(failed)?;
        let key = key.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>().map_err(failed)?;
        let order = match kind.as_str() {
            "r" | "m" => vec!["ctid".to_string()],
            _ => Vec::new(),
        };
        let unique = if key.is_empty() { Vec::new() } else { vec![key] };
        Ok(Found { name: qualified, columns, order, rows: None, ordered_text: true, unique, sorted: None, stamp: None })
    })
}

/// Finds out what the rows of a query are. They are in no order that could be said.
pub(crate) fn look_at_query(url: &str, query: &str) -> Result<Found, SourceError> {
    aside(|| {
        let mut client = connect(url)?;
        let name = derived(query);
        let statement = client.prepare(&format!("SELECT * FROM {name}")).map_err(|error| match error.as_db_error() {
            Some(said) => SourceError::user(format!("PostgreSQL cannot read the query: {}", said.message())),
            None => lost(&error),
        })?;
        check_names(statement.columns().iter().map(|column| column.name()))?;
        let columns = statement.columns().iter().map(|found| {
            let is_array = matches!(found.type_().kind(), Kind::Array(_));
            column(found.name(), found.type_().name(), found.type_modifier(), false, is_array)
        });
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Found { name, columns, order: Vec::new(), rows: None, ordered_text: true, unique: Vec::new(), sorted: None, stamp: None })
    })
}

fn column(name: &str, type_name: &str, modifier: i32, not_null: bool, is_array: bool) -> Result<SqlColumn, SourceError> {
    let refused =
        |why: &str| SourceError::refused(format!("column `{name}` has PostgreSQL's type `{type_name}`, which cannot be read: {why}"));
    if is_array && !matches!(type_name, "name" | "text" | "bytea") {
        return Err(refused("it is an array"));
    }
    let select = by_name(name);
    let (data_type, select, plain) = match type_name {
        "bool" => (DataType::Boolean, select, true),
        "int2" => (DataType::Int16, select, true),
        "int4" => (DataType::Int32, select, true),
        "int8" => (DataType::Int64, select, true),
        "float4" => (DataType::Float32, select, true),
        "float8" => (DataType::Float64, select, true),
        "text" | "varchar" => (DataType::Utf8View, select, true),
        "bytea" => (DataType::BinaryView, select, true),
        "date" => (DataType::Date32, select, true),
        "time" => (DataType::Time64(TimeUnit::Nanosecond), select, true),
        "timestamp" => (DataType::Timestamp(TimeUnit::Microsecond, None), select, true),
        "timestamptz" => (DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), select, true),
        "numeric" => {
            let (precision, scale) = ((modifier - 4) >> 16 & 0xffff, (modifier - 4) & 0x7ff);
            match (modifier, u8::try_from(precision), i8::try_from(scale)) {
                (4.., Ok(precision @ 1..=18), Ok(scale)) if scale <= precision as i8 => {
                    (DataType::Decimal64(precision, scale), select, true)
                }
                (4.., Ok(precision @ 19..=38), Ok(scale)) if scale <= precision as i8 => {
                    (DataType::Decimal128(precision, scale), select, true)
                }
                _ => return Err(refused("how many digits it has is not said, or more than 38")),
            }
        }
        // Padded, unordered or unknown to programs: their text is what can be had.
        _ => (DataType::Utf8View, format!("{select}::text"), false),
    };
    Ok(SqlColumn { field: Field::new(name, data_type, !not_null), select, plain, nulls: None, min: None, max: None })
}

/// Starts a query on a thread of its own. It ends when its rows do, or when what is given back is dropped.
pub(crate) fn start(url: &str, query: &SqlQuery, batch_rows: usize, sender: Sender) -> Result<Stop, SourceError> {
    let (url, query) = (url.to_string(), query.clone());
    let running = Arc::new(Running { state: Mutex::new(State::Connects), ended: Condvar::new() });
    let reader = Reader(Arc::clone(&running));
    on_thread("airloom-postgres", sender, move |sender| {
        // Dropped after the client, since a query that is cancelled may still be waited for when its client is closed.
        let ending = Ending(running);
        let mut client = connect(&url)?;
        if !ending.0.begins(client.cancel_token()) {
            return Ok(());
        }
        run(&mut client, &query, batch_rows, sender)
    })?;
    Ok(Box::new(reader))
}

/// A query as its thread and its reader see it.
struct Running {
    state: Mutex<State>,
    ended: Condvar,
}

enum State {
    /// It has no connection yet.
    Connects,
    /// It is about to be run, or runs.
    Runs(CancelToken),
    /// Nobody reads its rows.
    Unwanted,
    Ended,
}

impl Running {
    /// Says that the query is about to be run; whether its rows are wanted still.
    fn begins(&self, token: CancelToken) -> bool {
        let mut state = self.state();
        let wanted = matches!(*state, State::Connects);
        if wanted {
            *state = State::Runs(token);
        }
        wanted
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the query until it has ended: a cancellation that comes before the server has begun with the query is lost.
    fn cancel(&self, token: &CancelToken) {
        let mut pause = Duration::from_millis(20);
        loop {
            // A server that cannot be reached is found out by the thread of the query too, which then ends.
            token.cancel_query(NoTls).ok();
            let waited = self.ended.wait_timeout_while(self.state(), pause, |state| !matches!(state, State::Ended));
            if matches!(*waited.unwrap_or_else(PoisonError::into_inner).0, State::Ended) {
                return;
            }
            pause = (pause * 2).min(Duration::from_secs(5));
        }
    }
}

/// Says that a query has ended, however it did.
struct Ending(Arc<Running>);

impl Drop for Ending {
    fn drop(&mut self) {
        *self.0.state() = State::Ended;
        self.0.ended.notify_all();
    }
}

/// Who reads the rows: its end is that of the query.
struct Reader(Arc<Running>);

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if matches!(*state, State::Ended) {
            return;
        }
        if let State::Runs(token) = std::mem::replace(&mut *state, State::Unwanted) {
            let running = Arc::clone(&self.0);
            // The end is not waited for. Where no thread can be had, the query ends with its rows.
            std::thread::Builder::new().name("airloom-cancel".into()).spawn(move || running.cancel(&token)).ok();
        }
    }
}

fn run(client: &mut Client, query: &SqlQuery, batch_rows: usize, sender: &Sender) -> Result<(), SourceError> {
    let failed = |error: postgres::Error| lost(&error);
    let statement = client.prepare(&query.text).map_err(failed)?;
    let types: Vec<Type> = statement.columns().iter().map(|column| column.type_().clone()).collect();
    let parameters: Vec<Bound<'_>> = query.parameters.iter().map(|parameter| Bound(&parameter.0)).collect();
    let parameters = parameters.iter().map(|parameter| parameter as &dyn ToSql);
    let mut found = client.query_raw(&statement, parameters).map_err(failed)?;
    let width = query.schema.fields().len();
    send_rows(query, batch_rows, sender, |rows| {
        let Some(row) = found.next().map_err(failed)? else { return Ok(false) };
        for (column, ty) in types.iter().enumerate().take(width) {
            let raw: Option<Raw<'_>> = row.try_get(column).map_err(failed)?;
            let field = query.schema.field(column);
            let cell = match raw {
                None => Cell::Null,
                Some(raw) => cell(ty, raw.0, field.data_type()).ok_or_else(|| {
                    SourceError::world(format!("column `{}` holds a `{ty}` that has no value here, such as an infinity", field.name()))
                })?,
            };
            rows.push(column, &cell)?;
        }
        Ok(true)
    })
}

/// The bytes of a value, as the server sends them.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Raw<'a>, Box<dyn Error + Sync + Send>> {
        Ok(Raw(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// What the bytes of a value say.
fn cell<'a>(ty: &Type, raw: &'a [u8], wanted: &DataType) -> Option<Cell<'a>> {
    Some(match *ty {
        Type::BOOL => Cell::Boolean(*raw.first()? != 0),
        Type::INT2 => Cell::Whole(i16::from_be_bytes(raw.try_into().ok()?).into()),
        Type::INT4 => Cell::Whole(i32::from_be_bytes(raw.try_into().ok()?).into()),
        Type::INT8 => Cell::Whole(i64::from_be_bytes(raw.try_into().ok()?).into()),
        Type::FLOAT4 => Cell::Float(f32::from_be_bytes(raw.try_into().ok()?).into()),
        Type::FLOAT8 => Cell::Float(f64::from_be_bytes(raw.try_into().ok()?)),
        Type::TEXT | Type::VARCHAR | Type::NAME | Type::BPCHAR => Cell::Text(std::str::from_utf8(raw).ok()?),
        Type::BYTEA => Cell::Bytes(raw),
        Type::DATE => match i32::from_be_bytes(raw.try_into().ok()?) {
            i32::MIN | i32::MAX => return None,
            days => Cell::Whole(days.checked_add(EPOCH_DAYS)?.into()),
        },
        Type::TIME => Cell::Whole(i128::from(i64::from_be_bytes(raw.try_into().ok()?)) * 1000),
        Type::TIMESTAMP | Type::TIMESTAMPTZ => match i64::from_be_bytes(raw.try_into().ok()?) {
            i64::MIN | i64::MAX => return None,
            micros => Cell::Whole(micros.checked_add(EPOCH_MICROS)?.into()),
        },
        Type::NUMERIC => {
            let scale = match wanted {
                DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => u32::try_from(*scale).ok()?,
                _ => 0,
            };
            Cell::Whole(numeric(raw, scale)?)
        }
        _ => return None,
    })
}

/// The digits of a number as the server sends it, in groups of four, with `scale` after the point.
fn numeric(raw: &[u8], scale: u32) -> Option<i128> {
    let word = |at: usize| raw.get(2 * at..2 * at + 2).map(|bytes| i16::from_be_bytes([bytes[0], bytes[1]]));
    let (count, weight, sign) = (word(0)?, word(1)?, word(2)?);
    let negative = match sign as u16 {
        0 => false,
        0x4000 => true,
        // NaN and the infinities.
        _ => return None,
    };
    let mut digits: i128 = 0;
    for at in 0..usize::try_from(count).ok()? {
        let group = i128::from(word(4 + at)?);
        // The group counts ten thousands to the power of its position; with the scale, tens to a power that may be negative.
        let power = 4 * (i32::from(weight) - at as i32) + scale as i32;
        let value = if power >= 0 {
            group.checked_mul(10i128.checked_pow(power as u32)?)?
        } else {
            let below = 10i128.checked_pow(power.unsigned_abs())?;
            if group % below != 0 {
                return None;
            }
            group / below
        };
        digits = digits.checked_add(value)?;
    }
    Some(if negative { -digits } else { digits })
}

#[derive(Debug)]
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, ty: &Type, out: &mut postgres::types::private::BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Bool(truth), _) => truth.to_sql(ty, out),
            (Value::Int(number), &Type::INT2) => i16::try_from(*number)?.to_sql(ty, out),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out),
            (Value::Int(number), &Type::DATE) => {
                out.extend_from_slice(&(i32::try_from(*number)? - EPOCH_DAYS).to_be_bytes());
                Ok(IsNull::No)
            }
            (Value::Int(number), _) => i64::try_from(*number)?.to_sql(ty, out),
            (Value::F64(number), _) => number.to_sql(ty, out),
            (Value::Str(text), _) => text.as_ref().to_sql(ty, out),
            (other, ty) => Err(format!("{other:?} cannot be sent as `{ty}`").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    postgres::types::to_sql_checked!();
}
