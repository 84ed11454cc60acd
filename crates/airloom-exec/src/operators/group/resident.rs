//! Groups in memory.

use super::GroupInputs;
use crate::memory::{PartitionFiles, PartitionWriter, Spill};
use crate::schedule::TaskSet;
use airloom_compute::data::{Failure, record_batch};
use airloom_compute::keys::{EMPTY, GroupTable, row_hashes};
use airloom_compute::reduce::{Groups as ReductionGroups, Reduction};
use airloom_io::failure::to_datafusion;
use airloom_ir::types::Types;
use airloom_plan::value::KeyFacts;
use airloom_plan::value::Position;
use arrow::array::{ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow::compute::filter;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// Groups of some rows.
pub(super) struct Groups {
    pub(super) table: GroupTable,
    pub(super) states: Vec<Box<dyn Reduction>>,
}

impl Groups {
    /// None yet, by keys of which this is known.
    pub(super) fn new(inputs: &GroupInputs, known: &KeyFacts, later: bool) -> Groups {
        let hashing = inputs.options.hashing();
        let table = GroupTable::new(inputs.graph.types(), &inputs.key_types, hashing, known);
        Groups {
            table,
            states: inputs.reductions.iter().map(|(spec, _)| spec.state(&inputs.graph, hashing, &inputs.cancel, later)).collect(),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.table.size() + self.states.iter().map(|s| s.size()).sum::<usize>()
    }

    /// Takes in rows by their keys and the columns of their reductions.
    pub(super) fn take(&mut self, types: &Types, columns: &Columns, numbers: &mut Vec<u32>) -> Result<(), Failure> {
        let groups = if columns.keys.is_empty() {
            ReductionGroups::One
        } else {
            self.table.number(types, &columns.keys, columns.rows, numbers);
            ReductionGroups::Each(numbers)
        };
        for (state, values) in self.states.iter_mut().zip(&columns.values) {
            state.update(groups, values, self.table.len())?;
        }
        Ok(())
    }

    /// Takes in the groups of later rows: all, or those for which a mask is true.
    pub(super) fn merge(&mut self, types: &Types, keys: &[ArrayRef], later: &Groups, mask: Option<&BooleanArray>) -> Result<(), Failure> {
        let mut places = Vec::new();
        match mask {
            None => self.table.number(types, keys, later.table.len(), &mut places),
            Some(mask) => {
                let kept: Vec<ArrayRef> = keys.iter().map(|k| filter(k, mask).expect("a mask of the groups")).collect();
                let mut numbers = Vec::new();
                self.table.number(types, &kept, mask.true_count(), &mut numbers);
                let mut next = numbers.into_iter();
                places.extend(mask.values().iter().map(|kept| if kept { next.next().unwrap_or(EMPTY) } else { EMPTY }));
            }
        }
        for (state, other) in self.states.iter_mut().zip(&later.states) {
            state.merge(other.as_ref(), &places, self.table.len())?;
        }
        Ok(())
    }
}

/// The keys of some rows, and the column that each reduction reads.
pub(super) struct Columns {
    pub(super) keys: Vec<ArrayRef>,
    pub(super) values: Vec<ArrayRef>,
    pub(super) rows: usize,
}

impl Columns {
    /// Of the rows of a batch.
    pub(super) fn of(spec: &GroupInputs, batch: &RecordBatch) -> Result<Columns, Failure> {
        let (types, rows) = (spec.graph.types(), batch.num_rows());
        let vectors = spec.keys.run(batch)?;
        let keys = vectors.iter().zip(&spec.key_types).map(|(vector, &ty)| vector.to_array(types, ty, rows)).collect();
        let values = spec.values.run(batch)?;
        let values = spec.reductions.iter().map(|(reduction, at)| values[*at].to_array(types, reduction.element, rows)).collect();
        Ok(Columns { keys, values, rows })
    }

    /// As a batch, with the position of each row.
    fn batch(&self, schema: &SchemaRef, first: u64) -> RecordBatch {
        let places: ArrayRef = Arc::new(UInt64Array::from_iter_values(first..first + self.rows as u64));
        record_batch(schema, self.keys.iter().chain(&self.values).cloned().chain([places]).collect(), self.rows)
    }

    /// From such a batch; and the positions.
    pub(super) fn from_batch(spec: &GroupInputs, batch: &RecordBatch) -> (Columns, ArrayRef) {
        let (keys, rest) = batch.columns().split_at(spec.key_types.len());
        let (values, places) = rest.split_at(spec.reductions.len());
        (Columns { keys: keys.to_vec(), values: values.to_vec(), rows: batch.num_rows() }, places[0].clone())
    }
}

/// The schema of rows on disk: keys, the columns of reductions, the position of the row.
pub(super) fn spilled_schema(spec: &GroupInputs) -> SchemaRef {
    let types = spec.graph.types();
    let data = |ty| airloom_compute::data::type_to_arrow(types, ty).expect("invariant `columns hold values`");
    let tys = spec.key_types.iter().copied().chain(spec.reductions.iter().map(|(reduction, _)| reduction.element));
    let mut fields: Vec<Field> = tys.enumerate().map(|(at, ty)| Field::new(format!("c{at}"), data(ty), true)).collect();
    fields.push(Field::new("place", DataType::UInt64, true));
    Arc::new(Schema::new(fields))
}

/// The groups of one partition: those of its first rows, and the rest of its rows on disk where memory was short.
pub(super) struct Partial {
    pub(super) groups: Groups,
    pub(super) spilled: Option<PartitionFiles>,
    pub(super) _reservation: MemoryReservation,
}

/// Groups each partition of an input by itself.
pub(super) async fn partials(spec: &Arc<GroupInputs>, input: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>) -> Result<Vec<Partial>> {
    let count = input.output_partitioning().partition_count();
    let mut tasks: TaskSet<Partial> = TaskSet::default();
    for partition in 0..count {
        let (spec, context) = (spec.clone(), context.clone());
        let mut stream = input.execute(partition, context.clone())?;
        // An eighth of the memory is for groups before they are spilled; the rest is for what they come from, and for merging them.
        let share = spec.options.memory / (8 * count);
        tasks.spawn(async move {
            let reservation = MemoryConsumer::new("groups").register(context.memory_pool());
            let mut groups = Groups::new(&spec, &spec.known, partition > 0);
            let mut numbers = Vec::new();
            let mut writer: Option<PartitionWriter> = None;
            let mut place = Position::first(partition).number() | (1 << (Position::ROW_BITS - 1));
            let schema = spilled_schema(&spec);
            while let Some(batch) = stream.next().await {
                spec.cancel.check().map_err(to_datafusion)?;
                let columns = Columns::of(&spec, &batch?).map_err(to_datafusion)?;
                if let Some(writer) = &mut writer {
                    let hashes = row_hashes(spec.graph.types(), &spec.key_types, &columns.keys, columns.rows);
                    writer.write(&columns.batch(&schema, place), &hashes)?;
                    place += columns.rows as u64;
                    continue;
                }
                groups.take(spec.graph.types(), &columns, &mut numbers).map_err(to_datafusion)?;
                let size = groups.size();
                let can_spill = !spec.key_types.is_empty();
                let full = size > share || reservation.try_resize(size).is_err() || spec.options.always_spill;
                if full && can_spill {
                    writer = Some(Spill::new(&context, schema.clone()).writer());
                } else if full {
                    reservation.try_resize(size)?;
                }
            }
            let spilled = writer.map(PartitionWriter::finish).transpose()?;
            Ok(Partial { groups, spilled, _reservation: reservation })
        });
    }
    tasks.in_order().await
}

/// The groups of all partitions, in the order of their first rows.
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
