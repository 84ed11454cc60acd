//! Functions of the graph written body by body, in the order of the program that they are: what `@jit` makes of a part of a Python function.

use crate::attributes;
use crate::errors::ill_typed;
use crate::function::Function;
use crate::graph::{Shared, Store};
use crate::hosts::Hosts;
use crate::types::{Type, as_type};
use airloom::ir::attrs::{Attr, Effect};
use airloom::ir::graph::NodeId;
use airloom::ir::module::{Function as Named, Module};
use airloom::ir::name::Name;
use airloom::ir::ops::control::Control;
use airloom::ir::ops::core::BuildCore;
use airloom::ir::ops::{Make, Op, assemble};
use airloom::ir::types::{Ty, TyId};
use airloom::ir::value::Value;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A graph whose bodies are being written. Nodes are numbers.
#[pyclass(frozen, module = "airloom._native")]
pub(crate) struct RegionGraph {
    pub(crate) store: Shared,
    pub(crate) state: Mutex<State>,
}

/// A body that is being written: its parameters, and its nodes in their order.
struct Open {
    params: Vec<TyId>,
    order: Vec<(NodeId, u32)>,
    known: HashSet<NodeId>,
}

/// The orders that bodies are written in.
#[derive(Default)]
pub(crate) struct State {
    /// The bodies that are being written, by number.
    open: BTreeMap<u32, Open>,
    /// The one that nodes are added to.
    current: u32,
    last: u32,
    /// Nodes by the numbers that Python has for them.
    nodes: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
    #[cfg(feature = "native")]
    pub(crate) schedule: airloom_jit::Schedule,
}

impl State {
    fn number(&mut self, node: NodeId) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        })
    }
}

impl RegionGraph {
    /// The node of a number.
    pub(crate) fn node(&self, number: u32) -> PyResult<NodeId> {
        self.held(|state| state.nodes.get(number as usize).copied())
            .ok_or_else(|| PyValueError::new_err(format!("there is no node {number}")))
    }

    fn nodes(&self, numbers: &[u32]) -> PyResult<Vec<NodeId>> {
        numbers.iter().map(|&number| self.node(number)).collect()
    }

    fn number(&self, node: NodeId) -> u32 {
        self.held(|state| state.number(node))
    }

    fn held<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl RegionGraph {
    #[new]
    fn new() -> RegionGraph {
        RegionGraph { store: Store::new(Module::default(), Arc::new(Hosts::default())), state: Mutex::default() }
    }

    /// Begins a body of these parameters, to which nodes are added from now on: its number, and the parameters.
    fn begin(&self, params: Vec<Bound<'_, PyAny>>) -> PyResult<(u32, Vec<u32>)> {
        let types: Vec<Type> = params.iter().map(as_type).collect::<PyResult<_>>()?;
        let (tys, made) = self.store.with(|m| {
            let tys: Vec<TyId> = types.iter().map(|ty| ty.in_table(m.graph.types_mut())).collect();
            let made = tys.iter().zip(0..).map(|(&ty, at)| m.graph.param(at, ty)).collect::<Result<Vec<_>, _>>();
            (tys, made)
        })?;
        let made = made.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let body = self.held(|state| {
            state.last += 1;
            state.current = state.last;
            state.open.insert(state.last, Open { params: tys, order: Vec::new(), known: HashSet::new() });
            state.last
        });
        Ok((body, made.into_iter().map(|node| self.number(node)).collect()))
    }

    /// Adds nodes to a body that was begun before.
    fn enter(&self, body: u32) {
        self.held(|state| state.current = body);
    }

    /// A node of an op, in the body that is being written. `site` tells where it stands in the user's program.
    #[pyo3(signature = (op, args, site=0, attrs=None, bodies=Vec::new(), captures=Vec::new()))]
    fn make(
        &self,
        py: Python<'_>,
        op: &str,
        args: Vec<u32>,
        site: u32,
        attrs: Option<&Bound<'_, PyDict>>,
        bodies: Vec<u32>,
        captures: Vec<u32>,
    ) -> PyResult<u32> {
        let Some(op) = Op::from_name(op) else { return Err(ill_typed(py, format!("there is no op `{op}`"))) };
        let def = op.def();
        let attrs = match attrs {
            Some(attrs) => attributes::read(def, attrs)?,
            None => attributes::read(def, &PyDict::new(py))?,
        };
        let (args, bodies, captures) = (self.nodes(&args)?, self.nodes(&bodies)?, self.nodes(&captures)?);
        let made = self.store.with(|m| {
            let attrs = attributes::settle(&attrs, m.graph.types_mut())?;
            let args = match def.bodies.is_empty() {
                true => args.into(),
                false => assemble(&args, &bodies, &captures),
            };
            m.graph.make(op, attrs, &args).map_err(|error| error.to_string())
        })?;
        let made = made.map_err(|message| ill_typed(py, message))?;
        self.held(|state| {
            let current = state.current;
            if let Some(open) = state.open.get_mut(&current)
                && open.known.insert(made)
            {
                open.order.push((made, site));
            }
        });
        Ok(self.number(made))
    }

    /// A constant of a type: a boolean, an integer or a float.
    fn constant(&self, py: Python<'_>, value: &Bound<'_, PyAny>, ty: &Bound<'_, PyAny>) -> PyResult<u32> {
        let ty = as_type(ty)?;
        let made = self.store.with(|m| ty.in_table(m.graph.types_mut()))?;
        let value = if value.is_instance_of::<PyBool>() { Value::Bool(value.extract()?) } else { self.number_of(made, value)? };
        let made = self.store.with(|m| m.graph.constant(value, made).map_err(|error| error.to_string()))?;
        made.map(|node| self.number(node)).map_err(|message| ill_typed(py, message))
    }

    /// The type of a node, as text.
    fn type_of(&self, of: u32) -> PyResult<String> {
        let of = self.node(of)?;
        self.store.with(|m| m.graph.show_ty(of))
    }

    /// Whether computing a node does nothing but give its value.
    fn is_pure(&self, of: u32) -> PyResult<bool> {
        let of = self.node(of)?;
        self.store.with(|m| m.graph.effect(of) == Effect::Pure)
    }

    /// Ends a body: a closed function.
    fn end(&self, py: Python<'_>, body: u32, result: u32) -> PyResult<u32> {
        let open = self.held(|state| state.open.remove(&body));
        let Some(Open { params, order, .. }) = open else { return Err(ill_typed(py, format!("there is no body {body}"))) };
        let result = self.node(result)?;
        let closed = |result: NodeId| -> PyResult<NodeId> {
            let made = self.store.with(|m| m.graph.lambda(result, params.clone().into()).map_err(|error| error.to_string()))?;
            made.map_err(|message| ill_typed(py, message))
        };
        let lambda = closed(result)?;
        #[cfg(feature = "native")]
        let lambda = {
            if self.held(|state| state.schedule.add(lambda, order.clone())).is_ok() {
                return Ok(self.number(lambda));
            }
            // The same result is computed elsewhere in another order, of nodes that nothing comes of but an error: so that the two are not one body, this one is given a name.
            let told = Name::new(&format!("body {body}"));
            let named = self.store.with(|m| {
                let yes = m.graph.constant(Value::Bool(true), TyId::BOOL).map_err(|error| error.to_string())?;
                m.graph
                    .make(Op::Control(Control::Check), [Attr::Name(told)].as_slice().into(), &[yes, result])
                    .map_err(|error| error.to_string())
            })?;
            let named = named.map_err(|message| ill_typed(py, message))?;
            let lambda = closed(named)?;
            let order = order.into_iter().chain([(named, 0)]).collect();
            self.held(|state| state.schedule.add(lambda, order)).map_err(|message| ill_typed(py, message))?;
            lambda
        };
        #[cfg(not(feature = "native"))]
        drop(order);
        Ok(self.number(lambda))
    }

    /// Gives up a body.
    fn abandon(&self, body: u32) {
        self.held(|state| state.open.remove(&body));
    }

    /// A function of the graph by its name, which can be printed and run.
    fn function(&self, lambda_: u32, name: &str, params: Vec<String>) -> PyResult<Function> {
        let lambda = self.node(lambda_)?;
        self.store.with(|m| {
            m.hints.name_params(lambda, params.iter().map(|name| Name::new(name)).collect());
            if m.function(name).is_none() {
                m.functions.push(Named { name: Name::new(name), lambda });
            }
        })?;
        Ok(Function::new(self.store.clone(), lambda, name))
    }
}

impl RegionGraph {
    fn number_of(&self, ty: TyId, value: &Bound<'_, PyAny>) -> PyResult<Value> {
        self.store.with(|m| match m.graph.types().get(ty) {
            Ty::F64 => Ok(Value::F64(value.extract()?)),
            Ty::F32 => Ok(Value::F32(value.extract::<f64>()? as f32)),
            _ => Ok(Value::Int(value.extract()?)),
        })?
    }
}
