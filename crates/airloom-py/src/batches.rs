//! The rows of a function, handed out while they are computed.

use crate::capsule::{cast_all, reader_capsule, schema_capsule, schema_for};
use crate::errors::{Error, program_error};
use crate::function::Function;
use crate::interrupt::{POLL, begin};
use crate::physical::from_relation;
use crate::rules::lending;
use crate::run::{Asked, bind, prepare, read_arguments, read_hosts, read_sources};
use crate::session::RunOptions;
use crate::table::Table;
use crate::types::Type;
use airloom::arrow::array::{RecordBatch, RecordBatchReader};
use airloom::arrow::datatypes::SchemaRef;
use airloom::arrow::error::ArrowError;
use airloom::backend::Failure;
use airloom::data::{Relation, batch_size, schema_of};
use airloom::ir::module::Module;
use airloom::ir::types::{Fields, Ty, TyId, Types};
use airloom::sink::Output;
use airloom::{Cancel, Schedule};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// How many rows are handed out at once, about: what a consumer does for each table, however few rows it has, is little beside theirs.
const TABLE_ROWS: usize = 1 << 17;
/// How many bytes of them: rows that wait are not counted in the memory of the run.
const TABLE_BYTES: usize = 1 << 24;
/// How many tables wait to be taken.
const WAITING: usize = 1;

/// Rows that are handed out in order, some at a time. The run waits until they are taken, and ends where nobody will.
#[pyclass(frozen, module = "airloom", name = "Batches")]
pub(crate) struct Batches {
    program: Arc<Module>,
    /// The relation.
    result: TyId,
    cancel: Cancel,
    /// Without one where there are no more.
    receiver: Mutex<Option<Receiver<Handed>>>,
}

/// What is handed over: some rows, or why there are no more.
type Handed = Result<Vec<RecordBatch>, Error>;

/// Begins a function, whose rows are handed out as they are computed. `sources` and `hosts` are the data and the Python functions that it names.
#[pyfunction]
pub(crate) fn stream(
    py: Python<'_>,
    function: &Function,
    args: &Bound<'_, PyTuple>,
    sources: &Bound<'_, PyDict>,
    hosts: &Bound<'_, PyDict>,
    options: RunOptions,
) -> PyResult<Batches> {
    let prepared = prepare(py, function, &options)?;
    let (program, lambda) = (prepared.program().clone(), prepared.function());
    let result = program.graph.ty_id(program.graph.result_of(lambda));
    if fields_of(&program, result).is_none() {
        let found = program.graph.types().show(result);
        return Err(program_error(
            py,
            format!("`{}` makes `{found}`, expected a relation: only rows are handed out in batches", function.name),
        ));
    }
    let args = read_arguments(py, function, &program, lambda, args)?;
    let sources = read_sources(&prepared, sources, Asked::Run)?;
    let hosts = read_hosts(py, &program, function, hosts)?;
    let cancel = Cancel::default();
    let bindings = bind(args, sources, &hosts, &cancel);
    let (sender, receiver) = sync_channel(WAITING);
    let (own, told) = (cancel.clone(), sender.clone());
    let work = move || {
        let rows = Arc::new(Mutex::new(Rows { sender, batches: Vec::new(), rows: 0, bytes: 0 }));
        let taking = rows.clone();
        let take = move |batch| taking.lock().unwrap_or_else(PoisonError::into_inner).take(batch);
        let output = Some(Arc::new(Output::Batches(Box::new(take))));
        let how = airloom::RunOptions { cancel: own, oracle: options.oracle, schedule: Some(Schedule::Pool), output };
        lending(&hosts, || Ok(prepared.run(bindings, &how)?))?;
        // Where nobody takes the last rows, nobody asks for them.
        drop(rows.lock().unwrap_or_else(PoisonError::into_inner).hand_over());
        Ok(())
    };
    let tell = move |ended: Result<(), Error>| {
        if let Err(error) = ended {
            // Where nobody listens any more, the error is that nobody does.
            drop(told.send(Err(error)));
        }
    };
    begin(py, work, tell)?;
    Ok(Batches { program, result, cancel, receiver: Mutex::new(Some(receiver)) })
}

#[pymethods]
impl Batches {
    /// The type of all rows together: a relation.
    #[getter]
    fn r#type(&self) -> Type {
        Type::of(self.program.graph.types(), self.result)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// The next rows, as a table. A run that was stopped gives none.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let Some(batches) = self.take(py)? else { return Ok(None) };
        let (types, fields) = self.fields();
        let relation = Relation { schema: schema_of(types, fields), batches: batches.into() };
        Table::of_relation(types, fields, &relation, Type::of(types, self.result)).map(Some).map_err(|message| program_error(py, message))
    }

    /// The rows that nobody has taken yet, as Arrow's stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        this: PyRef<'py, Self>,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let own = this.schema(py)?;
        let schema = schema_for(py, &own, requested_schema)?;
        reader_capsule(py, Reader { stream: this.into(), own, schema, waiting: VecDeque::new() })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.schema(py)?.as_ref())
    }

    /// Ends the run: there are no more rows.
    fn close(&self, py: Python<'_>) {
        self.cancel.cancel();
        py.detach(|| self.stop());
    }
}

impl Batches {
    /// What is handed over next; nothing where the run was stopped.
    fn wait(&self) -> Option<Result<Handed, RecvTimeoutError>> {
        let held = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|receiver| receiver.recv_timeout(POLL))
    }

    /// The run need not go on.
    fn stop(&self) {
        self.cancel.cancel();
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The next rows in the engine's form.
    fn take(&self, py: Python<'_>) -> PyResult<Option<Vec<RecordBatch>>> {
        loop {
            // Other threads of Python's go on while this one waits: the run may call functions on them.
            let handed = py.detach(|| self.wait());
            match handed {
                None => return Ok(None),
                Some(Ok(Ok(batches))) => return Ok(Some(batches)),
                Some(Ok(Err(error))) => {
                    self.stop();
                    return Err(error.into_py(py));
                }
                Some(Err(RecvTimeoutError::Disconnected)) => self.stop(),
                Some(Err(RecvTimeoutError::Timeout)) => py.check_signals().inspect_err(|_| self.stop())?,
            }
        }
    }

    fn fields(&self) -> (&Types, &Fields) {
        (self.program.graph.types(), fields_of(&self.program, self.result).expect("invariant `the result is a relation`"))
    }

    /// The columns, as consumers know them.
    fn schema(&self, py: Python<'_>) -> PyResult<SchemaRef> {
        let (types, fields) = self.fields();
        let none = Relation { schema: schema_of(types, fields), batches: Arc::default() };
        from_relation(types, fields, &none).map(|(schema, _)| schema).map_err(|message| program_error(py, message))
    }
}

/// Rows for a consumer that knows Arrow alone.
struct Reader {
    stream: Py<Batches>,
    /// The columns as they are, and as the consumer gets them.
    own: SchemaRef,
    schema: SchemaRef,
    waiting: VecDeque<RecordBatch>,
}

impl Reader {
    /// The next rows, as the consumer gets them; none at their end.
    fn read(&self, py: Python<'_>) -> Result<Vec<RecordBatch>, ArrowError> {
        let stream = self.stream.get();
        let Some(batches) = stream.take(py).map_err(|error| ArrowError::ExternalError(Box::new(error)))? else { return Ok(Vec::new()) };
        let (types, fields) = stream.fields();
        let relation = Relation { schema: schema_of(types, fields), batches: batches.into() };
        let (_, batches) = from_relation(types, fields, &relation).map_err(ArrowError::CDataInterface)?;
        if self.own == self.schema {
            return Ok(batches);
        }
        let missed = || ArrowError::CastError(format!("the rows do not fit the schema that was asked for, `{}`", self.schema));
        cast_all(&batches, &self.own, &self.schema).ok_or_else(missed)
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.waiting.is_empty() {
            // Where Python ends, there are no more rows.
            match Python::try_attach(|py| self.read(py))? {
                Ok(batches) => self.waiting.extend(batches),
                Err(error) => return Some(Err(error)),
            }
        }
        self.waiting.pop_front().map(Ok)
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn fields_of(program: &Module, result: TyId) -> Option<&Fields> {
    match program.graph.types().get(result) {
        Ty::Rel(fields) => Some(fields),
        _ => None,
    }
}

/// Rows until there are enough to be handed over.
struct Rows {
    sender: SyncSender<Handed>,
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl Rows {
    fn take(&mut self, batch: RecordBatch) -> Result<(), Failure> {
        self.rows += batch.num_rows();
        self.bytes += batch_size(&batch);
        self.batches.push(batch);
        if self.rows < TABLE_ROWS && self.bytes < TABLE_BYTES { Ok(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> Result<(), Failure> {
        self.bytes = 0;
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        self.sender.send(Ok(std::mem::take(&mut self.batches))).map_err(|_| Failure::Cancelled)
    }
}
