//! The filetests on the engine, in every configuration.
#![allow(clippy::print_stdout, reason = "the counts are for whoever reads the test's output")]

mod folder;

use airloom::filetest::{self, Configuration, Kernels, Rules, Share};
use airloom_compute::data::Native;
use airloom_exec::options::ExecOptions as Options;
use folder::Folder;
use std::path::Path;

fn plain() -> Options {
    Options {
        threads: 2,
        memory: 1 << 30,
        morsel_rows: 8192,
        spill_folder: std::env::temp_dir(),
        parts_rows: Options::PARTS_ROWS,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: 20_000_000,
        native: Native::Off,
    }
}

fn suite(name: &str, engine: Options, rules: Rules) {
    shared_suite(name, engine, Share::Nothing, rules);
}

fn shared_suite(name: &str, engine: Options, oracle: Share, rules: Rules) {
    run(&Configuration {
        name: name.into(),
        engine: Some(engine),
        oracle,
        rules,
        files: None,
        forms: false,
        hoisted: false,
        kernels: Kernels::Interpreted,
    });
}

fn run(configuration: &Configuration) {
    let name = &configuration.name;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests");
    let reports = filetest::run_under(&root, configuration).expect("readable filetests");
    let checked: usize = reports.iter().map(|r| r.checked).sum();
    let failures: Vec<String> = reports.iter().flat_map(|r| r.failures.iter().map(|f| format!("{}: {f}", r.path.display()))).collect();
    println!("{name}: {} files, {checked} runs, {} failed", reports.len(), failures.len());
    assert!(checked > 3000, "{name}: only {checked} runs were checked");
    assert!(failures.is_empty(), "{name}: {} of {checked} failed\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
}

#[test]
fn the_suite_runs_on_the_engine() {
    suite("engine", plain(), Rules::Everything);
}

/// What a worker would be sent is the plan that runs.
#[test]
fn from_the_text_and_the_bytes_of_plans() {
    run(&Configuration {
        name: "forms".into(),
        engine: Some(plain()),
        oracle: Share::Nothing,
        rules: Rules::Everything,
        files: None,
        forms: true,
        hoisted: false,
        kernels: Kernels::Interpreted,
    });
}

/// A plan is made before its literals are known, and bound to them.
#[test]
fn with_literals_that_are_bound_to_plans() {
    for rules in [Rules::Everything, Rules::Nothing] {
        run(&Configuration {
            name: "bound literals".into(),
            engine: Some(plain()),
            oracle: Share::Nothing,
            rules,
            files: None,
            forms: false,
            hoisted: true,
            kernels: Kernels::Interpreted,
        });
    }
}

/// A compiler may hand any body over to the interpreter at any row.
#[test]
fn with_kernels_that_hand_over_at_random_rows() {
    for (seed, rules) in [(1, Rules::Everything), (2, Rules::Everything), (3, Rules::Nothing)] {
        run(&Configuration {
            name: format!("deopts {seed}"),
            engine: Some(plain()),
            oracle: Share::Nothing,
            rules,
            files: None,
            forms: false,
            hoisted: false,
            kernels: Kernels::Deopts(seed),
        });
    }
}

#[test]
fn without_rules() {
    suite("no optimiser", plain(), Rules::Nothing);
}

#[test]
fn with_random_fuel() {
    for fuel in [1, 3, 7] {
        suite(&format!("fuel {fuel}"), plain(), Rules::Fuel(fuel));
    }
}

#[test]
fn with_morsels_of_one_row() {
    suite("one-row morsels", Options { morsel_rows: 1, threads: 3, ..plain() }, Rules::Everything);
}

#[test]
fn on_one_thread() {
    suite("one thread", Options { threads: 1, ..plain() }, Rules::Everything);
}

#[test]
fn on_many_threads() {
    suite("many threads", Options { threads: 7, morsel_rows: 2, ..plain() }, Rules::Everything);
}

#[test]
fn on_more_threads_than_rows() {
    suite("sixty-four threads", Options { threads: 64, morsel_rows: 7, parts_rows: 2, ..plain() }, Rules::Everything);
}

#[test]
fn in_parts() {
    suite("in parts", Options { parts_rows: 1, threads: 5, morsel_rows: 2, ..plain() }, Rules::Everything);
}

#[test]
fn in_parts_on_disk() {
    suite("in parts on disk", Options { parts_rows: 3, threads: 2, morsel_rows: 2, always_spill: true, ..plain() }, Rules::Everything);
}

#[test]
fn with_equal_hashes() {
    suite("equal hashes", Options { equal_hashes: true, ..plain() }, Rules::Everything);
}

#[test]
fn always_spilling() {
    suite("always spill", Options { always_spill: true, morsel_rows: 2, ..plain() }, Rules::Everything);
}

#[test]
fn with_half_of_the_nodes_on_the_oracle() {
    shared_suite("half on the oracle", plain(), Share::Half, Rules::Everything);
    shared_suite("half on the oracle, as written", plain(), Share::Half, Rules::Nothing);
}

#[test]
fn with_every_node_on_the_oracle() {
    shared_suite("placed on the oracle", plain(), Share::Everything, Rules::Everything);
}

#[test]
fn from_files() {
    let folder = Folder::new();
    for (name, rules) in [("files", Rules::Everything), ("files, no optimiser", Rules::Nothing)] {
        let engine = Options { threads: 3, morsel_rows: 2, ..plain() };
        let files = Some(folder.path().into());
        run(&Configuration {
            name: name.into(),
            engine: Some(engine),
            oracle: Share::Nothing,
            rules,
            files,
            forms: false,
            hoisted: false,
            kernels: Kernels::Interpreted,
        });
    }
    let written = std::fs::read_dir(folder.path()).expect("the folder is there").count();
    println!("{written} tables were read from files");
    assert!(written >= 50, "only {written} tables were read from files");
}
