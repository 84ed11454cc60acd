//! Every program of the filetests and of TPC-H is lowered; its plan is verified, and goes through text and bytes unchanged.

use airloom_ir::module::Module;
use airloom_opt::facts::{Facts, Statistics};
use airloom_plan::lower::{NoQueries, lower};
use airloom_plan::value::Plan;
use airloom_plan::verify::verify;
use airloom_plan::{binary, text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn programs() -> Vec<(PathBuf, Module)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![
        root.join("tests/filetests/ops"),
        root.join("tests/filetests/opt"),
        root.join("tests/filetests/regress"),
        root.join("tests/tpch/air"),
    ];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "air") {
                let program: String = std::fs::read_to_string(&path)
                    .expect("a readable file")
                    .lines()
                    .filter(|l| !l.starts_with("test "))
                    .map(|l| format!("{l}\n"))
                    .collect();
                if let Ok(module) = airloom_ir::text::parse(&program) {
                    found.push((path, module));
                }
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn plans() -> Vec<(String, Plan)> {
    let mut plans = Vec::new();
    for (path, module) in programs() {
        let graph = Arc::new(module.graph.clone());
        for function in &module.functions {
            let mut facts = Facts::new(Statistics::default());
            plans.push((format!("{}: @{}", path.display(), function.name), lower(&graph, function.lambda, &mut facts, &NoQueries)));
        }
    }
    plans
}

#[test]
fn plans_are_well_formed() {
    let plans = plans();
    assert!(plans.len() > 500, "there are {} programs", plans.len());
    for (name, plan) in plans {
        if let Err(wrong) = verify(&plan) {
            panic!("{name}: {wrong}\n{}", text::print(&plan));
        }
    }
}

#[test]
fn text_and_bytes_hold_the_plan() {
    for (name, plan) in plans() {
        let printed = text::print(&plan);
        let parsed = text::parse(&printed).unwrap_or_else(|wrong| panic!("{name}: {wrong}\n{printed}"));
        assert_eq!(text::print(&parsed), printed, "{name}: the text parses to another plan");
        let decoded = binary::decode(&binary::encode(&plan)).unwrap_or_else(|wrong| panic!("{name}: {wrong}\n{printed}"));
        assert_eq!(text::print(&decoded), printed, "{name}: the bytes hold another plan");
    }
}
