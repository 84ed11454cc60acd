//! Left rows that come in the order of what they are matched on, as they do where they were sorted before: the right rows of one range after the other are brought into memory, and no left row is
//! written anywhere. Rows that are found not to be in order are dealt out to files, with all after them.

use super::spilled::{Deal, Sides, write_rows};
use super::{AsofPlaces, AsofRanges, Table};
use crate::adapter::{Stream, stream_of};
use crate::memory::SPILL_PARTITIONS;
use airloom_compute::data::record_batch;
use airloom_io::failure::to_datafusion;
use arrow::array::RecordBatch;
use datafusion_common::Result;
use futures::StreamExt;
use std::collections::VecDeque;
use std::sync::Arc;

/// Left rows as they come.
struct Ascending {
    sides: Sides,
    left: Stream,
    /// The range of the last row, and its right rows.
    table: Option<(usize, Table)>,
    places: AsofPlaces,
    made: VecDeque<RecordBatch>,
    /// The rows from the first on that is not in order, joined.
    rest: Option<Stream>,
}

/// The rows of the join, in order.
pub(super) fn rows(sides: Sides, left: Stream) -> Stream {
    let schema = sides.join.schema.clone();
    let state = Ascending { sides, left, table: None, places: AsofPlaces::default(), made: VecDeque::new(), rest: None };
    let rows = futures::stream::try_unfold(state, async |mut state| Ok(state.next().await?.map(|rows| (rows, state))));
    stream_of(schema, rows)
}

impl Ascending {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(rows) = self.made.pop_front() {
                return Ok(Some(rows));
            }
            if let Some(rest) = &mut self.rest {
                return rest.next().await.transpose();
            }
            let Some(batch) = self.left.next().await else { return Ok(None) };
            self.sides.join.cancel.check().map_err(to_datafusion)?;
            self.take(batch?).await?;
        }
    }

    async fn take(&mut self, batch: RecordBatch) -> Result<()> {
        let join = self.sides.join.clone();
        let parts = self.ranges().parts(
            join.graph.types().plain(join.left.on_type),
            &join.left.on(&join.graph, &batch).map_err(to_datafusion)?,
            SPILL_PARTITIONS,
        );
        let last = self.table.as_ref().map_or(0, |(range, _)| *range);
        if !parts.is_sorted() || parts.first().is_some_and(|&first| usize::from(first) < last) {
            return self.deal_out(batch).await;
        }
        let mut start = 0;
        for run in parts.chunk_by(|one, other| one == other) {
            let (range, rows) = (usize::from(run[0]), batch.slice(start, run.len()));
            start += run.len();
            if self.table.as_ref().is_none_or(|(known, _)| *known != range) {
                // The rows of the range before are let go of first.
                self.table = None;
                self.places = AsofPlaces::default();
                self.table = Some((range, self.sides.table(range).await?));
            }
            let Some((_, table)) = &self.table else { continue };
            let columns = table.joined(&join, &rows, &mut self.places).map_err(to_datafusion)?;
            self.made.push_back(record_batch(&join.schema, columns, rows.num_rows()));
        }
        Ok(())
    }

    fn ranges(&self) -> &AsofRanges {
        let Deal::Ranges(ranges) = self.sides.deal.as_ref() else { panic!("invariant `rows without keys are dealt out by ranges`") };
        ranges
    }

    /// Joins a batch and all rows after it by way of the disk.
    async fn deal_out(&mut self, batch: RecordBatch) -> Result<()> {
        self.table = None;
        let schema = self.left.schema();
        let after = std::mem::replace(&mut self.left, stream_of(schema.clone(), futures::stream::empty()));
        let rows = stream_of(schema, futures::stream::iter([Ok(batch)]).chain(after));
        let files = write_rows(&self.sides.join, &self.sides.deal, rows, 0, &self.sides.context).await?;
        self.rest = Some(Arc::new(self.sides.with_left(vec![files])).joined().await?);
        Ok(())
    }
}
