//! Many rows in memory: dealt out to parts by the hash of their keys, worked part by part at once, and what is made put back into order.

use super::{Emit, InPlan, Stay, first_rows};
use crate::operators::rank;
use crate::schedule::claimed;
use airloom_compute::data::{PartEnds, PartPlaces, RowOf, gather, record_batch};
use airloom_compute::keys::row_hashes;
use airloom_io::failure::to_datafusion;
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use std::sync::Arc;

/// Into how many parts rows are dealt out.
const PARTS: usize = 64;
/// From how many threads on that pays, since rows are moved there and back: where they are brought together in any case, and where they may stay in their places.
const THREADS: usize = 2;
const THREADS_IN_PLACE: usize = 4;

/// Whether rows should be worked in parts.
pub(super) fn pay(plan: &InPlan, rows: &[RecordBatch]) -> bool {
    let (options, count) = (&plan.options, rows.iter().map(RecordBatch::num_rows).sum::<usize>());
    let threads = if plan.keyed.stay == Stay::Nowhere { THREADS } else { THREADS_IN_PLACE };
    options.threads >= threads && !options.equal_hashes && !plan.keyed.key_types.is_empty() && count >= options.parts_rows
}

/// Rows that are dealt out.
struct Dealt {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    of_batches: Vec<OfBatch>,
    /// The first row of each batch in the order of all.
    firsts: Vec<u64>,
    /// How many rows each part has in the batches before each.
    before: Vec<[u32; PARTS]>,
}

/// The rows of one batch.
struct OfBatch {
    /// The part of each.
    parts: Vec<u8>,
    /// Those of one part after those of the other, in order; and where those of each part end.
    rows: Vec<u32>,
    ends: PartEnds,
}

impl OfBatch {
    fn new(parts: Vec<u8>) -> OfBatch {
        let places = PartPlaces::new(&parts, PARTS);
        OfBatch { rows: places.order(), ends: places.ends, parts }
    }

    /// The rows of a part.
    fn of(&self, part: usize) -> &[u32] {
        &self.rows[self.ends.of(part)]
    }
}

/// What is made of one part.
struct Made {
    rows: RecordBatch,
    /// The first row of each key in the order of all rows, ascending, where there is a row for each key.
    firsts: Vec<u64>,
}

/// What is made of all rows, in order where that is observed.
pub(super) async fn rows(plan: Arc<InPlan>, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let threads = plan.options.threads;
    let dealt = Arc::new(Dealt::new(&plan, schema, batches).await?);
    let part = {
        let (plan, dealt) = (plan.clone(), dealt.clone());
        move |part: usize| {
            let (plan, dealt) = (plan.clone(), dealt.clone());
            async move {
                plan.cancel.check().map_err(to_datafusion)?;
                dealt.made(&plan, part)
            }
        }
    };
    let made: Arc<[Made]> = claimed(threads, PARTS, part).await?.into();
    if !plan.ordered {
        return Ok(made.iter().map(|made| made.rows.clone()).collect());
    }
    let schema = plan.schema.clone();
    if plan.keyed.emit == Emit::Row {
        // What came with a row stays where it is; what was made for it is brought to it.
        let count = dealt.batches.len();
        let batch = move |at: usize| {
            let (dealt, made, schema) = (dealt.clone(), made.clone(), schema.clone());
            async move { Ok(dealt.with_added(&made, &schema, at)) }
        };
        return claimed(threads, count, batch).await;
    }
    let ranges = rank::ranges(&made.iter().map(|made| made.firsts.as_slice()).collect::<Vec<_>>(), threads);
    let count = ranges.len();
    let range = move |at: usize| {
        let (made, schema, range) = (made.clone(), schema.clone(), ranges[at].clone());
        async move {
            let firsts: Vec<&[u64]> = made.iter().map(|made| made.firsts.as_slice()).collect();
            let order = rank::in_range(&firsts, range);
            let columns = (0..schema.fields().len()).map(|column| gathered(&made, column, &order)).collect();
            Ok(record_batch(&schema, columns, order.len()))
        }
    };
    claimed(threads, count, range).await
}

/// Rows of one column of what was made of the parts.
fn gathered(made: &[Made], column: usize, rows: &[RowOf]) -> ArrayRef {
    let columns: Vec<&dyn Array> = made.iter().map(|made| made.rows.column(column).as_ref()).collect();
    gather(&columns, rows)
}

impl Dealt {
    async fn new(plan: &Arc<InPlan>, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Dealt> {
        let given: Arc<[RecordBatch]> = batches.into();
        let part_of = {
            let (plan, given) = (plan.clone(), given.clone());
            move |at: usize| {
                let (plan, batch) = (plan.clone(), given[at].clone());
                async move {
                    let keys = plan.keys(&batch).map_err(to_datafusion)?;
                    let hashes = row_hashes(plan.graph.types(), &plan.keyed.key_types, &keys, batch.num_rows());
                    Ok(OfBatch::new(hashes.into_iter().map(|hash| (hash >> 32) as u8 % PARTS as u8).collect()))
                }
            }
        };
        let of_batches = claimed(plan.options.threads, given.len(), part_of).await?;
        let (mut firsts, mut before) = (Vec::with_capacity(given.len()), Vec::with_capacity(given.len()));
        let (mut first, mut counts) = (0, [0u32; PARTS]);
        for dealt in &of_batches {
            firsts.push(first);
            before.push(counts);
            first += dealt.rows.len() as u64;
            counts.iter_mut().enumerate().for_each(|(part, count)| *count += dealt.of(part).len() as u32);
        }
        Ok(Dealt { schema, batches: given.to_vec(), of_batches, firsts, before })
    }

    /// What is made of the rows of one part.
    fn made(&self, plan: &InPlan, part: usize) -> Result<Made> {
        let mut rows: Vec<RowOf> = Vec::new();
        for (batch, dealt) in self.of_batches.iter().enumerate() {
            rows.extend(dealt.of(part).iter().map(|&row| RowOf { column: batch as u32, row }));
        }
        let column = |at: usize| {
            let columns: Vec<&dyn Array> = self.batches.iter().map(|batch| batch.column(at).as_ref()).collect();
            gather(&columns, &rows)
        };
        let columns = (0..self.schema.fields().len()).map(column).collect();
        let (made, groups) = plan.make(&record_batch(&self.schema, columns, rows.len())).map_err(to_datafusion)?;
        let firsts = match plan.keyed.emit {
            Emit::Row => Vec::new(),
            Emit::Key => {
                let position = |&row: &u32| self.firsts[rows[row as usize].column as usize] + u64::from(rows[row as usize].row);
                first_rows(&groups).values().iter().map(position).collect()
            }
        };
        Ok(Made { rows: made, firsts })
    }

    /// A batch with the columns that were made for its rows, after its own.
    fn with_added(&self, made: &[Made], schema: &SchemaRef, at: usize) -> RecordBatch {
        let mut next = self.before[at];
        let place = |&part: &u8| {
            let row = &mut next[usize::from(part)];
            *row += 1;
            RowOf { column: u32::from(part), row: *row - 1 }
        };
        let places: Vec<RowOf> = self.of_batches[at].parts.iter().map(place).collect();
        let own = self.batches[at].columns();
        let added = (own.len()..schema.fields().len()).map(|column| gathered(made, column, &places));
        record_batch(schema, own.iter().cloned().chain(added).collect(), places.len())
    }
}
