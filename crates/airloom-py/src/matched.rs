//! What a rule written in Python is given: the node, and what the variables of its left side are bound to.

use crate::attributes;
use crate::graph::Shared;
use crate::node::Node;
use airloom::ir::attrs::{Attr, AttrShape};
use airloom::ir::graph::NodeId;
use airloom::ir::text::pattern::{AttrPattern, Pattern};
use airloom::opt::matching::Bindings;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A match of a rule's left side.
#[pyclass(frozen, module = "airloom.rules", name = "Match")]
pub(crate) struct Match {
    store: Shared,
    root: NodeId,
    found: Vec<(String, Found)>,
}

enum Found {
    Node(NodeId),
    Rest(Vec<NodeId>),
    Attr(Attr, AttrShape, NodeId),
}

impl Match {
    pub(crate) fn new(store: &Shared, root: NodeId, left: &Pattern, bindings: &Bindings) -> PyResult<Match> {
        let mut found = Vec::new();
        collect(left, root, bindings, &mut found);
        Ok(Match { store: store.clone(), root, found })
    }

    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let node = |id: NodeId| Bound::new(py, Node::new(self.store.clone(), id));
        let Some((_, found)) = self.found.iter().find(|(n, _)| n == name) else { return Ok(None) };
        Ok(Some(match found {
            Found::Node(id) => node(*id)?.into_any(),
            Found::Rest(ids) => PyList::new(py, ids.iter().map(|&id| node(id)).collect::<PyResult<Vec<_>>>()?)?.into_any(),
            Found::Attr(attr, shape, of) => {
                let shown = self.store.with(|m| attributes::take(m.graph.types(), *shape, attr, m.graph.ty_id(*of)))?;
                shown.into_python(py)?
            }
        }))
    }
}

fn collect(pattern: &Pattern, root: NodeId, bindings: &Bindings, found: &mut Vec<(String, Found)>) {
    let known = |found: &[(String, Found)], name: &str| found.iter().any(|(n, _)| n == name);
    match pattern {
        Pattern::Var(name, _) => {
            if let Some(id) = bindings.node(name).filter(|_| !known(found, name)) {
                found.push((name.to_string(), Found::Node(id)));
            }
        }
        Pattern::Rest(name) => {
            if let Some(ids) = bindings.rest(name).filter(|_| !known(found, name)) {
                found.push((name.to_string(), Found::Rest(ids.to_vec())));
            }
        }
        Pattern::Literal(..) => (),
        Pattern::Call(op, attrs, args) => {
            for (at, attr) in attrs {
                if let AttrPattern::Var(name) = attr
                    && let Some(attr) = bindings.attr(name).filter(|_| !known(found, name))
                {
                    found.push((name.to_string(), Found::Attr(attr.clone(), op.def().attrs[*at].shape, root)));
                }
            }
            args.iter().for_each(|arg| collect(arg, root, bindings, found));
        }
    }
}

#[pymethods]
impl Match {
    /// The node that matched.
    #[getter]
    fn root(&self) -> Node {
        Node::new(self.store.clone(), self.root)
    }

    /// The variables of the left side, without `?`.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.found.iter().map(|(name, _)| name.clone()).collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.__getattr__(py, name)
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, name)?.ok_or_else(|| {
            let known: Vec<String> = self.found.iter().map(|(n, _)| format!("`?{n}`")).collect();
            PyAttributeError::new_err(format!("there is no variable `?{name}` in the rule's left side; there are: {}", known.join(", ")))
        })
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<match of {}>", self.names().join(", ")))
    }
}
