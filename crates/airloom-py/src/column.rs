//! Columns as Python holds them: what is found out about one is known to every table made of it.

use crate::capsule::{is_arrow, read_pieces};
use crate::errors::program_error;
use crate::numpy_to_column::column_of;
use crate::types::Type;
use airloom::arrow::array::ArrayRef;
use airloom::arrow::datatypes::{DataType, Field};
use airloom::data::arrow_to_type;
use airloom::source::MemoryColumn;
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

/// The values of one column, in memory that the caller may own.
#[pyclass(frozen, module = "airloom", name = "Column")]
pub(crate) struct Column {
    pub(crate) shared: Arc<MemoryColumn>,
    nullable: bool,
    ty: OnceLock<Type>,
}

impl Column {
    fn made(py: Python<'_>, data_type: &DataType, chunks: Vec<ArrayRef>, nullable: Option<bool>) -> PyResult<Column> {
        let wrong = |message: String| program_error(py, message);
        let column = py.detach(|| MemoryColumn::new(data_type, chunks)).map_err(|e| wrong(e.message))?;
        let nulls = column.nulls();
        if nullable == Some(false) && nulls > 0 {
            return Err(wrong(format!("the column has {nulls} nulls, but `nullable=False` says that there are none")));
        }
        // A column of the type of nothing but nulls may hold them even where it has no rows.
        let nullable = nullable.unwrap_or(nulls > 0) || *data_type == DataType::Null;
        let made = Column { shared: Arc::new(column), nullable, ty: OnceLock::new() };
        made.type_of().map_err(wrong)?;
        Ok(made)
    }

    /// The field of a table that it is.
    pub(crate) fn field(&self, name: &str) -> Field {
        Field::new(name, self.shared.data_type().clone(), self.nullable)
    }

    fn type_of(&self) -> Result<Type, String> {
        if let Some(known) = self.ty.get() {
            return Ok(known.clone());
        }
        let ty = Type::try_made(|types| arrow_to_type(types, self.shared.data_type(), self.nullable))?;
        Ok(self.ty.get_or_init(|| ty).clone())
    }
}

#[pymethods]
impl Column {
    /// The column of a NumPy array of one axis. It is shared where it is contiguous and aligned, so it must not change while programs read it; NaT is null.
    #[staticmethod]
    #[pyo3(signature = (array, *, nullable=None))]
    fn of_numpy(array: &Bound<'_, PyAny>, nullable: Option<bool>) -> PyResult<Column> {
        let items = column_of(array)?;
        Column::made(array.py(), &items.data_type().clone(), vec![items], nullable)
    }

    /// The column of an Arrow array or of a stream of such, as pyarrow's `Array` and `ChunkedArray` are. Its buffers are shared, its chunks kept.
    #[staticmethod]
    #[pyo3(signature = (array, *, nullable=None))]
    fn of_arrow(array: &Bound<'_, PyAny>, nullable: Option<bool>) -> PyResult<Column> {
        let py = array.py();
        let found = || array.get_type().qualname().map(|name| name.to_string()).unwrap_or_default();
        if !is_arrow(array)? {
            let hint = "hint: anything with `__arrow_c_array__` or `__arrow_c_stream__` is one";
            return Err(program_error(py, format!("expected an Arrow array, found `{}`; {hint}", found())));
        }
        if array.hasattr("columns")? {
            return Err(program_error(py, format!("expected one column, found a table, `{}`", found())));
        }
        let (data_type, chunks) = read_pieces(array)?;
        Column::made(py, &data_type, chunks, nullable)
    }

    /// The type of its values: optional where there are nulls, or where it was said.
    #[getter(r#type)]
    fn ty(&self, py: Python<'_>) -> PyResult<Type> {
        self.type_of().map_err(|message| program_error(py, message))
    }

    /// How many values are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.shared.nulls()
    }

    fn __len__(&self) -> usize {
        self.shared.rows()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<column of {} `{}`>", self.shared.rows(), self.ty(py)?.text()))
    }
}
