//! What functions are lowered to: `test plan`. A plan that is expected also goes through its text and its bytes.

use super::Outcome;
use airloom_exec::engine::stages;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_opt::driver::Options;
use airloom_opt::facts::{Facts, Statistics};
use airloom_opt::registry::Registry;
use airloom_plan::lower::{NoQueries, lower};
use airloom_plan::value::Plan;
use airloom_plan::verify::verify;
use airloom_plan::{binary, text};
use std::sync::Arc;

/// A plan whose text parses, and whose bytes decode, to the same plan.
pub fn through_forms(plan: &Plan) -> Result<Plan, String> {
    verify(plan).map_err(|wrong| format!("the plan is not well formed: {wrong}"))?;
    let printed = text::print(plan);
    let parsed = text::parse(&printed).map_err(|wrong| format!("the text of the plan does not parse: {wrong}\n{printed}"))?;
    let again = text::print(&parsed);
    if again != printed {
        return Err(format!("the text of the plan parses to another:\n{printed}\n---\n{again}"));
    }
    let decoded =
        binary::decode(&binary::encode(&parsed)).map_err(|wrong| format!("the bytes of the plan do not decode: {wrong}\n{printed}"))?;
    let again = text::print(&decoded);
    if again == printed { Ok(decoded) } else { Err(format!("the bytes of the plan are those of another:\n{printed}\n---\n{again}")) }
}

/// The plan of a function after all rules, where this is known of its sources.
pub fn optimized_plan(module: &Module, function: NodeId, statistics: &Statistics) -> Result<Plan, String> {
    let mut module = module.clone();
    let at = module.roots().iter().position(|&root| root == function).ok_or("a function is a root")?;
    let options = Options { checks: true, stages: stages(&module.graph), statistics: statistics.clone(), ..Options::everything() };
    let optimized = Registry::standard().run(&mut module, &options).map_err(|error| error.to_string())?;
    let function = optimized.roots[at];
    let compact = module.compact(&[function]);
    let function = compact.graph.ids().last().ok_or("a function has a node")?;
    Ok(lower(&Arc::new(compact.graph), function, &mut Facts::new(statistics.clone()), &NoQueries))
}

/// Compares the plan of each function with the comment after it, which begins with `; plan:`.
pub(super) fn check(module: &Module, statistics: &Statistics, source: &str, bless: bool, outcome: &mut Outcome) {
    let lines: Vec<&str> = source.lines().collect();
    let mut blessed: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        blessed.push(lines[at].to_string());
        let name = lines[at].strip_prefix("func @").map(|rest| rest.split('(').next().unwrap_or(rest));
        at += 1;
        let Some(name) = name else { continue };
        while at < lines.len() && !lines[at - 1].starts_with('}') {
            blessed.push(lines[at].to_string());
            at += 1;
        }
        let Some(function) = module.function(name) else { continue };
        outcome.checked += 1;
        let plan = match optimized_plan(module, function, statistics).and_then(|plan| through_forms(&plan).map(|_| plan)) {
            Ok(plan) => plan,
            Err(message) => {
                outcome.failures.push(format!("`@{name}`: {message}"));
                continue;
            }
        };
        let text = text::print(&plan);
        let found: Vec<String> =
            std::iter::once("; plan:".to_string()).chain(text.lines().map(|line| format!("; {line}").trim_end().to_string())).collect();
        let expected = block(&lines[at..]);
        at += expected.len();
        if expected != found && !bless {
            let (found, expected) = (found.join("\n"), expected.join("\n"));
            outcome
                .failures
                .push(format!("`@{name}` has the plan\n{found}\n\nexpected\n{expected}\n\nhint: `AIRLOOM_BLESS=1` writes what was found"));
        }
        blessed.extend(found);
    }
    if bless {
        outcome.blessed = Some(blessed.join("\n") + "\n");
    }
}

/// The expectation that begins here: `; plan:` and what follows it up to the end of the plan.
fn block(lines: &[&str]) -> Vec<String> {
    if lines.first().map(|line| line.trim()) != Some("; plan:") {
        return Vec::new();
    }
    let begins = lines.iter().position(|line| *line == "; plan {").unwrap_or(0);
    let length = lines[begins..].iter().position(|line| *line == "; }").map_or(1, |end| begins + end + 1);
    lines[..length].iter().map(ToString::to_string).collect()
}
