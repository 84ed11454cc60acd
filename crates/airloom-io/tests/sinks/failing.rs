//! What fails leaves nothing behind.

use crate::plans::{everything, numbers, parquet, run_write, target};
use crate::support::Directory;
use airloom_compute::data::ErrorKind;
use airloom_io::sink::{CsvWriting, Format, IpcWriting, Layout, Overwrite, Target, write};
use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::DataFusionError;
use datafusion_execution::TaskContext;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::StreamExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let directory = Directory::new();
    let small = directory.path().join("small");
    std::fs::create_dir(&small).expect("a directory");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&small).status();
    if !mounted.is_ok_and(|status| status.success()) {
        std::io::Write::write_all(&mut std::io::stderr(), b"skipped: a small file system cannot be mounted here\n").expect("stderr");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        for format in [parquet(), Format::Csv(CsvWriting::plain()), Format::Json, Format::Ipc(IpcWriting::plain())] {
            for (layout, by) in [(Layout::OneFile, vec![]), (Layout::Parts, vec![]), (Layout::Parts, vec!["group".to_string()])] {
                let target = Target { partition_by: by, ..target(&small.join("n"), format.clone(), layout, Overwrite::Replace) };
                let error = run_write(numbers(200_000, 4), &target).expect_err("the disk is too small");
                assert_eq!(error.kind(), ErrorKind::World, "{error}");
                assert!(error.to_string().contains("the disk is full"), "{error}");
                assert_eq!(everything(&small), Vec::<String>::new(), "after {format:?}, {layout:?}");
            }
        }
        // What was there before is there after.
        let target = target(&small.join("n"), parquet(), Layout::Parts, Overwrite::Replace);
        run_write(numbers(100, 2), &target).expect("there is room for this");
        let before = everything(&small);
        run_write(numbers(200_000, 4), &target).expect_err("the disk is too small");
        assert_eq!(everything(&small), before);
    });
    let unmounted = Command::new("umount").arg(&small).status();
    outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    assert!(unmounted.is_ok_and(|status| status.success()));
}

/// Some rows, then an error, or then nothing for ever.
#[derive(Debug)]
struct Faltering {
    schema: SchemaRef,
    fails: bool,
}

impl PartitionStream for Faltering {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> datafusion_execution::SendableRecordBatchStream {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), vec![numbers]).expect("fits");
        let rows = futures::stream::iter(vec![Ok(batch.clone()), Ok(batch)]);
        let rows = match self.fails {
            true => rows.chain(futures::stream::iter(vec![Err(DataFusionError::Execution("overflow in `add`".into()))])).boxed(),
            false => rows.chain(futures::stream::pending()).boxed(),
        };
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), rows))
    }
}

fn faltering(fails: bool) -> Arc<dyn ExecutionPlan> {
    let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
    let partition = || Arc::new(Faltering { schema: Arc::clone(&schema), fails }) as Arc<dyn PartitionStream>;
    Arc::new(StreamingTableExec::try_new(Arc::clone(&schema), vec![partition(), partition()], None, vec![], false, None).expect("a plan"))
}

#[test]
fn a_plan_that_fails_leaves_nothing_behind() {
    let directory = Directory::new();
    for layout in [Layout::OneFile, Layout::Parts] {
        let error =
            run_write(faltering(true), &target(&directory.path().join("n"), parquet(), layout, Overwrite::Refuse)).expect_err("it fails");
        assert!(error.to_string().contains("overflow in `add`"), "{error}");
        assert_eq!(everything(directory.path()), Vec::<String>::new());
    }
}

#[test]
fn a_write_that_is_given_up_leaves_nothing_behind() {
    let directory = Directory::new();
    for layout in [Layout::OneFile, Layout::Parts] {
        let target = target(&directory.path().join("n"), Format::Csv(CsvWriting::plain()), layout, Overwrite::Refuse);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
        runtime.block_on(async {
            let writing = write(faltering(false), Arc::new(TaskContext::default()), &target);
            let given_up = tokio::time::timeout(Duration::from_millis(300), writing).await;
            assert!(given_up.is_err());
        });
        drop(runtime);
        assert_eq!(everything(directory.path()), Vec::<String>::new(), "after giving up {layout:?}");
    }
}
