//! Work cut by key: the rows of each key stay together, in their order.

use crate::applications::Application;
use crate::pieces::{Rows, chosen, rows};
use airloom_ir::ops::KeyOrder;
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use airloom_ir::oracle::order::canonical;
use airloom_ir::value::Value;

/// Up to this many keys are distributed over two pieces in every way.
const ALL_WAYS: usize = 5;

/// Cuts by key in every way, or in several, and compares with the whole. Gives how many ways were tried.
pub(crate) fn check(application: &Application<'_>, order: KeyOrder) -> Result<usize, String> {
    let Some(keyed) = keyed_arguments(application) else { return Ok(0) };
    let mut keys: Vec<Value> = Vec::new();
    for key in keyed.iter().flat_map(|(_, keys)| keys) {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    let ways: Vec<usize> = match keys.len() {
        0 | 1 => Vec::new(),
        few if few <= ALL_WAYS => (1..(1 << few) - 1).collect(),
        many => (0..many.min(60)).map(|alone| 1 << alone).chain([0x5555_5555, 0x3333_3333]).collect(),
    };
    for &way in &ways {
        let piece = |number: usize| {
            let replaced = keyed.iter().map(|(at, own)| {
                let is_here = |key: &Value| keys.iter().position(|known| known == key).is_some_and(|place| way >> place & 1 == number);
                let positions: Vec<usize> = own.iter().enumerate().filter(|(_, key)| is_here(key)).map(|(row, _)| row).collect();
                (*at, chosen(&application.args[*at], &positions))
            });
            application.with(replaced.collect::<Vec<_>>())
        };
        let found = [piece(0), piece(1)];
        match (&application.result, &found) {
            (Ok(whole), [Ok(first), Ok(second)]) => {
                let width = key_width(application);
                let is_right = match order {
                    KeyOrder::First => by_first(whole, first, second, &keyed[0].1, width),
                    KeyOrder::Rows => interleaved(&row_list(whole), &row_list(first), &row_list(second)),
                    KeyOrder::Sum => added(whole, first, second),
                };
                if !is_right {
                    return Err(format!("by key, {order:?}: the whole is {whole:?}, the pieces are {first:?} and {second:?}"));
                }
            }
            (Err(_), found) if found.iter().any(Result::is_err) => (),
            (whole, found) => return Err(format!("by key: the whole is {whole:?}, the pieces are {found:?}")),
        }
    }
    Ok(ways.len())
}

/// The arguments that are cut, each with the key of every row. `None` where computing a key raises, or the op has no keys.
fn keyed_arguments(application: &Application<'_>) -> Option<Vec<(usize, Vec<Value>)>> {
    let by_body = |at: usize, body: usize| {
        let Value::Rel(table) = &application.args[at] else { return None };
        let key = |row: &std::sync::Arc<[Value]>| application.body(body, &[Value::Struct(row.clone())]).ok().map(|key| canonical(&key));
        Some((at, table.rows.iter().map(key).collect::<Option<Vec<Value>>>()?))
    };
    match application.graph.op(application.node) {
        Op::Relation(Relation::Join) => Some(vec![by_body(0, 0)?, by_body(1, 1)?]),
        Op::Relation(Relation::Asof) => Some(vec![by_body(0, 2)?, by_body(1, 3)?]),
        _ => match &application.args[0] {
            Value::Rel(_) if !application.def().bodies.is_empty() => Some(vec![by_body(0, 0)?]),
            Value::Arr(array) if array.shape.len() == 1 => Some(vec![(0, array.items.iter().map(canonical).collect())]),
            _ => None,
        },
    }
}

/// How many fields a key has, with which a row of the result begins; 1 for elements of arrays.
fn key_width(application: &Application<'_>) -> usize {
    let def = application.def();
    let body = def.parts(application.graph.args(application.node)).and_then(|parts| parts.bodies.first().copied());
    body.map_or(1, |body| match application.graph.ty(application.graph.result_of(body)) {
        airloom_ir::types::Ty::Struct(fields) => fields.len(),
        _ => 1,
    })
}

fn row_list(value: &Value) -> Vec<Value> {
    let Rows::Of(count) = rows([value]) else { return vec![value.clone()] };
    (0..count).map(|at| chosen(value, &[at])).collect()
}

/// Rows of both pieces in the order in which their keys first occur.
fn by_first(whole: &Value, first: &Value, second: &Value, keys: &[Value], width: usize) -> bool {
    let place = |row: &Value| {
        let key = match row {
            Value::Rel(table) => canonical(&Value::Struct(table.rows[0].get(..width)?.into())),
            Value::Arr(array) => canonical(&array.items[0]),
            _ => return None,
        };
        keys.iter().position(|known| *known == key)
    };
    let mut found: Vec<(Option<usize>, Value)> =
        row_list(first).into_iter().chain(row_list(second)).map(|row| (place(&row), row)).collect();
    found.sort_by_key(|(place, _)| *place);
    found.iter().all(|(place, _)| place.is_some()) && found.into_iter().map(|(_, row)| row).eq(row_list(whole))
}

/// Whether a list is made of the elements of two others, each in its order.
fn interleaved(whole: &[Value], first: &[Value], second: &[Value]) -> bool {
    if whole.len() != first.len() + second.len() {
        return false;
    }
    // `reached[i]` says whether the first `i` of `first`, and as many of `second` as `taken` leaves, make the first `taken` of the whole.
    let mut reached = vec![false; first.len() + 1];
    reached[0] = true;
    for taken in 1..=whole.len() {
        for i in (0..=first.len().min(taken)).rev() {
            let from_second = taken.checked_sub(i + 1).and_then(|j| second.get(j)) == Some(&whole[taken - 1]) && taken > i && reached[i];
            let from_first = i > 0 && reached[i - 1] && first[i - 1] == whole[taken - 1];
            reached[i] = from_second || from_first;
        }
    }
    reached[first.len()]
}

fn added(whole: &Value, first: &Value, second: &Value) -> bool {
    matches!((whole, first, second), (Value::Int(whole), Value::Int(first), Value::Int(second)) if *whole == first.wrapping_add(*second))
}
