//! Tables as Python holds them: Arrow batches that other libraries take without a copy.

use crate::array::Array;
use crate::capsule::{read_rows, schema_capsule, stream_capsule};
use crate::column::Column;
use crate::column_to_numpy::to_numpy;
use crate::column_to_strings::to_large_strings;
use crate::errors::program_error;
use crate::physical::{from_relation, plain_batches, to_relation};
use crate::scalars::value_to_python;
use crate::types::Type;
use airloom::arrow::array::{Array as ArrowArray, ArrayRef, RecordBatch, RecordBatchOptions};
use airloom::arrow::compute::concat;
use airloom::arrow::datatypes::{Schema, SchemaRef};
use airloom::data::Relation;
use airloom::data::array_to_values;
use airloom::ir::types::{Fields, Ty, TyId, Types};
use airloom::ir::value::Value;
use airloom::source::MemoryTable;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::{Arc, OnceLock};

/// How many rows a table shows of itself.
const SHOWN: usize = 20;

/// Rows and columns, in memory.
#[pyclass(frozen, module = "airloom", name = "Table")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    rows: usize,
    /// Made of what programs read where it was not made of batches.
    batches: OnceLock<Vec<RecordBatch>>,
    ty: OnceLock<Type>,
    /// What programs read: made when the first one does, and kept for the others.
    memory: OnceLock<Arc<MemoryTable>>,
}

impl Table {
    /// The result of a program.
    pub(crate) fn of_relation(types: &Types, fields: &Fields, relation: &Relation, ty: Type) -> Result<Table, String> {
        let (schema, batches) = from_relation(types, fields, relation)?;
        Ok(Table::of_batches(schema, batches, ty))
    }

    fn of_batches(schema: SchemaRef, batches: Vec<RecordBatch>, ty: Type) -> Table {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Table { schema, rows, batches: batches.into(), ty: ty.into(), memory: OnceLock::new() }
    }

    /// The rows of anything that is Arrow data.
    pub(crate) fn read(source: &Bound<'_, PyAny>) -> PyResult<Table> {
        let rows = read_rows(source)?;
        let ty = Type::of_schema(&rows.schema).map_err(|message| program_error(source.py(), message))?;
        Ok(Table::of_batches(rows.schema, rows.batches, ty))
    }

    /// It as a table of the engine's.
    pub(crate) fn memory(&self) -> Result<Arc<MemoryTable>, String> {
        if let Some(made) = self.memory.get() {
            return Ok(made.clone());
        }
        let made = MemoryTable::new(&self.schema, self.batches()).map_err(|e| e.message)?;
        Ok(self.memory.get_or_init(|| Arc::new(made)).clone())
    }

    /// It in batches.
    pub(crate) fn batches(&self) -> &[RecordBatch] {
        self.batches.get_or_init(|| {
            let memory = self.memory.get().expect("a table without batches was made of columns");
            let columns: Vec<_> = (0..self.schema.fields().len()).map(|column| memory.foreign_column(column)).collect();
            let one = |(at, &rows): (usize, &usize)| {
                let columns = columns.iter().map(|chunks| chunks[at].clone()).collect();
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
                    .expect("the columns were checked against the schema")
            };
            memory.chunk_lengths().iter().enumerate().map(one).collect()
        })
    }

    fn type_of(&self) -> &Type {
        self.ty.get_or_init(|| Type::of_schema(&self.schema).expect("each column of it has a type, and a name of its own"))
    }

    /// Where the column of a name is.
    fn place(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        if let Some((place, _)) = self.schema.column_with_name(name) {
            return Ok(place);
        }
        let known: Vec<String> = self.columns().iter().map(|c| format!("`{c}`")).collect();
        Err(program_error(py, format!("there is no column `{name}`; there are: {}", known.join(", "))))
    }

    /// The pieces of a column.
    fn pieces(&self, py: Python<'_>, name: &str) -> PyResult<Vec<ArrayRef>> {
        let place = self.place(py, name)?;
        Ok(self.batches().iter().map(|batch| batch.column(place).clone()).collect())
    }

    fn fields(&self) -> (&Types, &Fields) {
        let (types, id) = self.type_of().parts();
        match types.get(id) {
            Ty::Rel(fields) => (types, fields),
            other => unreachable!("a table has the type of a relation, not {other:?}"),
        }
    }

    /// The first rows, in physical form.
    fn head(&self, py: Python<'_>, count: usize) -> PyResult<Relation> {
        let mut left = count;
        let mut batches = Vec::new();
        for batch in self.batches() {
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
                rows: table.rows,
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

    /// The table of these columns, all of `rows` rows. Nothing is copied or looked at: what the columns know, it knows.
    #[staticmethod]
    fn of_columns(columns: &Bound<'_, PyAny>, rows: usize) -> PyResult<Table> {
        let py = columns.py();
        let wrong = |message: String| program_error(py, message);
        let mut fields = Vec::new();
        let mut shared = Vec::new();
        for item in columns.call_method0(pyo3::intern!(py, "items"))?.try_iter()? {
            let (name, column): (PyBackedStr, Bound<'_, PyAny>) = item?.extract()?;
            let Ok(column) = column.cast::<Column>() else {
                return Err(wrong(format!("column `{}`: expected a `Column`, found `{}`", &*name, column.get_type().qualname()?)));
            };
            fields.push(column.get().field(&name));
            shared.push(column.get().shared.clone());
        }
        let schema = Arc::new(Schema::new(fields));
        let memory = MemoryTable::of_shared(&schema, shared, rows).map_err(|e| wrong(e.message))?;
        Ok(Table { schema, rows, batches: OnceLock::new(), ty: OnceLock::new(), memory: Arc::new(memory).into() })
    }

    /// The type of it: a relation.
    #[getter(r#type)]
    fn ty(&self) -> Type {
        self.type_of().clone()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|f| f.name().clone()).collect()
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// One column; concatenated where it is in pieces.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Array> {
        let place = self.place(py, name)?;
        let (types, fields) = self.fields();
        let ty = Type::of(types, fields.get(place).expect("a table has the fields of its type").ty);
        let pieces = self.pieces(py, name)?;
        let items = match pieces.as_slice() {
            [one] => one.clone(),
            [] => airloom::arrow::array::new_empty_array(self.schema.field(place).data_type()),
            several => {
                let parts: Vec<&dyn airloom::arrow::array::Array> = several.iter().map(AsRef::as_ref).collect();
                concat(&parts).map_err(|e| program_error(py, e.to_string()))?
            }
        };
        Ok(Array::flat(items, ty))
    }

    /// How many values of a column are null.
    fn null_count(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        let place = self.place(py, name)?;
        match self.memory.get() {
            Some(memory) => Ok(memory.nulls(place)),
            None => Ok(self.batches().iter().map(|batch| batch.column(place).logical_null_count()).sum()),
        }
    }

    /// A column as a NumPy array of its own, which may be written to. Nulls are NaN among floats and NaT among times; `dtype="float64"` makes floats of integers.
    #[pyo3(signature = (name, dtype=None))]
    fn numpy<'py>(&self, py: Python<'py>, name: &str, dtype: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let pieces = self.pieces(py, name)?;
        let data_type = self.schema.field(self.place(py, name)?).data_type();
        to_numpy(py, name, data_type, &pieces, self.rows, dtype)
    }

    /// A column of text as pyarrow's `ChunkedArray` of `large_string`.
    fn large_strings<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let pieces = self.pieces(py, name)?;
        let made = py.detach(|| to_large_strings(&pieces, self.rows)).map_err(|m| program_error(py, format!("column `{name}`: {m}")))?;
        let text = Type::try_made(|_| Ok(TyId::STR)).map_err(|m| program_error(py, m))?;
        let chunks = made.into_iter().map(|chunk| Bound::new(py, Array::flat(chunk, text.clone()))).collect::<PyResult<Vec<_>>>()?;
        let pyarrow = py.import("pyarrow")?;
        let chunks = chunks.into_iter().map(|chunk| pyarrow.call_method1("array", (chunk,))).collect::<PyResult<Vec<_>>>()?;
        pyarrow.call_method1("chunked_array", (chunks, pyarrow.call_method0("large_string")?))
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

    /// As pyarrow's `Table`. Text and narrow decimals, which few of pyarrow's functions know as they are stored here, are written as it does; with `views` all
    /// buffers are shared.
    #[pyo3(signature = (*, views=false))]
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>, views: bool) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let pyarrow = py.import("pyarrow")?;
        let table = slf.get();
        if views {
            return pyarrow.call_method1("table", (slf,));
        }
        let (schema, batches) = plain_batches(&table.schema, table.batches()).map_err(|m| program_error(py, m))?;
        pyarrow.call_method1("table", (Table::of_batches(schema, batches, table.type_of().clone()),))
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
        stream_capsule(py, &self.schema, self.batches(), requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rows = self.num_rows();
        let (types, id) = self.type_of().parts();
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
