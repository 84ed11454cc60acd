//! Joins by the nearest key.

use super::rows::{Row, beside, relation, structs};
use crate::attrs::AsofDirection;
use crate::oracle::call::{Call, mismatch};
use crate::oracle::order::{canonical, total};
use crate::oracle::stop::Stop;
use crate::value::{Table, Value};
use std::cmp::Ordering;
use std::collections::HashMap;

pub(super) fn asof(call: &Call<'_>) -> Result<Value, Stop> {
    let (left, right, tolerance) = (call.table(0), call.table(1), &call.args[2]);
    let (direction, exact): (AsofDirection, bool) = (call.attr(0), call.attr(1));
    let (left_on, right_on) = (matched_on(call, 0, left)?, matched_on(call, 1, right)?);
    let (left_by, right_by) = (keys(call, 2, left)?, keys(call, 3, right)?);

    let mut timelines: Vec<Vec<usize>> = Vec::new();
    let mut numbers: HashMap<&Value, usize> = HashMap::new();
    for (at, by) in right_by.iter().enumerate().filter(|(at, _)| is_placed(&right_on[*at])) {
        let number = *numbers.entry(by).or_insert(timelines.len());
        if number == timelines.len() {
            timelines.push(Vec::new());
        }
        timelines[number].push(at);
    }
    timelines.iter_mut().for_each(|timeline| timeline.sort_by(|&a, &b| total(&right_on[a], &right_on[b])));

    let missing: Row = vec![Value::Null; right.width].into();
    let mut rows = Vec::with_capacity(left.rows.len());
    for (at, row) in left.rows.iter().enumerate() {
        let on = &left_on[at];
        let timeline = numbers.get(&left_by[at]).filter(|_| is_placed(on)).map(|&number| &timelines[number]);
        let near = timeline.and_then(|timeline| nearest(on, timeline, &right_on, direction, exact));
        let near = near.filter(|&near| within(on, &right_on[near], tolerance));
        rows.push(beside(row, near.map_or(&missing, |near| &right.rows[near])));
    }
    Ok(relation(call, rows))
}

/// What a body says each row is matched on.
fn matched_on(call: &Call<'_>, body: usize, table: &Table) -> Result<Vec<Value>, Stop> {
    table.rows.iter().map(|row| call.run(body, &[Value::Struct(row.clone())])).collect()
}

fn keys(call: &Call<'_>, body: usize, table: &Table) -> Result<Vec<Value>, Stop> {
    Ok(structs(call, body, table)?.into_iter().map(|key| canonical(&Value::Struct(key))).collect())
}

/// Whether a value has a position on a line of numbers.
fn is_placed(on: &Value) -> bool {
    !on.is_null() && !on.is_nan()
}

/// The position of the row whose `on` is nearest, among those of a timeline in order of `on`.
fn nearest(on: &Value, timeline: &[usize], ons: &[Value], direction: AsofDirection, exact: bool) -> Option<usize> {
    let before = |limit: Ordering| timeline.partition_point(|&at| total(&ons[at], on) <= limit);
    // Where equal ones do not match, what lies behind ends before them and what lies ahead begins after them.
    let (behind, ahead) =
        if exact { (before(Ordering::Equal), before(Ordering::Less)) } else { (before(Ordering::Less), before(Ordering::Equal)) };
    let backward = behind.checked_sub(1).map(|last| timeline[last]);
    let forward = timeline.get(ahead).copied();
    match (direction, backward, forward) {
        (AsofDirection::Backward, found, _) | (AsofDirection::Forward, _, found) => found,
        (AsofDirection::Nearest, Some(back), Some(fore)) => {
            let nearer = distance(&ons[fore], on) < distance(on, &ons[back]);
            Some(if nearer { fore } else { back })
        }
        (AsofDirection::Nearest, back, fore) => back.or(fore),
    }
}

/// How far apart two values are, as far as it is asked: integers exactly, floats in their own type.
#[derive(PartialEq, PartialOrd)]
enum Distance {
    Whole(i128),
    F32(f32),
    F64(f64),
}

fn distance(a: &Value, b: &Value) -> Distance {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Distance::Whole((a - b).abs()),
        // Equal infinities are no distance apart, though their difference is NaN.
        (Value::F32(a), Value::F32(b)) => Distance::F32(if a == b { 0.0 } else { (a - b).abs() }),
        (Value::F64(a), Value::F64(b)) => Distance::F64(if a == b { 0.0 } else { (a - b).abs() }),
        (other, _) => mismatch("a number, date or timestamp", other),
    }
}

fn within(on: &Value, found: &Value, tolerance: &Value) -> bool {
    let tolerance = match tolerance {
        Value::Null => return true,
        Value::Int(i) => Distance::Whole(*i),
        Value::F32(x) => Distance::F32(*x),
        Value::F64(x) => Distance::F64(*x),
        other => mismatch("a distance", other),
    };
    distance(on, found) <= tolerance
}
