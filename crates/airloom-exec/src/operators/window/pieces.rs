//! The rows of a window, piece by piece.

use super::{Cut, InPlan, KeptRows};
use crate::adapter::{Stream, stream_of};
use crate::exchange::{RowQueue, rows_between};
use crate::operators::group_body::Onward;
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::NodeId;
use arrow::array::RecordBatch;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use futures::stream::BoxStream;
use futures::{Stream as Streamed, StreamExt, TryStreamExt};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A piece has as many times the rows that it needs around it: these are worked twice.
const TIMES: usize = 8;

/// The rows around those of a partition.
pub(super) struct Around {
    pub(super) before: RowQueue,
    pub(super) after: Vec<RecordBatch>,
}

/// Rows on their way through a window whose pieces are worked with their neighbours.
struct Neighbours {
    plan: Arc<InPlan>,
    own: BoxStream<'static, Result<RecordBatch>>,
    around: Around,
    /// How many rows a piece needs before and after it.
    reach: (usize, usize),
    /// Rows that are read; at the end those after the partition are among them.
    waiting: RowQueue,
    /// How many of them are not of the partition, once its last row is read.
    beyond: Option<usize>,
    /// What holds the rows in memory, or on disk.
    _kept: Arc<KeptRows>,
}

/// The rows of a partition with what is added to them, where pieces are worked with their neighbours.
pub(super) fn with_neighbours(
    plan: Arc<InPlan>,
    own: BoxStream<'static, Result<RecordBatch>>,
    around: Around,
    kept: Arc<KeptRows>,
) -> Stream {
    let Cut::Neighbours { before, after } = plan.window.cut else { panic!("invariant `pieces are worked as they are cut`") };
    let schema = plan.schema.clone();
    let rows = Neighbours { plan, own, around, reach: (before, after), waiting: RowQueue::default(), beyond: None, _kept: kept };
    let pieces = futures::stream::try_unfold(rows, async |mut rows| Ok(rows.next().await?.map(|made| (made, rows))));
    stream_of(schema, batches(pieces))
}

/// The batches of pieces, one after the other.
fn batches(pieces: impl Streamed<Item = Result<Vec<RecordBatch>>> + Send) -> impl Streamed<Item = Result<RecordBatch>> + Send {
    pieces.map_ok(|piece| futures::stream::iter(piece).map(Ok)).try_flatten()
}

impl Neighbours {
    /// The next piece, batch by batch.
    async fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let (before, after) = self.reach;
        let wanted = self.plan.options.morsel_rows.max(TIMES * (before + after)).max(1);
        while self.beyond.is_none() && self.waiting.count() < wanted + after {
            match self.own.next().await {
                Some(batch) => self.waiting.push(batch?),
                None => {
                    self.beyond = Some(self.around.after.iter().map(RecordBatch::num_rows).sum());
                    std::mem::take(&mut self.around.after).into_iter().for_each(|batch| self.waiting.push(batch));
                }
            }
        }
        let rows = self.waiting.count() - self.beyond.unwrap_or(after);
        if rows == 0 {
            return Ok(None);
        }
        let plan = self.plan.clone();
        plan.window.body.context.cancel.check().map_err(to_datafusion)?;
        let first = self.around.before.count();
        let columns = plan.columns(self.around.before.batches().chain(self.waiting.batches()));
        let added = plan.window.body.columns(&columns, &[first + self.waiting.count()]);
        let added = added.map_err(|failure| to_datafusion(plan.located(failure)))?;
        let own = self.waiting.take(rows);
        own.iter().for_each(|batch| self.around.before.push(batch.clone()));
        self.around.before.keep_last(before);
        let added: Vec<_> = added.iter().map(|column| column.slice(first, rows)).collect();
        Ok(Some(plan.with_added(own, &added)))
    }
}

/// All rows with what is added to them, one piece after the other.
pub(super) fn onward(plan: Arc<InPlan>, kept: Arc<KeptRows>, before: HashMap<NodeId, usize>, context: Arc<TaskContext>) -> Stream {
    let schema = plan.schema.clone();
    let parts = {
        let kept = kept.clone();
        futures::stream::iter(0..kept.on_disk().len()).map(move |part| kept.on_disk()[part].stream()).try_flatten().boxed()
    };
    let left = RefCell::new(Onward::new(before));
    let pieces = futures::stream::try_unfold((parts, left, 0), move |(mut rows, left, done)| {
        let (plan, kept, context) = (plan.clone(), kept.clone(), context.clone());
        async move {
            let Some(batch) = rows.next().await.transpose()? else { return Ok(None) };
            plan.window.body.context.cancel.check().map_err(to_datafusion)?;
            let count = batch.num_rows();
            let columns = plan.columns(std::iter::once(&batch));
            let added = plan.window.body.columns_onward(&columns, count, &left);
            match added.map_err(|failure| to_datafusion(plan.located(failure)))? {
                Some(added) => Ok(Some((plan.with_added(vec![batch], &added), (rows, left, done + count)))),
                // What pieces cannot do is done with all rows: those that are made already are left out.
                None => {
                    let whole = plan.read_whole(&kept, &context).await?;
                    let nothing = futures::stream::empty().boxed();
                    Ok(Some((rows_between(&whole, done..usize::MAX), (nothing, left, done))))
                }
            }
        }
    });
    stream_of(schema, batches(pieces))
}
