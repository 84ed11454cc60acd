//! The plans of the 22 TPC-H queries, as they are kept in `tests/tpch/plans`, and plans that are not what they say.
#![allow(clippy::print_stdout, reason = "the counts are for whoever reads the test's output")]

use airloom::filetest::{optimized_plan, through_forms};
use airloom::options::Options;
use airloom::statistics;
use airloom_opt::generate::Draw;
use airloom_opt::literals::hoistable;
use airloom_plan::value::Plan;
use airloom_plan::{binary, text};
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/tpch")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn plan_of(query: &str) -> Plan {
    let module = airloom_ir::text::parse(&read(&format!("air/{query}.air"))).expect("a sound program");
    let known = statistics::from_text(&module, &read("statistics.txt")).expect("sound statistics");
    let function = module.function(query).expect("the query");
    optimized_plan(&module, function, &known).expect("a plan")
}

fn queries() -> Vec<String> {
    (1..=22).map(|number| format!("q{number:02}")).collect()
}

#[test]
fn the_plans_of_the_queries_are_those_kept() {
    let bless = Options::from_environment().is_ok_and(|options| options.bless);
    for query in queries() {
        let plan = plan_of(&query);
        through_forms(&plan).unwrap_or_else(|wrong| panic!("{query}: {wrong}"));
        let (found, path) = (text::print(&plan), folder().join(format!("plans/{query}.txt")));
        if bless {
            std::fs::write(&path, &found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        assert_eq!(found, read(&format!("plans/{query}.txt")), "{query} has another plan; hint: `AIRLOOM_BLESS=1` writes what was found");
    }
}

/// A plan that is made before its literals are known is the one that would have been made of them.
#[test]
fn literals_taken_out_of_the_queries_change_no_plan() {
    for query in queries() {
        let mut module = airloom_ir::text::parse(&read(&format!("air/{query}.air"))).expect("a sound program");
        let known = statistics::from_text(&module, &read("statistics.txt")).expect("sound statistics");
        let function = module.function(query.as_str()).expect("the query");
        let literals = hoistable(&module.graph);
        module.graph = module.graph.hoist(&literals).0;
        let plan = optimized_plan(&module, function, &known).expect("a plan");
        through_forms(&plan).unwrap_or_else(|wrong| panic!("{query}: {wrong}"));
        let plan = plan.bind_expected();
        println!("{query}: {} literals", literals.len());
        assert_eq!(text::print(&plan), read(&format!("plans/{query}.txt")), "{query}");
    }
}

/// Bytes of plans with some of them changed, cut off or put in twice: they are refused, or are another sound plan.
#[test]
fn hostile_bytes_are_refused() {
    let sound: Vec<Vec<u8>> = queries().iter().map(|query| binary::encode(&plan_of(query))).collect();
    let mut draw = Draw::new(7);
    let (mut refused, mut taken) = (0, 0);
    for round in 0..60_000 {
        let mut bytes = sound[round % sound.len()].clone();
        for _ in 0..=draw.below(3) {
            let at = draw.below(bytes.len());
            match draw.below(5) {
                0 => bytes[at] = draw.below(256) as u8,
                1 => bytes[at] ^= 1 << draw.below(8),
                2 => bytes.truncate(at.max(1)),
                3 => bytes.insert(at, draw.below(256) as u8),
                _ => {
                    let end = (at + draw.below(16)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        match binary::decode(&bytes) {
            Err(_) => refused += 1,
            Ok(plan) => {
                taken += 1;
                let printed = text::print(&plan);
                if let Err(wrong) = text::parse(&printed) {
                    panic!("a plan that was taken has no text: {wrong}\n{printed}");
                }
            }
        }
    }
    println!("hostile plans: {refused} refused, {taken} sound");
    assert!(refused > 30_000, "only {refused} of 60000 were refused");
}
