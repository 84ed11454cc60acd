//! Rows that did not fit in memory, worked part by part.

use super::{Emit, InPlan, first_rows};
use crate::adapter::{Stream, stream_of};
use crate::exchange::{merge_by_position, with_position};
use crate::memory::{PartitionFiles, SPILL_PARTITIONS, SPILL_TASKS, Spill};
use crate::operators::compact::compact;
use crate::schedule::claimed;
use airloom_compute::data::{batch_size, record_batch};
use airloom_io::failure::to_datafusion;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::{concat_batches, take};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryConsumer;
use futures::StreamExt;
use std::sync::Arc;

/// Rows in parts, for each partition some, and what is to be done with them.
pub(super) struct Spilled {
    pub(super) plan: Arc<InPlan>,
    /// The rows as they came, without their positions.
    pub(super) schema: SchemaRef,
    pub(super) files: Arc<[PartitionFiles]>,
    pub(super) context: Arc<TaskContext>,
}

impl Spilled {
    /// All rows that are made, in order where the order is observed.
    pub(super) async fn rows(self) -> Result<Stream> {
        let (schema, context, morsel) = (self.plan.schema.clone(), self.context.clone(), self.plan.options.morsel_rows);
        if !self.plan.ordered {
            let this = Arc::new(self);
            let rows = futures::stream::iter(0..SPILL_PARTITIONS).then(move |part| {
                let this = this.clone();
                async move { this.part(part).await }
            });
            let rows = rows.filter_map(async |made| made.map(|made| made.map(|(rows, _)| rows)).transpose());
            return Ok(stream_of(schema, rows));
        }
        let spill = Spill::new(&context, with_position(&schema));
        let tasks = self.plan.options.threads.min(SPILL_TASKS);
        let (this, written) = (Arc::new(self), spill.clone());
        let files = claimed(tasks, SPILL_PARTITIONS, move |part| {
            let (this, spill) = (this.clone(), written.clone());
            async move {
                let Some((rows, places)) = this.part(part).await? else { return Ok(None) };
                let mut file = spill.file();
                let columns = rows.columns().iter().cloned().chain([places]).collect();
                file.write(&record_batch(spill.schema(), columns, rows.num_rows()))?;
                file.finish()
            }
        });
        let streams = files.await?.into_iter().flatten().map(|file| spill.read(file)).collect::<Result<Vec<_>>>()?;
        Ok(merge_by_position(streams, schema, &context, morsel))
    }

    /// What is made of one part, where it has rows, and the positions of the rows made, ascending.
    async fn part(&self, part: usize) -> Result<Option<(RecordBatch, ArrayRef)>> {
        let reservation = MemoryConsumer::new(self.plan.keyed.name).register(self.context.memory_pool());
        let mut batches = Vec::new();
        for files in self.files.iter() {
            let Some(mut rows) = files.read(part)? else { continue };
            while let Some(batch) = rows.next().await {
                self.plan.cancel.check().map_err(to_datafusion)?;
                let batch = batch?;
                reservation.try_grow(batch_size(&batch))?;
                batches.push(batch);
            }
        }
        if batches.is_empty() {
            return Ok(None);
        }
        let all = compact(concat_batches(&with_position(&self.schema), &batches)?);
        let (own, places) = all.columns().split_at(self.schema.fields().len());
        let (made, groups) = self.plan.make(&record_batch(&self.schema, own.to_vec(), all.num_rows())).map_err(to_datafusion)?;
        let places = match self.plan.keyed.emit {
            Emit::Row => places[0].clone(),
            Emit::Key => take(&places[0], &first_rows(&groups), None)?,
        };
        Ok(Some((made, places)))
    }
}
