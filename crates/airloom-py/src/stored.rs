//! Tables in files and databases: looked at when they are opened, read when a program runs, and only as far as it asks.

use crate::errors::{Error, program_error};
use crate::types::Type;
use airloom::Error as AirloomError;
use airloom::data::{schema_of, widens};
use airloom::ir::types::{Fields, Ty, Types};
use airloom::source::{FileOptions, IpcTable, ParquetTable, SqlTable, Table as Source};
use pyo3::prelude::*;
use std::sync::Arc;

/// A table in files or in a database.
#[pyclass(frozen, module = "airloom", name = "Stored")]
pub(crate) struct Stored {
    pub(crate) table: Arc<dyn Source>,
    /// Where it is stored, for people.
    place: String,
    ty: Type,
}

/// The table in one Parquet file or several, or in all those of a folder.
#[pyfunction]
pub(crate) fn scan_parquet(py: Python<'_>, paths: Vec<String>) -> PyResult<Stored> {
    let table = py.detach(|| ParquetTable::open_again(&paths)).map_err(|error| Error::from(error).into_py(py))?;
    let ty = Type::of_schema(&Source::schema(table.as_ref())).map_err(|message| program_error(py, message))?;
    Ok(Stored { table, place: paths.join(", "), ty })
}

/// The table in one Arrow file or several, also called Feather.
#[pyfunction]
pub(crate) fn scan_ipc(py: Python<'_>, paths: Vec<String>) -> PyResult<Stored> {
    let opened = py.detach(|| IpcTable::open(&paths, &FileOptions::plain())).map_err(|error| Error::from(error).into_py(py))?;
    let ty = Type::of_schema(&Source::schema(&opened)).map_err(|message| program_error(py, message))?;
    Ok(Stored { table: Arc::new(opened), place: paths.join(", "), ty })
}

/// A table, a view, or the rows of a query of a database.
#[pyfunction]
pub(crate) fn read_sql(py: Python<'_>, connection: String, table_or_query: String) -> PyResult<Stored> {
    let opened = py.detach(|| SqlTable::open(&connection, &table_or_query)).map_err(|error| Error::from(error).into_py(py))?;
    let ty = Type::of_schema(&Source::schema(&opened)).map_err(|message| program_error(py, message))?;
    Ok(Stored { table: Arc::new(opened), place: table_or_query, ty })
}

#[pymethods]
impl Stored {
    /// The type of its rows.
    #[getter]
    fn r#type(&self) -> Type {
        self.ty.clone()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.table.schema().fields().iter().map(|f| f.name().clone()).collect()
    }

    /// Where it is stored: the paths of its files with commas between them, or what was asked of a database.
    #[getter]
    fn place(&self) -> &str {
        &self.place
    }

    /// How many rows there are, where that is known without reading them.
    #[getter]
    fn num_rows(&self) -> Option<u64> {
        self.table.rows()
    }

    /// The columns that may hold nulls.
    fn columns_with_nulls(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let schema = self.table.schema();
        let mut found = Vec::new();
        for (place, field) in schema.fields().iter().enumerate() {
            if may_hold_nulls(self.table.as_ref(), place).map_err(|error| error.into_py(py))? {
                found.push(field.name().clone());
            }
        }
        Ok(found)
    }

    fn __repr__(&self) -> String {
        let rows = self.table.rows().map_or_else(String::new, |rows| format!("{rows} rows, "));
        format!("<table of {rows}{} columns in {}>", self.table.schema().fields().len(), self.place)
    }
}

/// Checks that a table has these columns, in types that the engine takes for theirs. `nulls` says whether the column at a position may hold some.
pub(crate) fn check_columns(
    types: &Types,
    fields: &Fields,
    table: &dyn Source,
    nulls: impl Fn(usize) -> Result<bool, Error>,
) -> Result<(), Error> {
    let wrong = |message: String| Err(AirloomError::Program(message).into());
    let own = table.schema();
    for (field, wanted) in fields.iter().zip(schema_of(types, fields).fields()) {
        let mut places = own.fields().iter().enumerate().filter(|(_, f)| f.name() == wanted.name());
        let (place, found) = match (places.next(), places.next()) {
            (Some(found), None) => found,
            (None, _) => {
                let known: Vec<String> = own.fields().iter().map(|f| format!("`{}`", f.name())).collect();
                return wrong(format!("there is no column `{}`; there are: {}", field.name, known.join(", ")));
            }
            (Some(_), Some(_)) => return wrong(format!("the column `{}` is a duplicate", field.name)),
        };
        let same = found.data_type() == wanted.data_type() && !matches!(types.plain(field.ty), Ty::Category { .. });
        if !same && !widens(found.data_type(), wanted.data_type()) {
            let (name, found, ty) = (&field.name, found.data_type(), types.show(field.ty));
            return wrong(format!("column `{name}`: it is Arrow's `{found}`, but its type is `{ty}`; hint: `ir.cast` it"));
        }
        if !types.nullable(field.ty) && nulls(place)? {
            return wrong(format!(
                "column `{}`: it may hold nulls, but its type is `{}`; hint: `ir.optional`",
                field.name,
                types.show(field.ty)
            ));
        }
    }
    Ok(())
}

/// Whether a column of a table in files may hold nulls: where neither its type nor what is known of it says otherwise.
pub(crate) fn may_hold_nulls(table: &dyn Source, place: usize) -> Result<bool, Error> {
    let schema = table.schema();
    let field = schema.field(place);
    if !field.is_nullable() {
        return Ok(false);
    }
    let known = table.statistics(&[place])?;
    Ok(known.columns.get(field.name().as_str()).and_then(|c| c.nulls) != Some(0))
}
