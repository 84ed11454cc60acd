//! The plan over a table that is read in contiguous pieces, one for each partition.

use crate::failure::to_datafusion;
use crate::metrics::{OperatorMetrics, counted};
use crate::source::table::PartitionSize;
use airloom_compute::data::Failure;
use airloom_compute::data::critical_path::OperatorId;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::Result;
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion_physical_plan::coop::cooperative;
use datafusion_physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions, SchedulingType};
use datafusion_physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::stream::BoxStream;
use std::fmt::{self, Debug};
use std::sync::Arc;
use tracing::debug_span;

/// The batches of one piece.
pub(crate) type Batches = BoxStream<'static, Result<RecordBatch>>;

/// A batch in batches of `rows` rows.
pub(crate) fn cut_batch(batch: &RecordBatch, rows: usize) -> Vec<Result<RecordBatch>> {
    (0..batch.num_rows()).step_by(rows).map(|at| Ok(batch.slice(at, rows.min(batch.num_rows() - at)))).collect()
}

/// Rows in pieces, each of which can be opened on its own.
pub(crate) trait Splits: Send + Sync + Debug {
    /// What the plan is called where it is shown, such as `memory`.
    fn kind(&self) -> &'static str;

    /// More about it, to be shown beside its kind.
    fn detail(&self) -> String;

    /// How many pieces there are, at least one.
    fn count(&self) -> usize;

    /// The batches of a piece. `metrics` counts for the partition; the rows and time of the stream are counted by the plan.
    fn open(self: Arc<Self>, piece: usize, context: &Arc<TaskContext>, metrics: &ExecutionPlanMetricsSet) -> Result<Batches, Failure>;

    /// How many rows a piece has, where that is known without reading it.
    fn rows(&self, _piece: usize) -> Option<usize> {
        None
    }

    /// What each piece reads, where that is known without reading it.
    fn sizes(&self) -> Vec<PartitionSize> {
        Vec::new()
    }

    /// The SQL text that is sent, where it is a query.
    fn query(&self) -> Option<&str> {
        None
    }

    /// The columns that have a dynamic filter: only rows with values of a join's build side are read.
    fn learned(&self) -> Vec<&str> {
        Vec::new()
    }

    /// What a plan inside counted, where there is one.
    fn metrics(&self) -> Option<MetricsSet> {
        None
    }
}

/// Reads rows piece by piece.
#[derive(Debug)]
pub struct SplitsExec {
    pieces: Arc<dyn Splits>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    id: OperatorId,
}

impl SplitsExec {
    pub(crate) fn new(schema: SchemaRef, pieces: Arc<dyn Splits>) -> SplitsExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(pieces.count()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        SplitsExec { pieces, schema, properties: Arc::new(properties), metrics: ExecutionPlanMetricsSet::new(), id: OperatorId::new() }
    }

    /// What is read, such as `parquet`.
    pub fn kind(&self) -> &'static str {
        self.pieces.kind()
    }

    /// How many rows a partition has, where that is known without reading it.
    pub fn rows(&self, partition: usize) -> Option<usize> {
        self.pieces.rows(partition)
    }

    /// What each partition reads of files, where that is known without reading them.
    pub fn sizes(&self) -> Vec<PartitionSize> {
        self.pieces.sizes()
    }

    /// The SQL text that is sent, where it is a query.
    pub fn query(&self) -> Option<&str> {
        self.pieces.query()
    }

    /// The columns that have a dynamic filter: only rows with values of a join's build side are read.
    pub fn learned(&self) -> Vec<&str> {
        self.pieces.learned()
    }

    /// Which operator of a run it is.
    pub fn id(&self) -> OperatorId {
        self.id
    }

    /// What passed through it, whatever a plan inside counted.
    pub fn counted(&self) -> MetricsSet {
        self.metrics.clone_inner()
    }
}

impl DisplayAs for SplitsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SplitsExec: {}, pieces={}, {}", self.pieces.kind(), self.pieces.count(), self.pieces.detail())
    }
}

impl ExecutionPlan for SplitsExec {
    fn name(&self) -> &'static str {
        "SplitsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn replace_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>, _: ReplaceChildrenOptions) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(&self, _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let span = debug_span!("scan", kind = self.pieces.kind(), partition);
        let counters = OperatorMetrics::new(self.id, &self.metrics, partition, &context, span);
        let open = || Arc::clone(&self.pieces).open(partition, &context, &self.metrics);
        let batches = counters.charge(open).map_err(to_datafusion)?;
        let rows = cooperative(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches));
        Ok(counted(Box::pin(rows), counters))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.pieces.metrics().unwrap_or_else(|| self.metrics.clone_inner()))
    }
}
