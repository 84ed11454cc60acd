//! Plans that are kept: a program that comes again, with other literals or over other data of the same shape, is not optimised again.

use super::positions::Positions;
use super::shape::Shape;
use super::template::Template;
use airloom_exec::engine::Engine;
use airloom_exec::place::Placed;
use airloom_exec::schedule::try_hold;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use airloom_ir::value::Value;
use airloom_opt::facts::Statistics;
use std::sync::{Arc, Mutex};

/// A program after all rules, placed.
pub(super) struct Plan {
    /// What it computes as a whole: a function of the program.
    pub(super) function: NodeId,
    /// Placed on the session's backends.
    pub(super) placed: Placed,
}

/// How often plans were found and made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanCounts {
    /// How many programs had a plan already.
    pub hits: u64,
    /// How many were optimised.
    pub misses: u64,
    /// How many plans are kept.
    pub kept: usize,
}

/// What a plan depends on, besides the program.
pub(super) struct Circumstances {
    /// What is known of the sources that the run brings. A plan is kept for all data of the same shape.
    pub(super) statistics: Statistics,
    /// What else it depends on.
    pub(super) settings: Settings,
}

/// What a plan depends on, besides the program and the data.
#[derive(PartialEq)]
pub(super) struct Settings {
    /// Which tables of the session the program reads: no two have the same version.
    pub(super) versions: Vec<u64>,
    /// Whether what is known of those was looked at: for a run that is done inline it is not.
    pub(super) looked_at: bool,
    /// How often the session's rules were changed.
    pub(super) generation: u64,
    pub(super) without_rules: Vec<String>,
    pub(super) fuel: u64,
    pub(super) checks: bool,
    pub(super) strict: bool,
    /// How many backends the session has: none is ever taken away.
    pub(super) backends: usize,
}

/// What a plan depends on: the program with the lines that its errors name, and the circumstances.
pub(super) struct Key<'a> {
    shape: &'a Shape,
    circumstances: Circumstances,
    positions: Positions,
    /// Whether the program looks at how many rows there are.
    counted: bool,
}

impl<'a> Key<'a> {
    pub(super) fn new(shape: &'a Shape, circumstances: Circumstances) -> Key<'a> {
        let graph = &shape.program().graph;
        let counted = graph.ids().any(|id| graph.op(id) == Op::Relation(Relation::Slice));
        let positions = Positions::new(shape, &circumstances.statistics);
        Key { shape, circumstances, positions, counted }
    }

    pub(super) fn statistics(&self) -> &Statistics {
        &self.circumstances.statistics
    }
}

/// How many literals' plans are kept with a template: a program that is run in turns with a few finds them all.
const BOUND: usize = 4;

/// A plan, and what it depends on.
pub(super) struct Entry {
    hash: u64,
    /// The program, as it is planned.
    planned: Arc<Module>,
    circumstances: Circumstances,
    positions: Positions,
    /// The plan before it is bound; none where nothing was taken out of the program.
    template: Option<Template>,
    /// Plans for the literals that were asked for last.
    bound: Mutex<Vec<(Arc<[Value]>, Arc<Plan>)>>,
}

impl Entry {
    /// Of a plan for the literals of the program; `planned` is the program without them.
    pub(super) fn new(key: Key<'_>, planned: Arc<Module>, template: Option<Template>, plan: Arc<Plan>) -> Entry {
        let Key { shape, circumstances, positions, .. } = key;
        let bound = Mutex::new(vec![(shape.values.clone(), plan)]);
        Entry { hash: shape.hash, planned, circumstances, positions, template, bound }
    }

    fn is_for(&self, key: &Key<'_>) -> bool {
        self.hash == key.shape.hash
            && key.shape.is_planned_as(&self.planned)
            && self.circumstances.settings == key.circumstances.settings
            && key.circumstances.statistics.suits(&self.circumstances.statistics, key.counted)
            && key.positions.suit(&self.positions)
    }

    /// The plan for these literals.
    pub(super) fn plan(&self, literals: &Arc<[Value]>, engine: &Engine) -> Option<Arc<Plan>> {
        let known = try_hold(&self.bound)?.iter().find(|(own, _)| own == literals).map(|(_, plan)| plan.clone());
        if known.is_some() {
            return known;
        }
        let plan = Arc::new(self.template.as_ref()?.bind(literals, engine));
        if let Some(mut bound) = try_hold(&self.bound) {
            if bound.len() >= BOUND {
                bound.remove(0);
            }
            bound.push((literals.clone(), plan.clone()));
        }
        Some(plan)
    }
}

/// The plans of a session, the one that was asked for last at the end. Where there is no more room, the one goes that was not asked for the longest.
pub(super) struct Plans {
    room: usize,
    hits: u64,
    misses: u64,
    kept: Vec<Arc<Entry>>,
}

/// What was kept once, and is dropped after the lock on the plans is released.
pub(super) struct Forgotten(#[expect(dead_code, reason = "it is held to be dropped later")] Option<Arc<Entry>>);

impl Plans {
    pub(super) fn new(room: usize) -> Plans {
        Plans { room, hits: 0, misses: 0, kept: Vec::new() }
    }

    pub(super) fn find(&mut self, key: &Key<'_>) -> Option<Arc<Entry>> {
        let Some(place) = self.kept.iter().rposition(|entry| entry.is_for(key)) else {
            self.misses += 1;
            return None;
        };
        self.hits += 1;
        self.kept[place..].rotate_left(1);
        self.kept.last().cloned()
    }

    #[must_use]
    pub(super) fn keep(&mut self, entry: Entry) -> Forgotten {
        if self.room == 0 {
            return Forgotten(None);
        }
        let old = if self.kept.len() >= self.room { Some(self.kept.remove(0)) } else { None };
        self.kept.push(Arc::new(entry));
        Forgotten(old)
    }

    pub(super) fn counts(&self) -> PlanCounts {
        PlanCounts { hits: self.hits, misses: self.misses, kept: self.kept.len() }
    }
}
