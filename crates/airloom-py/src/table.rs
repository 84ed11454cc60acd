//! Tables as Python holds them: Arrow batches that other libraries take without a copy.

use crate::array::Array;
use crate::capsule::{read_rows, schema_capsule, stream_capsule};
use crate::errors::program_error;
use crate::physical::{from_relation, plain_batches, to_relation};
use crate::scalars::value_to_python;
use crate::types::Type;
use airloom_exec::data::values::array_to_values;
use airloom_exec::relation::Relation;
use airloom_exec::source::MemoryTable;
use airloom_ir::types::{Fields, Ty, Types};
use airloom_ir::value::Value;
use arrow::array::RecordBatch;
use arrow::compute::concat;
use arrow::datatypes::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::{Arc, OnceLock};

/// How many rows a table shows of itself.
const SHOWN: usize = 20;

/// Rows and columns, in memory.
#[pyclass(frozen, module = "airloom", name = "Table")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
    ty: Type,
    /// What programs read: made when the first one does, and kept for the others.
    memory: OnceLock<Arc<MemoryTable>>,
}

impl Table {
    /// The result of a program.
    pub(crate) fn of_relation(types: &Types, fields: &Fields, relation: &Relation, ty: Type) -> Result<Table, String> {
        let (schema, batches) = from_relation(types, fields, relation)?;
        Ok(Table { schema, batches, ty, memory: OnceLock::new() })
    }

    /// The rows of anything that is Arrow data.
    pub(crate) fn read(source: &Bound<'_, PyAny>) -> PyResult<Table> {
        let rows = read_rows(source)?;
        let ty = Type::of_schema(&rows.schema).map_err(|message| program_error(source.py(), message))?;
        Ok(Table { schema: rows.schema, batches: rows.batches, ty, memory: OnceLock::new() })
    }

    /// It as a table of the engine's.
    pub(crate) fn memory(&self) -> Result<Arc<MemoryTable>, String> {
        if let Some(made) = self.memory.get() {
            return Ok(made.clone());
        }
        let made = MemoryTable::new(&self.schema, &self.batches).map_err(|e| e.message)?;
        Ok(self.memory.get_or_init(|| Arc::new(made)).clone())
    }

    fn fields(&self) -> (&Types, &Fields) {
        let (types, id) = self.ty.parts();
        match types.get(id) {
            Ty::Rel(fields) => (types, fields),
            other => unreachable!("a table has the type of a relation, not {other:?}"),
        }
    }

    /// The first rows, in physical form.
    fn head(&self, py: Python<'_>, count: usize) -> PyResult<Relation> {
        let mut left = count;
        let mut batches = Vec::new();
        for batch in &self.batches {
            let taken = batch.num_rows().min(left);
            batches.push(batch.slice(0, taken));
            left -= taken;
        }
        let (types, fields) = self.fields();
        to_relation(types, fields, &self.schema, &batches).map_err(|message| program_error(py, message))
    }

    /// The values of each row of a relation.
    fn rows(&self, relation: &Relation) -> Vec<Arc<[Value]>> {
        let (types, fields) = self.fields();
        let mut rows = Vec::new();
        for batch in relation.batches.iter() {
            let columns: Vec<Vec<Value>> =
                fields.iter().zip(batch.columns()).map(|(f, column)| array_to_values(types, f.ty, column)).collect();
            rows.extend((0..batch.num_rows()).map(|at| columns.iter().map(|c| c[at].clone()).collect()));
        }
        rows
    }
}

#[pymethods]
impl Table {
    /// From anything that has `__arrow_c_stream__` or `__arrow_c_array__`. Its buffers are shared, not copied.
    #[new]
    fn new(source: &Bound<'_, PyAny>) -> PyResult<Table> {
        let py = source.py();
        if let Ok(table) = source.cast::<Table>() {
            let table = table.get();
            return Ok(Table {
                schema: table.schema.clone(),
                batches: table.batches.clone(),
                ty: table.ty.clone(),
                memory: table.memory.clone(),
            });
        }
        if !crate::capsule::is_arrow(source)? {
            let found = source.get_type().qualname()?.to_string();
            let hint = "hint: anything with `__arrow_c_stream__` is one, such as a table of pyarrow, Polars or pandas";
            return Err(program_error(py, format!("expected a table, found `{found}`; {hint}")));
        }
        Table::read(source)
    }

    /// The type of it: a relation.
    #[getter(r#type)]
    fn ty(&self) -> Type {
        self.ty.clone()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|f| f.name().clone()).collect()
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// How many columns there are.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// One column; put together where it is in pieces.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Array> {
        let Some((place, _)) = self.schema.column_with_name(name) else {
            let known: Vec<String> = self.columns().iter().map(|c| format!("`{c}`")).collect();
            return Err(program_error(py, format!("there is no column `{name}`; there are: {}", known.join(", "))));
        };
        let (types, fields) = self.fields();
        let ty = Type::of(types, fields.get(place).expect("a table has the fields of its type").ty);
        let pieces: Vec<_> = self.batches.iter().map(|b| b.column(place).clone()).collect();
        let items = match pieces.as_slice() {
            [one] => one.clone(),
            [] => arrow::array::new_empty_array(self.schema.field(place).data_type()),
            several => {
                let parts: Vec<&dyn arrow::array::Array> = several.iter().map(AsRef::as_ref).collect();
                concat(&parts).map_err(|e| program_error(py, e.to_string()))?
            }
        };
        Ok(Array::flat(items, ty))
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Array> {
        self.column(py, name)
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// The rows as dicts.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let relation = self.head(py, usize::MAX)?;
        let (types, fields) = self.fields();
        let list = PyList::empty(py);
        for row in self.rows(&relation) {
            let dict = PyDict::new(py);
            for (field, value) in fields.iter().zip(row.iter()) {
                dict.set_item(field.name.as_str(), value_to_python(py, types, field.ty, value)?)?;
            }
            list.append(dict)?;
        }
        Ok(list)
    }

    /// The columns as lists, by name.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let relation = self.head(py, usize::MAX)?;
        let (types, fields) = self.fields();
        let rows = self.rows(&relation);
        let dict = PyDict::new(py);
        for (at, field) in fields.iter().enumerate() {
            let values = rows.iter().map(|row| value_to_python(py, types, field.ty, &row[at])).collect::<PyResult<Vec<_>>>()?;
            dict.set_item(field.name.as_str(), PyList::new(py, values)?)?;
        }
        Ok(dict)
    }

    /// As pyarrow's `Table`. Text and narrow decimals, which few of pyarrow's functions know as they stand here, are written as it does; with `views` all buffers are shared.
    #[pyo3(signature = (*, views=false))]
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>, views: bool) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let pyarrow = py.import("pyarrow")?;
        let table = slf.get();
        if views {
            return pyarrow.call_method1("table", (slf,));
        }
        let (schema, batches) = plain_batches(&table.schema, &table.batches).map_err(|m| program_error(py, m))?;
        pyarrow.call_method1("table", (Table { schema, batches, ty: table.ty.clone(), memory: OnceLock::new() },))
    }

    /// As pandas' `DataFrame`.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import("pandas")?.getattr("DataFrame")?.call_method1("from_arrow", (slf,))
    }

    /// As Polars' `DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(&self, py: Python<'py>, requested_schema: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyCapsule>> {
        stream_capsule(py, &self.schema, &self.batches, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rows = self.num_rows();
        let (types, id) = self.ty.parts();
        if self.num_columns() == 0 {
            return Ok(format!("<table of {rows} rows and no columns>"));
        }
        let shown = Value::rel(self.num_columns(), self.rows(&self.head(py, SHOWN)?));
        let text = airloom::table::show(types, id, &shown).unwrap_or_default();
        // The last line counts what is shown; what there is counts here.
        let body: Vec<&str> = text.lines().collect();
        let more = if rows > SHOWN { format!("… and {} more\n", rows - SHOWN) } else { String::new() };
        let count = if rows == 1 { "1 row".to_string() } else { format!("{rows} rows") };
        Ok(format!("{}\n{more}{count}", body[..body.len().saturating_sub(1)].join("\n")))
    }
}
