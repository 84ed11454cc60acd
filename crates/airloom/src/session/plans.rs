//! Plans that are kept: a program that comes again, over data of the same shape, is not optimised again.

use airloom_exec::place::Placed;
use airloom_ir::graph::NodeId;
use airloom_ir::module::{Hints, Locations, Module};
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use airloom_opt::facts::Statistics;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A program after all rules, placed.
pub(super) struct Plan {
    pub(super) program: Arc<Module>,
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
    hash: u64,
    bytes: &'a [u8],
    program: &'a Module,
    circumstances: Circumstances,
    /// Whether the program looks at how many rows there are.
    counted: bool,
}

impl<'a> Key<'a> {
    /// `bytes` is the program in its binary form.
    pub(super) fn new(bytes: &'a [u8], program: &'a Module, circumstances: Circumstances) -> Key<'a> {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let counted = program.graph.ids().any(|id| program.graph.op(id) == Op::Relation(Relation::Slice));
        Key { hash: hasher.finish(), bytes, program, circumstances, counted }
    }

    pub(super) fn statistics(&self) -> &Statistics {
        &self.circumstances.statistics
    }
}

/// A plan, and what it depends on.
struct Entry {
    hash: u64,
    bytes: Vec<u8>,
    locations: Locations,
    hints: Hints,
    circumstances: Circumstances,
    plan: Arc<Plan>,
}

impl Entry {
    fn is_for(&self, key: &Key<'_>) -> bool {
        self.hash == key.hash
            && self.bytes == key.bytes
            && self.locations == key.program.locations
            && self.hints == key.program.hints
            && self.circumstances.settings == key.circumstances.settings
            && key.circumstances.statistics.suits(&self.circumstances.statistics, key.counted)
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

    pub(super) fn find(&mut self, key: &Key<'_>) -> Option<Arc<Plan>> {
        let Some(place) = self.kept.iter().rposition(|entry| entry.is_for(key)) else {
            self.misses += 1;
            return None;
        };
        self.hits += 1;
        self.kept[place..].rotate_left(1);
        self.kept.last().map(|entry| entry.plan.clone())
    }

    #[must_use]
    pub(super) fn keep(&mut self, key: Key<'_>, plan: Arc<Plan>) -> Forgotten {
        if self.room == 0 {
            return Forgotten(None);
        }
        let old = if self.kept.len() >= self.room { Some(self.kept.remove(0)) } else { None };
        let Key { hash, bytes, program, circumstances, .. } = key;
        let (locations, hints) = (program.locations.clone(), program.hints.clone());
        self.kept.push(Arc::new(Entry { hash, bytes: bytes.to_vec(), locations, hints, circumstances, plan }));
        Forgotten(old)
    }

    pub(super) fn counts(&self) -> PlanCounts {
        PlanCounts { hits: self.hits, misses: self.misses, kept: self.kept.len() }
    }
}
