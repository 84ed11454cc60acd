//! Many rows in memory of few keys: numbered in pieces at once, and worked where they are.

use super::{InPlan, Stay};
use crate::operators::compact::compact;
use airloom_compute::data::{Failure, concat_on, evenly, fill_pieces, parallel_map, record_batch};
use airloom_compute::keys::{GroupTable, grouped};
use airloom_plan::value::KeyFacts;
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use std::convert::Infallible;
use std::ops::Range;

/// How many keys are few: what each has come to is kept for each piece of the rows, and numbered again for all of them.
const FEW: usize = 1 << 14;
/// How many rows are numbered in one go, at most, as far as batches are not larger.
const PIECE: usize = 1 << 16;

/// Whether rows should be worked in pieces, should their keys be few.
pub(super) fn may_pay(plan: &InPlan, rows: &[RecordBatch]) -> bool {
    let (keyed, options) = (&plan.keyed, &plan.options);
    let count: usize = rows.iter().map(RecordBatch::num_rows).sum();
    keyed.stay == Stay::InPieces && options.threads > 1 && !keyed.key_types.is_empty() && count >= options.parts_rows
}

/// The groups of all rows, in the order of their first rows, and the number of each row's; nothing where there are many.
pub(super) fn numbered(plan: &InPlan, batches: &[RecordBatch]) -> Result<Option<(GroupTable, Vec<u32>)>, Failure> {
    let (types, options, key_types) = (plan.graph.types(), &plan.options, &plan.keyed.key_types);
    let rows: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    let count: usize = rows.iter().sum();
    let pieces: Vec<Range<usize>> = evenly(&rows, count.div_ceil(PIECE.min(options.parts_rows)));
    let few = FEW.min(count / 4);
    // Where a piece has many keys, the others are not looked at.
    let piece = |(): &mut (), number: usize| {
        plan.cancel.check().map_err(|stop| Some(stop.into()))?;
        let batches = &batches[pieces[number].clone()];
        let keys = batches.iter().map(|batch| plan.keys(batch)).collect::<Result<Vec<_>, _>>().map_err(Some)?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let (table, groups) = grouped(types, options.hashing(), key_types, &together(1, &keys, key_types.len()), rows);
        if table.len() > few { Err(None) } else { Ok((table.keys(types), table.len(), groups)) }
    };
    let found = match parallel_map(options.threads, pieces.len(), || (), piece) {
        Ok(found) => found,
        Err(None) => return Ok(None),
        Err(Some(failure)) => return Err(failure),
    };
    let mut table = GroupTable::new(types, key_types, options.hashing(), &KeyFacts::default());
    let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(found.len());
    for (keys, own, _) in &found {
        let mut number = Vec::new();
        table.number(types, keys, *own, &mut number);
        if table.len() > few {
            return Ok(None);
        }
        numbers.push(number);
    }
    let mut groups = vec![0; count];
    let ends: Vec<usize> = found
        .iter()
        .scan(0, |end, (.., own)| {
            *end += own.len();
            Some(*end)
        })
        .collect();
    let Ok(_) = fill_pieces(options.threads, &mut groups, &ends, |piece, groups| {
        groups.iter_mut().zip(&found[piece].2).for_each(|(group, &own)| *group = numbers[piece][own as usize]);
        Ok::<_, Infallible>(())
    });
    Ok(Some((table, groups)))
}

/// What is made of all rows.
pub(super) fn made(
    plan: &InPlan,
    schema: &SchemaRef,
    batches: &[RecordBatch],
    table: &GroupTable,
    groups: &[u32],
) -> Result<RecordBatch, Failure> {
    let columns: Vec<Vec<ArrayRef>> = batches.iter().map(|batch| batch.columns().to_vec()).collect();
    let all = together(plan.options.threads, &columns, schema.fields().len());
    (plan.keyed.make)(&compact(record_batch(schema, all, groups.len())), table, groups, plan.options.threads)
}

/// The columns of some rows, one after the other. There are some.
fn together(threads: usize, rows: &[Vec<ArrayRef>], columns: usize) -> Vec<ArrayRef> {
    let column = |at: usize| -> ArrayRef {
        match rows {
            [rows] => rows[at].clone(),
            _ => concat_on(threads, &rows.iter().map(|rows| rows[at].as_ref()).collect::<Vec<&dyn Array>>()),
        }
    };
    (0..columns).map(column).collect()
}
