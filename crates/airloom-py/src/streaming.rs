//! The rows of a function as Parquet, written as they are computed.

use crate::allocator::give_back;
use crate::capsule::schema_of;
use crate::errors::program_error;
use crate::function::Function;
use crate::interrupt::interruptible;
use crate::rules::lending;
use crate::run::{Asked, bind, prepare, read_hosts, read_sources};
use crate::session::RunOptions;
use crate::writing::{ROW_GROUP_ROWS, compression_of, own_file, unwritten};
use airloom::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use airloom::arrow::compute::{cast, nullif};
use airloom::arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type, SchemaRef};
use airloom::arrow::error::ArrowError;
use airloom::backend::Failure;
use airloom::sink::{Output, ParquetColumns, ParquetLayout, Unwritten};
use airloom::{Cancel, Schedule};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

/// How many rows are encoded together.
const ENCODED_ROWS: usize = 1 << 17;
/// The share of the memory that a row group takes while it is written.
const ROW_GROUP_SHARE: usize = 16;

/// A Parquet file whose rows are written, and whose words are not: these may depend on how many rows there are.
#[pyclass(frozen, module = "airloom._native")]
pub(crate) struct ParquetStream {
    file: Mutex<Option<ParquetColumns<File>>>,
    cancel: Cancel,
    /// How many rows were written.
    #[pyo3(get)]
    rows: usize,
    /// The first of the labels that were watched, and how far apart they are, where all of them are as far: pandas may hold them as a range.
    #[pyo3(get)]
    spacing: Option<(i64, i64)>,
}

#[pymethods]
impl ParquetStream {
    /// The file is whole, with these words in it, by name.
    fn finish(&self, py: Python<'_>, metadata: Vec<(String, String)>) -> PyResult<()> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).take();
        let file = file.ok_or_else(|| program_error(py, "the file is finished already"))?;
        interruptible(py, &self.cancel, move || file.finish(metadata).map_err(unwritten))
    }
}

/// Runs a function, and writes its rows to an open file as they are computed. `schema` has the columns of the file, in the order of the function's, which may have more; floats of the columns
/// in `nan_is_null` are null where they are NaN; `labels` is a column of the function of which it is watched whether its integers are evenly spaced.
#[pyfunction]
#[pyo3(signature = (function, sources, schema, nan_is_null, labels, compression, level, descriptor, options))]
pub(crate) fn stream_parquet(
    py: Python<'_>,
    function: &Function,
    sources: &Bound<'_, PyDict>,
    schema: &Bound<'_, PyAny>,
    nan_is_null: Vec<bool>,
    labels: Option<usize>,
    compression: &str,
    level: i32,
    descriptor: i32,
    options: RunOptions,
) -> PyResult<ParquetStream> {
    let Some(schema) = schema_of(schema)? else { return Err(program_error(py, "expected a schema of Arrow's")) };
    let layout = ParquetLayout {
        schema: Arc::new(schema),
        compression: compression_of(py, compression, level)?,
        row_group_rows: ROW_GROUP_ROWS,
        row_group_bytes: options.memory() / ROW_GROUP_SHARE,
        threads: options.threads,
    };
    let prepared = prepare(py, function, &options)?;
    let sources = read_sources(&prepared, sources, Asked::Run)?;
    let hosts = read_hosts(py, prepared.program(), function, &PyDict::new(py))?;
    let cancel = Cancel::default();
    let bindings = bind(Vec::new(), sources, &hosts, &cancel);
    let (file, own) = (own_file(descriptor)?, cancel.clone());
    let work = move || {
        let schema = layout.schema.clone();
        let file = ParquetColumns::new(layout, &own, file).map_err(unwritten)?;
        let state = State { file: Some(file), waiting: Vec::new(), waiting_rows: 0, rows: 0, spacing: Spacing::default(), failed: None };
        let state = Arc::new(Mutex::new(state));
        let taken = state.clone();
        let take = move |batch: RecordBatch| {
            let mut state = taken.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(labels) = labels {
                state.spacing.take(batch.column(labels));
            }
            let written = converted(&batch, &schema, &nan_is_null).map_err(|error| Unwritten::Unsayable(error.to_string()));
            let written = written.and_then(|rows| state.take(rows));
            written.map_err(|error| {
                state.failed = Some(error);
                // Whoever asked looks for the reason first.
                Failure::Cancelled
            })
        };
        let output = Some(Arc::new(Output::Batches(Box::new(take))));
        let how = airloom::RunOptions { cancel: own, oracle: options.oracle, schedule: Some(Schedule::Pool), output };
        let ran = lending(&hosts, || Ok(prepared.run(bindings, &how)?));
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.failed.take() {
            return Err(unwritten(error));
        }
        ran?;
        state.encode().map_err(unwritten)?;
        Ok((state.file.take(), state.rows, state.spacing.even()))
    };
    let (file, rows, spacing) = interruptible(py, &cancel, work)?;
    Ok(ParquetStream { file: Mutex::new(file), cancel, rows, spacing })
}

/// Rows on their way into the file.
struct State {
    file: Option<ParquetColumns<File>>,
    waiting: Vec<RecordBatch>,
    waiting_rows: usize,
    rows: usize,
    spacing: Spacing,
    failed: Option<Unwritten>,
}

impl State {
    fn take(&mut self, rows: RecordBatch) -> Result<(), Unwritten> {
        self.rows += rows.num_rows();
        self.waiting_rows += rows.num_rows();
        self.waiting.push(rows);
        if self.waiting_rows < ENCODED_ROWS { Ok(()) } else { self.encode() }
    }

    fn encode(&mut self) -> Result<(), Unwritten> {
        self.waiting_rows = 0;
        let waiting = std::mem::take(&mut self.waiting);
        let written = self.file.as_mut().map_or(Ok(()), |file| file.write(&waiting));
        drop(waiting);
        give_back();
        written
    }
}

/// Whether integers are as far apart from one another, all of them.
#[derive(Default)]
struct Spacing {
    first: Option<i64>,
    last: Option<i64>,
    step: Option<i64>,
    uneven: bool,
}

impl Spacing {
    fn take(&mut self, labels: &ArrayRef) {
        let Some(labels) = labels.as_primitive_opt::<Int64Type>().filter(|_| !self.uneven) else { return };
        self.first = self.first.or_else(|| labels.values().first().copied());
        for &label in labels.values() {
            if let Some(last) = self.last.replace(label) {
                let step = label.wrapping_sub(last);
                self.uneven = *self.step.get_or_insert(step) != step;
                if self.uneven {
                    return;
                }
            }
        }
    }

    /// The first of them, and how far apart they are, where there are two and all are as far.
    fn even(&self) -> Option<(i64, i64)> {
        self.first.zip(self.step).filter(|(_, step)| !self.uneven && *step != 0)
    }
}

/// Rows with the columns of the file.
fn converted(batch: &RecordBatch, schema: &SchemaRef, nan_is_null: &[bool]) -> Result<RecordBatch, ArrowError> {
    let column = |((column, field), &nan_is_null): ((&ArrayRef, &Arc<airloom::arrow::datatypes::Field>), &bool)| {
        let column = if nan_is_null { without_nan(column)? } else { column.clone() };
        if column.data_type() == field.data_type() { Ok(column) } else { cast(&column, field.data_type()) }
    };
    let columns = batch.columns().iter().zip(schema.fields()).zip(nan_is_null).map(column).collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new(schema.clone(), columns)
}

fn without_nan(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let nan = match column.data_type() {
        DataType::Float64 => BooleanArray::from_unary(column.as_primitive::<Float64Type>(), f64::is_nan),
        DataType::Float32 => BooleanArray::from_unary(column.as_primitive::<Float32Type>(), f32::is_nan),
        _ => return Ok(column.clone()),
    };
    if nan.has_true() { nullif(column, &nan) } else { Ok(column.clone()) }
}
