//! Relations from lists and arrays, and arrays from relations.

use super::group;
use super::rows::{Row, relation};
use crate::attrs::EmptyList;
use crate::name::Name;
use crate::oracle::call::{Call, as_array, as_struct, mismatch, position};
use crate::oracle::stop::{Stop, raise};
use crate::value::Value;
use std::sync::Arc;

pub(super) fn explode(call: &Call<'_>) -> Result<Value, Stop> {
    let (table, fields) = (call.table(0), call.fields(0));
    let names: Arc<[Name]> = call.attr(0);
    let empty: EmptyList = call.attr(1);
    let places: Vec<usize> = names.iter().map(|name| position(fields, name)).collect();
    let mut rows: Vec<Row> = Vec::new();
    for row in &table.rows {
        let lists: Vec<&[Value]> = places.iter().map(|&at| elements(&row[at])).collect();
        let length = lists[0].len();
        if let Some(at) = lists.iter().position(|list| list.len() != length) {
            return raise(format!(
                "the lists of a row must be equally long: `{}` has {length} elements and `{}` has {}",
                names[0],
                names[at],
                lists[at].len()
            ));
        }
        let count = if length == 0 && empty == EmptyList::Null { 1 } else { length };
        call.spend(count.saturating_mul(table.width))?;
        for at in 0..count {
            let mut values = row.to_vec();
            for (&place, list) in places.iter().zip(&lists) {
                values[place] = list.get(at).cloned().unwrap_or(Value::Null);
            }
            rows.push(values.into());
        }
    }
    Ok(relation(call, rows))
}

/// The elements of a list; of null, none.
fn elements(list: &Value) -> &[Value] {
    match list {
        Value::Null => &[],
        Value::List(items) => items,
        other => mismatch("a list", other),
    }
}

pub(super) fn columns(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    group::columns(call, table, &(0..table.rows.len()).collect::<Vec<_>>())
}

pub(super) fn pack(call: &Call<'_>) -> Result<Value, Stop> {
    let columns: Vec<&[Value]> = as_struct(&call.args[0]).iter().map(|column| as_array(column).items.as_slice()).collect();
    let count = columns.first().map_or(0, |column| column.len());
    if let Some((field, column)) = call.fields(0).iter().zip(&columns).find(|(_, column)| column.len() != count) {
        return raise(format!(
            "the columns must be equally long: the first has {count} elements and `{}` has {}",
            field.name,
            column.len()
        ));
    }
    call.spend(count.saturating_mul(columns.len()))?;
    Ok(relation(call, (0..count).map(|at| columns.iter().map(|column| column[at].clone()).collect()).collect()))
}
