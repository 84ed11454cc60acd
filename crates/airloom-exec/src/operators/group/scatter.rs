//! Rows in memory, each with the part that its group belongs to.

use super::GroupInputs;
use super::columns::Columns;
use super::part_of::PartOf;
use crate::memory::SPILL_PARTITIONS;
use airloom_compute::data::{PartPlaces, array_bytes};
use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::datatypes::SchemaRef;
use std::ops::Range;

/// Rows of one part, in their order.
pub(super) struct Block {
    pub(super) columns: Columns,
    /// The position of the first row that was cut with them.
    first: u64,
    /// How far after it each row is; none where they follow one another.
    after: Option<UInt32Array>,
}

impl Block {
    /// The position of a row within its partition.
    pub(super) fn position(&self, row: usize) -> u64 {
        self.first + self.after.as_ref().map_or(row as u64, |after| u64::from(after.value(row)))
    }

    /// As a batch, with the position of each row within its partition.
    pub(super) fn to_batch(&self, schema: &SchemaRef) -> RecordBatch {
        self.columns.to_batch(schema, (0..self.columns.rows).map(|row| self.position(row)).collect::<Vec<_>>().into())
    }
}

/// Rows of a partition on their way to parts.
pub(super) struct Scatter {
    part_of: PartOf,
    waiting: Vec<Columns>,
    /// The part of each row that waits.
    parts: Vec<u8>,
    /// The position of the first row that waits.
    first: u64,
    blocks: Vec<Vec<Block>>,
    size: usize,
}

impl Scatter {
    /// For the rows of a partition from a position on.
    pub(super) fn new(part_of: PartOf, first: u64) -> Scatter {
        Scatter {
            part_of,
            waiting: Vec::new(),
            parts: Vec::new(),
            first,
            blocks: (0..SPILL_PARTITIONS).map(|_| Vec::new()).collect(),
            size: 0,
        }
    }

    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Takes the next rows. They wait until there are many, so that each part gets some hundreds at once.
    pub(super) fn push(&mut self, spec: &GroupInputs, columns: Columns) {
        self.size += columns.all().map(array_bytes).sum::<usize>();
        self.parts.extend(self.part_of.parts(spec, &columns.keys, columns.rows));
        self.waiting.push(columns);
        if self.parts.len() >= spec.options.parts_rows {
            self.cut();
        }
    }

    /// The blocks of each part.
    pub(super) fn finish(mut self) -> Vec<Vec<Block>> {
        self.cut();
        self.blocks
    }

    /// Cuts the rows that wait into parts.
    fn cut(&mut self) {
        let (waiting, parts, first) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.parts), self.first);
        let Some(model) = waiting.first() else { return };
        self.first += parts.len() as u64;
        if let [part, others @ ..] = parts.as_slice()
            && others.iter().all(|other| other == part)
        {
            // Rows that are clustered by their keys stay where they are.
            let mut at = first;
            for columns in waiting {
                let rows = columns.rows as u64;
                self.blocks[usize::from(*part)].push(Block { columns, first: at, after: None });
                at += rows;
            }
            return;
        }
        let places = PartPlaces::new(&parts, SPILL_PARTITIONS);
        let width = model.keys.len() + model.values.len();
        let column = |at: usize| -> ArrayRef {
            let pieces: Vec<&dyn Array> = waiting.iter().map(|columns| column_at(columns, at).as_ref()).collect();
            places.scatter(&pieces)
        };
        let moved = model.with_all((0..width).map(column).collect(), parts.len());
        let after = UInt32Array::from(places.order());
        for part in 0..SPILL_PARTITIONS {
            let Range { start, end } = places.ends.of(part);
            if start < end {
                let (columns, after) = (moved.slice(start, end - start), after.slice(start, end - start));
                self.blocks[part].push(Block { columns, first, after: Some(after) });
            }
        }
    }
}

fn column_at(columns: &Columns, at: usize) -> &ArrayRef {
    columns.keys.get(at).unwrap_or_else(|| &columns.values[at - columns.keys.len()])
}
