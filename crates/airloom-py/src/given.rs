//! What Python gives a builder: nodes, values, and tuples and dicts of them; brought into one graph.

use crate::errors::ill_typed;
use crate::function::Function;
use crate::graph::{Shared, current, current_or_new};
use crate::node::Node;
use crate::scalars::{self, Scalar};
use airloom::ir::graph::{Args, Graph, NodeId, TypeError};
use airloom::ir::name::Name;
use airloom::ir::ops::Op;
use airloom::ir::ops::core::{BuildCore, Core};
use airloom::ir::ops::nested::BuildNested;
use airloom::ir::types::{Ty, TyId};
use airloom::ir::value::Value;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;

/// An argument, as it was given.
pub(crate) enum Given {
    Node(Shared, NodeId),
    Scalar(Scalar),
    Tuple(Vec<Given>),
    List(Vec<Given>),
    Record(Vec<(String, Given)>),
}

/// Reads an argument, before any graph is held.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Given> {
    if let Ok(node) = value.cast::<Node>() {
        let node = node.get();
        return Ok(Given::Node(node.store.clone(), node.id));
    }
    if let Ok(function) = value.cast::<Function>() {
        let function = function.get();
        return Ok(Given::Node(function.store.clone(), function.lambda));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let fields = dict.iter().map(|(name, item)| Ok((name.extract::<String>()?, read(&item)?))).collect::<PyResult<_>>()?;
        return Ok(Given::Record(fields));
    }
    if value.is_instance_of::<PyTuple>() {
        return Ok(Given::Tuple(value.try_iter()?.map(|item| read(&item?)).collect::<PyResult<_>>()?));
    }
    if let Ok(list) = value.cast::<PyList>() {
        let parts: Vec<Given> = list.iter().map(|item| read(&item)).collect::<PyResult<_>>()?;
        if parts.iter().any(|part| part.node().is_some()) {
            return Ok(Given::List(parts));
        }
    }
    match scalars::read(value)? {
        Some(scalar) => Ok(Given::Scalar(scalar)),
        None => {
            let class = value.get_type();
            let found = format!("{}.{}", class.module()?, class.qualname()?);
            let hint = if value.is_callable() { "; hint: a body stands where the op has one, after its arguments" } else { "" };
            Err(ill_typed(value.py(), format!("expected a node or a value, found `{found}`{hint}")))
        }
    }
}

impl Given {
    /// The first node in it.
    pub(crate) fn node(&self) -> Option<(&Shared, NodeId)> {
        match self {
            Given::Node(store, id) => Some((store, *id)),
            Given::Scalar(_) => None,
            Given::Tuple(parts) | Given::List(parts) => parts.iter().find_map(Given::node),
            Given::Record(fields) => fields.iter().find_map(|(_, part)| part.node()),
        }
    }

    fn visit(&self, each: &mut dyn FnMut(&Shared, NodeId)) {
        match self {
            Given::Node(store, id) => each(store, *id),
            Given::Scalar(_) => (),
            Given::Tuple(parts) | Given::List(parts) => parts.iter().for_each(|part| part.visit(each)),
            Given::Record(fields) => fields.iter().for_each(|(_, part)| part.visit(each)),
        }
    }

    /// The same with every node in one graph.
    fn moved(self, py: Python<'_>, into: &Shared) -> PyResult<Given> {
        Ok(match self {
            Given::Node(store, id) => Given::Node(into.clone(), bring(py, &store, id, into)?),
            Given::Scalar(scalar) => Given::Scalar(scalar),
            Given::Tuple(parts) => Given::Tuple(parts.into_iter().map(|p| p.moved(py, into)).collect::<PyResult<_>>()?),
            Given::List(parts) => Given::List(parts.into_iter().map(|p| p.moved(py, into)).collect::<PyResult<_>>()?),
            Given::Record(fields) => {
                Given::Record(fields.into_iter().map(|(name, p)| Ok((name, p.moved(py, into)?))).collect::<PyResult<_>>()?)
            }
        })
    }

    /// The node that it is, its values having the types they have by themselves. All nodes are in `graph` already.
    pub(crate) fn resolve(&self, graph: &mut Graph) -> Result<NodeId, String> {
        let told = |made: Result<NodeId, TypeError>| made.map_err(|e| e.to_string());
        match self {
            Given::Node(_, id) => Ok(*id),
            Given::Scalar(scalar) => {
                let ty = scalar.natural(graph.types_mut())?;
                let value = scalar.fit(graph.types(), ty).ok_or_else(|| format!("the value does not fit `{}`", graph.types().show(ty)))?;
                told(graph.constant(value, ty))
            }
            Given::Tuple(parts) => {
                let parts: Vec<NodeId> = parts.iter().map(|p| p.resolve(graph)).collect::<Result<_, _>>()?;
                told(graph.tuple(&parts))
            }
            Given::List(parts) => {
                let known: Vec<TyId> = parts.iter().filter_map(|p| p.node()).map(|(_, id)| graph.ty_id(id)).collect();
                let mut items = Vec::with_capacity(parts.len());
                for part in parts {
                    let fitting = part.candidates(graph, &known)?;
                    items.push(fitting.first().copied().ok_or("a list cannot hold this")?);
                }
                let element = known.first().copied().unwrap_or(TyId::I64);
                told(graph.list_of(&items, element))
            }
            Given::Record(fields) => {
                let names: Arc<[Name]> = fields.iter().map(|(name, _)| Name::new(name)).collect();
                let values: Vec<NodeId> = fields.iter().map(|(_, p)| p.resolve(graph)).collect::<Result<_, _>>()?;
                told(graph.row(&values, names))
            }
        }
    }

    /// The nodes that it may be beside arguments of these types, the likeliest first.
    pub(crate) fn candidates(&self, graph: &mut Graph, known: &[TyId]) -> Result<Args, String> {
        let Given::Scalar(scalar) = self else { return Ok(Args::from_slice(&[self.resolve(graph)?])) };
        let mut found: Vec<(Value, TyId)> = Vec::new();
        for &ty in known {
            let inner = match graph.types().get(graph.types().strip(ty)) {
                Ty::Arr(inner, _) | Ty::List(inner) => Some(*inner),
                _ => None,
            };
            for ty in [Some(ty), inner].into_iter().flatten() {
                let ty = if *scalar == Scalar::Null { graph.types_mut().option(ty) } else { graph.types().strip(ty) };
                if let Some(value) = scalar.fit(graph.types(), ty)
                    && !found.iter().any(|(_, t)| *t == ty)
                {
                    found.push((value, ty));
                }
            }
        }
        let natural = scalar.natural(graph.types_mut());
        match natural {
            Ok(ty) if !found.iter().any(|(_, t)| *t == ty) => {
                if let Some(value) = scalar.fit(graph.types(), ty) {
                    found.push((value, ty));
                }
            }
            Err(message) if found.is_empty() => return Err(message),
            _ => (),
        }
        found.into_iter().map(|(value, ty)| graph.constant(value, ty).map_err(|e| e.to_string())).collect()
    }
}

/// The graph that arguments are brought together in: that of an unfinished body before all others, since its parameters cannot leave it.
pub(crate) fn target(given: &[&Given]) -> PyResult<Shared> {
    let mut first: Option<Shared> = None;
    let mut holding: Option<Shared> = None;
    let mut stores: Vec<(Shared, NodeId)> = Vec::new();
    given.iter().for_each(|g| g.visit(&mut |store, id| stores.push((store.clone(), id))));
    for (store, id) in stores {
        if holding.is_none() && store.with(|m| m.graph.node(id).has_holes() || m.graph.node(id).is_open())? {
            holding = Some(store.clone());
        }
        first.get_or_insert(store);
    }
    Ok(holding.or_else(current).or(first).unwrap_or_else(current_or_new))
}

/// All arguments, with every node in one graph.
pub(crate) fn gather(py: Python<'_>, given: Vec<Given>, into: &Shared) -> PyResult<Vec<Given>> {
    given.into_iter().map(|g| g.moved(py, into)).collect()
}

/// A node of one graph in another.
pub(crate) fn bring(py: Python<'_>, from: &Shared, id: NodeId, into: &Shared) -> PyResult<NodeId> {
    if Arc::ptr_eq(from, into) {
        return Ok(id);
    }
    let part = from.with(|module| {
        let node = module.graph.node(id);
        (!node.has_holes() && !node.is_open()).then(|| {
            let compacted = module.graph.compact(&[id]);
            let places = module.locations.of(id).to_vec();
            (compacted.moved[&id], compacted.graph, places)
        })
    })?;
    let Some((root, graph, places)) = part else {
        let message =
            "this is a parameter (or made of one) of another function or body: it means nothing here; hint: pass it as an argument";
        return Err(ill_typed(py, message));
    };
    into.hosts.take_all(&from.hosts);
    let made = into.with(|module| {
        let made = module.graph.import(&graph, &[root])?;
        places.into_iter().for_each(|place| module.locations.add(made[0], place));
        Ok::<NodeId, TypeError>(made[0])
    })?;
    made.map_err(|e| ill_typed(py, e.to_string()))
}

/// Whether a node is a function of the graph.
pub(crate) fn is_lambda(graph: &Graph, id: NodeId) -> bool {
    graph.op(id) == Op::Core(Core::Lambda)
}
