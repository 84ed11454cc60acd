//! Arrow's C data interface in Python capsules, in and out, without a copy.

use crate::errors::program_error;
use crate::physical::wide_batches;
use airloom::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray, make_array};
use airloom::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use airloom::arrow::error::ArrowError;
use airloom::arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use airloom::arrow::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::CStr;
use std::sync::Arc;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Rows as they came: a schema and batches.
pub(crate) struct Rows {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

fn wrong(py: Python<'_>, error: ArrowError) -> PyErr {
    program_error(py, format!("the Arrow data cannot be read: {error}"))
}

/// The C struct that a capsule of this name holds.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

fn take_schema(capsule: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowSchema> {
    let raw = pointer::<FFI_ArrowSchema>(capsule, SCHEMA)?;
    // SAFETY: a capsule of this name holds a valid schema, by the PyCapsule interface; moving out of it leaves an empty one behind, which its destructor passes over.
    Ok(unsafe { FFI_ArrowSchema::from_raw(raw) })
}

fn take_array(capsule: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArray> {
    let raw = pointer::<FFI_ArrowArray>(capsule, ARRAY)?;
    // SAFETY: a capsule of this name holds a valid array, by the PyCapsule interface; moving out of it leaves an empty one behind, which its destructor passes over.
    Ok(unsafe { FFI_ArrowArray::from_raw(raw) })
}

/// The reader of what has `__arrow_c_stream__`.
fn stream(source: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let raw = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
    // SAFETY: a capsule of this name holds a valid stream, by the PyCapsule interface; moving out of it leaves an empty one behind, which its destructor passes over.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(raw) };
    ArrowArrayStreamReader::try_new(stream).map_err(|e| wrong(source.py(), e))
}

/// The columns of anything that has an Arrow schema, or is a table that does; `None` of anything else.
pub(crate) fn schema_of(source: &Bound<'_, PyAny>) -> PyResult<Option<Schema>> {
    let py = source.py();
    if source.hasattr("__arrow_c_schema__")? {
        let schema = take_schema(&source.call_method0("__arrow_c_schema__")?)?;
        return Schema::try_from(&schema).map(Some).map_err(|e| wrong(py, e));
    }
    if source.hasattr("__arrow_c_stream__")? {
        return Ok(Some(stream(source)?.schema().as_ref().clone()));
    }
    Ok(None)
}

/// The type of anything that has one Arrow type, such as pyarrow's `DataType`; `None` of tables and of anything else.
pub(crate) fn data_type_of(source: &Bound<'_, PyAny>) -> PyResult<Option<DataType>> {
    if !source.hasattr("__arrow_c_schema__")? {
        return Ok(None);
    }
    let schema = take_schema(&source.call_method0("__arrow_c_schema__")?)?;
    let found = DataType::try_from(&schema).map_err(|e| wrong(source.py(), e))?;
    Ok(Some(found).filter(|ty| !matches!(ty, DataType::Struct(_))))
}

/// Whether this is Arrow data.
pub(crate) fn is_arrow(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(source.hasattr("__arrow_c_stream__")? || source.hasattr("__arrow_c_array__")?)
}

/// The rows of anything that has `__arrow_c_stream__` or, for a single batch, `__arrow_c_array__`.
pub(crate) fn read_rows(source: &Bound<'_, PyAny>) -> PyResult<Rows> {
    let py = source.py();
    if source.hasattr("__arrow_c_stream__")? {
        let reader = stream(source)?;
        let schema = reader.schema();
        // A reader may have to wait for files, or for Python code of its own.
        let batches = py.detach(|| reader.collect::<Result<Vec<_>, _>>());
        return Ok(Rows { schema, batches: batches.map_err(|e| wrong(py, e))? });
    }
    let array = read_array(source)?;
    let Some(columns) = array.as_any().downcast_ref::<StructArray>() else {
        return Err(program_error(py, format!("expected a table, found an array of `{}`", array.data_type())));
    };
    let batch = RecordBatch::from(columns.clone());
    Ok(Rows { schema: batch.schema(), batches: vec![batch] })
}

/// The array of anything that has `__arrow_c_array__`, or the one column of a stream of arrays.
pub(crate) fn read_array(source: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let py = source.py();
    if !source.hasattr("__arrow_c_array__")? {
        return read_chunks(source);
    }
    let parts = source.call_method0("__arrow_c_array__")?;
    let parts = parts.cast::<PyTuple>()?;
    let schema = take_schema(&parts.get_item(0)?)?;
    let array = take_array(&parts.get_item(1)?)?;
    // SAFETY: both come from one `__arrow_c_array__`, so the schema is that of the array.
    let data = unsafe { from_ffi(array, &schema) }.map_err(|e| wrong(py, e))?;
    Ok(make_array(data))
}

/// The elements of a stream of arrays, such as pyarrow's `ChunkedArray` or a Polars `Series`, concatenated.
fn read_chunks(source: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (data_type, chunks) = read_stream(source)?;
    match chunks.as_slice() {
        [] => Ok(airloom::arrow::array::new_empty_array(&data_type)),
        [one] => Ok(one.clone()),
        several => {
            let parts: Vec<&dyn Array> = several.iter().map(AsRef::as_ref).collect();
            airloom::arrow::compute::concat(&parts).map_err(|e| wrong(source.py(), e))
        }
    }
}

/// The array of anything that has `__arrow_c_array__`, or the arrays of a stream, and their type.
pub(crate) fn read_pieces(source: &Bound<'_, PyAny>) -> PyResult<(DataType, Vec<ArrayRef>)> {
    if !source.hasattr("__arrow_c_array__")? {
        return read_stream(source);
    }
    let array = read_array(source)?;
    Ok((array.data_type().clone(), vec![array]))
}

/// The arrays of a stream, and their type.
fn read_stream(source: &Bound<'_, PyAny>) -> PyResult<(DataType, Vec<ArrayRef>)> {
    let py = source.py();
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let raw = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
    // SAFETY: a capsule of this name holds a valid stream, by the PyCapsule interface; moving out of it leaves an empty one behind, which its destructor passes over.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(raw) };
    let failed = || program_error(py, "the Arrow data cannot be read: its producer failed");
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else { return Err(failed()) };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is valid and not yet released, and `schema` is empty, as the interface asks.
    if unsafe { get_schema(&mut stream, &mut schema) } != 0 {
        return Err(failed());
    }
    let mut chunks: Vec<ArrayRef> = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is valid and not yet released, and `array` is empty, as the interface asks.
        if unsafe { get_next(&mut stream, &mut array) } != 0 {
            return Err(failed());
        }
        if array.is_released() {
            break;
        }
        // SAFETY: the array comes from the stream whose schema this is.
        let data = unsafe { from_ffi(array, &schema) }.map_err(|e| wrong(py, e))?;
        chunks.push(make_array(data));
    }
    Ok((DataType::try_from(&schema).map_err(|e| wrong(py, e))?, chunks))
}

/// Batches as a capsule. A consumer that asks for another schema gets it where a cast leads there.
pub(crate) fn stream_capsule<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: &[RecordBatch],
    requested: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut schema = schema.clone();
    let mut batches = batches.to_vec();
    if let Some(requested) = requested.filter(|r| !r.is_none()) {
        let wanted = Schema::try_from(&take_schema(requested)?).map_err(|e| wrong(py, e))?;
        if let Some(cast) = cast_all(&batches, &schema, &wanted) {
            schema = Arc::new(wanted);
            batches = cast;
        }
    } else {
        (schema, batches) = wide_batches(&schema, &batches).map_err(|message| program_error(py, message))?;
    }
    reader_capsule(py, RecordBatchIterator::new(batches.into_iter().map(Ok), schema))
}

/// Batches that are still to come as a capsule.
pub(crate) fn reader_capsule<'py>(py: Python<'py>, reader: impl RecordBatchReader + Send + 'static) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}

/// The schema in which a consumer is given batches that are still to come: the one that it asks for, where a cast leads there.
pub(crate) fn schema_for(py: Python<'_>, schema: &SchemaRef, requested: Option<&Bound<'_, PyAny>>) -> PyResult<SchemaRef> {
    let Some(requested) = requested.filter(|r| !r.is_none()) else {
        return wide_batches(schema, &[]).map(|(wide, _)| wide).map_err(|message| program_error(py, message));
    };
    let wanted = Schema::try_from(&take_schema(requested)?).map_err(|e| wrong(py, e))?;
    let leads = cast_all(&[RecordBatch::new_empty(schema.clone())], schema, &wanted).is_some();
    Ok(if leads { Arc::new(wanted) } else { schema.clone() })
}

/// The batches in another schema; `None` where a column cannot be cast, and the consumer has to see to it.
pub(crate) fn cast_all(batches: &[RecordBatch], schema: &Schema, wanted: &Schema) -> Option<Vec<RecordBatch>> {
    let names = |s: &Schema| s.fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>();
    if names(schema) != names(wanted) {
        return None;
    }
    let wanted = Arc::new(wanted.clone());
    let one = |batch: &RecordBatch| {
        let columns = batch.columns().iter().zip(wanted.fields());
        let columns: Option<Vec<ArrayRef>> = columns.map(|(c, f)| airloom::arrow::compute::cast(c, f.data_type()).ok()).collect();
        RecordBatch::try_new(wanted.clone(), columns?).ok()
    };
    batches.iter().map(one).collect()
}

/// A schema as a capsule.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|e| wrong(py, e))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// An array as capsules: its type and its buffers.
pub(crate) fn array_capsules<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    nullable: bool,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let (data, _) = to_ffi(&array.to_data()).map_err(|e| wrong(py, e))?;
    let field = Field::new("", array.data_type().clone(), nullable);
    let schema = FFI_ArrowSchema::try_from(&field).map_err(|e| wrong(py, e))?;
    Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, data, ARRAY)?))
}
