//! Rows in memory, each with the part that its group belongs to.

use super::GroupInputs;
use super::columns::Columns;
use super::part_of::PartOf;
use crate::memory::SPILL_PARTITIONS;
use airloom_compute::data::{array_bytes, scatter};
use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::datatypes::SchemaRef;

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
        let mut ends = [0usize; SPILL_PARTITIONS];
        parts.iter().for_each(|&part| ends[usize::from(part)] += 1);
        if let Some(part) = ends.iter().position(|&rows| rows == parts.len()) {
            // Rows that are clustered by their keys stay where they are.
            let mut at = first;
            for columns in waiting {
                let rows = columns.rows as u64;
                self.blocks[part].push(Block { columns, first: at, after: None });
                at += rows;
            }
            return;
        }
        let mut next = [0usize; SPILL_PARTITIONS];
        for part in 1..SPILL_PARTITIONS {
            next[part] = next[part - 1] + ends[part - 1];
        }
        let place = |&part: &u8| {
            let next = &mut next[usize::from(part)];
            *next += 1;
            *next as u32 - 1
        };
        let places: Vec<u32> = parts.iter().map(place).collect();
        let mut after = vec![0u32; parts.len()];
        places.iter().zip(0..).for_each(|(&place, row)| after[place as usize] = row);
        let width = model.keys.len() + model.values.len();
        let column = |at: usize| -> ArrayRef {
            let pieces: Vec<&dyn Array> = waiting.iter().map(|columns| column_at(columns, at).as_ref()).collect();
            scatter(&pieces, &places)
        };
        let moved = model.with_all((0..width).map(column).collect(), parts.len());
        let after = UInt32Array::from(after);
        let mut start = 0;
        for (part, &end) in next.iter().enumerate().filter(|(_, end)| **end > 0) {
            let rows = end - start;
            if rows > 0 {
                self.blocks[part].push(Block { columns: moved.slice(start, rows), first, after: Some(after.slice(start, rows)) });
            }
            start = end;
        }
    }
}

fn column_at(columns: &Columns, at: usize) -> &ArrayRef {
    columns.keys.get(at).unwrap_or_else(|| &columns.values[at - columns.keys.len()])
}
