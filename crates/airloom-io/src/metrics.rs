//! What operators do, counted where their batches pass: rows, batches, bytes, time, spilled files and held memory.
//!
//! Time is an operator's own. Streams ask streams, each inside the one that reads it, so what a stream spends inside another is that one's; and a task that an
//! operator begins works for it.

use airloom_compute::data::critical_path::{OperatorId, is_watched, of_operator, processor_time};
use airloom_compute::data::{Selected, batch_size};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_execution::{RecordBatchStream, SendableRecordBatchStream as Stream, TaskContext};
use datafusion_physical_plan::metrics::{Count, ExecutionPlanMetricsSet, Gauge, MetricBuilder, Time};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tracing::Span;

/// The name under which the most memory held at once is counted.
pub const PEAK_MEMORY: &str = "peak_memory";

/// The name under which rows are counted that native code added up.
pub const FOLDED_ROWS: &str = "folded_rows";

/// A run that is watched counts bytes too, which costs more than a look at a batch: its session says so by this extension.
#[derive(Debug)]
pub struct Watched;

thread_local! {
    /// Whose work this thread does now.
    static WORKING: RefCell<Option<Arc<OperatorMetrics>>> = const { RefCell::new(None) };
    /// The time taken so far by work nested in the present work.
    static INSIDE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// What one partition of an operator is charged with.
pub struct OperatorMetrics {
    operator: OperatorId,
    set: ExecutionPlanMetricsSet,
    partition: usize,
    rows: Count,
    batches: Count,
    bytes: Option<Count>,
    time: Time,
    held: AtomicUsize,
    peak: Gauge,
    folded: Count,
    span: Span,
}

impl OperatorMetrics {
    /// For a partition of an operator that counts in this set; its work is traced in a span.
    pub fn new(
        operator: OperatorId,
        set: &ExecutionPlanMetricsSet,
        partition: usize,
        context: &TaskContext,
        span: Span,
    ) -> Arc<OperatorMetrics> {
        let watched = context.session_config().get_extension::<Watched>().is_some();
        Arc::new(OperatorMetrics {
            operator,
            set: set.clone(),
            partition,
            rows: MetricBuilder::new(set).output_rows(partition),
            batches: MetricBuilder::new(set).output_batches(partition),
            bytes: watched.then(|| MetricBuilder::new(set).output_bytes(partition)),
            time: MetricBuilder::new(set).elapsed_compute(partition),
            held: AtomicUsize::new(0),
            peak: MetricBuilder::new(set).gauge(PEAK_MEMORY, partition),
            folded: MetricBuilder::new(set).counter(FOLDED_ROWS, partition),
            span,
        })
    }

    /// Whose work this thread does now, if it is an operator's.
    pub fn working() -> Option<Arc<OperatorMetrics>> {
        WORKING.with_borrow(Clone::clone)
    }

    /// Where the operator counts, and for which partition.
    pub fn set(&self) -> (&ExecutionPlanMetricsSet, usize) {
        (&self.set, self.partition)
    }

    /// Does some work of the operator. What of it is another's is not charged to it.
    pub fn charge<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        let _entered = self.span.enter();
        let before = WORKING.replace(Some(self.clone()));
        let beside = INSIDE.replace(Duration::ZERO);
        let start = now();
        let made = of_operator(self.operator, work);
        let all = now().saturating_sub(start);
        let others = INSIDE.replace(beside + all);
        WORKING.set(before);
        self.time.add_duration(all.saturating_sub(others));
        made
    }

    /// Counts rows that native code added up.
    pub fn fold(&self, rows: usize) {
        self.folded.add(rows);
    }

    /// Counts memory that the operator holds from now on.
    pub fn hold(&self, bytes: usize) {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.set_max(held);
    }

    /// Counts memory that it no longer holds.
    pub fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn count(&self, batch: &RecordBatch, rows: usize) {
        self.rows.add(rows);
        self.batches.add(1);
        if let Some(bytes) = &self.bytes {
            // Of a batch of which some rows are selected, these have their share.
            bytes.add(batch_size(batch) * rows / batch.num_rows().max(1));
        }
    }
}

/// What the time of work is counted by. In a run that is watched it is the processor's: where there are more threads than cores, each is often kept waiting.
fn now() -> Duration {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    if is_watched() { processor_time() } else { FIRST.elapsed() }
}

/// A stream whose batches and time are counted.
pub fn counted(stream: Stream, counters: Arc<OperatorMetrics>) -> Stream {
    Box::pin(Counted { stream, counters })
}

struct Counted {
    stream: Stream,
    counters: Arc<OperatorMetrics>,
}

impl futures::Stream for Counted {
    type Item = Result<RecordBatch>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        let Counted { stream, counters } = self.get_mut();
        let polled = counters.charge(|| stream.poll_next_unpin(context));
        if let Poll::Ready(Some(Ok(batch))) = &polled {
            counters.count(batch, batch.num_rows());
        }
        polled
    }
}

impl RecordBatchStream for Counted {
    fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }
}

/// Batches, of some of which only selected rows are left.
pub type SelectedStream = BoxStream<'static, Result<Selected>>;

/// A stream whose selected rows and time are counted.
pub fn counted_selected(mut stream: SelectedStream, counters: Arc<OperatorMetrics>) -> SelectedStream {
    let polled = move |context: &mut Context<'_>| {
        let polled = counters.charge(|| stream.poll_next_unpin(context));
        if let Poll::Ready(Some(Ok(selected))) = &polled {
            counters.count(&selected.batch, selected.rows.len());
        }
        polled
    };
    futures::stream::poll_fn(polled).boxed()
}

/// Work on another thread that is charged to the operator which begins it.
pub fn charged<F: Future>(work: F) -> Charged<F> {
    Charged { counters: OperatorMetrics::working(), work: Box::pin(work) }
}

/// Such work.
pub struct Charged<F> {
    counters: Option<Arc<OperatorMetrics>>,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for Charged<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Charged { counters, work } = self.get_mut();
        match counters {
            Some(counters) => counters.charge(|| work.as_mut().poll(context)),
            None => work.as_mut().poll(context),
        }
    }
}
