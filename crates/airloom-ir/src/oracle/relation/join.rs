//! Joins by equal keys.

use super::rows::{Row, beside, relation, structs};
use crate::attrs::{JoinHow, NullMatch, Side};
use crate::oracle::call::Call;
use crate::oracle::order::canonical;
use crate::oracle::stop::Stop;
use crate::value::{Table, Value};
use std::collections::HashMap;

pub(super) fn join(call: &Call<'_>) -> Result<Value, Stop> {
    let (how, nulls, major): (JoinHow, NullMatch, Side) = (call.attr(0), call.attr(1), call.attr(2));
    let left = Input::new(call, 0, nulls)?;
    let right = Input::new(call, 1, nulls)?;
    let rows = match how {
        JoinHow::Semi => tested(call, &left, &right, true)?,
        JoinHow::Anti => tested(call, &left, &right, false)?,
        _ => pairs(call, &left, &right, how, major)?,
    };
    Ok(relation(call, rows))
}

/// One side of a join: its rows, each with the key it is found by; without one it finds nothing.
struct Input<'a> {
    table: &'a Table,
    keys: Vec<Option<Value>>,
}

impl<'a> Input<'a> {
    fn new(call: &Call<'a>, side: usize, nulls: NullMatch) -> Result<Input<'a>, Stop> {
        let table = call.table(side);
        let usable = |key: &Row| nulls == NullMatch::Equal || !key.iter().any(Value::is_null);
        let keys = structs(call, side, table)?.into_iter().map(|key| usable(&key).then(|| canonical(&Value::Struct(key)))).collect();
        Ok(Input { table, keys })
    }

    /// The positions of the rows with each key, in order.
    fn index(&self) -> HashMap<&Value, Vec<usize>> {
        let mut index: HashMap<&Value, Vec<usize>> = HashMap::new();
        for (at, key) in self.keys.iter().enumerate() {
            if let Some(key) = key {
                index.entry(key).or_default().push(at);
            }
        }
        index
    }
}

/// The rows of an index that have the key, if any.
fn found<'i>(index: &'i HashMap<&Value, Vec<usize>>, key: &Option<Value>) -> &'i [usize] {
    key.as_ref().and_then(|key| index.get(key)).map_or(&[], Vec::as_slice)
}

fn admits(call: &Call<'_>, left: &Row, right: &Row) -> Result<bool, Stop> {
    call.spend(1)?;
    let admitted = call.run(2, &[Value::Struct(left.clone()), Value::Struct(right.clone())])?;
    Ok(matches!(admitted, Value::Bool(true)))
}

/// The left rows that have a match, or those that have none.
fn tested(call: &Call<'_>, left: &Input<'_>, right: &Input<'_>, wanted: bool) -> Result<Vec<Row>, Stop> {
    let index = right.index();
    let mut rows = Vec::new();
    for (row, key) in left.table.rows.iter().zip(&left.keys) {
        let mut matched = false;
        for &at in found(&index, key) {
            matched = admits(call, row, &right.table.rows[at])?;
            if matched {
                break;
            }
        }
        if matched == wanted {
            rows.push(row.clone());
        }
    }
    Ok(rows)
}

/// The rows of a join that has fields of both sides: those of the major side in order, each with its matches or alone, then what is left of the other.
fn pairs(call: &Call<'_>, left: &Input<'_>, right: &Input<'_>, how: JoinHow, major: Side) -> Result<Vec<Row>, Stop> {
    let keeps_left = matches!(how, JoinHow::Left | JoinHow::Outer);
    let keeps_right = matches!(how, JoinHow::Right | JoinHow::Outer);
    let (outer, inner, keeps_outer, keeps_inner) = match major {
        Side::Left => (left, right, keeps_left, keeps_right),
        Side::Right => (right, left, keeps_right, keeps_left),
    };
    let sides = |outer: &Row, inner: &Row| match major {
        Side::Left => (outer.clone(), inner.clone()),
        Side::Right => (inner.clone(), outer.clone()),
    };
    let missing = |table: &Table| -> Row { vec![Value::Null; table.width].into() };
    let (no_outer, no_inner) = (missing(outer.table), missing(inner.table));
    let index = inner.index();
    let mut matched = vec![false; inner.table.rows.len()];
    let mut rows = Vec::new();
    for (row, key) in outer.table.rows.iter().zip(&outer.keys) {
        let mut alone = true;
        for &at in found(&index, key) {
            let (l, r) = sides(row, &inner.table.rows[at]);
            if admits(call, &l, &r)? {
                rows.push(beside(&l, &r));
                matched[at] = true;
                alone = false;
            }
        }
        if alone && keeps_outer {
            let (l, r) = sides(row, &no_inner);
            rows.push(beside(&l, &r));
        }
    }
    if keeps_inner {
        for (row, _) in inner.table.rows.iter().zip(&matched).filter(|(_, matched)| !**matched) {
            let (l, r) = sides(&no_outer, row);
            rows.push(beside(&l, &r));
        }
    }
    Ok(rows)
}
