//! The rules of this process: airloom's own, and those that Python adds.

use crate::errors::{Error, rule_error};
use crate::given;
use crate::graph::{Store, Writing};
use crate::hosts::Hosts;
use crate::interrupt::interruptible;
use crate::matched::Match;
use crate::session;
use airloom::Cancel;
use airloom::ir::graph::{Graph, NodeId};
use airloom::ir::module::Module;
use airloom::ir::name::Name;
use airloom::ir::text::pattern::{Pattern, parse_pattern};
use airloom::ir::text::print_node;
use airloom::ir::types::TyId;
use airloom::opt::context::Cx;
use airloom::opt::matching::matches;
use airloom::opt::rule::{Apply, HostRule, Rule};
use airloom::opt::stage::Stage;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

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
pub(crate) fn lending<T>(hosts: &Arc<Hosts>, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let outer = RUN.replace(Run { hosts: hosts.clone(), raised: None });
    let made = work();
    match RUN.replace(outer).raised {
        Some((rule, node, error)) => Err(Error::Rule(format!("rule `{rule}` raised {error}, at {node}"), Some(error))),
        None => made,
    }
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
    session::common().add_rule(rule).map_err(|error| rule_error(py, error.to_string()))
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
    session::common().remove_rule(name).map_err(|error| {
        let hint = format!("; hint: `airloom.options(without_rules=[\"{name}\"])`");
        let own = session::common().rules().rule(name).is_some();
        rule_error(py, format!("{error}{}", if own { hint.as_str() } else { "" }))
    })
}

/// A rule, as Python sees it: name, stage, doc, left side, right side, condition, whether Python added it.
type Shown = (String, &'static str, String, Option<String>, Option<String>, Option<String>, bool);

/// All rules, in the order they are tried.
#[pyfunction]
pub(crate) fn list_rules() -> Vec<Shown> {
    let added = session::common().added_rules();
    let one = |rule: &Rule| {
        let (left, right, when) = match &rule.apply {
            Apply::Text(text) => (Some(text.source.0.clone()), Some(text.source.1.clone()), text.source.2.clone()),
            _ => (None, None, None),
        };
        (rule.name.to_string(), rule.stage.name(), rule.doc.trim().to_string(), left, right, when, added.contains(&rule.name))
    };
    session::common().rules().rules().iter().map(one).collect()
}

/// The stages, in the order they run.
#[pyfunction]
pub(crate) fn list_stages() -> Vec<&'static str> {
    Stage::ALL.iter().map(|s| s.name()).collect()
}

/// Checks a rule against the oracle; how many cases agreed.
#[pyfunction]
pub(crate) fn check_rule(py: Python<'_>, name: &str, cases: u32, seed: u64) -> PyResult<u32> {
    let rule = session::common().rules().rule(name).cloned();
    let Some(rule) = rule else { return Err(rule_error(py, format!("there is no rule `{name}`"))) };
    let hosts: Arc<Hosts> = Arc::default();
    interruptible(py, &Cancel::default(), move || lending(&hosts, || crate::checking::check(&rule, cases, seed)))
}
