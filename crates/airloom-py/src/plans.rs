//! Plans that are kept: a program that ran before, over data of which the same is known, is not optimised again.

use crate::engine::RunOptions;
use crate::errors::Error;
use crate::rules;
use airloom_ir::binary;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::{Hints, Locations, Module};
use airloom_opt::facts::Statistics;
use airloom_opt::registry::Registry;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// How many plans are kept.
const KEPT: usize = 256;

/// What the rules made of a function.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) module: Arc<Module>,
    pub(crate) function: NodeId,
    /// The graph of the module, as the engine holds it.
    pub(crate) graph: Arc<Graph>,
}

impl Plan {
    pub(crate) fn new(module: Module, function: NodeId) -> Plan {
        let graph = Arc::new(module.graph.clone());
        Plan { module: Arc::new(module), function, graph }
    }
}

/// What a plan depends on: the program, with the places that its errors name, what is known of its data, and the rules.
pub(crate) struct Key {
    hash: u64,
    program: Vec<u8>,
    locations: Locations,
    hints: Hints,
    statistics: Statistics,
    registry: Arc<Registry>,
    without_rules: Vec<String>,
    fuel: u64,
    checks: bool,
}

impl Key {
    pub(crate) fn new(module: &Module, options: &RunOptions, statistics: &Statistics) -> Result<Key, Error> {
        let program = binary::encode(module);
        let mut hasher = DefaultHasher::new();
        program.hash(&mut hasher);
        Ok(Key {
            hash: hasher.finish(),
            program,
            locations: module.locations.clone(),
            hints: module.hints.clone(),
            statistics: statistics.clone(),
            registry: rules::registry(&[])?,
            without_rules: options.without_rules.clone(),
            fuel: options.fuel,
            checks: options.checks,
        })
    }

    fn is(&self, other: &Key) -> bool {
        self.hash == other.hash
            && self.program == other.program
            && self.locations == other.locations
            && self.hints == other.hints
            && self.statistics == other.statistics
            && Arc::ptr_eq(&self.registry, &other.registry)
            && self.without_rules == other.without_rules
            && self.fuel == other.fuel
            && self.checks == other.checks
    }
}

/// The plans of this process, the one that was asked for last at the end.
struct Plans {
    kept: Vec<(Key, Plan)>,
    hits: u64,
    misses: u64,
}

static PLANS: Mutex<Plans> = Mutex::new(Plans { kept: Vec::new(), hits: 0, misses: 0 });

/// How often a lock that is held is tried again.
const TRIES: usize = 1000;

/// The plans; `None` where somebody holds them for longer than anybody does. In a forked process that is a thread of the parent's, and it never ends.
fn plans() -> Option<MutexGuard<'static, Plans>> {
    for _ in 0..TRIES {
        match PLANS.try_lock() {
            Ok(plans) => return Some(plans),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// The plan of a program that ran before.
pub(crate) fn find(key: &Key) -> Option<Plan> {
    let mut plans = plans()?;
    let Some(place) = plans.kept.iter().rposition(|(known, _)| known.is(key)) else {
        plans.misses += 1;
        return None;
    };
    plans.hits += 1;
    plans.kept[place..].rotate_left(1);
    plans.kept.last().map(|(_, plan)| plan.clone())
}

/// Keeps a plan. Where there are too many, the one goes that was not asked for the longest.
pub(crate) fn keep(key: Key, plan: Plan) {
    let Some(mut plans) = plans() else { return };
    let old = if plans.kept.len() >= KEPT { Some(plans.kept.remove(0)) } else { None };
    plans.kept.push((key, plan));
    drop(plans);
    drop(old);
}

/// How often a plan was there, how often it was not, and how many are kept.
#[pyfunction]
pub(crate) fn plan_cache(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let (hits, misses, kept) = plans().map_or((0, 0, 0), |plans| (plans.hits, plans.misses, plans.kept.len()));
    let dict = PyDict::new(py);
    dict.set_item("hits", hits)?;
    dict.set_item("misses", misses)?;
    dict.set_item("kept", kept)?;
    Ok(dict)
}
