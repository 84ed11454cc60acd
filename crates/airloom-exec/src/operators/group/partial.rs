//! The first phase: each partition by itself.
//!
//! A sample of the first rows decides. Where groups have many rows, each partition makes groups of its own rows, and those are merged later. Where they have few,
//! that would only be work done twice, in tables that are larger than any cache: rows go straight to the parts of their groups, and are grouped there once. Where they do
//! not fit into memory, all of them go to disk, so that what is read from there has the memory to itself.

use super::GroupInputs;
use super::columns::{Columns, keys, spilled_schema};
use super::groups::Groups;
use super::part_of::PartOf;
use super::sample::{Expected, FEW_ROWS, LOOK, Sample, few_rows, is_clustered};
use super::scatter::{Block, Scatter};
use crate::adapter::execute_selected;
use crate::memory::{PartitionFiles, PartitionWriter, Spill};
use crate::schedule::TaskSet;
use airloom_compute::body::FoldTotals;
use airloom_compute::data::{Failure, Selected};
use airloom_compute::keys::EMPTY;
use airloom_io::failure::to_datafusion;
use airloom_plan::value::KeyFacts;
use arrow::array::UInt64Array;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// What one partition leaves: groups of its first rows, then rows in memory or on disk.
pub(super) struct Partial {
    pub(super) groups: Groups,
    /// The rows in memory of each part.
    pub(super) blocks: Option<Vec<Vec<Block>>>,
    pub(super) spilled: Option<PartitionFiles>,
    /// How many rows it had.
    pub(super) rows: u64,
    /// How many groups each row of a part is expected to begin.
    pub(super) begun: f64,
}

/// What all partitions leave, and what keeps their memory theirs.
pub(super) struct Partials {
    pub(super) partials: Vec<Partial>,
    pub(super) reservation: Arc<MemoryReservation>,
}

/// The share of the memory that groups and rows may take before rows are spilled: the rest is for what they come from, and for what they become.
const SHARE: usize = 4;

/// Takes all rows of an input, all partitions at once.
pub(super) async fn partials(spec: &Arc<GroupInputs>, input: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>) -> Result<Partials> {
    let count = input.output_partitioning().partition_count();
    let reservation = Arc::new(MemoryConsumer::new("groups").register(context.memory_pool()));
    let mut tasks: TaskSet<Partial> = TaskSet::default();
    for partition in 0..count {
        let (spec, context, reservation) = (spec.clone(), context.clone(), reservation.clone());
        let mut stream = execute_selected(input, partition, &context)?;
        tasks.spawn(async move {
            let mut taker = Taker::new(&spec, partition, count);
            while let Some(batch) = stream.next().await {
                spec.cancel.check().map_err(to_datafusion)?;
                taker.push(batch?, &context, &reservation)?;
            }
            taker.finish().map_err(to_datafusion)
        });
    }
    Ok(Partials { partials: tasks.in_order().await?, reservation })
}

/// Whether an array by the value of the key is larger than a sample.
fn is_large(known: &KeyFacts) -> bool {
    known.ranges.iter().flatten().any(|&(min, max)| max.abs_diff(min) > 1 << 18)
}

/// Where the next rows go.
enum Target {
    /// They wait for the decision.
    Sample(Sample),
    /// Into the groups of the partition; once there are more than `look`, it looks again whether that pays.
    Groups { look: usize },
    /// To the parts in memory.
    Parts(Scatter),
    /// To disk.
    Disk(PartitionWriter),
}

struct Taker<'a> {
    spec: &'a GroupInputs,
    partition: usize,
    expected: Expected,
    part_of: PartOf,
    groups: Groups,
    /// What compiled code has made of the last rows, where groups are many: the states do not have it yet.
    totals: Option<FoldTotals>,
    target: Target,
    numbers: Vec<u32>,
    rows: u64,
    /// What is reserved for it.
    held: usize,
    /// How many groups a row that goes to a part is expected to begin.
    begun: f64,
}

impl<'a> Taker<'a> {
    fn new(spec: &'a GroupInputs, partition: usize, partitions: usize) -> Taker<'a> {
        let target = if spec.key_types.is_empty() { Target::Groups { look: usize::MAX } } else { Target::Sample(Sample::default()) };
        // The groups of a sample are few, whatever there may be: a large array of all of them is made once it is decided that it will be used.
        let dense = spec.known.dense && !(matches!(target, Target::Sample(_)) && is_large(&spec.known));
        let known = KeyFacts { dense, ..spec.known.clone() };
        Taker {
            spec,
            partition,
            expected: Expected { rows: spec.rows.map(|rows| rows / partitions as f64), partitions: partitions as f64 },
            part_of: PartOf::new(spec),
            groups: Groups::new(spec, &known, partition > 0),
            totals: None,
            target,
            numbers: Vec::new(),
            rows: 0,
            held: 0,
            begun: 1.0 / FEW_ROWS,
        }
    }

    /// Takes the next rows.
    fn push(&mut self, rows: Selected, context: &TaskContext, reservation: &MemoryReservation) -> Result<()> {
        let first = self.rows;
        self.rows += rows.rows.len() as u64;
        if let Target::Groups { .. } = self.target {
            self.take(rows).map_err(to_datafusion)?;
            return self.reserve(context, reservation);
        }
        let columns = Columns::of(self.spec, &rows.compact()).map_err(to_datafusion)?;
        match &mut self.target {
            Target::Sample(sample) => {
                self.groups.table.number(self.spec.graph.types(), &columns.keys, columns.rows, &mut self.numbers);
                sample.push(columns, std::mem::take(&mut self.numbers));
                if sample.is_full(self.spec, self.expected) {
                    self.decide().map_err(to_datafusion)?;
                }
            }
            Target::Groups { .. } => panic!("invariant `rows of groups are taken in`"),
            Target::Parts(scatter) => scatter.push(self.spec, columns),
            Target::Disk(writer) => {
                let parts = self.part_of.parts(self.spec, &columns.keys, columns.rows);
                let positions = UInt64Array::from_iter_values(first..self.rows);
                let batch = columns.to_batch(&spilled_schema(self.spec), positions);
                return writer.write(&batch, &parts.iter().map(|&part| u64::from(part) << 32).collect::<Vec<_>>());
            }
        }
        self.reserve(context, reservation)
    }

    /// Takes the next rows into the groups of the partition.
    fn take(&mut self, rows: Selected) -> Result<(), Failure> {
        let spec = self.spec;
        if let Some(fold) = &spec.fold
            && fold.take_most(spec, &rows, &mut self.groups)?
        {
            return Ok(());
        }
        let keys = keys(spec, &rows)?;
        let few = self.groups.table.find_few(&keys, rows.rows.len(), &mut self.numbers);
        if !few || self.numbers.contains(&EMPTY) {
            self.groups.table.number(spec.graph.types(), &keys, rows.rows.len(), &mut self.numbers);
        }
        let folded = match &spec.fold {
            Some(fold) => fold.take(spec, &rows, &mut self.groups, &self.numbers, &mut self.totals)?,
            None => false,
        };
        if !folded {
            self.hand_over();
            self.groups.reduce(&Columns::of(spec, &rows.compact())?, &self.numbers)?;
        }
        let groups = self.groups.table.len();
        if let Target::Groups { look } = &mut self.target
            && groups > *look
        {
            *look *= 2;
            let pays = self.expected.pays(spec, self.expected.rows.unwrap_or(self.rows as f64));
            if pays && few_rows(groups, self.rows) && !is_clustered(&self.numbers) {
                self.target = Target::Parts(Scatter::new(self.part_of, self.rows));
            }
        }
        Ok(())
    }

    /// Reserves what it takes; where there is no room, all further rows go to disk.
    fn reserve(&mut self, context: &TaskContext, reservation: &MemoryReservation) -> Result<()> {
        let totals = self.totals.as_ref().map_or(0, |totals| totals.words.len() * size_of::<u64>());
        let size = self.groups.size()
            + totals
            + match &self.target {
                Target::Sample(sample) => sample.size(),
                Target::Parts(scatter) => scatter.size(),
                Target::Groups { .. } | Target::Disk(_) => 0,
            };
        let more = size.saturating_sub(self.held);
        let room = reservation.size() + more <= self.spec.options.memory / SHARE;
        let fits = room && reservation.try_grow(more).is_ok();
        if fits {
            self.held = self.held.max(size);
        }
        if self.spec.key_types.is_empty() {
            return if fits { Ok(()) } else { reservation.try_grow(more) };
        }
        if !fits || self.spec.options.always_spill {
            self.spill(context, reservation)?;
        }
        Ok(())
    }

    /// Writes the rows that are in memory to disk, where all further ones go.
    fn spill(&mut self, context: &TaskContext, reservation: &MemoryReservation) -> Result<()> {
        if let Target::Sample(_) = self.target {
            self.decide().map_err(to_datafusion)?;
        }
        self.hand_over();
        let schema = spilled_schema(self.spec);
        let mut writer = Spill::new(context, schema.clone()).writer();
        if let Target::Parts(scatter) = std::mem::replace(&mut self.target, Target::Groups { look: usize::MAX }) {
            for (part, blocks) in scatter.finish().into_iter().enumerate() {
                blocks.iter().try_for_each(|block| writer.write_part(&block.to_batch(&schema), part))?;
            }
        }
        let kept = self.groups.size().min(self.held);
        reservation.shrink(self.held - kept);
        self.held = kept;
        self.target = Target::Disk(writer);
        Ok(())
    }

    /// Decides where rows go, and sends those of the sample there.
    fn decide(&mut self) -> Result<(), Failure> {
        let Target::Sample(sample) = std::mem::replace(&mut self.target, Target::Groups { look: LOOK }) else {
            return Ok(());
        };
        let (spec, types) = (self.spec, self.spec.graph.types());
        if let Some(begun) = sample.scatters(spec, self.groups.table.len(), self.expected, self.part_of) {
            self.begun = begun;
            let mut scatter = Scatter::new(self.part_of, 0);
            sample.rows.into_iter().for_each(|(columns, _)| scatter.push(spec, columns));
            self.groups = Groups::new(spec, &KeyFacts { dense: false, ..spec.known.clone() }, false);
            self.target = Target::Parts(scatter);
            return Ok(());
        }
        if spec.known.dense && is_large(&spec.known) {
            self.groups = Groups::new(spec, &spec.known, self.partition > 0);
            return sample.rows.iter().try_for_each(|(columns, _)| self.groups.take(types, columns, &mut self.numbers));
        }
        sample.rows.iter().try_for_each(|(columns, numbers)| self.groups.reduce(columns, numbers))
    }

    /// The states have all rows that were taken in.
    fn hand_over(&mut self) {
        if let Some(fold) = &self.spec.fold {
            fold.hand_over(&mut self.groups, &mut self.totals);
        }
    }

    fn finish(mut self) -> Result<Partial, Failure> {
        self.hand_over();
        if let Target::Sample(_) = self.target {
            // It has shown all of its rows.
            self.expected.rows = Some(self.rows as f64);
            self.decide()?;
        }
        let (blocks, spilled) = match self.target {
            Target::Parts(scatter) => (Some(scatter.finish()), None),
            Target::Disk(writer) => (None, Some(writer.finish().map_err(|error| airloom_io::failure::from_datafusion(&error))?)),
            Target::Sample(_) | Target::Groups { .. } => (None, None),
        };
        Ok(Partial { groups: self.groups, blocks, spilled, rows: self.rows, begun: self.begun })
    }
}
