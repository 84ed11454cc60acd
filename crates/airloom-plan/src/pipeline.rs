//! A plan cut into pipelines: chains of nodes through which a morsel passes without waiting.

use crate::value::{Plan, PlanId};
use std::fmt;

/// One pipeline: from a source, through streaming nodes, into its sink.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pipeline {
    /// The source and the streaming nodes, in the order in which rows pass them. The source is a node without inputs, or one that an earlier pipeline computes.
    pub nodes: Vec<PlanId>,
    /// The breakers that take its rows in, one after the other. Empty where its rows are a result.
    pub sink: Vec<PlanId>,
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |nodes: &[PlanId]| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match self.sink.as_slice() {
            [] => write!(f, "{}", joined(&self.nodes)),
            sink => write!(f, "{} => {}", joined(&self.nodes), joined(sink)),
        }
    }
}

/// The pipelines of a plan, those that are read before those that read them.
pub fn pipelines(plan: &Plan) -> Vec<Pipeline> {
    let readers = plan.readers();
    let mut pipelines = Vec::new();
    // The pipeline whose last node this is, while nothing has taken it up.
    let mut open: Vec<Option<Pipeline>> = vec![None; plan.nodes.len()];
    for id in plan.ids() {
        let node = plan.node(id);
        let breaker = node.kind.is_breaker();
        for &input in node.inputs.iter().skip(1) {
            if let Some(mut other) = open[input.index()].take() {
                // A build side has its sink. What else has several inputs is the sink of all but the first.
                if breaker || other.sink.is_empty() {
                    other.sink.push(id);
                }
                pipelines.push(other);
            }
        }
        let mut own = match node.inputs.first() {
            None => Pipeline { nodes: vec![id], sink: Vec::new() },
            Some(&input) => open[input.index()].take().unwrap_or_else(|| Pipeline { nodes: vec![input], sink: Vec::new() }),
        };
        if breaker && !node.inputs.is_empty() {
            own.sink.push(id);
        } else if let Some(&source) = own.sink.last() {
            pipelines.push(own);
            own = Pipeline { nodes: vec![source, id], sink: Vec::new() };
        } else if !node.inputs.is_empty() {
            own.nodes.push(id);
        }
        if readers[id.index()] == 1 {
            open[id.index()] = Some(own);
        } else {
            pipelines.push(own);
        }
    }
    pipelines.extend(open.into_iter().flatten());
    pipelines
}
