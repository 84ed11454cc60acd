//! A graph that Python builds: a program whose nodes Python holds by number.
//!
//! Nothing calls Python while a graph is held: Python code may wait for the graph, and the graph would wait for it.

use crate::errors::program_error;
use crate::function::Function;
use crate::hosts::Hosts;
use airloom::ir::binary;
use airloom::ir::module::Module;
use airloom::ir::text;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// A program, and the Python functions it calls. A rule lends its graph for the time of one call; after that there is none.
pub(crate) struct Store {
    module: Mutex<Option<Module>>,
    pub(crate) hosts: Arc<Hosts>,
}

/// How nodes hold their graph.
pub(crate) type Shared = Arc<Store>;

impl Store {
    /// A graph of this program.
    pub(crate) fn new(module: Module, hosts: Arc<Hosts>) -> Shared {
        Arc::new(Store { module: Mutex::new(Some(module)), hosts })
    }

    /// Works on the program. `work` must not call Python.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Module) -> R) -> PyResult<R> {
        let mut held = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_mut() {
            Some(module) => Ok(work(module)),
            None => {
                drop(held);
                let message = "this node belongs to a match that has ended: a rule may keep nothing of what it was given";
                Python::attach(|py| Err(program_error(py, message)))
            }
        }
    }

    /// Takes the program back from Python.
    pub(crate) fn end(&self) -> Option<Module> {
        self.module.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

thread_local! {
    /// The graphs whose bodies or functions are being written, the innermost last.
    static CURRENT: RefCell<Vec<Shared>> = const { RefCell::new(Vec::new()) };
}

/// The graph that is being written, where one is.
pub(crate) fn current() -> Option<Shared> {
    CURRENT.with_borrow(|stack| stack.last().cloned())
}

/// The graph that is being written, or a new one.
pub(crate) fn current_or_new() -> Shared {
    current().unwrap_or_else(|| Store::new(Module::default(), Arc::new(Hosts::default())))
}

/// For as long as it lives, leaves are made in this graph.
pub(crate) struct Writing(());

impl Writing {
    pub(crate) fn to(store: &Shared) -> Writing {
        CURRENT.with_borrow_mut(|stack| stack.push(store.clone()));
        Writing(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|stack| stack.pop());
    }
}

/// A program under construction: functions over one graph.
#[pyclass(frozen, module = "airloom.ir", name = "Graph")]
pub(crate) struct Graph {
    pub(crate) store: Shared,
}

#[pymethods]
impl Graph {
    #[new]
    fn new() -> Graph {
        Graph { store: Store::new(Module::default(), Arc::new(Hosts::default())) }
    }

    /// The program of a text. Every error of it is reported, each on its line.
    #[staticmethod]
    #[pyo3(signature = (text, file=None))]
    fn parse(py: Python<'_>, text: &str, file: Option<&str>) -> PyResult<Graph> {
        let parsed = text::parse_file(text, file.map(Into::into));
        match parsed {
            Ok(module) => Ok(Graph { store: Store::new(module, Arc::new(Hosts::default())) }),
            Err(errors) => Err(program_error(py, errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))),
        }
    }

    /// The program of bytes that `dumps` wrote.
    #[staticmethod]
    fn loads(py: Python<'_>, bytes: &[u8]) -> PyResult<Graph> {
        match binary::decode(bytes) {
            Ok(module) => Ok(Graph { store: Store::new(module, Arc::new(Hosts::default())) }),
            Err(error) => Err(program_error(py, format!("these bytes are not a program: {error}"))),
        }
    }

    /// The program as bytes: versioned, and read with distrust.
    fn dumps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.store.with(|module| binary::encode(&module.compact(&module.roots())))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The program as text.
    fn text(&self) -> PyResult<String> {
        self.store.with(|module| text::print(module))
    }

    /// The functions of the program, in the order they were written.
    #[getter]
    fn functions(&self) -> PyResult<Vec<Function>> {
        let list = self.store.with(|module| module.functions.clone())?;
        Ok(list.into_iter().map(|f| Function::new(self.store.clone(), f.lambda, f.name.as_str())).collect())
    }

    /// How many nodes there are, dead ones included.
    fn __len__(&self) -> PyResult<usize> {
        self.store.with(|module| module.graph.len())
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Function> {
        match self.store.with(|module| module.function(name))? {
            Some(lambda) => Ok(Function::new(self.store.clone(), lambda, name)),
            None => {
                let known = self.store.with(|m| m.functions.iter().map(|f| format!("`{}`", f.name)).collect::<Vec<_>>().join(", "))?;
                Err(program_error(py, format!("there is no function `{name}` in this graph; there are: {known}")))
            }
        }
    }

    /// Inside `with graph:` everything without arguments (sources, constants, functions) is made in it.
    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        CURRENT.with_borrow_mut(|stack| stack.push(slf.get().store.clone()));
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        CURRENT.with_borrow_mut(|stack| {
            stack.pop();
        });
    }

    fn __repr__(&self) -> PyResult<String> {
        self.store.with(|module| {
            let names: Vec<String> = module.functions.iter().map(|f| format!("@{}", f.name)).collect();
            format!("<graph of {} nodes: {}>", module.graph.len(), names.join(", "))
        })
    }
}
