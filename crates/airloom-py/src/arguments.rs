//! Arguments and results of programs, between Python and the engine's physical form.

use crate::array::{Array, array_parts, read_nd};
use crate::errors::program_error;
use crate::physical::{relation_of, to_relation};
use crate::scalars::{self, value_to_python};
use crate::stored::{Stored, check_columns, may_hold_nulls};
use crate::table::Table;
use crate::types::Type;
use airloom::data::{Datum, Relation};
use airloom::ir::types::{Fields, Ty, TyId, Types};
use airloom::source::Source;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// What Python gives for a parameter of a type.
pub(crate) fn python_to_datum(given: &Bound<'_, PyAny>, types: &Types, ty: TyId) -> PyResult<Datum> {
    let py = given.py();
    if let Ty::Rel(fields) = types.get(ty) {
        return read_relation(given, types, fields).map(Datum::Table);
    }
    if let Some((element, axes)) = array_parts(types, ty) {
        return read_nd(given, types, element, axes).map(Datum::Array);
    }
    if !types.is_value(ty) {
        match types.get(ty) {
            Ty::Tuple(parts) => {
                let items: Vec<Bound<'_, PyAny>> = given.try_iter()?.collect::<PyResult<_>>()?;
                if items.len() != parts.len() {
                    return Err(program_error(py, format!("expected a tuple of {} parts, found {}", parts.len(), items.len())));
                }
                let parts = parts.iter().zip(&items).map(|(&ty, item)| python_to_datum(item, types, ty)).collect::<PyResult<Vec<_>>>()?;
                return Ok(Datum::Parts(parts.into()));
            }
            Ty::Struct(fields) => {
                let part = |name: &str| given.get_item(name);
                let parts = fields.iter().map(|f| python_to_datum(&part(&f.name)?, types, f.ty)).collect::<PyResult<Vec<_>>>()?;
                return Ok(Datum::Parts(parts.into()));
            }
            Ty::Token => return Ok(Datum::Token),
            _ => return Err(program_error(py, format!("a value of type `{}` cannot be given from outside", types.show(ty)))),
        }
    }
    match scalars::read(given)?.and_then(|scalar| scalar.fit(types, ty)) {
        Some(value) => Ok(Datum::Value(value)),
        None => {
            let found = given.repr().map(|r| r.to_string()).unwrap_or_default();
            let found = if found.chars().count() > 60 { given.get_type().qualname()?.to_string() } else { found };
            Err(program_error(py, format!("expected a value of `{}`, found {found}", types.show(ty))))
        }
    }
}

/// What a program reads of a source of rows: its table, which is read as far as the program needs; its rows, where the table needs more than to be found.
pub(crate) fn read_source(given: &Bound<'_, PyAny>, types: &Types, fields: &Fields) -> PyResult<Source> {
    let py = given.py();
    if let Ok(stored) = given.cast::<Stored>() {
        let table = stored.get().table.clone();
        check_columns(types, fields, table.as_ref(), |place| may_hold_nulls(table.as_ref(), place)).map_err(|error| error.into_py(py))?;
        return Ok(Source::Table(table));
    }
    let table = as_table(given)?;
    let memory = table.get().memory().map_err(|message| program_error(py, message))?;
    let nulls = |place| Ok(memory.nulls(place) > 0);
    if check_columns(types, fields, memory.as_ref(), nulls).is_err() {
        return read_relation(table.as_any(), types, fields).map(|rows| Source::Datum(Datum::Table(rows)));
    }
    Ok(Source::Table(memory))
}

/// A table of ours, or one made of anything that is Arrow data.
fn as_table<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Table>> {
    let py = given.py();
    match given.cast::<Table>() {
        Ok(table) => Ok(table.clone()),
        Err(_) if crate::capsule::is_arrow(given)? => Bound::new(py, Table::read(given)?),
        Err(_) => {
            let found = given.get_type().qualname()?.to_string();
            let hint = "hint: anything with `__arrow_c_stream__` is one, such as a table of pyarrow, Polars or pandas";
            Err(program_error(py, format!("expected a table, found `{found}`; {hint}")))
        }
    }
}

/// A relation of these fields, from a table of ours or anything that is Arrow data.
fn read_relation(given: &Bound<'_, PyAny>, types: &Types, fields: &Fields) -> PyResult<Relation> {
    let wrong = |message: String| program_error(given.py(), message);
    let table = as_table(given)?;
    let table = table.get();
    let memory = table.memory().map_err(wrong)?;
    if let Some(relation) = relation_of(types, fields, &memory).map_err(wrong)? {
        return Ok(relation);
    }
    to_relation(types, fields, &table.schema, table.batches()).map_err(wrong)
}

/// A result for Python: tables, arrays, values, and tuples and dicts of them.
pub(crate) fn datum_to_python<'py>(py: Python<'py>, types: &Types, ty: TyId, datum: &Datum) -> PyResult<Bound<'py, PyAny>> {
    let wrong = |message: String| program_error(py, message);
    Ok(match (types.get(ty), datum) {
        (Ty::Rel(fields), Datum::Table(relation)) => {
            Bound::new(py, Table::of_relation(types, fields, relation, Type::of(types, ty)).map_err(wrong)?)?.into_any()
        }
        (Ty::Arr(element, _), Datum::Array(array)) => Bound::new(py, Array::of_result(types, *element, array).map_err(wrong)?)?.into_any(),
        (Ty::Tuple(tys), Datum::Parts(parts)) => {
            let parts =
                tys.iter().zip(parts.iter()).map(|(&ty, part)| datum_to_python(py, types, ty, part)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, parts)?.into_any()
        }
        (Ty::Struct(fields), Datum::Parts(parts)) => {
            let dict = PyDict::new(py);
            for (field, part) in fields.iter().zip(parts.iter()) {
                dict.set_item(field.name.as_str(), datum_to_python(py, types, field.ty, part)?)?;
            }
            dict.into_any()
        }
        (_, Datum::Value(value)) => value_to_python(py, types, ty, value)?,
        (_, Datum::Token) => PyTuple::empty(py).into_any(),
        (_, other) => return Err(wrong(format!("the result, {other:?}, has no form in Python"))),
    })
}
