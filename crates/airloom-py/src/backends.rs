//! Backends that Python registers: each says what it supports while placing, before anything runs.

use crate::arguments::{datum_to_python, python_to_datum};
use crate::errors::{Error, program_error};
use crate::function::Function;
use crate::graph::Store;
use crate::node::Node;
use airloom_exec::data::Datum;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};
use std::sync::{Arc, Mutex, PoisonError};

/// Why a backend does not take a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    /// The backend.
    pub(crate) backend: String,
    /// What it cannot do.
    pub(crate) reason: String,
}

/// A refusal, and of what.
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    pub(crate) op: &'static str,
    /// Where in the user's file the node was made.
    pub(crate) place: Option<String>,
}

/// Something that runs parts of programs.
pub(crate) trait Backend: Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;
    /// Whether it takes a node, its arguments apart. The module is lent for the time of the call.
    fn supports(&self, module: &mut Module, node: NodeId) -> Result<Result<(), Refusal>, Error>;
    /// The result of a function, made of nodes it supports, for these inputs.
    fn run(&self, module: &Module, function: NodeId, inputs: Vec<Datum>) -> Result<Datum, Error>;
}

/// A backend written in Python.
struct PythonBackend {
    name: String,
    supports: Py<PyAny>,
    run: Py<PyAny>,
}

impl PythonBackend {
    fn failed(&self, doing: &str, error: PyErr) -> Error {
        Error::Raised(format!("backend `{}`, {doing}: {error}", self.name), Some(error))
    }
}

impl Backend for PythonBackend {
    fn name(&self) -> &str {
        &self.name
    }

    fn supports(&self, module: &mut Module, node: NodeId) -> Result<Result<(), Refusal>, Error> {
        let refusal = |reason: String| Ok(Err(Refusal { backend: self.name.clone(), reason }));
        // Lent for the call, so that nothing is copied to ask a question.
        let store = Store::new(std::mem::take(module), Arc::default());
        let answer = Python::attach(|py| {
            let node = Bound::new(py, Node::new(store.clone(), node))?;
            let answer = self.supports.bind(py).call1((node,))?;
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
        });
        if let Some(back) = store.end() {
            *module = back;
        }
        match answer {
            Ok(None) => Ok(Ok(())),
            Ok(Some(reason)) => refusal(reason),
            Err(error) => Err(self.failed("asked what it supports", error)),
        }
    }

    fn run(&self, module: &Module, function: NodeId, inputs: Vec<Datum>) -> Result<Datum, Error> {
        Python::attach(|py| {
            let graph = &module.graph;
            let (types, params) = (graph.types(), graph.params_of(function));
            let inputs = params.iter().zip(&inputs).map(|(&ty, datum)| datum_to_python(py, types, ty, datum));
            let inputs = PyList::new(py, inputs.collect::<PyResult<Vec<_>>>()?)?;
            let part = graph.compact(&[function]);
            let lambda = part.moved[&function];
            let fragment = Module { graph: part.graph, ..Module::default() };
            let fragment = Bound::new(py, Function::new(Store::new(fragment, Arc::default()), lambda, "fragment"))?;
            let made = self.run.bind(py).call1((fragment, inputs))?;
            python_to_datum(&made, types, graph.ty_id(graph.result_of(function)))
        })
        .map_err(|error: PyErr| self.failed("running", error))
    }
}

fn registered() -> &'static Mutex<Vec<Arc<dyn Backend>>> {
    static REGISTERED: Mutex<Vec<Arc<dyn Backend>>> = Mutex::new(Vec::new());
    &REGISTERED
}

/// The backends of this process, in the order they are asked.
pub(crate) fn all() -> Vec<Arc<dyn Backend>> {
    registered().lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Adds a backend.
#[pyfunction]
pub(crate) fn register_backend(py: Python<'_>, name: &str, supports: Py<PyAny>, run: Py<PyAny>) -> PyResult<()> {
    let mut backends = registered().lock().unwrap_or_else(PoisonError::into_inner);
    if backends.iter().any(|b| b.name() == name) {
        drop(backends);
        return Err(program_error(py, format!("there is a backend `{name}` already; hint: `airloom.backends.remove`")));
    }
    backends.push(Arc::new(PythonBackend { name: name.to_string(), supports, run }));
    Ok(())
}

/// Takes a backend away.
#[pyfunction]
pub(crate) fn remove_backend(py: Python<'_>, name: &str) -> PyResult<()> {
    let mut backends = registered().lock().unwrap_or_else(PoisonError::into_inner);
    let before = backends.len();
    backends.retain(|b| b.name() != name);
    if backends.len() == before {
        drop(backends);
        return Err(program_error(py, format!("there is no backend `{name}`")));
    }
    Ok(())
}

/// The names of the backends.
#[pyfunction]
pub(crate) fn list_backends() -> Vec<String> {
    all().iter().map(|b| b.name().to_string()).collect()
}

static REFUSED: Mutex<Vec<Refused>> = Mutex::new(Vec::new());

/// Keeps what was refused in the last run.
pub(crate) fn keep_refusals(refused: Vec<Refused>) {
    *REFUSED.lock().unwrap_or_else(PoisonError::into_inner) = refused;
}

/// What the backends refused in the last run: the backend, the op, the reason, and the line of the user's.
#[pyfunction]
pub(crate) fn list_refusals() -> Vec<(String, &'static str, String, Option<String>)> {
    let refused = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
    refused.iter().map(|r| (r.refusal.backend.clone(), r.op, r.refusal.reason.clone(), r.place.clone())).collect()
}
