//! Two functions computed for the same arguments.

use super::{fail, values};
use crate::generate::Draw;
use crate::rule::{Rule, RuleError};
use crate::stage::Stage;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Hints;
use airloom_ir::oracle::{Limits, Oracle, Stop};
use airloom_ir::text::{print_function, value_to_text};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

const STEPS: Limits = Limits { steps: 100_000 };

/// Computes both for `times` arguments; the first for which they differ is the error.
pub(super) fn same(graph: &Graph, before: NodeId, after: NodeId, times: u32, draw: &mut Draw) -> Result<(), String> {
    let params = graph.params_of(before).to_vec();
    let oracle = Oracle::new(graph, STEPS);
    for _ in 0..times {
        let args = arguments(graph, &params, draw);
        let (left, right) = (oracle.call(before, &args), oracle.call(after, &args));
        let agree = match (&left, &right) {
            (Ok(left), Ok(right)) => left == right,
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !agree {
            let types = graph.types();
            let ty = graph.ty_id(graph.result_of(before));
            let show = |result: &Result<Value, Stop>| match result {
                Ok(value) => format!("is {}", value_to_text(types, ty, value)),
                Err(raised) => format!("raises \"{raised}\""),
            };
            let given: Vec<String> = params.iter().zip(&args).map(|(&ty, value)| value_to_text(types, ty, value)).collect();
            let given = given.join(", ");
            let (left, right) = (show(&left), show(&right));
            return Err(format!(
                "changes the meaning: of ({given}) what was there {left}, what it makes {right}\n{}",
                both(graph, before, after)
            ));
        }
    }
    Ok(())
}

/// Values for parameters; now and then the same for all of a type, since rules look for duplicates.
fn arguments(graph: &Graph, params: &[TyId], draw: &mut Draw) -> Vec<Value> {
    let mut args: Vec<Value> = params.iter().map(|&ty| values::value(graph.types(), ty, draw)).collect();
    if draw.chance(30) {
        for at in 1..params.len() {
            if params[at] == params[0] {
                args[at] = args[0].clone();
            }
        }
    }
    args
}

/// What a rule made of a function must weigh less, in its own stage; a simplification, in all of them.
pub(super) fn lighter(rule: &Rule, graph: &Graph, before: NodeId, after: NodeId) -> Result<(), RuleError> {
    let stages: &[Stage] = if rule.stage == Stage::Simplify { &Stage::ALL } else { std::slice::from_ref(&rule.stage) };
    for stage in stages {
        let (heavy, light) = (stage.weight(graph, before), stage.weight(graph, after));
        if light >= heavy {
            return Err(fail(
                rule,
                format!(
                    "does not make progress in `{}`: the weight goes from {heavy:?} to {light:?}\n{}",
                    stage.name(),
                    both(graph, before, after)
                ),
            ));
        }
    }
    Ok(())
}

fn both(graph: &Graph, before: NodeId, after: NodeId) -> String {
    let show = |name: &str, function: NodeId| print_function(graph, &Hints::default(), name, function);
    format!("{}{}", show("before", before), show("after", after))
}
