//! Random well-typed programs keep their meaning: through the text and the binary form, through every stage, and after every single firing.
#![expect(clippy::print_stdout, reason = "how much was tried is part of the test's result")]

use airloom::program::{Error, Program};
use airloom_ir::text::{print, value_to_text};
use airloom_ir::value::Value;
use airloom_ir::{binary, text, verify};
use airloom_opt::driver::Options;
use airloom_opt::facts::Statistics;
use airloom_opt::generate::{self, Case};
use airloom_opt::registry::Registry;

/// How many programs of each kind are tried.
const PROGRAMS: u64 = 3000;
/// After how many of its firings a program is compared, at most.
const FIRINGS: u64 = 24;

fn answer(session: &Program, function: airloom_ir::graph::NodeId, args: &[Value]) -> Result<Value, String> {
    session.run(function, args, None).map_err(|error| match error {
        // Which of several errors is raised, and where, may change; that one is may not.
        Error::Raised(_) => "raised".to_string(),
        other => panic!("running failed: {other}"),
    })
}

fn show(case: &Case) -> String {
    let graph = &case.module.graph;
    let params = graph.params_of(case.module.functions[0].lambda);
    let args: Vec<String> = case.args.iter().zip(params).map(|(v, &ty)| value_to_text(graph.types(), ty, v)).collect();
    format!("{}\n; run: @f({})", print(&case.module), args.join(", "))
}

fn keeps_its_meaning(seed: u64, case: &Case, statistics: &Statistics) -> usize {
    let mut session = Program::new(case.module.clone());
    let written = case.module.functions[0].lambda;
    let expected = answer(&session, written, &case.args);
    let everything = Options { checks: true, statistics: statistics.clone(), ..Options::everything() };
    let outcome = session.optimize(&everything).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", show(case)));
    for (stage, roots) in &outcome.stages {
        let found = answer(&session, roots[0], &case.args);
        assert_eq!(found, expected, "seed {seed}: after `{}` the answer differs\n{}", stage.name(), show(case));
    }
    let firings = outcome.trace.len() as u64;
    for fuel in 0..firings.min(FIRINGS) {
        let options = Options { fuel, checks: false, statistics: statistics.clone(), ..Options::everything() };
        let partial = session.optimize(&options).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", show(case)));
        assert_eq!(partial.trace.len() as u64, fuel, "seed {seed}: as many firings as there is fuel");
        let found = answer(&session, partial.roots[0], &case.args);
        let rule = partial.trace.last().map(|f| f.rule.to_string()).unwrap_or_default();
        assert_eq!(found, expected, "seed {seed}: firing {fuel} of `{rule}` changes the answer\n{}", show(case));
    }
    firings as usize
}

fn travels(seed: u64, case: &Case) {
    let printed = print(&case.module);
    let again = text::parse(&printed).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{printed}"));
    let decoded = binary::decode(&binary::encode(&case.module)).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{printed}"));
    for (how, module) in [("printed and parsed", again), ("encoded and decoded", decoded)] {
        let mut graph = case.module.graph.clone();
        let roots = graph.import(&module.graph, &module.roots()).unwrap_or_else(|error| panic!("seed {seed}: {how}: {error}"));
        assert_eq!(roots, case.module.roots(), "seed {seed}: {how}, the program has other ids\n{printed}");
    }
    assert_eq!(verify::verify(&case.module), Vec::new(), "seed {seed}\n{printed}");
}

#[test]
fn relational_programs_keep_their_meaning() {
    let mut firings = 0;
    for seed in 0..PROGRAMS {
        let case = generate::relational(seed);
        travels(seed, &case);
        firings += keeps_its_meaning(seed, &case, &Statistics::default());
    }
    assert!(firings as u64 > PROGRAMS, "the programs give the rules something to do: {firings} firings");
}

#[test]
fn array_programs_keep_their_meaning() {
    let mut firings = 0;
    for seed in 0..PROGRAMS {
        let case = generate::arrays(seed);
        travels(seed, &case);
        firings += keeps_its_meaning(seed, &case, &Statistics::default());
    }
    assert!(firings as u64 > PROGRAMS, "the programs give the rules something to do: {firings} firings");
}

/// Rule by rule: each alone, with the simplifications, so that none leans on another.
#[test]
fn every_rule_alone_keeps_the_meaning() {
    use airloom_opt::stage::Stage;
    let names: Vec<_> =
        Registry::standard().rules().iter().filter(|r| r.stage != Stage::Simplify).map(|r| (r.name.clone(), r.stage)).collect();
    for (name, stage) in names {
        let registry = Registry::standard().only(|r| r.name == name);
        for seed in 0..PROGRAMS / 15 {
            let case = if seed % 4 == 0 { generate::arrays(seed) } else { generate::relational(seed) };
            let mut session = Program::new(case.module.clone()).with_registry(registry.clone());
            let expected = answer(&session, case.module.functions[0].lambda, &case.args);
            let options = Options { checks: true, stages: vec![stage], ..Options::everything() };
            let outcome = session.optimize(&options).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", show(&case)));
            let found = answer(&session, outcome.roots[0], &case.args);
            assert_eq!(found, expected, "seed {seed}: `{name}` alone changes the answer\n{}", show(&case));
        }
    }
}

/// Rows in a canonical order, for answers whose order is not promised.
fn as_bag(value: Value) -> Value {
    match value {
        Value::Rel(table) => {
            let mut rows = table.rows.clone();
            rows.sort_by_cached_key(|row| format!("{row:?}"));
            Value::rel(table.width, rows)
        }
        other => other,
    }
}

#[test]
fn joins_in_another_order_keep_their_meaning() {
    let (mut reordered, mut in_order) = (0, 0);
    for seed in 0..PROGRAMS / 2 {
        let case = generate::joins(seed);
        let mut session = Program::new(case.module.clone());
        for (name, source) in &case.sources {
            session = session.with_source(name, source.clone());
        }
        let place = |value: Value| if case.ordered { value } else { as_bag(value) };
        let expected =
            session.run(case.module.functions[0].lambda, &[], None).map(place).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let options = Options { checks: true, statistics: case.statistics.clone(), ..Options::everything() };
        let outcome = session.optimize(&options).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", print(&case.module)));
        let found = session.run(outcome.roots[0], &[], None).map(place).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(found, expected, "seed {seed}: the answer differs\n{}", print(&case.module));
        reordered += outcome.trace.iter().filter(|f| f.rule.as_str() == "reorder-joins").count();
        in_order += outcome.trace.iter().filter(|f| f.rule.as_str() == "reorder-joins-in-order").count();
    }
    println!("joins reordered {reordered} times, and {in_order} times with their rows put back in order");
    assert!(reordered > 20 && in_order > 20, "both rules have something to do: {reordered} and {in_order}");
}
