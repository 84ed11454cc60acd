//! What functions become: `test opt` and `test same`.

use super::Outcome;
use super::directives::Which;
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::text;
use airloom_opt::driver::{Options, Outcome as Optimized};
use airloom_opt::facts::Statistics;
use airloom_opt::registry::Registry;
use airloom_opt::stage::Stage;

/// What the simplifications alone make of the functions, where one rule is looked at together with them.
fn simplify(module: &mut Module, which: &Which) -> Result<Vec<NodeId>, String> {
    let Which::Rule(name) = which else { return Ok(module.roots()) };
    let standard = Registry::standard();
    let stage = standard.rule(name).ok_or_else(|| format!("there is no rule `{name}`"))?.stage;
    let registry = standard.only(|r| r.stage == Stage::Simplify && stage != Stage::Simplify);
    let options = Options { stages: vec![stage], ..Options::everything() };
    registry.run(module, &options).map(|outcome| outcome.roots).map_err(|e| e.to_string())
}

fn optimize(module: &mut Module, which: &Which, statistics: &Statistics) -> Result<Optimized, String> {
    let standard = Registry::standard();
    let (registry, stages) = match which {
        Which::All => (standard, Stage::ALL.to_vec()),
        Which::Stage(stage) => (standard, vec![*stage]),
        Which::Rule(name) => {
            let stage = standard.rule(name).ok_or_else(|| format!("there is no rule `{name}`"))?.stage;
            (standard.only(|r| r.name.as_str() == name || (r.stage == Stage::Simplify && stage != Stage::Simplify)), vec![stage])
        }
    };
    let options = Options { checks: true, stages, statistics: statistics.clone(), ..Options::everything() };
    registry.run(module, &options).map_err(|e| e.to_string())
}

pub(super) fn check(module: &Module, which: &Which, statistics: &Statistics, source: &str, bless: bool, outcome: &mut Outcome) {
    let mut module = module.clone();
    let simplified = simplify(&mut module, which);
    let (optimized, simplified) = match (optimize(&mut module, which, statistics), simplified) {
        (Ok(optimized), Ok(simplified)) => (optimized, simplified),
        (Err(message), _) | (_, Err(message)) => return outcome.failures.push(message),
    };
    if let Which::Rule(name) = which
        && !optimized.trace.iter().any(|f| f.rule.as_str() == name)
    {
        outcome.failures.push(format!("the rule `{name}` did not fire"));
    }
    let lines: Vec<&str> = source.lines().collect();
    let mut blessed: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        blessed.push(lines[at].to_string());
        let name = function_name(lines[at]);
        at += 1;
        let Some(name) = name else { continue };
        while !lines[at - 1].trim_end().ends_with('}') || (lines[at - 1].starts_with(' ') && at < lines.len()) {
            if at >= lines.len() {
                break;
            }
            blessed.push(lines[at].to_string());
            at += 1;
        }
        let Some(place) = module.functions.iter().position(|f| f.name.as_str() == name) else { continue };
        outcome.checked += 1;
        let after = optimized.roots[place];
        let same = after == module.functions[place].lambda || after == simplified[place];
        let found = if same {
            vec!["; unchanged".to_string()]
        } else {
            behind_comment(&text::print_function(&module.graph, &module.hints, name, after))
        };
        let expected = block(&lines[at..]);
        at += expected.len();
        if expected != found && !bless {
            outcome.failures.push(format!(
                "`@{name}` became\n{}\n\nexpected\n{}\n\nhint: `AIRLOOM_BLESS=1` writes what was found",
                found.join("\n"),
                expected.join("\n")
            ));
        }
        blessed.extend(found);
    }
    if bless {
        outcome.blessed = Some(blessed.join("\n") + "\n");
    }
}

fn function_name(line: &str) -> Option<&str> {
    line.strip_prefix("func @").map(|rest| rest.split('(').next().unwrap_or(rest))
}

fn behind_comment(text: &str) -> Vec<String> {
    std::iter::once("; ->".to_string()).chain(text.lines().map(|l| format!("; {l}").trim_end().to_string())).collect()
}

/// The expectation that begins here: `; unchanged`, or `; ->` and what follows it up to a lone `; }`.
fn block(lines: &[&str]) -> Vec<String> {
    match lines.first().map(|l| l.trim()) {
        Some("; unchanged") => vec![lines[0].to_string()],
        Some("; ->") => {
            let mut end = 1;
            while end < lines.len() && lines[end].starts_with(';') {
                end += 1;
                // Shared bodies come first; the function itself is what the block ends with.
                let is_last = lines[end - 1] == "; }" && lines[1..end].iter().any(|l| l.starts_with("; func @"));
                if is_last {
                    break;
                }
            }
            lines[..end].iter().map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    }
}

/// All functions become one node.
pub(super) fn check_same(module: &Module, which: Option<&Which>, statistics: &Statistics, outcome: &mut Outcome) {
    let mut module = module.clone();
    match optimize(&mut module, which.unwrap_or(&Which::All), statistics) {
        Err(message) => outcome.failures.push(message),
        Ok(optimized) => {
            outcome.checked += 1;
            let first = optimized.roots.first();
            if let Some(place) = optimized.roots.iter().position(|root| Some(root) != first) {
                let show = |at: usize| text::print_function(&module.graph, &module.hints, &module.functions[at].name, optimized.roots[at]);
                outcome.failures.push(format!("these should have become the same node:\n{}\n{}", show(0), show(place)));
            }
        }
    }
}
