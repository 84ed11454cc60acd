//! Asking the backends what they take.

use super::backend::{Backend, Refusal, Refused};
use super::bound::{Bound, is_leaf};
use super::regions::Assignment;
use airloom_compute::data::Failure;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use std::sync::Arc;

/// Asks the backends which nodes they take. One that has been taken is not offered again.
pub(super) fn assignment(
    program: &Module,
    function: NodeId,
    backends: &[Arc<dyn Backend>],
    refused: &mut Vec<Refused>,
) -> Result<Assignment, Failure> {
    let graph = &program.graph;
    let bound = Bound::new(graph);
    let mut open = graph.block_order(&[graph.result_of(function)]);
    let nearest = program.locations.nearest(graph);
    open.retain(|&id| !is_leaf(graph, id));
    let mut assignment = Assignment::new();
    for (number, backend) in backends.iter().enumerate() {
        let mut refuse = |id: NodeId, refusal: Refusal| {
            let place = nearest[id.index()].and_then(|located| program.locations.of(located).first()).cloned();
            refused.push(Refused { refusal, op: graph.op(id).name(), place });
        };
        let (offered, kept): (Vec<NodeId>, Vec<NodeId>) = open.iter().partition(|&&id| bound.reason(id).is_none());
        for id in kept {
            refuse(id, Refusal::new(backend.name(), bound.reason(id).unwrap_or_default()));
        }
        let answers = backend.supports_each(program, &offered)?;
        if answers.len() != offered.len() {
            let (name, found, asked) = (backend.name(), answers.len(), offered.len());
            return Err(Failure::Program(format!("backend `{name}` was asked of {asked} nodes, and answered of {found}")));
        }
        for (id, answer) in offered.into_iter().zip(answers) {
            match answer {
                Ok(()) => {
                    assignment.insert(id, number);
                }
                Err(refusal) => refuse(id, refusal),
            }
        }
        open.retain(|id| !assignment.contains_key(id));
    }
    Ok(assignment)
}
