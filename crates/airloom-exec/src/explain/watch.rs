//! What is seen of a run by who wants to know how it was done.

use super::build::Builder;
use super::node::PhysicalPlan;
use airloom_ir::graph::{Graph, NodeId};
use datafusion_physical_plan::ExecutionPlan;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The plans of a run, and what planning knew of their nodes.
pub struct Watch {
    /// Whether nothing is computed: every plan is taken to have no rows.
    pub dry: bool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    plans: Vec<Arc<dyn ExecutionPlan>>,
    notes: HashMap<usize, Note>,
}

/// What planning knew of a node.
#[derive(Clone, Default)]
pub(super) struct Note {
    pub(super) nodes: Vec<NodeId>,
    pub(super) estimate: Option<u64>,
    /// What is asked of a reader, in words.
    pub(super) predicate: Option<String>,
    /// Held, so that no other plan comes to stand where this one does.
    _plan: Option<Arc<dyn ExecutionPlan>>,
}

/// Plans are told apart by where they stand.
pub(super) fn place(plan: &Arc<dyn ExecutionPlan>) -> usize {
    Arc::as_ptr(plan).cast::<()>() as usize
}

impl Watch {
    /// Of a run that computes.
    pub fn running() -> Watch {
        Watch { dry: false, seen: Mutex::default() }
    }

    /// Of one that only plans.
    pub fn dry() -> Watch {
        Watch { dry: true, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A plan is about to run.
    pub(crate) fn plan(&self, plan: &Arc<dyn ExecutionPlan>) {
        self.seen().plans.push(plan.clone());
    }

    /// A plan computes these nodes of the program, and is expected to make so many rows.
    pub(crate) fn computes(&self, plan: &Arc<dyn ExecutionPlan>, nodes: &[NodeId], estimate: Option<u64>) {
        self.note(plan, |note| {
            note.nodes.extend(nodes.iter().filter(|id| !note.nodes.contains(id)).copied().collect::<Vec<_>>());
            note.estimate = estimate.or(note.estimate);
        });
    }

    /// A plan asks its reader for rows of which this holds.
    pub(crate) fn asks(&self, plan: &Arc<dyn ExecutionPlan>, predicate: String) {
        self.note(plan, |note| note.predicate = Some(predicate));
    }

    fn note(&self, plan: &Arc<dyn ExecutionPlan>, write: impl FnOnce(&mut Note)) {
        let mut seen = self.seen();
        let note = seen.notes.entry(place(plan)).or_insert_with(|| Note { _plan: Some(plan.clone()), ..Note::default() });
        write(note);
    }

    /// How it was done, for the nodes of this graph.
    pub fn physical_plan(&self, graph: &Graph, complete: bool) -> PhysicalPlan {
        let seen = self.seen();
        let mut builder = Builder::new(graph, &seen.notes, !self.dry);
        PhysicalPlan { parts: seen.plans.iter().map(|plan| builder.node(plan)).collect(), complete }
    }
}
