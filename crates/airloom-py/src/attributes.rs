//! Attributes of ops, from Python and to Python: words are strings, types are `Type`s, constants are values.

use crate::errors::ill_typed;
use crate::scalars::{self, Scalar, value_to_python};
use crate::types::{Type, as_type};
use airloom::ir::attrs::{Attr, AttrShape, Attrs, SortKey};
use airloom::ir::name::Name;
use airloom::ir::ops::{AttrDef, OpDef};
use airloom::ir::types::Types;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};

/// An attribute that was read and waits for the table of types of its graph.
pub(crate) enum Waiting {
    Ready(Attr),
    Ty(Type),
    Tys(Vec<Type>),
    Value(Scalar),
}

/// Reads the attributes of an op, in its order; those left out have their defaults.
pub(crate) fn read(def: &'static OpDef, given: &Bound<'_, PyDict>) -> PyResult<Vec<Waiting>> {
    let py = given.py();
    for name in given.keys() {
        let name: String = name.extract()?;
        if def.attr_position(&name).is_none() {
            let known: Vec<String> = def.attrs.iter().map(|a| format!("`{}`", a.name)).collect();
            let known = if known.is_empty() { "it has none".into() } else { format!("there are: {}", known.join(", ")) };
            return Err(ill_typed(py, format!("`{}`: there is no attribute `{name}`; {known}", def.name)));
        }
    }
    let one = |spec: &AttrDef| match given.get_item(spec.name)? {
        Some(value) => read_one(def, spec, &value),
        None => match spec.default {
            Some(default) => Ok(Waiting::Ready(default())),
            None => {
                let message = format!("`{}`: the attribute `{}` is missing: {}", def.name, spec.name, spec.shape.describe());
                Err(ill_typed(py, message))
            }
        },
    };
    def.attrs.iter().map(one).collect()
}

fn read_one(def: &OpDef, spec: &AttrDef, value: &Bound<'_, PyAny>) -> PyResult<Waiting> {
    let wrong = || {
        let found = value.repr().map(|r| r.to_string()).unwrap_or_default();
        ill_typed(value.py(), format!("`{}`: the attribute `{}` must be {}, found {found}", def.name, spec.name, spec.shape.describe()))
    };
    // A single text is a list of letters to Python: never what is meant.
    let several = || if value.is_instance_of::<PyString>() { Err(wrong()) } else { value.try_iter() };
    Ok(Waiting::Ready(match spec.shape {
        AttrShape::Bool => Attr::Bool(value.cast::<PyBool>().map_err(|_| wrong())?.is_true()),
        AttrShape::Int if value.is_instance_of::<PyInt>() => Attr::Int(value.extract().map_err(|_| wrong())?),
        AttrShape::Int => return Err(wrong()),
        AttrShape::Name => Attr::Name(Name::new(&value.extract::<String>().map_err(|_| wrong())?)),
        AttrShape::Names => {
            let names = several()?.map(|item| Ok(Name::new(&item?.extract::<String>().map_err(|_| wrong())?)));
            Attr::Names(names.collect::<PyResult<Vec<_>>>()?.into())
        }
        AttrShape::Ints => {
            let numbers = several()?.map(|item| item?.extract::<i64>().map_err(|_| wrong()));
            Attr::Ints(numbers.collect::<PyResult<Vec<_>>>()?.into())
        }
        AttrShape::Word(words) => {
            let word: String = value.extract().map_err(|_| wrong())?;
            Attr::Word(words.iter().position(|w| *w == word).ok_or_else(wrong)? as u8)
        }
        AttrShape::Sort => {
            let keys = several()?.map(|item| {
                let word: String = item?.extract().map_err(|_| wrong())?;
                SortKey::from_word(&word).ok_or_else(wrong)
            });
            Attr::Sort(keys.collect::<PyResult<Vec<_>>>()?.into())
        }
        AttrShape::Ty => return as_type(value).map(Waiting::Ty),
        AttrShape::Tys => return Ok(Waiting::Tys(several()?.map(|item| as_type(&item?)).collect::<PyResult<_>>()?)),
        AttrShape::Value => return Ok(Waiting::Value(scalars::read(value)?.ok_or_else(wrong)?)),
    }))
}

/// The attributes in the table of types of their graph.
pub(crate) fn settle(waiting: &[Waiting], types: &mut Types) -> Result<Attrs, String> {
    let one = |waiting: &Waiting| {
        Ok(match waiting {
            Waiting::Ready(attr) => attr.clone(),
            Waiting::Ty(ty) => Attr::Ty(ty.in_table(types)),
            Waiting::Tys(tys) => Attr::Tys(tys.iter().map(|ty| ty.in_table(types)).collect()),
            Waiting::Value(scalar) => {
                let ty = scalar.natural(types)?;
                Attr::Value(scalar.fit(types, ty).ok_or("the value does not fit its own type")?)
            }
        })
    };
    waiting.iter().map(one).collect()
}

/// An attribute taken out of its graph.
pub(crate) enum Shown {
    Plain(Attr, AttrShape),
    Ty(Type),
    Tys(Vec<Type>),
    Value(Type, airloom::ir::value::Value),
}

/// An attribute of a node, to be shown when the graph is no longer held. `whole` is the node's type, which a constant has.
pub(crate) fn take(types: &Types, shape: AttrShape, attr: &Attr, whole: airloom::ir::types::TyId) -> Shown {
    match attr {
        Attr::Ty(ty) => Shown::Ty(Type::of(types, *ty)),
        Attr::Tys(tys) => Shown::Tys(tys.iter().map(|&ty| Type::of(types, ty)).collect()),
        Attr::Value(value) => Shown::Value(Type::of(types, whole), value.clone()),
        other => Shown::Plain(other.clone(), shape),
    }
}

impl Shown {
    /// For Python.
    pub(crate) fn into_python<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Shown::Ty(ty) => Bound::new(py, ty)?.into_any(),
            Shown::Tys(tys) => PyList::new(py, tys.into_iter().map(|ty| Bound::new(py, ty)).collect::<PyResult<Vec<_>>>()?)?.into_any(),
            Shown::Value(ty, value) => {
                let (types, id) = ty.parts();
                value_to_python(py, types, id, &value)?
            }
            Shown::Plain(attr, shape) => match (attr, shape) {
                (Attr::Bool(b), _) => PyBool::new(py, b).to_owned().into_any(),
                (Attr::Int(i), _) => i.into_pyobject(py)?.into_any(),
                (Attr::Name(name), _) => PyString::new(py, &name).into_any(),
                (Attr::Names(names), _) => PyList::new(py, names.iter().map(|n| n.as_str()))?.into_any(),
                (Attr::Ints(numbers), _) => PyList::new(py, numbers.iter())?.into_any(),
                (Attr::Word(at), AttrShape::Word(words)) => PyString::new(py, words[at as usize]).into_any(),
                (Attr::Sort(keys), _) => PyList::new(py, keys.iter().map(|k| k.word()))?.into_any(),
                (other, _) => PyString::new(py, &format!("{other:?}")).into_any(),
            },
        })
    }
}
