//! Backends that Python registers: each says what it supports while placing, before anything runs.

use crate::arguments::{datum_to_python, python_to_datum};
use crate::errors::program_error;
use crate::function::Function;
use crate::graph::{Shared, Store};
use crate::hosts::Hosts;
use crate::node::Node;
use crate::python_host::raised;
use crate::session;
use airloom::backend::{Backend, Compiled, ENGINE, Failure, Refusal, Refused, Run};
use airloom::data::Datum;
use airloom::host::Raised;
use airloom::ir::graph::NodeId;
use airloom::ir::module::Module;
use airloom::ir::types::{TyId, Types};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};
use std::sync::{Arc, PoisonError, RwLock};

/// A backend as Python registered it.
struct Registered {
    name: String,
    supports: Py<PyAny>,
    run: Py<PyAny>,
}

/// A backend written in Python, for one run, with the functions that its program calls.
#[derive(Clone)]
struct PythonBackend {
    registered: Arc<Registered>,
    hosts: Arc<Hosts>,
}

impl PythonBackend {
    fn failed(&self, doing: &str, error: PyErr) -> Failure {
        let raised = raised(error);
        Raised { message: format!("backend `{}`, {doing}: {}", self.registered.name, raised.message), ..raised }.into()
    }

    /// Why it does not take a node, where it does not.
    fn asked(&self, py: Python<'_>, store: &Shared, node: NodeId) -> PyResult<Option<String>> {
        let node = Bound::new(py, Node::new(store.clone(), node))?;
        let answer = self.registered.supports.bind(py).call1((node,))?;
        if let Ok(truth) = answer.cast::<PyBool>() {
            return Ok(if truth.is_true() { None } else { Some("it says no more".to_string()) });
        }
        if answer.is_none() {
            return Ok(Some("it says no more".to_string()));
        }
        answer
            .extract::<String>()
            .map(Some)
            .map_err(|_| program_error(py, format!("`supports` answers `True`, `False` or, for a refusal, its reason; found {answer}")))
    }
}

impl Backend for PythonBackend {
    fn name(&self) -> &str {
        &self.registered.name
    }

    fn supports(&self, program: &Module, node: NodeId) -> Result<Result<(), Refusal>, Failure> {
        Ok(self.supports_each(program, &[node])?.remove(0))
    }

    fn supports_each(&self, program: &Module, nodes: &[NodeId]) -> Result<Vec<Result<(), Refusal>>, Failure> {
        // One copy for all questions, which Python may look at until the last is answered.
        let store = Store::new(program.clone(), self.hosts.clone());
        let answers = Python::attach(|py| nodes.iter().map(|&node| self.asked(py, &store, node)).collect::<PyResult<Vec<_>>>());
        store.end();
        let answers = answers.map_err(|error| self.failed("asked what it supports", error))?;
        Ok(answers.into_iter().map(|answer| answer.map_or(Ok(()), |reason| Err(Refusal::new(self.name(), reason)))).collect())
    }

    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        let fragment = program.compact(&[function]);
        let graph = &fragment.graph;
        // The root comes last: everything else is a part of it.
        let lambda = graph.ids().last().expect("a compacted graph holds its root");
        Ok(Arc::new(PythonPart {
            types: graph.types().clone(),
            params: graph.params_of(lambda).to_vec(),
            result: graph.ty_id(graph.result_of(lambda)),
            backend: self.clone(),
            fragment: Function::new(Store::new(fragment, self.hosts.clone()), lambda, "fragment"),
        }))
    }
}

/// A part of a program that a backend written in Python runs.
struct PythonPart {
    backend: PythonBackend,
    fragment: Function,
    types: Types,
    params: Vec<TyId>,
    result: TyId,
}

impl Compiled for PythonPart {
    fn run(&self, inputs: Vec<Datum>, _: &Run) -> Result<Datum, Failure> {
        Python::attach(|py| {
            let inputs = self.params.iter().zip(&inputs).map(|(&ty, datum)| datum_to_python(py, &self.types, ty, datum));
            let inputs = PyList::new(py, inputs.collect::<PyResult<Vec<_>>>()?)?;
            let fragment = Bound::new(py, self.fragment.clone())?;
            let made = self.backend.registered.run.bind(py).call1((fragment, inputs))?;
            python_to_datum(&made, &self.types, self.result)
        })
        .map_err(|error: PyErr| self.backend.failed("running", error))
    }
}

/// The backends of this process, in the order they are asked.
static REGISTERED: RwLock<Vec<Arc<Registered>>> = RwLock::new(Vec::new());

/// The backends of this process for one run, with the functions that its program calls.
pub(crate) fn all(hosts: &Arc<Hosts>) -> Vec<Arc<dyn Backend>> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    let of = |registered: &Arc<Registered>| -> Arc<dyn Backend> {
        Arc::new(PythonBackend { registered: registered.clone(), hosts: hosts.clone() })
    };
    registered.iter().map(of).collect()
}

/// Adds a backend.
#[pyfunction]
pub(crate) fn register_backend(py: Python<'_>, name: &str, supports: Py<PyAny>, run: Py<PyAny>) -> PyResult<()> {
    let mut backends = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if name == ENGINE || backends.iter().any(|b| b.name == name) {
        drop(backends);
        return Err(program_error(py, format!("there is a backend `{name}` already; hint: `airloom.backends.remove`")));
    }
    backends.push(Arc::new(Registered { name: name.to_string(), supports, run }));
    Ok(())
}

/// Takes a backend away.
#[pyfunction]
pub(crate) fn remove_backend(py: Python<'_>, name: &str) -> PyResult<()> {
    let mut backends = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let removed = backends.iter().position(|b| b.name == name).map(|at| backends.remove(at));
    // What Python does when its object goes may ask for the backends.
    drop(backends);
    match removed {
        Some(_) => Ok(()),
        None => Err(program_error(py, format!("there is no backend `{name}`"))),
    }
}

/// The names of the backends.
#[pyfunction]
pub(crate) fn list_backends() -> Vec<String> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).iter().map(|b| b.name.clone()).collect()
}

/// What the backends refused in the last run: the backend, the op, the reason, and the line of the user's.
#[pyfunction]
pub(crate) fn list_refusals() -> Vec<(String, &'static str, String, Option<String>)> {
    let row = |r: &Refused| (r.refusal.backend.clone(), r.op, r.refusal.reason.clone(), r.place.as_ref().map(ToString::to_string));
    session::common().refusals().iter().map(row).collect()
}
