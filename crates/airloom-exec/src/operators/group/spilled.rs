//! Groups that did not fit in memory: merged spill partition by spill partition, by the hash of their keys.

use super::resident::{Columns, Groups, Partial};
use super::{Finish, GroupInputs, finished};
use crate::adapter::{Stream, stream_of};
use crate::exchange::{merge_by_position, with_position};
use crate::memory::{SPILL_PARTITIONS, Spill, partition_of};
use airloom_compute::data::record_batch;
use airloom_compute::keys::row_hashes;
use airloom_io::failure::to_datafusion;
use airloom_plan::value::KeyFacts;
use airloom_plan::value::Position;
use arrow::array::{ArrayRef, AsArray, BooleanArray, RecordBatch, UInt64Array};
use arrow::compute::{sort_to_indices, take_record_batch};
use arrow::datatypes::{SchemaRef, UInt64Type};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use futures::StreamExt;
use std::sync::Arc;

/// Everything that parts are made from.
pub(super) struct Parts {
    pub(super) spec: Arc<GroupInputs>,
    pub(super) finish: Finish,
    pub(super) schema: SchemaRef,
    pub(super) context: Arc<TaskContext>,
    pub(super) partials: Arc<[Partial]>,
}

/// The keys of the groups in memory of one partition, and the part each belongs to.
struct Resident {
    keys: Vec<ArrayRef>,
    parts: Vec<u8>,
}

impl Parts {
    /// The rows of all groups: in the order of their first rows, where the order is observed.
    pub(super) async fn rows(self, ordered: bool) -> Result<Stream> {
        let types = self.spec.graph.types();
        let resident = |partial: &Partial| {
            let keys = partial.groups.table.keys(types);
            let hashes = row_hashes(types, &self.spec.key_types, &keys, partial.groups.table.len());
            Resident { keys, parts: hashes.into_iter().map(|hash| partition_of(hash) as u8).collect() }
        };
        let residents: Arc<[Resident]> = self.partials.iter().map(resident).collect();
        let (schema, context, morsel) = (self.schema.clone(), self.context.clone(), self.spec.options.morsel_rows);
        let parts = Arc::new(self);
        if !ordered {
            let rows = futures::stream::iter(0..SPILL_PARTITIONS).then(move |part| {
                let (parts, residents) = (parts.clone(), residents.clone());
                async move { parts.part(part, &residents).await.map(|(rows, _)| rows) }
            });
            return Ok(stream_of(schema, rows));
        }
        // Each spill partition in order on disk, then all of them merged.
        let spill = Spill::new(&context, with_position(&schema));
        let mut streams = Vec::new();
        for part in 0..SPILL_PARTITIONS {
            let (rows, places) = parts.part(part, &residents).await?;
            if rows.num_rows() == 0 {
                continue;
            }
            let order = sort_to_indices(&places, None, None)?;
            let columns = rows.columns().iter().cloned().chain([places]).collect();
            let sorted = take_record_batch(&record_batch(spill.schema(), columns, rows.num_rows()), &order)?;
            let pieces = (0..sorted.num_rows()).step_by(morsel).map(|at| Ok(sorted.slice(at, morsel.min(sorted.num_rows() - at))));
            if let Some(file) = spill.write_all(pieces)? {
                streams.push(spill.read(file)?);
            }
        }
        drop(parts);
        merge_by_position(streams, schema, &context, morsel)
    }

    /// The rows of the groups of one part, and the position of the first row of each.
    async fn part(&self, part: usize, residents: &[Resident]) -> Result<(RecordBatch, ArrayRef)> {
        let (types, cancel) = (self.spec.graph.types(), &self.spec.cancel);
        // A spill partition has some of the keys only: a table of all there may be would be mostly empty.
        let known = KeyFacts { dense: false, ..self.spec.known.clone() };
        let mut groups = Groups::new(&self.spec, &known, false);
        let mut firsts: Vec<u64> = Vec::new();
        let mut numbers = Vec::new();
        for (partition, (partial, resident)) in self.partials.iter().zip(residents).enumerate() {
            cancel.check().map_err(to_datafusion)?;
            let mask: BooleanArray = resident.parts.iter().map(|&of| Some(usize::from(of) == part)).collect();
            let places = resident.parts.iter().enumerate().filter(|(_, of)| usize::from(**of) == part);
            let places: Vec<u64> = places.map(|(group, _)| Position::first(partition).after(group as u64).number()).collect();
            let before = groups.table.len();
            groups.merge(types, &resident.keys, &partial.groups, Some(&mask)).map_err(to_datafusion)?;
            self.new_groups(&mut groups, &mut firsts, before, resident, &mask, &places);
            let Some(mut rows) = partial.spilled.as_ref().map(|files| files.read(part)).transpose()?.flatten() else { continue };
            while let Some(batch) = rows.next().await {
                cancel.check().map_err(to_datafusion)?;
                let (columns, places) = Columns::from_batch(&self.spec, &batch?);
                groups.take(types, &columns, &mut numbers).map_err(to_datafusion)?;
                let places = places.as_primitive::<UInt64Type>().values();
                for (row, &group) in numbers.iter().enumerate() {
                    if group as usize == firsts.len() {
                        firsts.push(places[row]);
                    }
                }
            }
        }
        let rows = finished(types, groups, &self.finish, &self.schema).map_err(to_datafusion)?;
        Ok((rows, Arc::new(UInt64Array::from(firsts))))
    }

    /// Records the positions of the first rows of the groups that came with those in memory: new groups are numbered in the order in which they come.
    fn new_groups(
        &self,
        groups: &mut Groups,
        firsts: &mut Vec<u64>,
        before: usize,
        resident: &Resident,
        mask: &BooleanArray,
        places: &[u64],
    ) {
        if groups.table.len() == before {
            return;
        }
        let kept: Vec<ArrayRef> = resident.keys.iter().map(|k| arrow::compute::filter(k, mask).expect("a mask of the groups")).collect();
        let mut numbers = Vec::new();
        groups.table.number(self.spec.graph.types(), &kept, places.len(), &mut numbers);
        for (&group, &place) in numbers.iter().zip(places) {
            if group as usize == firsts.len() {
                firsts.push(place);
            }
        }
    }
}
