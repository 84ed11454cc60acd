//! Relations row by row: computed, chosen, ordered, counted.

use crate::attrs::SortKey;
use crate::oracle::call::{Call, as_struct};
use crate::oracle::order::by_keys;
use crate::oracle::stop::{Stop, raise};
use crate::types::{IntTy, Ty};
use crate::value::{Table, Value};
use std::sync::Arc;

/// A row: its values in the order of the fields.
pub(super) type Row = Arc<[Value]>;

/// The relation of these rows, as wide as the type of the result says.
pub(super) fn relation(call: &Call<'_>, rows: Vec<Row>) -> Value {
    match call.types.get(call.ty) {
        Ty::Rel(fields) => Value::rel(fields.len(), rows),
        _ => unreachable!("the result is a relation"),
    }
}

/// The rows at these positions.
pub(super) fn at_places(table: &Table, places: &[usize]) -> Vec<Row> {
    places.iter().map(|&at| table.rows[at].clone()).collect()
}

/// One row after the other, as one.
pub(super) fn beside(left: &[Value], right: &[Value]) -> Row {
    left.iter().chain(right).cloned().collect()
}

/// The struct that a body makes of each row.
pub(super) fn structs(call: &Call<'_>, body: usize, table: &Table) -> Result<Vec<Row>, Stop> {
    table.rows.iter().map(|row| Ok(as_struct(&call.run(body, &[Value::Struct(row.clone())])?).clone())).collect()
}

pub(super) fn project(call: &Call<'_>) -> Result<Value, Stop> {
    let rows = structs(call, 0, call.table(0))?;
    Ok(relation(call, rows))
}

pub(super) fn filter(call: &Call<'_>) -> Result<Value, Stop> {
    let mut rows = Vec::new();
    for row in &call.table(0).rows {
        if matches!(call.run(0, &[Value::Struct(row.clone())])?, Value::Bool(true)) {
            rows.push(row.clone());
        }
    }
    Ok(relation(call, rows))
}

/// The positions of the rows in the order of the keys that body 0 makes.
fn sorted(call: &Call<'_>) -> Result<Vec<usize>, Stop> {
    let table = call.table(0);
    let keys = structs(call, 0, table)?;
    let by: Arc<[SortKey]> = call.attr(0);
    let mut places: Vec<usize> = (0..table.rows.len()).collect();
    places.sort_by(|&a, &b| by_keys(&keys[a], &keys[b], &by));
    Ok(places)
}

pub(super) fn sort(call: &Call<'_>) -> Result<Value, Stop> {
    Ok(relation(call, at_places(call.table(0), &sorted(call)?)))
}

pub(super) fn top(call: &Call<'_>) -> Result<Value, Stop> {
    let count = call.int(1);
    if count < 0 {
        return raise(format!("the number of rows must not be negative, found {count}"));
    }
    let mut places = sorted(call)?;
    places.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(relation(call, at_places(call.table(0), &places)))
}

pub(super) fn slice(call: &Call<'_>) -> Result<Value, Stop> {
    let rows = &call.table(0).rows;
    let count = rows.len() as i128;
    let start = if call.int(1) < 0 { call.int(1) + count } else { call.int(1) };
    let end = match &call.args[2] {
        Value::Null => count,
        _ if call.int(2) < 0 => return raise(format!("the number of rows must not be negative, found {}", call.int(2))),
        _ => start + call.int(2),
    };
    let (start, end) = (start.clamp(0, count) as usize, end.clamp(0, count) as usize);
    call.spend(end - start)?;
    Ok(relation(call, rows[start..end].to_vec()))
}

pub(super) fn concat(call: &Call<'_>) -> Result<Value, Stop> {
    let mut rows = Vec::new();
    for at in 0..call.args.len() {
        call.spend(call.table(at).rows.len())?;
        rows.extend_from_slice(&call.table(at).rows);
    }
    Ok(relation(call, rows))
}

pub(super) fn number(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    let start = i128::from(call.attr::<i64>(1));
    call.spend(table.rows.len())?;
    let numbered = |(at, row): (usize, &Row)| beside(row, &[Value::Int(IntTy::I64.wrap(start + at as i128))]);
    Ok(relation(call, table.rows.iter().enumerate().map(numbered).collect()))
}
