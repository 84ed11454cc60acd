//! Rules against the oracle, those over relations and arrays included: whole random programs before and after.

use crate::errors::Error;
use airloom::ir::oracle::{Limits, Oracle, Stop};
use airloom::ir::text::{print_function, value_to_text};
use airloom::ir::value::Value;
use airloom::opt::check;
use airloom::opt::driver::Options;
use airloom::opt::generate::{self, Case};
use airloom::opt::registry::Registry;
use airloom::opt::rule::Rule;

/// How many programs are tried for one in which the rule fires.
const PATIENCE: u64 = 200;
const LIMITS: Limits = Limits { steps: 1_000_000 };

/// How many cases were found to agree, or what does not.
pub(crate) fn check(rule: &Rule, cases: u32, seed: u64) -> Result<u32, Error> {
    match check::check(rule, cases, seed) {
        Ok(checked) => Ok(checked.cases),
        // Random expressions of scalars have nothing for it: random programs may.
        Err(error) if error.no_case => programs(rule, cases, seed, &error.to_string()),
        Err(error) => Err(Error::Rule(error.to_string(), None)),
    }
}

fn programs(rule: &Rule, cases: u32, seed: u64, none_made: &str) -> Result<u32, Error> {
    let fail = |message: String| Error::Rule(format!("rule `{}` {message}", rule.name), None);
    let mut registry = Registry::new();
    registry.add(rule.clone()).map_err(|e| Error::Rule(e.to_string(), None))?;
    let options = Options { fuel: 1_000, checks: true, stages: vec![rule.stage], ..Options::everything() };
    let mut made = 0;
    for number in 0..u64::from(cases).saturating_mul(PATIENCE) {
        if made >= cases {
            break;
        }
        let seed = seed.wrapping_mul(0x9e37_79b9).wrapping_add(number);
        let mut case = if number % 2 == 0 { generate::relational(seed) } else { generate::arrays(seed) };
        let before = case.module.functions[0].lambda;
        let outcome = registry.run(&mut case.module, &options).map_err(|broken| fail(broken.message))?;
        if outcome.trace.is_empty() {
            continue;
        }
        same(&case, before, outcome.roots[0]).map_err(fail)?;
        made += 1;
    }
    if made == 0 { Err(Error::Rule(none_made.to_string(), None)) } else { Ok(made) }
}

fn same(case: &Case, before: airloom::ir::graph::NodeId, after: airloom::ir::graph::NodeId) -> Result<(), String> {
    let graph = &case.module.graph;
    let oracle = Oracle::new(graph, LIMITS);
    let (left, right) = (oracle.call(before, &case.args), oracle.call(after, &case.args));
    match (&left, &right) {
        (Ok(left), Ok(right)) if left == right => return Ok(()),
        (Err(_), Err(_)) => return Ok(()),
        _ => (),
    }
    let ty = graph.ty_id(graph.result_of(before));
    let show = |result: &Result<Value, Stop>| match result {
        Ok(value) => format!("is {}", value_to_text(graph.types(), ty, value)),
        Err(stop) => format!("raises \"{stop}\""),
    };
    let print = |name: &str, function| print_function(graph, &case.module.hints, name, function);
    let params = graph.params_of(before).iter().zip(&case.args);
    let given: Vec<String> = params.map(|(&ty, value)| value_to_text(graph.types(), ty, value)).collect();
    Err(format!(
        "changes the meaning: of ({}) what was there {}, what it makes {}\n{}{}",
        given.join(", "),
        show(&left),
        show(&right),
        print("before", before),
        print("after", after)
    ))
}
