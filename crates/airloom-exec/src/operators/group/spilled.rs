//! Groups of which some rows are on disk: computed part by part, a few at once, since each takes its share of the memory.

use super::parts::Parts;
use super::{Finish, finished};
use crate::adapter::{Stream, stream_of};
use crate::exchange::{merge_by_position, with_position};
use crate::memory::{SPILL_PARTITIONS, SPILL_TASKS, Spill};
use crate::schedule::claimed;
use airloom_compute::data::record_batch;
use airloom_io::failure::to_datafusion;
use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use futures::StreamExt;
use std::sync::Arc;

/// Everything that the result is made from.
pub(super) struct Spilled {
    pub(super) parts: Arc<Parts>,
    pub(super) finish: Finish,
    pub(super) schema: SchemaRef,
    pub(super) context: Arc<TaskContext>,
    pub(super) threads: usize,
    pub(super) morsel: usize,
}

impl Spilled {
    /// The rows of all groups, in any order.
    pub(super) fn rows(self) -> Stream {
        let (parts, finish, schema) = (self.parts, self.finish, self.schema.clone());
        let part = move |part| {
            let (parts, finish, schema) = (parts.clone(), finish.clone(), schema.clone());
            async move {
                let part = parts.part(part).await?;
                finished(part.reduced, &finish, &schema).map_err(to_datafusion)
            }
        };
        stream_of(self.schema, futures::stream::iter(0..SPILL_PARTITIONS).then(part))
    }

    /// The rows of all groups, in the order of their first rows: those of each part in order on disk, then all of them merged.
    pub(super) async fn rows_in_order(self) -> Result<Stream> {
        let spill = Spill::new(&self.context, with_position(&self.schema));
        let (schema, context, morsel) = (self.schema.clone(), self.context.clone(), self.morsel);
        let (own, written) = (Arc::new(self), spill.clone());
        let tasks = own.threads.min(SPILL_TASKS);
        let files = claimed(tasks, SPILL_PARTITIONS, move |part| {
            let (own, spill) = (own.clone(), written.clone());
            async move {
                let part = own.parts.part(part).await?;
                let firsts: ArrayRef = Arc::new(UInt64Array::from(part.firsts));
                let rows = finished(part.reduced, &own.finish, &own.schema).map_err(to_datafusion)?;
                let columns = rows.columns().iter().cloned().chain([firsts]).collect();
                let rows = record_batch(spill.schema(), columns, rows.num_rows());
                let mut file = spill.file();
                file.write(&rows)?;
                file.finish()
            }
        });
        let files = files.await?.into_iter().flatten();
        let streams = files.map(|file| spill.read(file)).collect::<Result<Vec<_>>>()?;
        Ok(merge_by_position(streams, schema, &context, morsel))
    }
}
