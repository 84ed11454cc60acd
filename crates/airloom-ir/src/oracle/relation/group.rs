//! Rows with equal keys: grouped, or deduplicated.

use super::rows::{Row, at_places, beside, relation, structs};
use crate::attrs::Keep;
use crate::oracle::call::{Call, as_struct};
use crate::oracle::order::canonical;
use crate::oracle::stop::Stop;
use crate::types::TyId;
use crate::value::{Table, Value};
use std::collections::HashMap;

/// The rows with one key.
pub(super) struct Group {
    /// The key, as in the first of them.
    pub(super) key: Row,
    /// Their positions, in order.
    pub(super) members: Vec<usize>,
}

/// The rows of a relation by the keys that a body makes, in the order in which keys first occur.
pub(super) fn groups(call: &Call<'_>, body: usize, table: &Table) -> Result<Vec<Group>, Stop> {
    let mut groups: Vec<Group> = Vec::new();
    let mut numbers: HashMap<Value, usize> = HashMap::new();
    for (at, key) in structs(call, body, table)?.into_iter().enumerate() {
        let number = *numbers.entry(canonical(&Value::Struct(key.clone()))).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Group { key, members: Vec::new() });
        }
        groups[number].members.push(at);
    }
    Ok(groups)
}

/// As [`groups`], with the one group there always is where keys have no fields: of no rows, too.
pub(super) fn groups_or_whole(call: &Call<'_>, body: usize, table: &Table) -> Result<Vec<Group>, Stop> {
    let mut groups = groups(call, body, table)?;
    if groups.is_empty() && has_no_fields(call, body)? {
        groups.push(Group { key: Row::from([]), members: Vec::new() });
    }
    Ok(groups)
}

/// Whether a body makes structs without fields.
fn has_no_fields(call: &Call<'_>, body: usize) -> Result<bool, Stop> {
    let graph = call.machine()?.graph();
    Ok(graph.ty_id(graph.result_of(call.bodies[body])) == TyId::UNIT)
}

/// The columns of some rows, as bodies of groups and windows see them.
pub(super) fn columns(call: &Call<'_>, table: &Table, members: &[usize]) -> Result<Value, Stop> {
    call.spend(table.width * members.len())?;
    let column = |at: usize| Value::arr(members.iter().map(|&row| table.rows[row][at].clone()).collect());
    Ok(Value::Struct((0..table.width).map(column).collect()))
}

pub(super) fn group(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    let mut rows = Vec::new();
    for group in groups_or_whole(call, 0, table)? {
        let aggregates = call.run(1, &[columns(call, table, &group.members)?])?;
        rows.push(beside(&group.key, as_struct(&aggregates)));
    }
    Ok(relation(call, rows))
}

pub(super) fn distinct(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    let keep: Keep = call.attr(0);
    let stays = |group: &Group| match (keep, group.members.as_slice()) {
        (Keep::First, [first, ..]) => Some(*first),
        (Keep::Last, [.., last]) => Some(*last),
        (Keep::None, [only]) => Some(*only),
        _ => None,
    };
    let mut places: Vec<usize> = groups(call, 0, table)?.iter().filter_map(stays).collect();
    places.sort_unstable();
    Ok(relation(call, at_places(table, &places)))
}
