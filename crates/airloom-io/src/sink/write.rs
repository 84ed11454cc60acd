//! Runs a plan and writes its rows.

use super::parquet::ROW_GROUP_SHARE;
use super::partitioned::{Divided, OpenFile};
use super::stage::Stage;
use super::target::{Format, Layout, Target};
use crate::failure::from_datafusion;
use airloom_compute::data::{Failure, SourceError};
use arrow::array::RecordBatch;
use datafusion_common::DataFusionError;
use datafusion_execution::TaskContext;
use datafusion_execution::memory_pool::MemoryLimit;
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How many batches of a partition wait while those before it are written.
const WAITING: usize = 8;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many rows.
    pub rows: u64,
    /// How many bytes, in all files.
    pub bytes: u64,
    /// The files, in the order of their rows.
    pub files: Vec<String>,
}

/// Runs a plan and writes its rows, partition after partition, each in its order. Either all is written, or there is nothing: also where the disk is full
/// in the middle, where the plan fails, and where the future is dropped before it is done.
pub async fn write(plan: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>, target: &Target) -> Result<Written, Failure> {
    let target = within_memory(target.clone(), &context);
    let stage = Arc::new(Stage::new(&target).await?);
    let mut written = match target.layout {
        Layout::OneFile => write_file(&plan, &context, &target, &stage).await?,
        Layout::Parts => write_parts(&plan, &context, &target, &stage).await?,
    };
    let stage = Arc::into_inner(stage).ok_or_else(|| SourceError::broken("a part is still being written after all were"))?;
    written.files = stage.commit().await?;
    Ok(written)
}

/// The target, whose row groups take no more than a share of the memory of the run.
fn within_memory(mut target: Target, context: &TaskContext) -> Target {
    if let (Format::Parquet(writing), MemoryLimit::Finite(memory)) = (&mut target.format, context.memory_pool().memory_limit()) {
        let files = if target.layout == Layout::OneFile { 1 } else { context.session_config().target_partitions() };
        writing.row_group_bytes = writing.row_group_bytes.min(memory / (ROW_GROUP_SHARE * files.max(1)));
    }
    target
}

/// One file: partitions run side by side, and are written one after the other.
async fn write_file(plan: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>, target: &Target, stage: &Stage) -> Result<Written, Failure> {
    let mut file = OpenFile::begin(stage, String::new(), &target.format, &plan.schema()).await?;
    let mut rows = 0;
    let mut running = JoinSet::new();
    let mut partitions = Vec::new();
    for partition in 0..plan.output_partitioning().partition_count() {
        let (sender, receiver) = mpsc::channel::<Result<RecordBatch, DataFusionError>>(WAITING);
        let mut stream = plan.execute(partition, Arc::clone(context)).map_err(|error| from_datafusion(&error))?;
        running.spawn(async move {
            while let Some(batch) = stream.next().await {
                let failed = batch.is_err();
                if sender.send(batch).await.is_err() || failed {
                    break;
                }
            }
        });
        partitions.push(receiver);
    }
    for mut partition in partitions {
        while let Some(batch) = partition.recv().await {
            let batch = batch.map_err(|error| from_datafusion(&error))?;
            rows += batch.num_rows() as u64;
            file.write(&batch).await?;
        }
    }
    // A partition that panicked closed its channel as one that is done does.
    while let Some(ended) = running.join_next().await {
        ended.map_err(|error| SourceError::broken(format!("a partition could not be run to its end: {error}")))?;
    }
    Ok(Written { rows, bytes: file.end(stage).await?, files: Vec::new() })
}

/// Many files: each partition writes its own, side by side with the others.
async fn write_parts(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
    target: &Target,
    stage: &Arc<Stage>,
) -> Result<Written, Failure> {
    let mut running = JoinSet::new();
    for part in 0..plan.output_partitioning().partition_count() {
        running.spawn(write_part(Arc::clone(plan), Arc::clone(context), target.clone(), Arc::clone(stage), part));
    }
    let mut written = Written::default();
    while let Some(ended) = running.join_next().await {
        let ended =
            ended.unwrap_or_else(|error| Err(SourceError::broken(format!("a part could not be written to its end: {error}")).into()));
        match ended {
            Ok(part) => {
                written.rows += part.rows;
                written.bytes += part.bytes;
            }
            Err(error) => {
                // The others are stopped before the error is reported, so that what they wrote is gone by then.
                running.shutdown().await;
                return Err(error);
            }
        }
    }
    // Without rows there is still a schema to be read, where it is stored in files and not in the names of directories.
    if written.rows == 0 && target.partition_by.is_empty() {
        let file = OpenFile::begin(stage, stage.part_name("", 0, 0), &target.format, &plan.schema()).await?;
        written.bytes = file.end(stage).await?;
    }
    Ok(written)
}

async fn write_part(
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    target: Target,
    stage: Arc<Stage>,
    part: usize,
) -> Result<Written, Failure> {
    let (sender, mut receiver) = mpsc::channel::<Result<RecordBatch, DataFusionError>>(WAITING);
    let mut stream = plan.execute(part, context).map_err(|error| from_datafusion(&error))?;
    let mut running = JoinSet::new();
    running.spawn(async move {
        while let Some(batch) = stream.next().await {
            let failed = batch.is_err();
            if sender.send(batch).await.is_err() || failed {
                break;
            }
        }
    });
    let mut rows = 0;
    let mut whole: Option<OpenFile> = None;
    let mut divided = match target.partition_by.as_slice() {
        [] => None,
        by => Some(Divided::new(&stage, &target.format, &plan.schema(), by, part)?),
    };
    while let Some(batch) = receiver.recv().await {
        let batch = batch.map_err(|error| from_datafusion(&error))?;
        if batch.num_rows() == 0 {
            continue;
        }
        rows += batch.num_rows() as u64;
        if let Some(divided) = &mut divided {
            divided.write(&batch).await?;
            continue;
        }
        let file = match &mut whole {
            Some(file) => file,
            None => whole.insert(OpenFile::begin(&stage, stage.part_name("", part, 0), &target.format, &plan.schema()).await?),
        };
        file.write(&batch).await?;
    }
    while let Some(ended) = running.join_next().await {
        ended.map_err(|error| SourceError::broken(format!("a partition could not be run to its end: {error}")))?;
    }
    let mut bytes = 0;
    if let Some(file) = whole {
        bytes += file.end(&stage).await?;
    }
    if let Some(divided) = divided {
        bytes += divided.end().await?;
    }
    Ok(Written { rows, bytes, files: Vec::new() })
}
