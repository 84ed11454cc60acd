//! One node of DataFusion's plans for all operators of ours.

use airloom_compute::data::Selected;
use airloom_compute::data::critical_path::OperatorId;
use airloom_io::metrics::{OperatorMetrics, SelectedStream, counted, counted_selected};
use airloom_io::source::SplitsExec;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{Result, internal_err};
use datafusion_execution::TaskContext;
use datafusion_physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion_physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion_physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use std::fmt;
use std::sync::Arc;
use tracing::debug_span;

/// A stream of batches.
pub type Stream = datafusion_execution::SendableRecordBatchStream;

/// What an operator does with its inputs.
pub trait Operator: Send + Sync + 'static {
    /// Its name in plans.
    fn name(&self) -> &'static str;

    /// What it does, in plans.
    fn describe(&self) -> String;

    /// How many rows a partition has, where that is known before it runs.
    fn rows(&self, _partition: usize, _inputs: &[Arc<dyn ExecutionPlan>]) -> Option<usize> {
        None
    }

    /// One of its partitions. It is asked for each once.
    fn run(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<Stream>;

    /// As [`Operator::run`], for a reader that takes rows as they are selected: no column is made smaller for it.
    fn run_selected(&self, partition: usize, inputs: &[Arc<dyn ExecutionPlan>], context: &Arc<TaskContext>) -> Result<SelectedStream> {
        Ok(all_selected(self.run(partition, inputs, context)?))
    }
}

/// An operator with its inputs: a node of a plan.
pub struct OperatorExec {
    operator: Arc<dyn Operator>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    id: OperatorId,
}

impl OperatorExec {
    /// An operator with `partitions` output partitions of rows of a schema.
    pub fn plan(
        operator: impl Operator,
        inputs: Vec<Arc<dyn ExecutionPlan>>,
        schema: SchemaRef,
        partitions: usize,
    ) -> Arc<dyn ExecutionPlan> {
        // What the plan knows of order and partitioning is in the plan. DataFusion is told what holds of every operator.
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Both,
            Boundedness::Bounded,
        );
        let (operator, metrics) = (Arc::new(operator), ExecutionPlanMetricsSet::new());
        Arc::new(OperatorExec { operator, inputs, properties: Arc::new(properties), metrics, id: OperatorId::new() })
    }
}

impl OperatorExec {
    /// Which operator of a run it is.
    pub fn id(&self) -> OperatorId {
        self.id
    }

    fn counters(&self, partition: usize, context: &TaskContext) -> Arc<OperatorMetrics> {
        let span = debug_span!("operator", name = self.operator.name(), partition);
        OperatorMetrics::new(self.id, &self.metrics, partition, context, span)
    }
}

impl fmt::Debug for OperatorExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operator.name(), self.operator.describe())
    }
}

impl DisplayAs for OperatorExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.operator.describe();
        if what.is_empty() { f.write_str(self.operator.name()) } else { write!(f, "{}: {what}", self.operator.name()) }
    }
}

impl ExecutionPlan for OperatorExec {
    fn name(&self) -> &str {
        self.operator.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn apply_expressions(&self, _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    /// Operators are built from plans of ours, and hold what they have computed of their inputs: with others they would be wrong.
    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let same = children.len() == self.inputs.len() && children.iter().zip(&self.inputs).all(|(new, old)| Arc::ptr_eq(new, old));
        if same { Ok(self) } else { internal_err!("`{}` was given other inputs than it was built with", self.operator.name()) }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<Stream> {
        let counters = self.counters(partition, &context);
        let stream = counters.charge(|| self.operator.run(partition, &self.inputs, &context))?;
        Ok(counted(stream, counters))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Batches all of whose rows are selected.
pub fn all_selected(batches: Stream) -> SelectedStream {
    batches.map(|batch| batch.map(Selected::all)).boxed()
}

/// A partition of a plan, for a reader that takes rows as they are selected.
pub fn execute_selected(plan: &Arc<dyn ExecutionPlan>, partition: usize, context: &Arc<TaskContext>) -> Result<SelectedStream> {
    let Some(own) = plan.downcast_ref::<OperatorExec>() else {
        return Ok(all_selected(plan.execute(partition, context.clone())?));
    };
    let counters = own.counters(partition, context);
    let stream = counters.charge(|| own.operator.run_selected(partition, &own.inputs, context))?;
    Ok(counted_selected(stream, counters))
}

/// How many rows a partition of a plan has, where that is known before it runs.
pub fn rows_of(plan: &Arc<dyn ExecutionPlan>, partition: usize) -> Option<usize> {
    if let Some(scan) = plan.downcast_ref::<SplitsExec>() {
        return scan.rows(partition);
    }
    let operator = plan.downcast_ref::<OperatorExec>()?;
    operator.operator.rows(partition, &operator.inputs)
}

/// A stream of a schema.
pub fn stream_of(schema: SchemaRef, stream: impl futures::Stream<Item = Result<RecordBatch>> + Send + 'static) -> Stream {
    Box::pin(RecordBatchStreamAdapter::new(schema, stream))
}
