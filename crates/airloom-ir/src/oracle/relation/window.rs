//! Columns computed over partitions.

use super::group::{columns, groups};
use super::rows::{Row, beside, relation, structs};
use crate::attrs::SortKey;
use crate::oracle::call::{Call, as_array, as_struct};
use crate::oracle::order::by_keys;
use crate::oracle::stop::{Stop, raise};
use crate::value::Value;
use std::sync::Arc;

pub(super) fn window(call: &Call<'_>) -> Result<Value, Stop> {
    let table = call.table(0);
    let by: Arc<[SortKey]> = call.attr(0);
    let order = structs(call, 1, table)?;
    let mut added: Vec<Row> = vec![Row::from([]); table.rows.len()];
    for mut partition in groups(call, 0, table)? {
        partition.members.sort_by(|&a, &b| by_keys(&order[a], &order[b], &by));
        let made = call.run(2, &[columns(call, table, &partition.members)?])?;
        let made: Vec<&[Value]> = as_struct(&made).iter().map(|column| as_array(column).items.as_slice()).collect();
        // Types do not distinguish the rows of this partition from those of another that the body may have captured.
        if let Some(wrong) = made.iter().find(|column| column.len() != partition.members.len()) {
            return raise(format!("a column of {} elements for a partition of {} rows", wrong.len(), partition.members.len()));
        }
        call.spend(made.len() * partition.members.len())?;
        for (within, &at) in partition.members.iter().enumerate() {
            added[at] = made.iter().map(|column| column[within].clone()).collect();
        }
    }
    Ok(relation(call, table.rows.iter().zip(&added).map(|(row, added)| beside(row, added)).collect()))
}
