//! A plan cut into pipelines: chains of nodes through which a morsel passes without waiting.

use crate::value::{Plan, PlanId};

/// One pipeline: from a source, or what a breaker has gathered, through streaming nodes to the breaker that takes its rows in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pipeline {
    /// The nodes, in the order in which rows pass them. The last one of a pipeline that ends in a breaker is that breaker, with which the next one begins.
    pub nodes: Vec<PlanId>,
}

/// The pipelines of a plan, those that are read before those that read them.
pub fn pipelines(plan: &Plan) -> Vec<Pipeline> {
    let readers = plan.readers();
    let mut pipelines = Vec::new();
    // The pipeline that ends at each node, while nothing has taken it up.
    let mut open: Vec<Option<Vec<PlanId>>> = vec![None; plan.nodes.len()];
    for id in plan.ids() {
        let node = plan.node(id);
        let mut inputs = node.inputs.iter();
        let first = inputs.next().copied();
        // Rows stream from the first input; the others are gathered before.
        let carried = first.and_then(|input| open[input.index()].take());
        let mut nodes = carried.unwrap_or_else(|| first.into_iter().collect());
        for &input in inputs {
            pipelines.extend(open[input.index()].take().map(|nodes| Pipeline { nodes }));
        }
        nodes.push(id);
        if node.kind.is_breaker() || readers[id.index()] != 1 {
            pipelines.push(Pipeline { nodes });
        } else {
            open[id.index()] = Some(nodes);
        }
    }
    pipelines.extend(open.into_iter().flatten().map(|nodes| Pipeline { nodes }));
    pipelines
}
