//! Rows that a key draws.

use super::compact::compact;
use crate::adapter::{Operator, OperatorExec, Stream};
use crate::exchange::{EdgeRows, Kept, Materialized, keep_partitions};
use crate::options::ExecOptions;
use crate::schedule::Once;
use airloom_compute::array::room;
use airloom_compute::data::{Failure, batch_size};
use airloom_io::failure::to_datafusion;
use airloom_ir::graph::NodeId;
use airloom_ir::oracle::formula::drawn;
use arrow::array::{RecordBatch, UInt64Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;

/// Which rows are drawn.
#[derive(Clone, Copy)]
pub struct Draw {
    /// How many.
    pub count: i128,
    /// The key.
    pub key: u64,
    /// Whether a row may be drawn again.
    pub replace: bool,
    /// The node that draws them, which errors name.
    pub node: Option<NodeId>,
}

struct Sample {
    options: Arc<ExecOptions>,
    draw: Draw,
    partitions: usize,
    made: Once<Materialized>,
}

/// Rows drawn from all rows of a plan. These are kept until it is known how many there are, on disk where there is no room; those that are drawn are held.
pub fn sample(options: &Arc<ExecOptions>, plan: Arc<dyn ExecutionPlan>, draw: Draw) -> Arc<dyn ExecutionPlan> {
    let (schema, partitions) = (plan.schema(), options.threads.max(plan.output_partitioning().partition_count()));
    OperatorExec::plan(Sample { options: options.clone(), draw, partitions, made: Once::default() }, vec![plan], schema, partitions)
}

impl Operator for Sample {
    fn name(&self) -> &'static str {
        "Sample"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream> {
        let (options, draw, input, context) = (self.options.clone(), self.draw, inputs[0].clone(), context.clone());
        let schema = input.schema();
        let made = self.made.get(move || async move {
            let reservation = Arc::new(MemoryConsumer::new("Sample").register(context.memory_pool()));
            let kept = keep_partitions(&options, &input, EdgeRows::default(), &context).await?;
            let rows = draw.of(&kept, &input, &reservation).await?;
            Ok(Materialized::Rows(vec![rows], Some(reservation)))
        });
        Ok(Materialized::partition(made, schema, partition, self.partitions, self.options.morsel_rows))
    }
}

/// How many batches may be held on to for few rows of each.
const PENDING: usize = 16;

/// Rows that were drawn, with text of their own.
#[derive(Default)]
struct Taken {
    rows: Vec<RecordBatch>,
    /// The last ones, whose text is still that of the rows they were drawn from.
    pending: Vec<RecordBatch>,
}

impl Taken {
    fn push(&mut self, rows: RecordBatch, reservation: &MemoryReservation) -> Result<()> {
        self.pending.push(rows);
        if self.pending.len() == PENDING { self.settle(reservation) } else { Ok(()) }
    }

    fn settle(&mut self, reservation: &MemoryReservation) -> Result<()> {
        let Some(first) = self.pending.first() else { return Ok(()) };
        let rows = compact(concat_batches(&first.schema(), &self.pending)?);
        self.pending.clear();
        reservation.try_grow(batch_size(&rows))?;
        self.rows.push(rows);
        Ok(())
    }

    fn finish(mut self, schema: &SchemaRef, reservation: &MemoryReservation) -> Result<RecordBatch> {
        self.settle(reservation)?;
        Ok(concat_batches(schema, &self.rows)?)
    }
}

impl Draw {
    /// The rows that are drawn, which the reservation pays for.
    async fn of(self, kept: &[Kept], input: &Arc<dyn ExecutionPlan>, reservation: &MemoryReservation) -> Result<RecordBatch> {
        let rows = kept.iter().map(|kept| kept.count).sum();
        let positions = self.positions(rows).map_err(to_datafusion)?;
        // Rows are read in their order. Those drawn with replacement are put in the order they were drawn in afterwards.
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&at| positions[at]);
        let (mut next, mut first, mut taken) = (0, 0, Taken::default());
        for kept in kept {
            let mut stream = kept.stream()?;
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                let end = first + batch.num_rows();
                let here = order[next..].iter().take_while(|&&at| positions[at] < end).count();
                let own = order[next..next + here].iter().map(|&at| (positions[at] - first) as u64);
                if here > 0 {
                    taken.push(take_record_batch(&batch, &UInt64Array::from_iter_values(own))?, reservation)?;
                }
                (next, first) = (next + here, end);
            }
        }
        let taken = taken.finish(&input.schema(), reservation)?;
        if !self.replace {
            return Ok(taken);
        }
        let mut back = vec![0_u64; order.len()];
        order.iter().enumerate().for_each(|(now, &at)| back[at] = now as u64);
        Ok(take_record_batch(&taken, &UInt64Array::from(back))?)
    }

    fn positions(self, rows: usize) -> Result<Vec<usize>, Failure> {
        let drawn = drawn(rows, self.count, self.key, self.replace, |size| Ok(room(&[size]).map(|_| ())?));
        Ok(drawn.map_err(|stop| if let Some(node) = self.node { stop.at(node) } else { stop })?)
    }
}
