//! Where in the user's own files a node comes from.

use airloom::ir::graph::NodeId;
use airloom::ir::module::{Location, Module};
use airloom::ir::name::Name;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::collections::BTreeSet;

/// The line of the user's that called, airloom's own frames passed over.
pub(crate) fn here(py: Python<'_>) -> Option<Location> {
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
