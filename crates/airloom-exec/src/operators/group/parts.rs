//! The second phase: the groups of each part, from what all partitions left. Parts share no group, so that they are computed at once.

use super::GroupInputs;
use super::columns::Columns;
use super::groups::{Groups, Reduced};
use super::part_of::{PartOf, by_part};
use super::partial::{Partial, Partials};
use super::scatter::Block;
use crate::memory::{PartitionFiles, SPILL_PARTITIONS};
use airloom_compute::data::{Failure, parallel_map};
use airloom_io::failure::to_datafusion;
use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use datafusion_common::Result;
use datafusion_execution::memory_pool::MemoryReservation;
use futures::StreamExt;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

/// What all partitions left, by part.
pub(super) struct Parts {
    spec: Arc<GroupInputs>,
    part_of: PartOf,
    partitions: Vec<Partition>,
    _reservation: Arc<MemoryReservation>,
}

/// What one partition left.
struct Partition {
    /// Its first row in the order of all.
    first: u64,
    groups: Groups,
    /// The keys of its groups.
    keys: Vec<ArrayRef>,
    /// The groups of each part.
    groups_of: Vec<Vec<u32>>,
    /// The rows in memory of each part: taken by who computes it.
    blocks: Vec<Mutex<Vec<Block>>>,
    spilled: Option<PartitionFiles>,
    /// How many groups each row of a part is expected to begin.
    begun: f64,
}

impl Partition {
    /// How many groups a part is expected to have.
    fn expected(&self, part: usize) -> usize {
        let blocks = self.blocks.get(part).map(|blocks| blocks.lock().unwrap_or_else(PoisonError::into_inner));
        let rows: usize = blocks.map_or(0, |blocks| blocks.iter().map(|block| block.columns.rows).sum());
        let rows = rows + self.spilled.as_ref().map_or(0, |files| files.rows(part));
        self.groups_of[part].len() + (rows as f64 * self.begun) as usize
    }
}

/// The groups of one part.
pub(super) struct Part {
    pub(super) reduced: Reduced,
    /// The first row of each group, in the order of all rows. It ascends.
    pub(super) firsts: Vec<u64>,
}

impl Parts {
    pub(super) fn new(spec: Arc<GroupInputs>, left: Partials) -> Parts {
        let part_of = PartOf::new(&spec);
        let dealt = |(): &mut (), at: usize| {
            let table = &left.partials[at].groups.table;
            let keys = table.keys(spec.graph.types());
            let groups_of = match table.len() {
                0 => vec![Vec::new(); SPILL_PARTITIONS],
                count => by_part(&part_of.parts(&spec, &keys, count)),
            };
            Ok::<_, Infallible>((keys, groups_of))
        };
        let Ok(dealt) = parallel_map(spec.options.threads, left.partials.len(), || (), dealt);
        let mut first = 0;
        let partition = |(partial, (keys, groups_of)): (Partial, _)| {
            let blocks = partial.blocks.unwrap_or_default().into_iter().map(Mutex::new).collect();
            let Partial { groups, spilled, rows, begun, .. } = Partial { blocks: None, ..partial };
            let made = Partition { first, groups, keys, groups_of, blocks, spilled, begun };
            first += rows;
            made
        };
        let partitions = left.partials.into_iter().zip(dealt).map(partition).collect();
        Parts { spec, part_of, partitions, _reservation: left.reservation }
    }

    /// Whether some rows are on disk.
    pub(super) fn is_spilled(&self) -> bool {
        self.partitions.iter().any(|partition| partition.spilled.is_some())
    }

    /// The groups of one part. It can be asked for once.
    pub(super) async fn part(&self, part: usize) -> Result<Part> {
        let (spec, types) = (&self.spec, self.spec.graph.types());
        let mut groups = Groups::new(spec, &self.part_of.known(spec, part), false);
        groups.table.reserve(self.partitions.iter().map(|partition| partition.expected(part)).sum());
        let mut firsts: Vec<u64> = Vec::new();
        let mut numbers = Vec::new();
        for partition in &self.partitions {
            spec.cancel.check().map_err(to_datafusion)?;
            let own = &partition.groups_of[part];
            if !own.is_empty() {
                let at = UInt32Array::from(own.clone());
                let keys: Vec<ArrayRef> = partition.keys.iter().map(|key| take(key, &at, None).expect("groups there are")).collect();
                groups.merge(types, &keys, &partition.groups, Some(own)).map_err(to_datafusion)?;
                // Groups of a partition are numbered as their first rows come, and before any row that is kept.
                firsts.extend(groups.table.fresh().iter().map(|&row| partition.first + u64::from(own[row as usize])));
            }
            for block in partition.blocks.get(part).map(taken).unwrap_or_default() {
                groups.take(types, &block.columns, &mut numbers).map_err(to_datafusion)?;
                firsts.extend(groups.table.fresh().iter().map(|&row| partition.first + block.position(row as usize)));
            }
            let Some(mut rows) = partition.spilled.as_ref().map(|files| files.read(part)).transpose()?.flatten() else { continue };
            while let Some(batch) = rows.next().await {
                spec.cancel.check().map_err(to_datafusion)?;
                let (columns, positions) = Columns::from_batch(spec, &batch?);
                groups.take(types, &columns, &mut numbers).map_err(to_datafusion)?;
                firsts.extend(groups.table.fresh().iter().map(|&row| partition.first + positions.value(row as usize)));
            }
        }
        Ok(Part { reduced: groups.reduced(types, 1).map_err(to_datafusion)?, firsts })
    }
}

fn taken(blocks: &Mutex<Vec<Block>>) -> Vec<Block> {
    std::mem::take(&mut *blocks.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The groups of all partitions one after the other, in the order of their first rows: for few groups.
pub(super) fn put_together(spec: &GroupInputs, partials: Vec<Partial>) -> Result<Groups, Failure> {
    let mut partials = partials.into_iter().map(|partial| partial.groups);
    let mut all = partials.next().unwrap_or_else(|| Groups::new(spec, &spec.known, false));
    for later in partials {
        spec.cancel.check()?;
        let keys = later.table.keys(spec.graph.types());
        all.merge(spec.graph.types(), &keys, &later, None)?;
    }
    Ok(all)
}
