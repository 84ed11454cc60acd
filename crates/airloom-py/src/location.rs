//! Where in the user's own files a node comes from.

use airloom::ir::graph::NodeId;
use airloom::ir::module::{Location, Module};
use airloom::ir::name::Name;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    /// Lines that all nodes come from which are made now: the last is in force.
    static PLACES: RefCell<Vec<Option<Location>>> = const { RefCell::new(Vec::new()) };
}

/// For as long as it lives, nodes come from this line.
struct Placing(());

impl Placing {
    fn at(place: Option<Location>) -> Placing {
        PLACES.with_borrow_mut(|places| places.push(place));
        Placing(())
    }
}

impl Drop for Placing {
    fn drop(&mut self) {
        PLACES.with_borrow_mut(|places| places.pop());
    }
}

/// Calls a function; all nodes that it makes come from `location`, a file and a line, or else from the line that called. Where a front end makes many nodes for one line, looking for it each time
/// takes longer than making them; and a front end knows between which of its library's lines and the user's it stands.
#[pyfunction]
#[pyo3(signature = (callable, location=None))]
pub(crate) fn at_one_place<'py>(
    py: Python<'py>,
    callable: &Bound<'py, PyAny>,
    location: Option<(String, u32)>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = location.map(|(file, line)| Location { file: Some(Name::new(&file)), line });
    let _placing = Placing::at(given.or_else(|| here(py)));
    callable.call0()
}

/// The line of the user's that called, airloom's own frames passed over.
pub(crate) fn here(py: Python<'_>) -> Option<Location> {
    if let Some(place) = PLACES.with_borrow(|places| places.last().cloned()) {
        return place;
    }
    static GET_FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get_frame = GET_FRAME.get_or_try_init(py, || py.import("sys")?.getattr("_getframe").map(Bound::unbind)).ok()?;
    let mut frame = get_frame.bind(py).call0().ok()?;
    let own = package(py);
    for _ in 0..100 {
        let file: String = frame.getattr("f_code").and_then(|c| c.getattr("co_filename")).and_then(|f| f.extract()).ok()?;
        if !own.is_some_and(|own| file.starts_with(own)) {
            let line: u32 = frame.getattr("f_lineno").and_then(|l| l.extract()).ok()?;
            return Some(Location { file: Some(Name::new(&file)), line });
        }
        frame = frame.getattr("f_back").ok().filter(|f| !f.is_none())?;
    }
    None
}

/// The folder of the package, with the separator after it.
fn package(py: Python<'_>) -> Option<&'static String> {
    static PACKAGE: PyOnceLock<Option<String>> = PyOnceLock::new();
    let found = PACKAGE.get_or_init(py, || {
        let file: String = py.import("airloom").and_then(|m| m.getattr("__file__")).and_then(|f| f.extract()).ok()?;
        file.strip_suffix("__init__.py").map(str::to_string)
    });
    found.as_ref()
}

/// A message with the location it is about.
pub(crate) fn placed(message: impl std::fmt::Display, place: Option<&Location>) -> String {
    match place {
        Some(place) => format!("{message} ({place})"),
        None => message.to_string(),
    }
}

/// Gives the locations of a body's nodes, as it was written, to those it became when it was closed: the same nodes but for their parameters.
pub(crate) fn follow(module: &mut Module, written: NodeId, closed: NodeId) {
    let mut seen = BTreeSet::new();
    let mut stack = vec![(written, closed)];
    while let Some((old, new)) = stack.pop() {
        let graph = &module.graph;
        let same = graph.op(old) == graph.op(new) && graph.args(old).len() == graph.args(new).len();
        if old == new || !same || !seen.insert((old, new)) {
            continue;
        }
        stack.extend(graph.args(old).iter().copied().zip(graph.args(new).iter().copied()));
        for place in module.locations.of(old).to_vec() {
            module.locations.add(new, place);
        }
        module.hints.inherit(old, new);
    }
}
