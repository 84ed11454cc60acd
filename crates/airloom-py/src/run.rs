//! Running a function: arguments in, rules over the program, the engine, the result out.

use crate::arguments::{datum_to_python, python_to_datum, read_source};
use crate::engine::{self, Job, RunOptions, Source};
use crate::errors::{Error, program_error, same_kind};
use crate::function::Function;
use crate::graph::compact;
use crate::hosts::{HostFunction, Hosts};
use crate::interrupt::{interruptible, panic_text};
use crate::momentary::is_momentary;
use crate::plans::{self, Key, Plan};
use crate::relevance::names_that_matter;
use crate::rules;
use crate::types::Type;
use airloom_compute::data::{Cancel, Datum};
use airloom_ir::attrs::Attr;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::text;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
use arrow::datatypes::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    let (module, lambda) = part(function)?;
    let module = Arc::new(module);
    let data = read_arguments(py, function, &module, lambda, args)?;
    let sources = read_sources(&module, sources, &options, Asked::Run)?;
    let hosts = read_hosts(py, &module, function, hosts)?;
    let cancel = Cancel::default();
    let own = cancel.clone();
    let alone = is_momentary(&module, &sources, &data, &options);
    let written = module.clone();
    let work = move || {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            // Over a few rows every plan is good, and one that depends on nothing but the program is found again when they change.
            let statistics = if options.optimize && !alone { statistics(&written, &sources)? } else { Statistics::default() };
            let Plan { module, function, graph } = planned(&written, lambda, &options, &statistics, &hosts)?;
            engine::run(&Job { module, function, graph, alone, args: data, sources, statistics, hosts, options, cancel: own })
        }));
        let ran = ran.unwrap_or_else(|panic| Err(Error::Broken(panic_text(panic.as_ref()))));
        ran.map_err(|error| with_program(error, &written))
    };
    let result = if alone { py.detach(work).map_err(|error| error.into_py(py))? } else { interruptible(py, &cancel, work)? };
    datum_to_python(py, module.graph.types(), module.graph.ty_id(module.graph.result_of(lambda)), &result)
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

/// What a function needs of its graph, on its own: running neither holds the graph nor adds to it.
pub(crate) fn part(function: &Function) -> PyResult<(Module, NodeId)> {
    function.store.with(|module| {
        let mut own = compact(module, &[function.lambda]);
        // The root comes last: everything else is a part of it.
        let lambda = own.graph.ids().last().expect("a compacted graph holds its root");
        own.functions = vec![airloom_ir::module::Function { name: Name::new(&function.name), lambda }];
        (own, lambda)
    })
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

/// A bug of ours leaves a program to reproduce it.
fn with_program(error: Error, module: &Module) -> Error {
    let Error::Broken(message) = error else { return error };
    let text = text::print(module);
    let name = format!("airloom-broken-{}.air", std::process::id());
    let path = std::env::temp_dir().join(name);
    match std::fs::write(&path, format!("; {}\n{text}", message.lines().next().unwrap_or_default())) {
        Ok(()) => Error::Broken(format!("{message}\n\nhint: this is a bug of airloom; the program that shows it is in {}", path.display())),
        Err(_) => Error::Broken(format!("{message}\n\nhint: this is a bug of airloom; the program that shows it is:\n{text}")),
    }
}

/// The program after all rules, and its one function.
fn optimized(
    mut module: Module,
    lambda: NodeId,
    options: &RunOptions,
    statistics: Statistics,
    hosts: &Arc<Hosts>,
) -> Result<(Module, NodeId), Error> {
    if !options.optimize {
        return Ok((module, lambda));
    }
    let registry = rules::registry(&options.without_rules)?;
    let outcome = rules::optimize(&mut module, &Options { statistics, ..driver_options(options) }, &registry, hosts)?;
    let function = outcome.roots[0];
    let mut own = compact(&module, &[function]);
    let lambda = own.graph.ids().last().unwrap_or(function);
    own.functions.clear();
    Ok((own, lambda))
}

/// As [`optimized`], of a program that may have run before: where the same is known of its data, the rules make the same of it again.
pub(crate) fn planned(
    module: &Module,
    lambda: NodeId,
    options: &RunOptions,
    statistics: &Statistics,
    hosts: &Arc<Hosts>,
) -> Result<Plan, Error> {
    if !options.optimize {
        return Ok(Plan::new(module.clone(), lambda));
    }
    let key = Key::new(module, options, statistics)?;
    if let Some(plan) = plans::find(&key) {
        return Ok(plan);
    }
    let known = hosts.count();
    let (module, function) = optimized(module.clone(), lambda, options, statistics.clone(), hosts)?;
    let plan = Plan::new(module, function);
    // A rule that calls a Python function of its own gives it to this run only.
    if hosts.count() == known {
        plans::keep(key, plan.clone());
    }
    Ok(plan)
}

/// What is known of the columns that a program reads of its tables. A table is looked at once, whoever asks.
pub(crate) fn statistics(module: &Module, sources: &BTreeMap<String, Source>) -> Result<Statistics, Error> {
    let mut statistics = Statistics::default();
    // Joins and sorts are what statistics change; groups take the range of keys that are whole numbers. Without them looking at every value does not pay.
    let has = |ops: &[&str]| module.graph.ids().any(|id| ops.contains(&module.graph.op(id).name()));
    let joins = has(&["rel.join", "rel.sort", "rel.distinct", "rel.top"]);
    if !joins && !has(&["rel.group"]) {
        return Ok(statistics);
    }
    let matter: OnceCell<Option<BTreeSet<Name>>> = OnceCell::new();
    for (name, source) in sources {
        let Some(table) = &source.table else { continue };
        let schema = table.schema();
        let pays = |name: &Name, place: usize| {
            let data_type = schema.field(place).data_type();
            if !joins && *data_type != DataType::Int64 {
                return false;
            }
            table.rows().is_some_and(|rows| rows <= FEW)
                || (joins && !takes_long(data_type))
                || matter.get_or_init(|| names_that_matter(&module.graph)).as_ref().is_none_or(|names| names.contains(name))
        };
        let places = source.columns.iter().filter_map(|(name, _)| schema.index_of(name).ok().filter(|&place| pays(name, place)));
        let places: Vec<usize> = places.collect();
        let known = table.statistics(&places).map_err(Error::from)?;
        statistics.tables.insert(Name::new(name), known);
    }
    Ok(statistics)
}

/// So few rows are looked at in less time than it takes to find out whether to.
const FEW: u64 = 1 << 14;

/// Whether looking at values of a type takes long, for what is seldom of use.
fn takes_long(data_type: &DataType) -> bool {
    !data_type.is_integer() && !data_type.is_temporal() && !data_type.is_decimal() && *data_type != DataType::Boolean
}

pub(crate) fn driver_options(options: &RunOptions) -> Options {
    Options { fuel: options.fuel, checks: options.checks, stages: airloom_exec::engine::stages(), ..Options::everything() }
}

/// What the rules make of a function.
#[pyfunction]
pub(crate) fn optimize(py: Python<'_>, function: &Function, options: RunOptions) -> PyResult<Function> {
    let (module, lambda) = part(function)?;
    let hosts = function.store.hosts.clone();
    let own = hosts.clone();
    let (mut module, lambda) =
        interruptible(py, &Cancel::default(), move || optimized(module, lambda, &options, Statistics::default(), &own))?;
    module.functions = vec![airloom_ir::module::Function { name: Name::new(&function.name), lambda }];
    Ok(Function::new(crate::graph::Store::new(module, hosts), lambda, &function.name))
}

/// Every source node of a program that has this name.
fn sources_named<'a>(module: &'a Module, name: &'a str) -> impl Iterator<Item = TyId> + 'a {
    let sources = module.graph.ids().filter_map(|id| module.graph.as_source(id));
    sources.filter(move |source| source.name.as_str() == name).map(|source| source.ty)
}

/// The columns that a program asks of a source: a node may ask for some, and another for others.
fn source_fields(module: &Module, name: &str) -> Vec<(Name, TyId)> {
    let mut fields: Vec<(Name, TyId)> = Vec::new();
    for ty in sources_named(module, name) {
        if let Ty::Rel(own) = module.graph.types().get(ty) {
            for field in own.iter() {
                if !fields.iter().any(|(n, _)| *n == field.name) {
                    fields.push((field.name.clone(), field.ty));
                }
            }
        }
    }
    fields
}

/// The type of a source.
fn source_type(module: &Module, name: &str) -> Option<TyId> {
    sources_named(module, name).next()
}

/// What sources are read for: a program that is only explained need not be given all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Run,
    Explain,
}

pub(crate) fn read_sources(
    module: &Module,
    given: &Bound<'_, PyDict>,
    options: &RunOptions,
    asked: Asked,
) -> PyResult<BTreeMap<String, Source>> {
    let py = given.py();
    let mut names: Vec<Name> = module.graph.ids().filter_map(|id| module.graph.as_source(id)).map(|s| s.name).collect();
    names.sort();
    names.dedup();
    let mut sources = BTreeMap::new();
    for name in names {
        let Some(data) = given.get_item(name.as_str())? else {
            if asked == Asked::Explain {
                continue;
            }
            return Err(program_error(py, format!("there is no source `{name}`; hint: `sources={{\"{name}\": ...}}`")));
        };
        let told = |error: PyErr| about(py, error, format!("source `{name}`"));
        let Some(ty) = source_type(module, &name) else { continue };
        let source = if matches!(module.graph.types().get(ty), Ty::Rel(_)) {
            let fields = source_fields(module, &name);
            let columns = fields.clone();
            let fields = Types::fields(fields).map_err(|m| program_error(py, m))?;
            let (data, table) = read_source(&data, module.graph.types(), &fields, options).map_err(told)?;
            Source { columns, ty, data, table }
        } else {
            Source { columns: Vec::new(), ty, data: python_to_datum(&data, module.graph.types(), ty).map_err(told)?, table: None }
        };
        sources.insert(name.to_string(), source);
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
