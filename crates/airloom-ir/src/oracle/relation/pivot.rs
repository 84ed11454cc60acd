//! Rows to columns and columns to rows.

use super::group::{columns, groups_or_whole};
use super::rows::{Row, relation};
use crate::name::Name;
use crate::oracle::call::{Call, position};
use crate::oracle::stop::Stop;
use crate::value::Value;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn pivot(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    let names: Arc<[Name]> = call.attr(0);
    let numbers: HashMap<&str, usize> = names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let on: Vec<Value> = table.rows.iter().map(|row| call.run(1, &[Value::Struct(row.clone())])).collect::<Result<_, _>>()?;
    let number = |at: usize| match &on[at] {
        Value::Str(name) => numbers.get(&**name).copied(),
        _ => None,
    };
    let mut rows: Vec<Row> = Vec::new();
    for group in groups_or_whole(call, 0, table)? {
        call.spend(names.len())?;
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
        for &at in &group.members {
            if let Some(number) = number(at) {
                members[number].push(at);
            }
        }
        let mut row = group.key.to_vec();
        for members in &members {
            row.push(if members.is_empty() { Value::Null } else { call.run(2, &[columns(call, table, members)?])? });
        }
        rows.push(row.into());
    }
    Ok(relation(call, rows))
}

pub(super) fn unpivot(call: &Call<'_>) -> Result<Value, Stop> {
    let (table, fields) = (call.table(0), call.fields(0));
    let names: Arc<[Name]> = call.attr(0);
    let mut others: Vec<bool> = vec![true; fields.len()];
    names.iter().for_each(|name| others[position(fields, name)] = false);
    let mut rows: Vec<Row> = Vec::new();
    for name in names.iter() {
        let column = position(fields, name);
        let variable = Value::str(name);
        call.spend(table.rows.len().saturating_mul(table.width))?;
        for row in &table.rows {
            let kept = row.iter().zip(&others).filter(|(_, other)| **other).map(|(value, _)| value);
            rows.push(kept.chain([&variable, &row[column]]).cloned().collect());
        }
    }
    Ok(relation(call, rows))
}
