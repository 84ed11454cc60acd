//! Merging of streams whose rows are in the order of their positions.
//!
//! All streams have a batch at hand. Rows up to where the first of these batches ends can be put in order at once: positions are numbers, most of them one after the
//! other, so that a row is not compared with others but counted to its place.

use crate::adapter::stream_of;
use airloom_compute::data::{RowOf, batch_size, gather, record_batch};
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type};
use datafusion_common::Result;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use futures::{StreamExt, TryStreamExt};
use std::ops::Range;
use std::sync::Arc;

/// Rows are counted to their places where positions are no more than this many times as many as rows; else they are sorted.
const SPARSE: u64 = 8;

/// A schema with the position of each row as a last column.
pub fn with_position(schema: &SchemaRef) -> SchemaRef {
    let place = Arc::new(Field::new("place", DataType::UInt64, true));
    Arc::new(Schema::new(schema.fields().iter().map(Arc::clone).chain([place]).collect::<Vec<_>>()))
}

/// Rows with their positions: the numbers from `next` on, which goes on after them.
pub fn positioned(schema: &SchemaRef, rows: &RecordBatch, next: &mut u64) -> RecordBatch {
    let first = std::mem::replace(next, *next + rows.num_rows() as u64);
    let positions: ArrayRef = Arc::new(UInt64Array::from_iter_values(first..*next));
    record_batch(schema, rows.columns().iter().cloned().chain([positions]).collect(), rows.num_rows())
}

/// The rows of streams one after the other, without their positions: where the order is not observed.
pub fn without_positions(streams: Vec<SendableRecordBatchStream>, schema: SchemaRef) -> SendableRecordBatchStream {
    let kept = schema.clone();
    let rows = futures::stream::iter(streams).flatten().map(move |batch| {
        let batch = batch?;
        Ok(record_batch(&kept, batch.columns()[..kept.fields().len()].to_vec(), batch.num_rows()))
    });
    stream_of(schema, rows)
}

/// The rows of all streams in the order of their positions, in batches of up to `rows`. The last column of each stream is the position, which ascends, and may be that of
/// several rows; the result does not have it.
pub fn merge_by_position(
    streams: Vec<SendableRecordBatchStream>,
    schema: SchemaRef,
    context: &TaskContext,
    rows: usize,
) -> SendableRecordBatchStream {
    let reservation = MemoryConsumer::new("merging spilled rows").register(context.memory_pool());
    let sources = streams.into_iter().map(|stream| Source { stream, batch: None, next: 0 }).collect();
    let merge = Merge { sources, schema: schema.clone(), reservation };
    let next = async |mut merge: Merge| -> Result<_> { Ok(merge.round().await?.map(|batch| (batch, merge))) };
    let merged = futures::stream::try_unfold(merge, next);
    let cut = move |batch: RecordBatch| {
        let slices = (0..batch.num_rows()).step_by(rows.max(1));
        let slices: Vec<Result<RecordBatch>> = slices.map(|at| Ok(batch.slice(at, rows.min(batch.num_rows() - at)))).collect();
        futures::stream::iter(slices)
    };
    stream_of(schema, merged.map_ok(cut).try_flatten())
}

struct Merge {
    sources: Vec<Source>,
    schema: SchemaRef,
    /// What the batches at hand take.
    reservation: MemoryReservation,
}

/// A stream, and the batch that it is at.
struct Source {
    stream: SendableRecordBatchStream,
    batch: Option<RecordBatch>,
    /// The first row of the batch that has not been merged.
    next: usize,
}

impl Source {
    /// Makes sure that there is a row that has not been merged; whether there is one.
    async fn fill(&mut self, reservation: &MemoryReservation) -> Result<bool> {
        while self.batch.as_ref().is_none_or(|batch| self.next == batch.num_rows()) {
            if let Some(merged) = self.batch.take() {
                reservation.shrink(batch_size(&merged).min(reservation.size()));
            }
            let Some(batch) = self.stream.next().await else { return Ok(false) };
            let batch = batch?;
            // What is at hand cannot be less: it is counted, for others to see.
            reservation.grow(batch_size(&batch));
            (self.batch, self.next) = (Some(batch), 0);
        }
        Ok(true)
    }

    fn batch(&self) -> &RecordBatch {
        self.batch.as_ref().expect("invariant `a source is filled before it is merged`")
    }

    /// The positions of the rows that have not been merged.
    fn positions(&self) -> &[u64] {
        let batch = self.batch();
        &batch.column(batch.num_columns() - 1).as_primitive::<UInt64Type>().values()[self.next..]
    }
}

/// Rows of a source that are merged.
struct Piece {
    source: usize,
    rows: Range<usize>,
}

impl Merge {
    /// The next rows; none where all have been merged.
    async fn round(&mut self) -> Result<Option<RecordBatch>> {
        let mut filled = Vec::with_capacity(self.sources.len());
        for mut source in std::mem::take(&mut self.sources) {
            if source.fill(&self.reservation).await? {
                filled.push(source);
            }
        }
        self.sources = filled;
        let Some(end) = self.sources.iter().filter_map(|source| source.positions().last().copied()).min() else { return Ok(None) };
        let mut pieces = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            let rows = source.positions().partition_point(|&position| position <= end);
            if rows > 0 {
                pieces.push(Piece { source: at, rows: source.next..source.next + rows });
            }
        }
        let made = self.merged(&pieces);
        pieces.iter().for_each(|piece| self.sources[piece.source].next = piece.rows.end);
        Ok(Some(made))
    }

    /// The rows of pieces, in order.
    fn merged(&self, pieces: &[Piece]) -> RecordBatch {
        let width = self.schema.fields().len();
        if let [piece] = pieces {
            let rows = self.sources[piece.source].batch().slice(piece.rows.start, piece.rows.len());
            return record_batch(&self.schema, rows.columns()[..width].to_vec(), rows.num_rows());
        }
        let order = self.order(pieces);
        let column = |at: usize| {
            let columns: Vec<&dyn Array> = pieces.iter().map(|piece| self.sources[piece.source].batch().column(at).as_ref()).collect();
            gather(&columns, &order)
        };
        record_batch(&self.schema, (0..width).map(column).collect(), order.len())
    }

    /// Where each row of the pieces goes: those of one position stay as they stand, and those of earlier pieces come first.
    fn order(&self, pieces: &[Piece]) -> Vec<RowOf> {
        let positions = |piece: &Piece| &self.sources[piece.source].positions()[..piece.rows.len()];
        let count: usize = pieces.iter().map(|piece| piece.rows.len()).sum();
        let first = pieces.iter().map(|piece| positions(piece)[0]).min().unwrap_or(0);
        let last = pieces.iter().filter_map(|piece| positions(piece).last().copied()).max().unwrap_or(0);
        let row_of = |piece: usize, at: usize| RowOf { column: piece as u32, row: (pieces[piece].rows.start + at) as u32 };
        let each = || {
            pieces
                .iter()
                .enumerate()
                .flat_map(|(at, piece)| positions(piece).iter().enumerate().map(move |(row, &position)| (at, row, position)))
        };
        if last - first >= SPARSE * count as u64 {
            let mut rows: Vec<(u64, RowOf)> = each().map(|(piece, row, position)| (position, row_of(piece, row))).collect();
            rows.sort_unstable();
            return rows.into_iter().map(|(_, row)| row).collect();
        }
        let mut places = vec![0u32; (last - first) as usize + 2];
        each().for_each(|(.., position)| places[(position - first) as usize + 1] += 1);
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        let mut order = vec![RowOf::default(); count];
        for (piece, row, position) in each() {
            let place = &mut places[(position - first) as usize];
            order[*place as usize] = row_of(piece, row);
            *place += 1;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::{merge_by_position, with_position};
    use crate::adapter::stream_of;
    use airloom_compute::data::record_batch;
    use arrow::array::{ArrayRef, AsArray, Int64Array, StringViewArray, UInt64Array};
    use arrow::datatypes::{DataType, Field, Int64Type, Schema};
    use datafusion_execution::TaskContext;
    use futures::TryStreamExt;
    use std::sync::Arc;
    use tokio::runtime::Builder;

    /// Rows of positions, each in one of some streams, in batches of some rows.
    async fn merged(positions: &[u64], streams: usize, batch: usize) -> Vec<i64> {
        let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Int64, true), Field::new("s", DataType::Utf8View, true)]));
        let with = with_position(&schema);
        let of_stream = |stream: usize| {
            // Rows of one position are of one stream.
            let own: Vec<(usize, u64)> = positions
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, position)| position.wrapping_mul(0x9e37_79b9) as usize % streams == stream)
                .collect();
            let batches: Vec<_> = own
                .chunks(batch)
                .map(|rows| {
                    let number: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|(row, _)| *row as i64)));
                    let text: ArrayRef =
                        Arc::new(StringViewArray::from_iter_values(rows.iter().map(|(row, _)| format!("the text of row {row}"))));
                    let place: ArrayRef = Arc::new(UInt64Array::from_iter_values(rows.iter().map(|(_, position)| *position)));
                    Ok(record_batch(&with, vec![number, text, place], rows.len()))
                })
                .collect();
            stream_of(with.clone(), futures::stream::iter(batches))
        };
        let streams = (0..streams).map(of_stream).collect();
        let context = TaskContext::default();
        let batches: Vec<_> = merge_by_position(streams, schema, &context, 100).try_collect().await.expect("no failure");
        assert!(batches.iter().all(|batch| batch.num_rows() <= 100 && batch.num_rows() > 0));
        let mut all = Vec::new();
        for batch in batches {
            for row in 0..batch.num_rows() {
                let number = batch.column(0).as_primitive::<Int64Type>().value(row);
                assert_eq!(batch.column(1).as_string_view().value(row), format!("the text of row {number}"));
                all.push(number);
            }
            assert_eq!(batch.num_columns(), 2);
        }
        all
    }

    #[test]
    fn rows_are_in_the_order_of_their_positions() {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let dense: Vec<u64> = (0..3000).collect();
        let repeated: Vec<u64> = (0..3000).map(|row| row / 7).collect();
        let mut apart: Vec<u64> = (0..3000).map(|row| (row % 3) << 44 | (row * 1000)).collect();
        apart.sort_unstable();
        for positions in [&dense, &repeated, &apart, &Vec::new(), &vec![5]] {
            let expected: Vec<i64> = (0..positions.len() as i64).collect();
            for (streams, batch) in [(1, 10), (3, 1), (7, 64), (40, 512)] {
                let found = runtime.block_on(merged(positions, streams, batch));
                assert_eq!(found, expected, "{streams} streams of batches of {batch}");
            }
        }
    }
}
