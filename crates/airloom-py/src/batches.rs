//! The rows of a function, handed out while they are computed.

use crate::errors::{Error, program_error};
use crate::function::Function;
use crate::interrupt::{POLL, begin};
use crate::rules::lending;
use crate::run::{Asked, bind, prepare, read_arguments, read_hosts, read_sources};
use crate::session::RunOptions;
use crate::table::Table;
use crate::types::Type;
use airloom::arrow::array::RecordBatch;
use airloom::backend::Failure;
use airloom::data::{Relation, batch_size, schema_of};
use airloom::ir::module::Module;
use airloom::ir::types::{Fields, Ty, TyId};
use airloom::sink::Output;
use airloom::{Cancel, Schedule};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
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
        loop {
            // Other threads of Python's go on while this one waits: the run may call functions on them.
            let handed = py.detach(|| self.wait());
            match handed {
                None => return Ok(None),
                Some(Ok(Ok(batches))) => return self.table(py, batches).map(Some),
                Some(Ok(Err(error))) => {
                    self.stop();
                    return Err(error.into_py(py));
                }
                Some(Err(RecvTimeoutError::Disconnected)) => self.stop(),
                Some(Err(RecvTimeoutError::Timeout)) => py.check_signals().inspect_err(|_| self.stop())?,
            }
        }
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

    fn table(&self, py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Table> {
        let types = self.program.graph.types();
        let fields = fields_of(&self.program, self.result).expect("invariant `the result is a relation`");
        let relation = Relation { schema: schema_of(types, fields), batches: batches.into() };
        Table::of_relation(types, fields, &relation, Type::of(types, self.result)).map_err(|message| program_error(py, message))
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
