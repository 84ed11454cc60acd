//! Plans that are kept: a program that comes again is not optimised again.

use airloom_exec::place::Placed;
use airloom_ir::graph::NodeId;
use airloom_opt::facts::Statistics;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A program after all rules, placed.
pub(super) struct Plan {
    pub(super) placed: Placed,
    /// What it computes as a whole: a function of the placed program.
    pub(super) function: NodeId,
    pub(super) statistics: Statistics,
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

/// Plans by the shape of their programs. Where there is no more room, the one that was used longest ago goes.
pub(super) struct Plans {
    room: usize,
    clock: u64,
    hits: u64,
    misses: u64,
    kept: BTreeMap<Vec<u8>, (u64, Arc<Plan>)>,
}

impl Plans {
    pub(super) fn new(room: usize) -> Plans {
        Plans { room, clock: 0, hits: 0, misses: 0, kept: BTreeMap::new() }
    }

    pub(super) fn find(&mut self, key: &[u8]) -> Option<Arc<Plan>> {
        self.clock += 1;
        let Some((used, plan)) = self.kept.get_mut(key) else {
            self.misses += 1;
            return None;
        };
        *used = self.clock;
        self.hits += 1;
        Some(plan.clone())
    }

    pub(super) fn keep(&mut self, key: Vec<u8>, plan: Arc<Plan>) {
        if self.room == 0 {
            return;
        }
        self.kept.insert(key, (self.clock, plan));
        if self.kept.len() > self.room {
            let oldest = self.kept.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.kept.remove(&key));
        }
    }

    pub(super) fn counts(&self) -> PlanCounts {
        PlanCounts { hits: self.hits, misses: self.misses, kept: self.kept.len() }
    }
}
