//! The one builder behind every function of `airloom.ir`: any op of the table, with its arguments, bodies and attributes.

use crate::attributes::{self, Waiting};
use crate::errors::ill_typed;
use crate::function::Function;
use crate::given::{self, Given, is_lambda};
use crate::graph::{Shared, Writing};
use crate::location::{follow, here, placed};
use crate::node::Node;
use airloom::ir::attrs::Attrs;
use airloom::ir::graph::{Args, Closed, Graph, NodeId, TypeError};
use airloom::ir::module::{Location, Module};
use airloom::ir::name::Name;
use airloom::ir::ops::core::{BuildCore, Core};
use airloom::ir::ops::{Make, Op, OpDef, assemble};
use airloom::ir::types::{Ty, TyId};
use airloom::ir::typing::body_params;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// How many readings of the values among its arguments are tried for one node.
const READINGS: usize = 32;

/// The node of an op. `args` are the fixed arguments, `rest` any number of others, `bodies` callables (or closed functions, with what they `capture`).
#[pyfunction]
#[pyo3(signature = (op, args, rest, bodies, attrs, captures))]
pub(crate) fn build(
    py: Python<'_>,
    op: &str,
    args: &Bound<'_, PyTuple>,
    rest: &Bound<'_, PyTuple>,
    bodies: &Bound<'_, PyTuple>,
    attrs: &Bound<'_, PyDict>,
    captures: &Bound<'_, PyAny>,
) -> PyResult<Node> {
    let Some(op) = Op::from_name(op) else { return Err(ill_typed(py, format!("there is no op `{op}`"))) };
    let def = op.def();
    let place = here(py);
    let attrs = attributes::read(def, attrs)?;
    let mut given: Vec<Given> = args.iter().map(|arg| given::read(&arg)).collect::<PyResult<_>>()?;
    if def.gathered {
        gather_last(&mut given);
    }
    let fixed = given.len();
    for arg in rest.iter() {
        given.push(given::read(&arg)?);
    }
    let own = given.len();
    for capture in captures.try_iter()? {
        given.push(given::read(&capture?)?);
    }
    if def.bodies.is_empty() {
        return plain(py, def, &attrs, given, place);
    }
    let bodies: Vec<Body> = bodies.iter().map(|body| Body::read(&body)).collect::<PyResult<_>>()?;
    let functions = bodies.iter().filter_map(Body::function);
    let all: Vec<&Given> = given.iter().chain(functions).collect();
    let store = given::target(&all)?;
    let mut given = given::gather(py, given, &store)?;
    let captured = given.split_off(own);
    let writer = Writer { py, def, attrs, store, place, given, fixed, captured };
    writer.with_bodies(bodies)
}

/// The last argument is stored as a tuple: a single node is a tuple of one, unless it is a tuple already.
fn gather_last(given: &mut [Given]) {
    let Some(last) = given.last_mut() else { return };
    let is_tuple = match &*last {
        Given::Tuple(_) => true,
        Given::Node(store, id) => store.with(|m| matches!(m.graph.ty(*id), Ty::Tuple(_))).unwrap_or(false),
        _ => false,
    };
    if !is_tuple {
        let single = std::mem::replace(last, Given::Tuple(Vec::new()));
        *last = Given::Tuple(if let Given::List(parts) = single { parts } else { vec![single] });
    }
}

/// A node without bodies.
pub(crate) fn plain(py: Python<'_>, def: &'static OpDef, attrs: &[Waiting], given: Vec<Given>, place: Option<Location>) -> PyResult<Node> {
    let store = given::target(&given.iter().collect::<Vec<_>>())?;
    let given = given::gather(py, given, &store)?;
    let made = store.with(|module| {
        let attrs = attributes::settle(attrs, module.graph.types_mut())?;
        let readings = readings(&mut module.graph, &given, &attrs)?;
        let made = first_typed(&mut module.graph, &readings, |graph, args| graph.make(def.op, attrs.clone(), args));
        keep_place(module, made.map_err(|e| e.to_string()), place.as_ref())
    })?;
    made.map(|id| Node::new(store, id)).map_err(|message| ill_typed(py, placed(message, place.as_ref())))
}

/// Every reading of the arguments: a value beside nodes may be of the type of any of them.
fn readings(graph: &mut Graph, given: &[Given], attrs: &Attrs) -> Result<Vec<Args>, String> {
    let mut known: Vec<TyId> = Vec::new();
    for id in given.iter().filter_map(|g| if let Given::Node(_, id) = g { Some(*id) } else { None }) {
        known.push(graph.ty_id(id));
    }
    known.extend(attrs.iter().filter_map(|a| if let airloom::ir::attrs::Attr::Ty(ty) = a { Some(*ty) } else { None }));
    let mut readings = vec![Args::new()];
    for arg in given {
        let candidates = arg.candidates(graph, &known)?;
        let mut longer = Vec::with_capacity(readings.len() * candidates.len());
        for candidate in &candidates {
            for reading in &readings {
                let mut reading = reading.clone();
                reading.push(*candidate);
                longer.push(reading);
            }
        }
        longer.truncate(READINGS);
        readings = longer;
    }
    Ok(readings)
}

/// The first reading that types; where none does, why the first does not.
fn first_typed(
    graph: &mut Graph,
    readings: &[Args],
    mut make: impl FnMut(&mut Graph, &[NodeId]) -> Result<NodeId, TypeError>,
) -> Result<NodeId, TypeError> {
    let mut refused = None;
    for reading in readings {
        match make(graph, reading) {
            Ok(id) => return Ok(id),
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
    }
    Err(refused.expect("there is at least one reading"))
}

fn keep_place(module: &mut Module, made: Result<NodeId, String>, place: Option<&Location>) -> Result<NodeId, String> {
    let id = made?;
    if let Some(place) = place {
        module.locations.add(id, place.clone());
    }
    Ok(id)
}

/// A body, as it was given.
enum Body {
    /// To be called with the body's parameters, and the names it has for them.
    Call(Py<PyAny>, Vec<Name>),
    /// Closed already.
    Closed(Given),
}

impl Body {
    fn read(body: &Bound<'_, PyAny>) -> PyResult<Body> {
        if body.is_instance_of::<Node>() || body.is_instance_of::<Function>() {
            return given::read(body).map(Body::Closed);
        }
        if !body.is_callable() {
            let found = body.get_type().qualname()?.to_string();
            return Err(ill_typed(body.py(), format!("expected a body: a function of nodes, such as `lambda r: r.a`, found `{found}`")));
        }
        Ok(Body::Call(body.clone().unbind(), parameter_names(body)))
    }

    fn function(&self) -> Option<&Given> {
        if let Body::Closed(given) = self { Some(given) } else { None }
    }
}

/// What a Python function calls its parameters, for the printer.
pub(crate) fn parameter_names(function: &Bound<'_, PyAny>) -> Vec<Name> {
    let names = || -> PyResult<Vec<String>> {
        let code = function.getattr("__code__")?;
        let count: usize = code.getattr("co_argcount")?.extract()?;
        let names: Vec<String> = code.getattr("co_varnames")?.extract()?;
        Ok(names.into_iter().take(count).collect())
    };
    names().unwrap_or_default().iter().map(|n| Name::new(n)).collect()
}

/// A node with bodies, on its way.
struct Writer<'py> {
    py: Python<'py>,
    def: &'static OpDef,
    attrs: Vec<Waiting>,
    store: Shared,
    place: Option<Location>,
    given: Vec<Given>,
    fixed: usize,
    captured: Vec<Given>,
}

impl Writer<'_> {
    fn refused(&self, message: impl std::fmt::Display) -> PyErr {
        ill_typed(self.py, placed(message, self.place.as_ref()))
    }

    fn on_graph<R>(&self, work: impl FnOnce(&mut Module) -> Result<R, String>) -> PyResult<R> {
        self.store.with(work)?.map_err(|message| self.refused(message))
    }

    fn named(&self, message: String) -> String {
        format!("`{}`: {message}", self.def.name)
    }

    fn with_bodies(self, bodies: Vec<Body>) -> PyResult<Node> {
        let (attrs, readings, captured) = self.on_graph(|module| {
            let attrs = attributes::settle(&self.attrs, module.graph.types_mut())?;
            let readings = readings(&mut module.graph, &self.given, &attrs)?;
            let captured: Vec<NodeId> = self.captured.iter().map(|g| g.resolve(&mut module.graph)).collect::<Result<_, _>>()?;
            Ok((attrs, readings, captured))
        })?;
        if bodies.len() != self.def.bodies.len() {
            return Err(self.refused(self.named(format!("takes {} bodies, found {}", self.def.bodies.len(), bodies.len()))));
        }
        let mut results: Vec<TyId> = Vec::new();
        let mut opened: Vec<(Vec<NodeId>, NodeId)> = Vec::new();
        let mut names: Vec<Vec<Name>> = Vec::new();
        for (which, body) in bodies.into_iter().enumerate() {
            let (holes, result, own) = self.open(which, body, &attrs, &readings, &results, &captured)?;
            results.push(self.on_graph(|module| Ok(module.graph.ty_id(result)))?);
            opened.push((holes, result));
            names.push(own);
        }
        let made = self.on_graph(|module| {
            let parts: Vec<(&[NodeId], NodeId)> = opened.iter().map(|(holes, result)| (holes.as_slice(), *result)).collect();
            let lazy = parts.iter().all(|(holes, _)| holes.is_empty());
            let closed = if lazy { close_lazily(&mut module.graph, &parts) } else { module.graph.close_all(&parts, &captured) };
            let closed = closed.map_err(|e| self.named(e.to_string()))?;
            for ((lambda, names), (_, written)) in closed.bodies.iter().zip(names).zip(&opened) {
                let result = module.graph.result_of(*lambda);
                follow(module, *written, result);
                if !names.is_empty() {
                    module.hints.name_params(*lambda, names);
                }
            }
            let made = first_typed(&mut module.graph, &readings, |graph, args| {
                graph.make(self.def.op, attrs.clone(), &assemble(args, &closed.bodies, &closed.captures))
            });
            keep_place(module, made.map_err(|e| e.to_string()), self.place.as_ref())
        })?;
        Ok(Node::new(self.store, made))
    }

    /// A body written out: the locations of its parameters, its result, and what it calls its parameters.
    fn open(
        &self,
        which: usize,
        body: Body,
        attrs: &Attrs,
        readings: &[Args],
        results: &[TyId],
        captured: &[NodeId],
    ) -> PyResult<(Vec<NodeId>, NodeId, Vec<Name>)> {
        let def = self.def;
        let holes = self.on_graph(|module| {
            let mut told = None;
            for reading in readings {
                let tys: Vec<TyId> = reading[..self.fixed].iter().map(|&a| module.graph.ty_id(a)).collect();
                match body_params(module.graph.types_mut(), def, attrs, &tys, results, which) {
                    Ok(params) => return Ok(params.into_iter().map(|ty| module.graph.fresh_hole(ty)).collect::<Vec<NodeId>>()),
                    Err(message) => {
                        told.get_or_insert(message);
                    }
                }
            }
            Err(self.named(told.unwrap_or_default()))
        })?;
        match body {
            Body::Call(callable, names) => {
                let params =
                    holes.iter().map(|&hole| Bound::new(self.py, Node::new(self.store.clone(), hole))).collect::<PyResult<Vec<_>>>()?;
                let result = {
                    let _writing = Writing::to(&self.store);
                    callable.bind(self.py).call1(PyTuple::new(self.py, params)?)?
                };
                let read = given::read(&result)?;
                let read = given::gather(self.py, vec![read], &self.store)?;
                let result = self.on_graph(|module| read[0].resolve(&mut module.graph).map_err(|m| self.named(m)))?;
                Ok((holes, result, names))
            }
            Body::Closed(function) => {
                let read = given::gather(self.py, vec![function], &self.store)?;
                let result = self.on_graph(|module| {
                    let lambda = read[0].resolve(&mut module.graph)?;
                    let args: Vec<NodeId> = holes.iter().chain(captured).copied().collect();
                    apply_body(&mut module.graph, lambda, &args).map_err(|m| self.named(m))
                })?;
                Ok((holes, result, Vec::new()))
            }
        }
    }
}

/// Closes bodies without parameters of their own, the branches of `seq.if`: only leaves are captured. What such a body computes it computes when it runs, or never;
/// capturing the largest parts would compute both branches.
fn close_lazily(graph: &mut Graph, bodies: &[(&[NodeId], NodeId)]) -> Result<Closed, TypeError> {
    let results: Vec<NodeId> = bodies.iter().map(|(_, result)| *result).collect();
    let is_leaf = |graph: &Graph, id: NodeId| matches!(graph.op(id), Op::Core(Core::Param | Core::Hole | Core::Source));
    let order = graph.block_order(&results);
    let captures: Args = order.into_iter().filter(|&id| is_leaf(graph, id)).collect();
    let params: Vec<TyId> = captures.iter().map(|&c| graph.ty_id(c)).collect();
    let places = graph.params(&params)?;
    let mut lambdas = Vec::with_capacity(results.len());
    for result in results {
        let result = graph.rebuild(result, &mut |graph, id| {
            let place = captures.iter().position(|&c| c == id).map(|at| places[at]);
            Ok(place.or_else(|| matches!(graph.op(id), Op::Core(Core::Const | Core::Lambda)).then_some(id)))
        })?;
        lambdas.push(graph.lambda(result, params.clone().into())?);
    }
    Ok(Closed { bodies: lambdas, captures })
}

/// The result of a closed function for these arguments: written out where it is one, called where it is only the value of one.
fn apply_body(graph: &mut Graph, function: NodeId, args: &[NodeId]) -> Result<NodeId, String> {
    if !is_lambda(graph, function) {
        return graph.call(function, args).map_err(|e| e.to_string());
    }
    let params = graph.params_of(function).len();
    if params != args.len() {
        return Err(format!("the body takes {params} parameters, its captures included, but is given {}; hint: `captures=`", args.len()));
    }
    graph.apply(function, args).map_err(|e| e.to_string())
}

/// The result of a function for these arguments, written out instead of called.
#[pyfunction]
pub(crate) fn inline(py: Python<'_>, function: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<Node> {
    let place = here(py);
    let mut given = vec![given::read(function)?];
    for arg in args.iter() {
        given.push(given::read(&arg)?);
    }
    let store = given::target(&given.iter().collect::<Vec<_>>())?;
    let given = given::gather(py, given, &store)?;
    let made = store.with(|module| {
        let lambda = given[0].resolve(&mut module.graph)?;
        let params: Vec<TyId> = module.graph.params_of(lambda).to_vec();
        let mut nodes = Vec::with_capacity(given.len() - 1);
        for (at, arg) in given[1..].iter().enumerate() {
            let known: Vec<TyId> = params.get(at).copied().into_iter().collect();
            nodes.push(arg.candidates(&mut module.graph, &known)?[0]);
        }
        apply_body(&mut module.graph, lambda, &nodes)
    })?;
    made.map(|id| Node::new(store, id)).map_err(|message| ill_typed(py, placed(message, place.as_ref())))
}

/// A constant, of a type where one is said.
#[pyfunction]
#[pyo3(signature = (value, ty=None))]
pub(crate) fn constant(py: Python<'_>, value: &Bound<'_, PyAny>, ty: Option<&Bound<'_, PyAny>>) -> PyResult<Node> {
    let place = here(py);
    let ty = ty.map(crate::types::as_type).transpose()?;
    let read = crate::scalars::read(value)?;
    let store = crate::graph::current_or_new();
    let made = store.with(|module| {
        let Some(scalar) = &read else { return Err("this is no value that a constant can have".to_string()) };
        let graph = &mut module.graph;
        let ty = match &ty {
            Some(ty) => ty.in_table(graph.types_mut()),
            None => scalar.natural(graph.types_mut())?,
        };
        let value = scalar.fit(graph.types(), ty).ok_or_else(|| format!("the value is not one of `{}`", graph.types().show(ty)))?;
        let made = graph.constant(value, ty).map_err(|e| e.to_string());
        keep_place(module, made, place.as_ref())
    })?;
    made.map(|id| Node::new(store, id)).map_err(|message| ill_typed(py, placed(format!("`const`: {message}"), place.as_ref())))
}
