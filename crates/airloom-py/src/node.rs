//! Nodes as Python holds them: read by attribute, combined by operators.

use crate::attributes;
use crate::build::plain;
use crate::errors::{ill_typed, program_error};
use crate::function::Function;
use crate::given::{self, Given};
use crate::graph::{Graph, Shared};
use crate::location::here;
use crate::operators::{self, Operator};
use crate::scalars::value_to_python;
use crate::types::Type;
use airloom::ir::attrs::Effect;
use airloom::ir::graph::NodeId;
use airloom::ir::module::Module;
use airloom::ir::ops::Op;
use airloom::ir::ops::core::Core;
use airloom::ir::text::print_node;
use airloom::ir::types::Ty;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PySlice, PyString};
use std::sync::Arc;

/// A node of a graph: typed, immutable, and equal programs are equal nodes.
#[pyclass(frozen, module = "airloom.ir", name = "Node")]
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) store: Shared,
    pub(crate) id: NodeId,
}

impl Node {
    pub(crate) fn new(store: Shared, id: NodeId) -> Node {
        Node { store, id }
    }

    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Module, NodeId) -> R) -> PyResult<R> {
        self.store.with(|module| work(module, self.id))
    }

    pub(crate) fn given(&self) -> Given {
        Given::Node(self.store.clone(), self.id)
    }

    fn at(&self, id: NodeId) -> Node {
        Node::new(self.store.clone(), id)
    }

    fn field(&self, py: Python<'_>, name: &str) -> PyResult<Node> {
        let relation = self.with(|m, id| matches!(m.graph.ty(id), Ty::Rel(_)))?;
        let record = if relation { plain(py, op("rel.columns").def(), &[], vec![self.given()], here(py))? } else { self.clone() };
        let attrs = PyDict::new(py);
        attrs.set_item("field", name)?;
        let def = op("get").def();
        plain(py, def, &attributes::read(def, &attrs)?, vec![record.given()], here(py))
    }

    fn binary(&self, py: Python<'_>, operator: Operator, other: &Bound<'_, PyAny>, reflected: bool) -> PyResult<Py<PyAny>> {
        match given::read(other) {
            Ok(other) => {
                let (left, right) = if reflected { (other, self.given()) } else { (self.given(), other) };
                let made = operators::binary(py, operator, left, right)?;
                Ok(Bound::new(py, made)?.into_any().unbind())
            }
            Err(_) => Ok(py.NotImplemented()),
        }
    }
}

/// An op of the table that this crate names itself.
pub(crate) fn op(name: &str) -> Op {
    Op::from_name(name).expect("the name stands in the op table")
}

#[pymethods]
impl Node {
    /// Which op it is, as in the text form.
    #[getter]
    fn op(&self) -> PyResult<&'static str> {
        self.with(|m, id| m.graph.op(id).name())
    }

    /// Its type.
    #[getter(r#type)]
    fn ty(&self) -> PyResult<Type> {
        self.with(|m, id| Type::of(m.graph.types(), m.graph.ty_id(id)))
    }

    /// The graph it is in.
    #[getter]
    fn graph(&self) -> Graph {
        Graph { store: self.store.clone() }
    }

    /// Its number in the graph.
    #[getter]
    fn id(&self) -> usize {
        self.id.index()
    }

    /// What tells it from every other node that is held: two nodes of one graph that say the same are one, and have one identity. It can be hashed, as nodes cannot: `==` of
    /// nodes makes a node.
    #[getter]
    fn identity(&self) -> (usize, usize) {
        (Arc::as_ptr(&self.store).cast::<()>() as usize, self.id.index())
    }

    /// The arguments, bodies and captures apart.
    #[getter]
    fn args(&self) -> PyResult<Vec<Node>> {
        let ids = self.with(|m, id| {
            let (def, args) = (m.graph.op(id).def(), m.graph.args(id));
            if def.bodies.is_empty() { args.to_vec() } else { args[..def.args.len()].to_vec() }
        })?;
        Ok(ids.into_iter().map(|id| self.at(id)).collect())
    }

    /// The bodies: functions of their own parameters, then of what is captured.
    #[getter]
    fn bodies(&self) -> PyResult<Vec<Function>> {
        let parts = self.with(|m, id| {
            let (def, args) = (m.graph.op(id).def(), m.graph.args(id));
            let names = def.bodies.iter().map(|b| b.name);
            names.zip(args[def.args.len()..].iter().copied()).collect::<Vec<_>>()
        })?;
        Ok(parts.into_iter().map(|(name, id)| Function::new(self.store.clone(), id, name)).collect())
    }

    /// What the bodies capture.
    #[getter]
    fn captures(&self) -> PyResult<Vec<Node>> {
        let ids = self.with(|m, id| {
            let (def, args) = (m.graph.op(id).def(), m.graph.args(id));
            if def.bodies.is_empty() { Vec::new() } else { args[def.args.len() + def.bodies.len()..].to_vec() }
        })?;
        Ok(ids.into_iter().map(|id| self.at(id)).collect())
    }

    /// The attributes, by name.
    #[getter]
    fn attrs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let taken = self.with(|m, id| {
            let node = m.graph.node(id);
            let one =
                |(spec, attr): (&airloom::ir::ops::AttrDef, _)| (spec.name, attributes::take(m.graph.types(), spec.shape, attr, node.ty()));
            node.op().def().attrs.iter().zip(node.attrs()).map(one).collect::<Vec<_>>()
        })?;
        let dict = PyDict::new(py);
        for (name, attr) in taken {
            dict.set_item(name, attr.into_python(py)?)?;
        }
        Ok(dict)
    }

    /// The value of a constant; an error for any other node.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with(|m, id| m.graph.const_value(id).cloned().map(|v| (Type::of(m.graph.types(), m.graph.ty_id(id)), v)))?;
        let Some((ty, value)) = found else {
            return Err(program_error(py, format!("`{}` is not a constant", self.op()?)));
        };
        let (types, id) = ty.parts();
        value_to_python(py, types, id, &value)
    }

    /// Whether it is a constant.
    #[getter]
    fn is_constant(&self) -> PyResult<bool> {
        self.with(|m, id| m.graph.const_value(id).is_some())
    }

    /// Whether computing it may raise, everything below it included.
    #[getter]
    fn may_raise(&self) -> PyResult<bool> {
        self.with(|m, id| m.graph.effect(id) != Effect::Pure)
    }

    /// Where in the user's files it was made: pairs of file and line, the first few.
    #[getter]
    fn locations(&self) -> PyResult<Vec<(Option<String>, u32)>> {
        self.with(|m, id| m.locations.of(id).iter().map(|p| (p.file.as_ref().map(ToString::to_string), p.line)).collect())
    }

    /// It as text, with what it is made of.
    fn text(&self) -> PyResult<String> {
        self.with(|m, id| print_node(&m.graph, id))
    }

    /// Whether two nodes say the same. `==` makes a node that compares.
    pub(crate) fn same_as(&self, other: &Node) -> PyResult<bool> {
        if Arc::ptr_eq(&self.store, &other.store) {
            return Ok(self.id == other.id);
        }
        // Equal programs have equal ids in one graph.
        let part = |node: &Node| node.with(|m, id| (m.graph.compact(&[id]), id));
        let ((mut left, own), (right, others)) = (part(self)?, part(other)?);
        let imported = left.graph.import(&right.graph, &[right.moved[&others]]);
        Ok(imported.is_ok_and(|ids| ids[0] == left.moved[&own]))
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Node> {
        // Python asks for many names of its own before it believes that there are none.
        if name.starts_with("__") {
            return Err(PyAttributeError::new_err(name.to_string()));
        }
        self.field(py, name).map_err(|error| {
            let own = PyAttributeError::new_err(error.value(py).to_string());
            own.set_cause(py, None);
            own
        })
    }

    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Node> {
        if key.is_instance_of::<PyString>() {
            return self.field(py, &key.extract::<String>()?);
        }
        let kind = self.with(|m, id| m.graph.types().plain(m.graph.ty_id(id)).clone())?;
        let build = |name: &str, args: Vec<Given>| {
            let def = op(name).def();
            plain(py, def, &attributes::read(def, &PyDict::new(py))?, args, here(py))
        };
        match kind {
            Ty::Tuple(_) if key.is_instance_of::<PyInt>() => {
                let attrs = PyDict::new(py);
                attrs.set_item("number", key)?;
                let def = op("item").def();
                plain(py, def, &attributes::read(def, &attrs)?, vec![self.given()], here(py))
            }
            Ty::Arr(..) | Ty::List(_) if key.is_instance_of::<PySlice>() => {
                let part = |name: &str| given::read(&key.getattr(name)?);
                let name = if matches!(kind, Ty::Arr(..)) { "arr.slice" } else { "list.slice" };
                let mut args = vec![self.given(), part("start")?, part("stop")?];
                if name == "arr.slice" {
                    args.push(part("step")?);
                }
                build(name, args)
            }
            Ty::Arr(..) => match given::read(key)? {
                Given::Tuple(indices) => build("arr.at", std::iter::once(self.given()).chain(indices).collect()),
                index => build("arr.at", vec![self.given(), index]),
            },
            Ty::List(_) => build("list.at", vec![self.given(), given::read(key)?]),
            _ => Err(ill_typed(py, format!("`{}` has no parts by number; hint: fields are read by name", self.ty()?.text()))),
        }
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let count = self.with(|m, id| if let Ty::Tuple(parts) = m.graph.ty(id) { Some(parts.len()) } else { None })?;
        let Some(count) = count else {
            return Err(PyTypeError::new_err(format!(
                "a node of type `{}` is not computed yet, so it cannot be gone through",
                self.ty()?.text()
            )));
        };
        let parts = (0..count).map(|n| self.__getitem__(py, n.into_pyobject(py)?.as_any())).collect::<PyResult<Vec<_>>>()?;
        let list = pyo3::types::PyList::new(py, parts.into_iter().map(|p| Bound::new(py, p)).collect::<PyResult<Vec<_>>>()?)?;
        Ok(list.try_iter()?.into_any().unbind())
    }

    fn __dir__(&self) -> PyResult<Vec<String>> {
        let own = [
            "args",
            "attrs",
            "bodies",
            "captures",
            "graph",
            "id",
            "identity",
            "is_constant",
            "locations",
            "op",
            "same_as",
            "text",
            "type",
            "value",
        ];
        let fields = self.with(|m, id| match m.graph.types().plain(m.graph.ty_id(id)) {
            Ty::Struct(fields) | Ty::Rel(fields) => fields.names().map(ToString::to_string).collect(),
            _ => Vec::new(),
        })?;
        Ok(own.iter().map(ToString::to_string).chain(fields).collect())
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a node is not computed yet, so it is neither true nor false; hint: `&`, `|` and `~` instead of `and`, `or` and `not`, and `ir.select` or `ir.if_` instead of `if`",
        ))
    }

    fn __add__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Add, other, false)
    }
    fn __radd__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Add, other, true)
    }
    fn __sub__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Sub, other, false)
    }
    fn __rsub__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Sub, other, true)
    }
    fn __mul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Mul, other, false)
    }
    fn __rmul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Mul, other, true)
    }
    fn __truediv__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Div, other, false)
    }
    fn __rtruediv__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Div, other, true)
    }
    fn __floordiv__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::FloorDiv, other, false)
    }
    fn __rfloordiv__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::FloorDiv, other, true)
    }
    fn __mod__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Mod, other, false)
    }
    fn __rmod__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Mod, other, true)
    }
    fn __pow__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Pow, other, false)
    }
    fn __rpow__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Pow, other, true)
    }
    fn __and__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::And, other, false)
    }
    fn __rand__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::And, other, true)
    }
    fn __or__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Or, other, false)
    }
    fn __ror__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Or, other, true)
    }
    fn __xor__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Xor, other, false)
    }
    fn __rxor__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Xor, other, true)
    }
    fn __lshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Shl, other, false)
    }
    fn __rshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Shr, other, false)
    }

    fn __rlshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Shl, other, true)
    }
    fn __rrshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Shr, other, true)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, comparison: pyo3::basic::CompareOp) -> PyResult<Py<PyAny>> {
        self.binary(py, Operator::Compare(comparison), other, false)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Node> {
        operators::unary(py, "neg", self)
    }
    fn __pos__(&self) -> Node {
        self.clone()
    }
    fn __abs__(&self, py: Python<'_>) -> PyResult<Node> {
        operators::unary(py, "abs", self)
    }
    fn __invert__(&self, py: Python<'_>) -> PyResult<Node> {
        let truth = self.with(|m, id| *m.graph.types().plain(m.graph.ty_id(id)) == Ty::Bool)?;
        operators::unary(py, if truth { "not" } else { "bitnot" }, self)
    }

    fn __repr__(&self) -> PyResult<String> {
        let text = self.text()?;
        let short = if text.chars().count() > 200 { format!("{}…", text.chars().take(200).collect::<String>()) } else { text };
        Ok(format!("<{}: {short}>", self.ty()?.text()))
    }

    /// A finished node goes to other processes by its bytes.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, pyo3::types::PyBytes>,))> {
        let py = slf.py();
        let node = slf.get();
        let bytes = node.with(|m, id| {
            let open = m.graph.node(id).is_open() || m.graph.node(id).has_holes();
            let mut part = m.compact(&[id]);
            let moved = part.graph.ids().last()?;
            let lambda = part.graph.function(&[], moved).ok().filter(|_| !open)?;
            part.functions = vec![airloom::ir::module::Function { name: "node".into(), lambda }];
            Some(airloom::ir::binary::encode(&part))
        })?;
        let Some(bytes) = bytes else { return Err(program_error(py, "only a node that mentions no parameter can be pickled")) };
        let loads = py.import("airloom._native")?.getattr("load_node")?;
        Ok((loads, (pyo3::types::PyBytes::new(py, &bytes),)))
    }
}

/// A node from the bytes of its pickle.
#[pyfunction]
pub(crate) fn load_node(py: Python<'_>, bytes: &[u8]) -> PyResult<Node> {
    let module = airloom::ir::binary::decode(bytes).map_err(|e| program_error(py, format!("these bytes are not a node: {e}")))?;
    let Some(lambda) = module.function("node").filter(|&l| module.graph.op(l) == Op::Core(Core::Lambda)) else {
        return Err(program_error(py, "these bytes are not a node"));
    };
    let id = module.graph.result_of(lambda);
    Ok(Node::new(crate::graph::Store::new(module, Arc::default()), id))
}
