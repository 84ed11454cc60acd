//! The driver: bottom-up, each distinct node once, rules found by op, until nothing more fires or the fuel is spent.

use crate::context::Cx;
use crate::facts::{Facts, Statistics};
use crate::matching::{build, matches};
use crate::registry::{Index, Registry};
use crate::rule::{Apply, Rule, TextRule};
use crate::stage::{Stage, Weight};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::module::{Location, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::Make;
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text::print_node;
use airloom_ir::value::Value;
use std::fmt;

/// How a program is optimised. There is no default: whoever runs the driver says what it wants.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many firings there may be. A run that spends all of it ends on a valid program and says so.
    pub fuel: u64,
    /// Checks that every firing lowers its stage's weight, and verifies the program after every stage.
    pub checks: bool,
    /// The stages to run, of those there are.
    pub stages: Vec<Stage>,
    /// What is known of the sources.
    pub statistics: Statistics,
}

impl Options {
    /// Every stage, without statistics, with far more fuel than any program needs.
    pub fn everything() -> Options {
        Options { fuel: 1_000_000, checks: false, stages: Stage::ALL.to_vec(), statistics: Statistics::default() }
    }
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The functions, as they are now, in their order.
    pub roots: Vec<NodeId>,
    /// Every firing, in order.
    pub trace: Vec<Fired>,
    /// The functions after each stage that ran.
    pub stages: Vec<(Stage, Vec<NodeId>)>,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Why a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// Nothing more fires.
    AtNormalForm,
    /// The fuel was spent; the last rule that fired.
    OutOfFuel(Option<Name>),
}

/// One firing.
#[derive(Clone, Debug)]
pub struct Fired {
    /// The rule.
    pub rule: Name,
    /// The stage it fired in.
    pub stage: Stage,
    /// The node it was given.
    pub before: NodeId,
    /// The node it made.
    pub after: NodeId,
    /// Where in the user's file the node came from.
    pub places: Vec<Location>,
}

/// A rule that broke its promise. The program is not touched by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The rule.
    pub rule: Name,
    /// What it did.
    pub message: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` {}", self.rule, self.message)
    }
}

impl std::error::Error for Broken {}

impl Registry {
    /// Optimises the functions of a module in its own graph, which only grows. The module's functions stay; the outcome says what they became.
    pub fn run(&self, module: &mut Module, options: &Options) -> Result<Outcome, Broken> {
        let mut outcome = Outcome { roots: module.roots(), trace: Vec::new(), stages: Vec::new(), stopped: Stopped::AtNormalForm };
        let mut fuel = options.fuel;
        let mut facts = Facts::new(options.statistics.clone());
        let mut settled = Vec::new();
        for &stage in &options.stages {
            let (index, simplify) = (self.index(stage), self.index(Stage::Simplify));
            if index.is_empty() && simplify.is_empty() {
                continue;
            }
            let mut driver = Driver {
                module,
                facts: &mut facts,
                stage,
                rules: self.rules(),
                index,
                simplify,
                settled: &mut settled,
                uses: Vec::new(),
                fuel: &mut fuel,
                checks: options.checks,
                trace: &mut outcome.trace,
                done: Vec::new(),
                weights: Vec::new(),
                candidates: Vec::new(),
            };
            let roots = outcome.roots.clone();
            outcome.roots = roots.into_iter().map(|root| driver.function(root)).collect::<Result<_, _>>()?;
            outcome.stages.push((stage, outcome.roots.clone()));
            if options.checks {
                check_stage(module, stage, &outcome)?;
            }
            if fuel == 0 {
                outcome.stopped = Stopped::OutOfFuel(outcome.trace.last().map(|f| f.rule.clone()));
                break;
            }
        }
        Ok(outcome)
    }
}

/// How many nodes of a function read each node.
fn count_uses(graph: &Graph, function: NodeId) -> Vec<u32> {
    let mut uses = vec![0; graph.len()];
    // Readers come after what they read. Whatever nobody of the function reads is no part of it.
    for id in graph.ids().rev() {
        if id == function || uses[id.index()] > 0 {
            graph.args(id).iter().for_each(|a| uses[a.index()] += 1);
        }
    }
    uses
}

/// The verifier after a stage; what it finds is blamed on the last rule that fired.
fn check_stage(module: &Module, stage: Stage, outcome: &Outcome) -> Result<(), Broken> {
    let compacted = module.graph.compact(&outcome.roots);
    let checked = Module { graph: compacted.graph, ..Module::default() };
    match airloom_ir::verify::verify(&checked).into_iter().next() {
        None => Ok(()),
        Some(finding) => {
            let rule = outcome.trace.last().map_or_else(|| Name::new(stage.name()), |f| f.rule.clone());
            Err(Broken { rule, message: format!("left a program that the verifier refuses: {}", finding.message) })
        }
    }
}

struct Driver<'a> {
    module: &'a mut Module,
    facts: &'a mut Facts,
    stage: Stage,
    rules: &'a [Rule],
    index: &'a Index,
    simplify: &'a Index,
    /// The nodes, by id, that no simplification fires at: they need not be tried again in the stages to come.
    settled: &'a mut Vec<bool>,
    uses: Vec<u32>,
    fuel: &'a mut u64,
    checks: bool,
    trace: &'a mut Vec<Fired>,
    /// The normal form of each node, by its id.
    done: Vec<Option<NodeId>>,
    weights: Vec<Option<Weight>>,
    candidates: Vec<u32>,
}

enum Task {
    /// Normalise a node.
    Visit(NodeId),
    /// Its arguments are done: rebuild it and try the rules.
    Rebuild(NodeId),
    /// The second was made of the first and is done by now.
    Follow(NodeId, NodeId),
}

impl Driver<'_> {
    /// A function in normal form. What becomes of it does not depend on what other functions there are: each is run by itself.
    fn function(&mut self, function: NodeId) -> Result<NodeId, Broken> {
        self.uses = count_uses(&self.module.graph, function);
        self.done.clear();
        self.normal(function)
    }

    fn normal(&mut self, root: NodeId) -> Result<NodeId, Broken> {
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(id) => {
                    if self.done(id).is_none() {
                        tasks.push(Task::Rebuild(id));
                        tasks.extend(self.module.graph.args(id).iter().rev().map(|&a| Task::Visit(a)));
                    }
                }
                Task::Rebuild(id) => {
                    let node = self.rebuilt(id);
                    if let Some(done) = self.done(node) {
                        self.set_done(id, done);
                    } else if let Some(better) = self.fire(node)? {
                        tasks.push(Task::Follow(id, better));
                        if node != id {
                            tasks.push(Task::Follow(node, better));
                        }
                        tasks.push(Task::Visit(better));
                    } else {
                        self.set_done(node, node);
                        self.set_done(id, node);
                    }
                }
                Task::Follow(id, better) => {
                    let done = self.done(better).unwrap_or(better);
                    self.set_done(id, done);
                }
            }
        }
        Ok(self.done(root).unwrap_or(root))
    }

    fn done(&self, id: NodeId) -> Option<NodeId> {
        self.done.get(id.index()).copied().flatten()
    }

    fn set_done(&mut self, id: NodeId, done: NodeId) {
        if self.done.len() <= id.index() {
            self.done.resize(self.module.graph.len().max(id.index() + 1), None);
        }
        self.done[id.index()] = Some(done);
    }

    /// The node with its arguments in normal form.
    fn rebuilt(&mut self, id: NodeId) -> NodeId {
        let graph = &self.module.graph;
        let args: Args = graph.args(id).iter().map(|&a| self.done(a).unwrap_or(a)).collect();
        if args.as_slice() == graph.args(id) {
            return id;
        }
        let (op, attrs) = (graph.op(id), graph.node(id).attrs().into());
        let made = self.module.graph.make(op, attrs, &args);
        let made = made.expect("invariant `a rule keeps the type`: a node of the same types as before is well typed");
        self.module.locations.inherit(id, made);
        self.module.hints.inherit(id, made);
        self.inherit_uses(id, made);
        made
    }

    /// What read the one node will read the other.
    fn inherit_uses(&mut self, before: NodeId, after: NodeId) {
        let readers = self.uses.get(before.index()).copied().unwrap_or(1);
        if self.uses.len() <= after.index() {
            self.uses.resize(self.module.graph.len().max(after.index() + 1), 1);
        }
        self.uses[after.index()] = self.uses[after.index()].max(readers);
    }

    fn fire(&mut self, node: NodeId) -> Result<Option<NodeId>, Broken> {
        if *self.fuel == 0 {
            return Ok(None);
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let settled = self.settled.get(node.index()).copied().unwrap_or(false);
        if !settled {
            self.simplify.candidates(&self.module.graph, node, &mut candidates);
        }
        if self.stage != Stage::Simplify {
            self.index.candidates(&self.module.graph, node, &mut candidates);
        }
        // In the order they were added, whatever table they were found in.
        candidates.sort_unstable();
        candidates.dedup();
        let mut found = Ok(None);
        for &number in &candidates {
            let rule = &self.rules[number as usize];
            match self.apply(rule, node) {
                Ok(None) => continue,
                other => {
                    found = other;
                    break;
                }
            }
        }
        self.candidates = candidates;
        if !settled && matches!(found, Ok(None)) {
            if self.settled.len() <= node.index() {
                self.settled.resize(self.module.graph.len(), false);
            }
            self.settled[node.index()] = true;
        }
        found
    }

    fn apply(&mut self, rule: &Rule, node: NodeId) -> Result<Option<NodeId>, Broken> {
        let broken = |message: String| Broken { rule: rule.name.clone(), message };
        let mut cx = Cx::new(&mut self.module.graph, self.facts, &self.uses);
        let after = match &rule.apply {
            Apply::Code(code) => code(&mut cx, node),
            Apply::Host(host) => host.apply(&mut cx, node),
            Apply::Text(text) => apply_text(&mut cx, text, node),
        };
        let after = after.filter(|&after| !cx.loses_an_effect(after));
        if let Some(error) = cx.refused {
            return Err(broken(format!("built an ill-typed node: {error}, from {}", print_node(&self.module.graph, node))));
        }
        let Some(after) = after.filter(|&after| after != node) else { return Ok(None) };
        let graph = &self.module.graph;
        if graph.ty_id(after) != graph.ty_id(node) {
            if matches!(rule.apply, Apply::Text(_)) {
                // A rule of text says nothing of nulls: where they make a difference it does not apply.
                return Ok(None);
            }
            return Err(broken(format!(
                "changed the type from `{}` to `{}`: {} became {}",
                graph.show_ty(node),
                graph.show_ty(after),
                print_node(graph, node),
                print_node(graph, after)
            )));
        }
        if self.checks {
            let (before, now) = (self.weigh(node), self.weigh(after));
            // Past the range of the numbers nothing can be said.
            if now >= before && !before.contains(&u64::MAX) {
                let graph = &self.module.graph;
                return Err(broken(format!(
                    "does not make progress in `{}`: the weight goes from {before:?} to {now:?}; {} became {}",
                    self.stage.name(),
                    print_node(graph, node),
                    print_node(graph, after)
                )));
            }
        }
        *self.fuel -= 1;
        self.module.locations.inherit(node, after);
        self.module.hints.inherit(node, after);
        self.inherit_uses(node, after);
        let places = self.module.locations.of(node).to_vec();
        self.trace.push(Fired { rule: rule.name.clone(), stage: self.stage, before: node, after, places });
        Ok(Some(after))
    }

    fn weigh(&mut self, root: NodeId) -> Weight {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.weights.len() < self.module.graph.len() {
                self.weights.resize(self.module.graph.len(), None);
            }
            if self.weights[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let args = self.module.graph.args(id);
            let missing = args.iter().copied().filter(|a| self.weights[a.index()].is_none());
            let before = stack.len();
            stack.extend(missing);
            if stack.len() == before {
                let parts: Vec<Weight> = args.iter().filter_map(|a| self.weights[a.index()]).collect();
                self.weights[id.index()] = Some(self.stage.weigh(&self.module.graph, id, &parts));
                stack.pop();
            }
        }
        self.weights[root.index()].unwrap_or_default()
    }
}

/// What a rule of text makes of a node, whatever its type.
pub(crate) fn apply_text(cx: &mut Cx<'_>, rule: &TextRule, node: NodeId) -> Option<NodeId> {
    let bindings = matches(cx, &rule.left, node)?;
    // What may raise, or do more, happens once as before: it is not for a rule of scalars to make it not happen.
    if bindings.dropped(&rule.right).any(|id| cx.effect(id) != Effect::Pure) {
        return None;
    }
    if let Some(when) = &rule.when {
        let condition = build(cx, when, &bindings, None)?;
        let oracle = Oracle::new(cx, Limits { steps: 10_000 });
        if oracle.eval(condition).ok() != Some(Value::Bool(true)) {
            return None;
        }
    }
    let whole = cx.ty_id(node);
    build(cx, &rule.right, &bindings, Some(whole))
}
