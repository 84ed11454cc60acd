//! The op table for Python: what the functions of `airloom.ir` are generated from.

use airloom::ir::attrs::{Attr, AttrShape};
use airloom::ir::ops::{self, AttrDef, OpDef};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Every op, in the order of the table, each as a dict.
#[pyfunction]
pub(crate) fn op_table(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let rows = ops::all().map(|def| describe(py, def)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, rows)
}

fn describe<'py>(py: Python<'py>, def: &OpDef) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let doc: Vec<&str> = def.doc.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    dict.set_item("name", def.name)?;
    dict.set_item("family", def.family)?;
    dict.set_item("doc", doc.join("\n"))?;
    dict.set_item("args", def.args)?;
    dict.set_item("gathered", def.gathered)?;
    dict.set_item("rest", def.rest)?;
    dict.set_item("bodies", def.bodies.iter().map(|b| b.name).collect::<Vec<_>>())?;
    dict.set_item("attrs", def.attrs.iter().map(|a| attribute(py, a)).collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn attribute<'py>(py: Python<'py>, spec: &AttrDef) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (shape, words): (&str, &[&str]) = match spec.shape {
        AttrShape::Bool => ("bool", &[]),
        AttrShape::Int => ("int", &[]),
        AttrShape::Name => ("name", &[]),
        AttrShape::Names => ("names", &[]),
        AttrShape::Ints => ("ints", &[]),
        AttrShape::Word(words) => ("word", words),
        AttrShape::Sort => ("sort", &[]),
        AttrShape::Ty => ("type", &[]),
        AttrShape::Tys => ("types", &[]),
        AttrShape::Value => ("value", &[]),
    };
    dict.set_item("name", spec.name)?;
    dict.set_item("shape", shape)?;
    dict.set_item("words", words)?;
    let default = spec.default.map(|default| default());
    dict.set_item("required", default.is_none())?;
    let text = match (default, spec.shape) {
        (Some(Attr::Bool(b)), _) => Some(if b { "True".to_string() } else { "False".to_string() }),
        (Some(Attr::Int(i)), _) => Some(i.to_string()),
        (Some(Attr::Name(name)), _) => Some(format!("{:?}", name.as_str())),
        (Some(Attr::Word(at)), AttrShape::Word(words)) => Some(format!("{:?}", words[at as usize])),
        (Some(_), _) => Some("()".to_string()),
        (None, _) => None,
    };
    dict.set_item("default", text)?;
    Ok(dict)
}
