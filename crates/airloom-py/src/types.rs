//! Types as Python objects: `ir.i64`, `ir.rel({...})`.

use crate::errors::{ill_typed, program_error};
use airloom::arrow::datatypes::Schema;
use airloom::data::arrow_to_type;
use airloom::ir::name::Name;
use airloom::ir::text::parse_type;
use airloom::ir::types::{Dim, TimeUnit, Ty, TyId, Types};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A type, known before anything runs.
#[pyclass(frozen, eq, hash, module = "airloom.ir", name = "Type")]
#[derive(Clone)]
pub(crate) struct Type {
    types: Arc<Types>,
    id: TyId,
    text: Arc<str>,
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        self.text == other.text
    }
}

impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Type {
    /// A type out of a table of types.
    pub(crate) fn of(types: &Types, id: TyId) -> Type {
        let mut own = Types::new();
        let id = own.import(types, id, &mut BTreeMap::new());
        Type::whole(own, id)
    }

    fn whole(types: Types, id: TyId) -> Type {
        Type { text: types.show(id).into(), types: Arc::new(types), id }
    }

    /// The same type in another table.
    pub(crate) fn in_table(&self, into: &mut Types) -> TyId {
        into.import(&self.types, self.id, &mut BTreeMap::new())
    }

    /// The table it is in, and where.
    pub(crate) fn parts(&self) -> (&Types, TyId) {
        (&self.types, self.id)
    }

    /// The text of it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The relation type of an Arrow schema.
    pub(crate) fn of_schema(schema: &Schema) -> Result<Type, String> {
        let mut types = Types::new();
        let mut fields = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let ty =
                arrow_to_type(&mut types, field.data_type(), field.is_nullable()).map_err(|m| format!("column `{}`: {m}", field.name()))?;
            fields.push((Name::new(field.name()), ty));
        }
        let id = types.rel_of(fields)?;
        Ok(Type::whole(types, id))
    }

    fn made(make: impl FnOnce(&mut Types) -> Result<TyId, String>) -> PyResult<Type> {
        Type::try_made(make).map_err(|message| Python::attach(|py| ill_typed(py, message)))
    }

    /// A type in a table of its own.
    pub(crate) fn try_made(make: impl FnOnce(&mut Types) -> Result<TyId, String>) -> Result<Type, String> {
        let mut types = Types::new();
        let id = make(&mut types)?;
        Ok(Type::whole(types, id))
    }

    fn part(&self, id: TyId) -> Type {
        Type::of(&self.types, id)
    }

    fn plain(&self) -> &Ty {
        self.types.get(self.types.strip(self.id))
    }
}

fn unit(word: &str) -> Result<TimeUnit, String> {
    let found = TimeUnit::ALL.into_iter().find(|u| u.name() == word);
    found.ok_or_else(|| format!("there is no unit of time `{word}`; there are: s, ms, us, ns"))
}

/// Names and types, from anything that has `items()`.
fn named(fields: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Type)>> {
    let items = fields.call_method0("items")?;
    let mut list = Vec::new();
    for item in items.try_iter()? {
        let (name, ty): (String, Bound<'_, PyAny>) = item?.extract()?;
        list.push((name, as_type(&ty)?));
    }
    Ok(list)
}

/// A type from what a user may write for one: a `Type`, or anything that has an Arrow schema.
pub(crate) fn as_type(given: &Bound<'_, PyAny>) -> PyResult<Type> {
    if let Ok(ty) = given.cast::<Type>() {
        return Ok(ty.get().clone());
    }
    if let Some(data) = crate::capsule::data_type_of(given)? {
        return Type::made(|types| arrow_to_type(types, &data, false));
    }
    if let Some(schema) = crate::capsule::schema_of(given)? {
        return Type::of_schema(&schema).map_err(|message| program_error(given.py(), message));
    }
    let found = given.get_type().name()?.to_string();
    Err(ill_typed(given.py(), format!("expected a type, such as `ir.i64` or `ir.rel({{...}})`, found `{found}`")))
}

#[pymethods]
impl Type {
    /// A type without parts, by its name in the text form; any type by its text.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Type> {
        Type::made(|types| parse_type(types, text).map_err(|e| e.message))
    }

    #[staticmethod]
    fn decimal(precision: u8, scale: u8) -> PyResult<Type> {
        Type::made(|types| types.decimal(precision, scale))
    }

    #[staticmethod]
    #[pyo3(signature = (unit, zone=None))]
    fn timestamp(unit: &str, zone: Option<&str>) -> PyResult<Type> {
        Type::made(|types| types.timestamp(self::unit(unit)?, zone.map(Name::new)))
    }

    #[staticmethod]
    fn duration(unit: &str) -> PyResult<Type> {
        Type::made(|types| Ok(types.duration(self::unit(unit)?)))
    }

    #[staticmethod]
    fn optional(inner: &Bound<'_, PyAny>) -> PyResult<Type> {
        let inner = as_type(inner)?;
        Type::made(|types| {
            let inner = inner.in_table(types);
            if types.nullable(inner) { Ok(inner) } else { types.intern(Ty::Option(inner)) }
        })
    }

    #[staticmethod]
    fn dictionary(inner: &Bound<'_, PyAny>) -> PyResult<Type> {
        let inner = as_type(inner)?;
        Type::made(|types| {
            let inner = inner.in_table(types);
            types.intern(Ty::Dict(inner))
        })
    }

    #[staticmethod]
    #[pyo3(signature = (names, ordered=false))]
    fn category(names: Vec<String>, ordered: bool) -> PyResult<Type> {
        Type::made(|types| types.intern(Ty::Category { names: names.iter().map(|n| Name::new(n)).collect(), ordered }))
    }

    #[staticmethod]
    fn list(element: &Bound<'_, PyAny>) -> PyResult<Type> {
        let element = as_type(element)?;
        Type::made(|types| {
            let element = element.in_table(types);
            types.list(element)
        })
    }

    #[staticmethod]
    fn struct_(fields: &Bound<'_, PyAny>) -> PyResult<Type> {
        let fields = named(fields)?;
        Type::made(|types| {
            let fields = fields.iter().map(|(name, ty)| (Name::new(name), ty.in_table(types))).collect();
            types.row_of(fields)
        })
    }

    #[staticmethod]
    fn rel(fields: &Bound<'_, PyAny>) -> PyResult<Type> {
        let fields = named(fields)?;
        Type::made(|types| {
            let fields = fields.iter().map(|(name, ty)| (Name::new(name), ty.in_table(types))).collect();
            types.rel_of(fields)
        })
    }

    #[staticmethod]
    fn arr(element: &Bound<'_, PyAny>, extents: Vec<Bound<'_, PyAny>>) -> PyResult<Type> {
        let element = as_type(element)?;
        let mut dims = Vec::with_capacity(extents.len());
        for extent in &extents {
            dims.push(if extent.is_none() {
                Dim::Any
            } else if extent.is_instance_of::<PyString>() {
                Dim::Named(Name::new(&extent.extract::<String>()?))
            } else {
                Dim::Fixed(extent.extract()?)
            });
        }
        Type::made(|types| {
            let element = element.in_table(types);
            types.arr(element, dims)
        })
    }

    #[staticmethod]
    fn tuple(parts: Vec<Bound<'_, PyAny>>) -> PyResult<Type> {
        let parts: Vec<Type> = parts.iter().map(as_type).collect::<PyResult<_>>()?;
        Type::made(|types| {
            let parts = parts.iter().map(|t| t.in_table(types)).collect();
            types.tuple(parts)
        })
    }

    #[staticmethod]
    fn function(params: Vec<Bound<'_, PyAny>>, result: &Bound<'_, PyAny>) -> PyResult<Type> {
        let params: Vec<Type> = params.iter().map(as_type).collect::<PyResult<_>>()?;
        let result = as_type(result)?;
        Type::made(|types| {
            let params = params.iter().map(|t| t.in_table(types)).collect();
            let result = result.in_table(types);
            types.func(params, result)
        })
    }

    /// What kind it is, `?` apart: `i64`, `rel`, `list`, `timestamp` and so on.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.plain() {
            Ty::Bool => "bool",
            Ty::Int(int) => int.name(),
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            Ty::Decimal { .. } => "decimal",
            Ty::Str => "str",
            Ty::Bytes => "bytes",
            Ty::Date => "date",
            Ty::Time => "time",
            Ty::Timestamp { .. } => "timestamp",
            Ty::Duration(_) => "duration",
            Ty::Dict(_) => "dict",
            Ty::Category { .. } => "category",
            Ty::List(_) => "list",
            Ty::Struct(_) => "struct",
            Ty::Rel(_) => "rel",
            Ty::Arr(..) => "arr",
            Ty::Tuple(_) => "tuple",
            Ty::Fn(..) => "fn",
            Ty::Token => "token",
            Ty::Option(_) => "optional",
        }
    }

    /// Whether null is allowed.
    #[getter]
    fn nullable(&self) -> bool {
        self.types.nullable(self.id)
    }

    /// The type without its `?`.
    #[getter]
    fn required(&self) -> Type {
        self.part(self.types.strip(self.id))
    }

    /// The fields of a relation or struct, by name; empty for other types.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if let Ty::Rel(fields) | Ty::Struct(fields) = self.plain() {
            for field in fields.iter() {
                dict.set_item(field.name.as_str(), self.part(field.ty))?;
            }
        }
        Ok(dict)
    }

    /// The element of a list, array or dictionary type.
    #[getter]
    fn element(&self) -> Option<Type> {
        match self.plain() {
            Ty::List(inner) | Ty::Arr(inner, _) | Ty::Dict(inner) => Some(self.part(*inner)),
            _ => None,
        }
    }

    /// The extents of an array type: numbers, names, or `None` where nothing is known.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Ty::Arr(_, dims) = self.plain() else { return Ok(None) };
        let mut extents = Vec::with_capacity(dims.len());
        for dim in dims {
            extents.push(match dim {
                Dim::Fixed(n) => n.into_pyobject(py)?.into_any(),
                Dim::Named(name) => PyString::new(py, name).into_any(),
                Dim::Any => py.None().into_bound(py),
            });
        }
        PyTuple::new(py, extents).map(Some)
    }

    /// The parts of a tuple type, or the parameters of a function type.
    #[getter(parts)]
    fn parts_of(&self) -> Vec<Type> {
        match self.plain() {
            Ty::Tuple(parts) | Ty::Fn(parts, _) => parts.iter().map(|&t| self.part(t)).collect(),
            _ => Vec::new(),
        }
    }

    /// The result of a function type.
    #[getter]
    fn result(&self) -> Option<Type> {
        match self.plain() {
            Ty::Fn(_, result) => Some(self.part(*result)),
            _ => None,
        }
    }

    /// The digits of a decimal type, and those after the point.
    #[getter]
    fn digits(&self) -> Option<(u8, u8)> {
        match self.plain() {
            Ty::Decimal { precision, scale } => Some((*precision, *scale)),
            _ => None,
        }
    }

    /// The unit of a timestamp or duration.
    #[getter]
    fn unit(&self) -> Option<&'static str> {
        match self.plain() {
            Ty::Timestamp { unit, .. } | Ty::Duration(unit) => Some(unit.name()),
            _ => None,
        }
    }

    /// The zone of a timestamp.
    #[getter]
    fn zone(&self) -> Option<String> {
        match self.plain() {
            Ty::Timestamp { zone, .. } => zone.as_ref().map(ToString::to_string),
            _ => None,
        }
    }

    /// The names of a category.
    #[getter]
    fn names(&self) -> Vec<String> {
        match self.plain() {
            Ty::Category { names, .. } => names.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<type {}>", self.text)
    }

    /// Equal types pickle to equal types: the text says all of it.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let parse = slf.get_type().getattr("parse")?;
        Ok((parse, (slf.get().text.to_string(),)))
    }
}
