//! Running a function: arguments in, the result out.

use crate::arguments::{datum_to_python, python_to_datum, read_source};
use crate::backends;
use crate::errors::{Error, program_error, same_kind};
use crate::function::Function;
use crate::graph::Store;
use crate::hosts::{HostFunction, Hosts};
use crate::interrupt::interruptible;
use crate::python_host::PythonHost;
use crate::rules::lending;
use crate::session::{self, RunOptions};
use crate::types::Type;
use airloom::data::Datum;
use airloom::ir::attrs::Attr;
use airloom::ir::graph::NodeId;
use airloom::ir::module::Module;
use airloom::ir::ops::Op;
use airloom::ir::ops::core::Core;
use airloom::ir::types::{Ty, TyId, Types};
use airloom::source::{Catalog, Source, source_fields};
use airloom::{Bindings, Cancel, Prepared, Schedule};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// Runs a function. `sources` and `hosts` are the data and the Python functions that it names.
#[pyfunction]
pub(crate) fn run<'py>(
    py: Python<'py>,
    function: &Function,
    args: &Bound<'py, PyTuple>,
    sources: &Bound<'py, PyDict>,
    hosts: &Bound<'py, PyDict>,
    options: RunOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let prepared = prepare(py, function, &options)?;
    let (program, lambda) = (prepared.program().clone(), prepared.function());
    let args = read_arguments(py, function, &program, lambda, args)?;
    let sources = read_sources(&prepared, sources, Asked::Run)?;
    let hosts = read_hosts(py, &program, function, hosts)?;
    let cancel = Cancel::default();
    let bindings = bind(args, sources, &hosts, &cancel);
    let schedule = if options.oracle { Schedule::Pool } else { prepared.schedule(&bindings) };
    let how = airloom::RunOptions { cancel: cancel.clone(), oracle: options.oracle, schedule: Some(schedule), output: None };
    let result = match schedule {
        Schedule::Inline => py.detach(|| prepared.run(bindings, &how)).map_err(|error| Error::from(error).into_py(py))?,
        Schedule::Pool => interruptible(py, &cancel, move || lending(&hosts, || Ok(prepared.run(bindings, &how)?)))?,
    };
    datum_to_python(py, program.graph.types(), program.graph.ty_id(program.graph.result_of(lambda)), &result)
}

/// A function, ready to be given data.
pub(crate) fn prepare(py: Python<'_>, function: &Function, options: &RunOptions) -> PyResult<Prepared> {
    let session = session::with_options(options).map_err(|error| error.into_py(py))?;
    function.store.with(|module| session.prepare_function(module, &function.name, function.lambda))
}

/// What a run is given. Its tables were checked when they were read.
pub(crate) fn bind(args: Vec<Datum>, sources: Catalog, hosts: &Arc<Hosts>, cancel: &Cancel) -> Bindings {
    bind_to(args, sources, hosts, Arc::new(PythonHost::new(hosts.clone(), cancel.clone())))
}

/// What a run is given, its functions being called through `host`.
pub(crate) fn bind_to(args: Vec<Datum>, sources: Catalog, hosts: &Arc<Hosts>, host: Arc<PythonHost>) -> Bindings {
    Bindings { args, sources, checked: true, host: Some(host), backends: backends::all(hosts) }
}

/// The arguments of a function, in physical form.
pub(crate) fn read_arguments(
    py: Python<'_>,
    function: &Function,
    module: &Module,
    lambda: NodeId,
    args: &Bound<'_, PyTuple>,
) -> PyResult<Vec<Datum>> {
    let params = module.graph.params_of(lambda);
    if params.len() != args.len() {
        let head = function.store.with(|m| m.graph.show_ty(function.lambda))?;
        return Err(program_error(
            py,
            format!("`{}` is `{head}`: it takes {} arguments, found {}", function.name, params.len(), args.len()),
        ));
    }
    let mut data = Vec::with_capacity(params.len());
    for (at, (arg, &ty)) in args.iter().zip(params).enumerate() {
        let name = module.hints.param(lambda, at).map_or_else(|| at.to_string(), ToString::to_string);
        data.push(python_to_datum(&arg, module.graph.types(), ty).map_err(|e| about(py, e, format!("argument `{name}`")))?);
    }
    Ok(data)
}

/// An exception about an argument or source, which it names.
fn about(py: Python<'_>, error: PyErr, what: String) -> PyErr {
    let told = format!("{what}: {}", error.value(py));
    // What went wrong in the world, or in airloom, stays what it is.
    if let Some(same) = same_kind(py, &error, &told) {
        return same;
    }
    let made = program_error(py, told);
    if !error.is_instance(py, &made.get_type(py)) {
        made.set_cause(py, Some(error));
    }
    made
}

/// What the rules make of a function.
#[pyfunction]
pub(crate) fn optimize(py: Python<'_>, function: &Function, options: RunOptions) -> PyResult<Function> {
    let prepared = prepare(py, function, &options)?;
    let hosts = function.store.hosts.clone();
    let own = hosts.clone();
    let module = interruptible(py, &Cancel::default(), move || lending(&own, || Ok(prepared.optimized()?)))?;
    let lambda = module.functions[0].lambda;
    Ok(Function::new(Store::new(Arc::unwrap_or_clone(module), hosts), lambda, &function.name))
}

/// What sources are read for: a program that is only explained need not be given all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Run,
    Explain,
}

pub(crate) fn read_sources(prepared: &Prepared, given: &Bound<'_, PyDict>, asked: Asked) -> PyResult<Catalog> {
    let (py, graph) = (given.py(), &prepared.program().graph);
    let mut sources = Catalog::default();
    for name in prepared.sources() {
        let Some(data) = given.get_item(name.as_str())? else {
            if asked == Asked::Explain {
                continue;
            }
            return Err(program_error(py, format!("there is no source `{name}`; hint: `sources={{\"{name}\": ...}}`")));
        };
        let told = |error: PyErr| about(py, error, format!("source `{name}`"));
        let Some(read) = graph.ids().filter_map(|id| graph.as_source(id)).find(|source| source.name == *name) else { continue };
        let source = if matches!(graph.types().get(read.ty), Ty::Rel(_)) {
            let fields = Types::fields(source_fields(graph, name)).map_err(|m| program_error(py, m))?;
            read_source(&data, graph.types(), &fields).map_err(told)?
        } else {
            Source::Datum(python_to_datum(&data, graph.types(), read.ty).map_err(told)?)
        };
        sources.insert(name, source);
    }
    Ok(sources)
}

/// The Python functions of the graph, and those given by name for calls that were not built here but read.
pub(crate) fn read_hosts(py: Python<'_>, module: &Module, function: &Function, given: &Bound<'_, PyDict>) -> PyResult<Arc<Hosts>> {
    let hosts = Hosts::default();
    hosts.take_all(&function.store.hosts);
    for id in module.graph.ids().filter(|&id| module.graph.op(id) == Op::Core(Core::Host)) {
        let node = module.graph.node(id);
        let (Some(Attr::Name(name)), Some(Attr::Ty(result))) = (node.attrs().first(), node.attrs().get(1)) else { continue };
        if hosts.get(name).is_some() {
            continue;
        }
        let Some(callable) = given.get_item(name.as_str())? else { continue };
        let types = module.graph.types();
        let own = node.args().iter().map(|&a| module.graph.ty_id(a)).filter(|&t| t != TyId::TOKEN);
        let params = own.map(|ty| Type::of(types, ty)).collect();
        hosts.add(py, name, HostFunction::new(callable.unbind(), params, Type::of(types, *result), false));
    }
    Ok(Arc::new(hosts))
}
