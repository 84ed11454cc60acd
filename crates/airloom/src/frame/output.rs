//! Frames computed: into memory, into files, or into words.

use super::lazy::{Frame, shown};
use crate::arrow::array::RecordBatch;
use crate::data::Datum;
use crate::session::Error;
use crate::sink::{CsvWriting, Format, IpcWriting, Layout, Overwrite, ParquetWriting, Target, Written};
use crate::{Cancel, PhysicalPlan};
use airloom_ir::graph::NodeId;
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::text;
use airloom_ir::value::Value;
use std::path::Path;

/// What the function of a frame is called.
const FUNCTION: &str = "frame";

impl Frame {
    /// Its rows, in order.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let batches = sales(&session)?.select(["city"])?.collect()?;
    /// assert!(batches.iter().all(|batch| batch.num_columns() == 1));
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn collect(&self) -> Result<Vec<RecordBatch>, Error> {
        self.collect_until(&Cancel::default())
    }

    /// Its rows, unless another thread cancels first.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// use airloom::{Cancel, Error};
    ///
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let cancel = Cancel::default();
    /// cancel.cancel();
    /// assert!(matches!(sales(&session)?.collect_until(&cancel), Err(Error::Cancelled)));
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn collect_until(&self, cancel: &Cancel) -> Result<Vec<RecordBatch>, Error> {
        cancel.check().map_err(|_| Error::Cancelled)?;
        let (module, lambda) = self.function(self.node)?;
        Ok(self.session.rows(&module, FUNCTION, lambda, cancel)?.batches.to_vec())
    }

    /// How many rows there are.
    pub fn count(&self) -> Result<u64, Error> {
        let mut frame = self.clone();
        let module = std::sync::Arc::make_mut(&mut frame.module);
        let rows = module.graph.rows(frame.node).map_err(|error| Error::broken(shown(error)))?;
        let (module, _) = frame.function(rows)?;
        match self.session.call(&module, FUNCTION, &[], &Cancel::default())? {
            Datum::Value(Value::Int(count)) => Ok(u64::try_from(count).unwrap_or(0)),
            other => Err(Error::broken(format!("invariant `rows are counted in integers`: found {other:?}"))),
        }
    }

    /// What becomes of it before it runs: as written, after each stage, which rules fired for which line, and its physical plan.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let twice = sales(&session)?.filter(col("amount").gt(1))?.filter(col("price").gt(1))?;
    /// let text = twice.explain()?;
    /// assert!(text.contains("as written:") && text.contains("rules that fired:"), "{text}");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn explain(&self) -> Result<String, Error> {
        let (module, _) = self.function(self.node)?;
        self.session.explain(&module, FUNCTION)
    }

    /// How it would be run: a tree of nodes, which prints as text and as JSON. Nothing is computed.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions { threads: 1, ..SessionOptions::from_environment()? })?;
    /// let frame = sales(&session)?.filter(col("amount").gt(1))?.group_by(["city"]).agg([col("price").sum().alias("total")])?;
    /// let plan = frame.physical_plan()?;
    /// let ops: Vec<&str> = plan.nodes().iter().map(|node| node.op.as_str()).collect();
    /// assert_eq!(ops, ["group", "scan"]);
    /// assert!(plan.to_string().contains("by city: total = sum(price)"), "{plan}");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn physical_plan(&self) -> Result<PhysicalPlan, Error> {
        let (module, _) = self.function(self.node)?;
        self.session.physical_plan(&module, FUNCTION)
    }

    /// Runs it, and reports what each node of its physical plan made and what that took; its rows are left behind.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # use airloom::col;
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// let plan = sales(&session)?.filter(col("price").gt(2.0))?.analyze()?;
    /// let counts = plan.parts[0].counts.unwrap();
    /// assert!(counts.rows < 4 && counts.spilled_files == 0, "{plan}");
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn analyze(&self) -> Result<PhysicalPlan, Error> {
        let (module, _) = self.function(self.node)?;
        self.session.analyze(&module, FUNCTION, &[], &Cancel::default()).map(|(_, plan)| plan)
    }

    /// The program that it is, in the text form.
    pub fn to_text(&self) -> Result<String, Error> {
        let (module, lambda) = self.function(self.node)?;
        Ok(text::print_function(&module.graph, &module.hints, FUNCTION, lambda))
    }

    /// Writes its rows to a Parquet file, replacing what is there.
    pub fn write_parquet(&self, path: impl AsRef<Path>) -> Result<Written, Error> {
        self.write(&target(path.as_ref(), Format::Parquet(ParquetWriting::plain())))
    }

    /// Writes its rows to a text file with a header, replacing what is there.
    ///
    /// ```
    /// # use airloom::{Session, SessionOptions, doc::sales};
    /// # let session = Session::new(SessionOptions::from_environment()?)?;
    /// # let path = std::env::temp_dir().join(format!("airloom-doc-write-{}.csv", std::process::id()));
    /// sales(&session)?.select(["city", "price"])?.limit(1)?.write_csv(&path)?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "city,price\nRome,2.5\n");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), airloom::Error>(())
    /// ```
    pub fn write_csv(&self, path: impl AsRef<Path>) -> Result<Written, Error> {
        self.write(&target(path.as_ref(), Format::Csv(CsvWriting::plain())))
    }

    /// Writes its rows to a file with a JSON object on each line, replacing what is there.
    pub fn write_json(&self, path: impl AsRef<Path>) -> Result<Written, Error> {
        self.write(&target(path.as_ref(), Format::Json))
    }

    /// Writes its rows to an Arrow file, replacing what is there.
    pub fn write_ipc(&self, path: impl AsRef<Path>) -> Result<Written, Error> {
        self.write(&target(path.as_ref(), Format::Ipc(IpcWriting::plain())))
    }

    /// Writes its rows where and how a target says, as they are computed: they are not held. Either all is written, or there is nothing.
    pub fn write(&self, target: &Target) -> Result<Written, Error> {
        self.write_until(target, &Cancel::default())
    }

    /// As [`Frame::write`], unless `cancel` is cancelled first.
    pub fn write_until(&self, target: &Target, cancel: &Cancel) -> Result<Written, Error> {
        let (module, lambda) = self.function(self.node)?;
        self.session.write(&module, FUNCTION, lambda, target, cancel)
    }

    /// A program of one function, which gives a node of this frame's graph.
    fn function(&self, node: NodeId) -> Result<(Module, NodeId), Error> {
        let mut module = Module::clone(&self.module);
        let lambda = module.graph.function(&[], node).map_err(|error| Error::broken(shown(error)))?;
        module.functions.push(Function { name: Name::new(FUNCTION), lambda });
        Ok((module, lambda))
    }
}

fn target(path: &Path, format: Format) -> Target {
    Target {
        url: path.to_string_lossy().into_owned(),
        format,
        layout: Layout::OneFile,
        partition_by: Vec::new(),
        overwrite: Overwrite::Replace,
        store: Vec::new(),
    }
}
