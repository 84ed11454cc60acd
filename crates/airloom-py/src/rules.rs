//! The rules of this process: airloom's own, and those that Python adds.

use crate::errors::{Error, rule_error};
use crate::given;
use crate::graph::{Store, Writing};
use crate::hosts::Hosts;
use crate::interrupt::interruptible;
use crate::matched::Match;
use airloom::program::{Error as ProgramError, Program};
use airloom_compute::data::Cancel;
use airloom_exec::engine::Engine;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::text::pattern::{Pattern, parse_pattern};
use airloom_ir::text::print_node;
use airloom_ir::types::TyId;
use airloom_opt::context::Cx;
use airloom_opt::driver::{Broken, Options, Outcome};
use airloom_opt::matching::matches;
use airloom_opt::registry::Registry;
use airloom_opt::rule::{Apply, HostRule, Rule};
use airloom_opt::stage::Stage;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The registry, and which of its rules Python added.
struct Rules {
    /// Shared with the runs: it finds rules by tables that are made once.
    registry: Arc<Registry>,
    added: Vec<String>,
}

fn rules() -> &'static Mutex<Rules> {
    static RULES: OnceLock<Mutex<Rules>> = OnceLock::new();
    RULES.get_or_init(|| Mutex::new(Rules { registry: Arc::new(Registry::standard()), added: Vec::new() }))
}

fn with_rules<R>(work: impl FnOnce(&mut Rules) -> R) -> R {
    work(&mut rules().lock().unwrap_or_else(PoisonError::into_inner))
}

/// Whether there are rules that Python added.
pub(crate) fn any_added() -> bool {
    with_rules(|rules| !rules.added.is_empty())
}

/// The rules without some of them.
pub(crate) fn registry(without: &[String]) -> Result<Arc<Registry>, Error> {
    let registry = with_rules(|rules| rules.registry.clone());
    if without.is_empty() {
        return Ok(registry);
    }
    let names: Vec<&str> = without.iter().map(String::as_str).collect();
    let registry = Registry::clone(&registry);
    registry
        .without(&names)
        .map(Arc::new)
        .map_err(|message| Error::Program(message.replace("`loom rules` lists them", "`airloom.rules.list()` has them")))
}

thread_local! {
    /// What the run on this thread lends to rules written in Python, and what they raised.
    static RUN: RefCell<Run> = RefCell::new(Run::default());
}

#[derive(Default)]
struct Run {
    hosts: Arc<Hosts>,
    raised: Option<(Name, String, PyErr)>,
}

/// Runs `work`, in which rules written in Python may be called; what one of them raised is the error.
fn lending<T>(hosts: &Arc<Hosts>, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    RUN.set(Run { hosts: hosts.clone(), raised: None });
    let made = work();
    let raised = RUN.take().raised;
    match raised {
        Some((rule, node, error)) => Err(Error::Rule(format!("rule `{rule}` raised {error}, at {node}"), Some(error))),
        None => made,
    }
}

fn broken(broken: Broken) -> Error {
    let added = with_rules(|rules| rules.added.iter().any(|name| *name == broken.rule.as_str()));
    // A rule of the user's own that breaks its promise is no bug of ours.
    if added { Error::Rule(broken.to_string(), None) } else { Error::Broken(broken.to_string()) }
}

/// Optimises a program with rules of this process.
pub(crate) fn optimize(module: &mut Module, options: &Options, registry: &Registry, hosts: &Arc<Hosts>) -> Result<Outcome, Error> {
    lending(hosts, || registry.run(module, options).map_err(broken))
}

/// What the rules make of a program's first function, and how the engine runs it, as text.
pub(crate) fn explain(module: Module, options: &Options, without: &[String], hosts: &Arc<Hosts>, engine: &Engine) -> Result<String, Error> {
    let mut session = Program::new(module).with_registry(Registry::clone(&*registry(without)?));
    lending(hosts, || {
        airloom::explain::explain(&mut session, 0, options, engine).map_err(|error| match error {
            ProgramError::Broken(found) => broken(found),
            other => Error::Program(other.to_string()),
        })
    })
}

/// A rule whose right side is Python code.
struct PythonRule {
    name: Name,
    left: Pattern,
    callable: Py<PyAny>,
}

impl HostRule for PythonRule {
    fn apply(&self, cx: &mut Cx<'_>, node: NodeId) -> Option<NodeId> {
        // After the first exception nothing more is asked: the run ends with it.
        if RUN.with_borrow(|run| run.raised.is_some()) {
            return None;
        }
        let bindings = matches(cx, &self.left, node)?;
        let hosts = RUN.with_borrow(|run| run.hosts.clone());
        // The graph is lent to Python for the call, and nothing of it is copied.
        let graph: Graph = std::mem::take(cx.graph_mut());
        let store = Store::new(Module { graph, ..Module::default() }, hosts);
        let made = Python::attach(|py| {
            let _writing = Writing::to(&store);
            let matched = Match::new(&store, node, &self.left, &bindings)?;
            let returned = self.callable.bind(py).call1((Bound::new(py, matched)?,))?;
            if returned.is_none() {
                return Ok(None);
            }
            let read = given::gather(py, vec![given::read(&returned)?], &store)?;
            let made = store.with(|m| read[0].resolve(&mut m.graph))?;
            made.map(Some).map_err(|message| rule_error(py, message))
        });
        if let Some(module) = store.end() {
            *cx.graph_mut() = module.graph;
        }
        match made {
            // As for rules of text: where nulls make a difference, it does not apply.
            Ok(made) => made.filter(|&made| !only_nulls_differ(cx, node, made)),
            Err(error) => {
                let shown = print_node(cx, node);
                RUN.with_borrow_mut(|run| run.raised = Some((self.name.clone(), shown, error)));
                other_type(cx, node)
            }
        }
    }
}

fn only_nulls_differ(graph: &Graph, before: NodeId, after: NodeId) -> bool {
    let (types, before, after) = (graph.types(), graph.ty_id(before), graph.ty_id(after));
    before != after && types.strip(before) == types.strip(after)
}

/// A node of another type, which the driver refuses: so a run in which a rule raised ends at once.
fn other_type(cx: &mut Cx<'_>, node: NodeId) -> Option<NodeId> {
    let graph = cx.graph_mut();
    Some(if graph.ty_id(node) == TyId::BOOL { graph.int(0) } else { graph.truth(false) })
}

fn stage(py: Python<'_>, name: &str) -> PyResult<Stage> {
    Stage::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Stage::ALL.iter().map(|s| s.name()).collect();
        rule_error(py, format!("there is no stage `{name}`; there are: {}", known.join(", ")))
    })
}

fn add(py: Python<'_>, rule: Rule) -> PyResult<()> {
    let name = rule.name.to_string();
    let added = with_rules(|rules| {
        Arc::make_mut(&mut rules.registry).add(rule)?;
        rules.added.push(name);
        Ok::<(), airloom_opt::rule::RuleError>(())
    });
    added.map_err(|error| rule_error(py, error.to_string()))
}

/// Adds a rule of text.
#[pyfunction]
#[pyo3(signature = (name, left, right, stage, doc, when=None))]
pub(crate) fn add_rule(py: Python<'_>, name: &str, left: &str, right: &str, stage: &str, doc: &str, when: Option<&str>) -> PyResult<()> {
    let stage = self::stage(py, stage)?;
    add(py, Rule::text(stage, name, doc, left, right, when).map_err(|error| rule_error(py, error.to_string()))?)
}

/// Adds a rule of Python code.
#[pyfunction]
pub(crate) fn add_python_rule(py: Python<'_>, name: &str, left: &str, stage: &str, doc: &str, callable: Py<PyAny>) -> PyResult<()> {
    let stage = self::stage(py, stage)?;
    let left = parse_pattern(left).map_err(|error| rule_error(py, format!("rule `{name}`: in its left side: {error}")))?;
    let Pattern::Call(root, ..) = &left else {
        return Err(rule_error(py, format!("rule `{name}`: its left side would match everything: it must be an op")));
    };
    let roots = vec![*root];
    add(py, Rule::host(stage, name, doc, roots, Arc::new(PythonRule { name: Name::new(name), left, callable })))
}

/// Takes away a rule that Python added.
#[pyfunction]
pub(crate) fn remove_rule(py: Python<'_>, name: &str) -> PyResult<()> {
    let removed = with_rules(|rules| {
        if !rules.added.iter().any(|n| n == name) {
            return match rules.registry.rule(name) {
                Some(_) => Err(format!("`{name}` is a rule of airloom's own; hint: `airloom.options(without_rules=[\"{name}\"])`")),
                None => Err(format!("there is no rule `{name}`")),
            };
        }
        rules.added.retain(|n| n != name);
        rules.registry = Arc::new(Registry::clone(&rules.registry).without(&[name])?);
        Ok(())
    });
    removed.map_err(|message| rule_error(py, message))
}

/// A rule, as Python sees it: name, stage, doc, left side, right side, condition, whether Python added it.
type Shown = (String, &'static str, String, Option<String>, Option<String>, Option<String>, bool);

/// All rules, in the order they are tried.
#[pyfunction]
pub(crate) fn list_rules() -> Vec<Shown> {
    with_rules(|rules| {
        let one = |rule: &Rule| {
            let (left, right, when) = match &rule.apply {
                Apply::Text(text) => (Some(text.source.0.clone()), Some(text.source.1.clone()), text.source.2.clone()),
                _ => (None, None, None),
            };
            let added = rules.added.iter().any(|n| *n == rule.name.as_str());
            (rule.name.to_string(), rule.stage.name(), rule.doc.trim().to_string(), left, right, when, added)
        };
        rules.registry.rules().iter().map(one).collect()
    })
}

/// The stages, in the order they run.
#[pyfunction]
pub(crate) fn list_stages() -> Vec<&'static str> {
    Stage::ALL.iter().map(|s| s.name()).collect()
}

/// Checks a rule against the oracle; how many cases agreed.
#[pyfunction]
pub(crate) fn check_rule(py: Python<'_>, name: &str, cases: u32, seed: u64) -> PyResult<u32> {
    let rule = with_rules(|rules| rules.registry.rule(name).cloned());
    let Some(rule) = rule else { return Err(rule_error(py, format!("there is no rule `{name}`"))) };
    let hosts: Arc<Hosts> = Arc::default();
    interruptible(py, &Cancel::default(), move || lending(&hosts, || crate::checking::check(&rule, cases, seed)))
}
