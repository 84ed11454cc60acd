//! Functions of a program, written in Python.

use crate::build::parameter_names;
use crate::errors::{ill_typed, program_error};
use crate::given;
use crate::graph::{Graph, Shared, Writing, current_or_new};
use crate::location::{follow, here, placed};
use crate::node::Node;
use crate::types::{Type, as_type};
use airloom::ir::graph::NodeId;
use airloom::ir::module::Function as Named;
use airloom::ir::name::Name;
use airloom::ir::text::print_function;
use airloom::ir::types::TyId;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A closed function of a graph.
#[pyclass(frozen, module = "airloom.ir", name = "Function")]
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) store: Shared,
    pub(crate) lambda: NodeId,
    pub(crate) name: String,
}

impl Function {
    pub(crate) fn new(store: Shared, lambda: NodeId, name: &str) -> Function {
        Function { store, lambda, name: name.to_string() }
    }
}

#[pymethods]
impl Function {
    /// Its name, without `@`.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The graph it is in.
    #[getter]
    fn graph(&self) -> Graph {
        Graph { store: self.store.clone() }
    }

    /// It as a node: a value that `ir.call` takes.
    #[getter]
    fn node(&self) -> Node {
        Node::new(self.store.clone(), self.lambda)
    }

    /// What it computes, in its parameters.
    #[getter]
    fn result(&self) -> PyResult<Node> {
        let id = self.store.with(|m| m.graph.result_of(self.lambda))?;
        Ok(Node::new(self.store.clone(), id))
    }

    /// The types of its parameters.
    #[getter]
    fn params(&self) -> PyResult<Vec<Type>> {
        self.store.with(|m| m.graph.params_of(self.lambda).iter().map(|&ty| Type::of(m.graph.types(), ty)).collect())
    }

    /// What its parameters are called, as far as it is known.
    #[getter]
    fn param_names(&self) -> PyResult<Vec<Option<String>>> {
        self.store.with(|m| {
            let count = m.graph.params_of(self.lambda).len();
            (0..count).map(|n| m.hints.param(self.lambda, n).map(ToString::to_string)).collect()
        })
    }

    /// The type of its result.
    #[getter]
    fn result_type(&self) -> PyResult<Type> {
        self.store.with(|m| Type::of(m.graph.types(), m.graph.ty_id(m.graph.result_of(self.lambda))))
    }

    /// It as text.
    fn text(&self) -> PyResult<String> {
        self.store.with(|m| print_function(&m.graph, &m.hints, &self.name, self.lambda))
    }

    /// Whether two functions are the same node of the same graph, or would be.
    fn same_as(&self, other: &Function) -> PyResult<bool> {
        self.node().same_as(&other.node())
    }

    fn __repr__(&self) -> PyResult<String> {
        let head = self.store.with(|m| {
            let types = m.graph.types();
            let params: Vec<String> = m.graph.params_of(self.lambda).iter().map(|&t| types.show(t)).collect();
            format!("({}) -> {}", params.join(", "), types.show(m.graph.ty_id(m.graph.result_of(self.lambda))))
        })?;
        Ok(format!("<function @{}{head}>", self.name))
    }
}

/// A function whose result a callable makes of its parameters.
#[pyfunction]
#[pyo3(signature = (callable, name, params, result=None))]
pub(crate) fn make_function(
    py: Python<'_>,
    callable: &Bound<'_, PyAny>,
    name: &str,
    params: Vec<(String, Bound<'_, PyAny>)>,
    result: Option<&Bound<'_, PyAny>>,
) -> PyResult<Function> {
    let place = here(py);
    let refused = |message: String| ill_typed(py, placed(format!("function `{name}`: {message}"), place.as_ref()));
    let types: Vec<Type> = params.iter().map(|(_, ty)| as_type(ty)).collect::<PyResult<_>>()?;
    let wanted = result.map(as_type).transpose()?;
    let store = current_or_new();
    if store.with(|m| m.function(name).is_some())? {
        return Err(program_error(py, placed(format!("there is a function `{name}` in this graph already"), place.as_ref())));
    }
    let holes: Vec<NodeId> = store.with(|m| {
        let tys: Vec<TyId> = types.iter().map(|ty| ty.in_table(m.graph.types_mut())).collect();
        tys.into_iter().map(|ty| m.graph.fresh_hole(ty)).collect()
    })?;
    let nodes = holes.iter().map(|&hole| Bound::new(py, Node::new(store.clone(), hole))).collect::<PyResult<Vec<_>>>()?;
    let returned = {
        let _writing = Writing::to(&store);
        callable.call1(PyTuple::new(py, nodes)?)?
    };
    if returned.is_none() {
        return Err(refused("it returned nothing; hint: `return` a node".into()));
    }
    let read = given::gather(py, vec![given::read(&returned)?], &store)?;
    let mut names: Vec<Name> = params.iter().map(|(name, _)| Name::new(name)).collect();
    if names.iter().any(|n| n.is_empty()) {
        names = parameter_names(callable);
    }
    let made = store.with(|m| {
        let known: Vec<TyId> = wanted.iter().map(|ty| ty.in_table(m.graph.types_mut())).collect();
        let result = read[0].candidates(&mut m.graph, &known)?[0];
        if let Some(&wanted) = known.first()
            && m.graph.ty_id(result) != wanted
        {
            return Err(format!("it returns `{}`, but is said to return `{}`", m.graph.show_ty(result), m.graph.types().show(wanted)));
        }
        let lambda = m.graph.function(&holes, result).map_err(|e| e.to_string())?;
        let closed = m.graph.result_of(lambda);
        follow(m, result, closed);
        m.hints.name_params(lambda, names);
        m.functions.push(Named { name: Name::new(name), lambda });
        Ok(lambda)
    })?;
    made.map(|lambda| Function::new(store, lambda, name)).map_err(refused)
}
