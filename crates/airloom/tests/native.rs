//! The filetests on the engine, with every body that has a kernel compiled from its first row.
#![allow(clippy::print_stdout, reason = "the counts are for whoever reads the test's output")]

use airloom::filetest::{self, Configuration, Kernels, Rules, Share};
use airloom_compute::data::Native;
use airloom_exec::options::ExecOptions as Options;
use airloom_jit::LlvmCompiler;
use std::path::Path;
use std::sync::Arc;

fn suite(name: &str, native: Native, morsel_rows: usize, rules: Rules) {
    let engine = Options {
        threads: 2,
        memory: 1 << 30,
        morsel_rows,
        spill_folder: std::env::temp_dir(),
        parts_rows: Options::PARTS_ROWS,
        always_spill: false,
        partition_bytes: None,
        equal_hashes: false,
        steps: 20_000_000,
        native,
    };
    let configuration = Configuration {
        name: name.into(),
        engine: Some(engine),
        oracle: Share::Nothing,
        rules,
        files: None,
        forms: false,
        hoisted: false,
        kernels: Kernels::Compiled(Arc::new(LlvmCompiler)),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests");
    let reports = filetest::run_under(&root, &configuration).expect("readable filetests");
    let checked: usize = reports.iter().map(|r| r.checked).sum();
    let failures: Vec<String> = reports.iter().flat_map(|r| r.failures.iter().map(|f| format!("{}: {f}", r.path.display()))).collect();
    println!("{name}: {} files, {checked} runs, {} failed; {:?}", reports.len(), failures.len(), LlvmCompiler::counts());
    assert!(checked > 3000, "{name}: only {checked} runs were checked");
    assert!(failures.is_empty(), "{name}: {} of {checked} failed\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
    let counts = LlvmCompiler::counts();
    assert!(counts.compiled > 100 && counts.failed == 0, "{name}: {counts:?}");
}

#[test]
fn compiled_from_the_first_row() {
    suite("always", Native::Always, 8192, Rules::Everything);
}

#[test]
fn compiled_and_compared_with_the_interpreter() {
    suite("verify", Native::Verify, 3, Rules::Nothing);
}

#[test]
fn a_session_without_a_compiler_says_so() {
    use airloom::{Session, SessionOptions};
    let plain = SessionOptions { native: Native::Auto, ..SessionOptions::from_environment().expect("sound options") };
    let always = SessionOptions { native: Native::Always, ..plain.clone() };
    let error = Session::new(always.clone()).err().expect("it has no compiler");
    assert_eq!(error.to_string(), "`native` is `always`, expected `off` or `auto`: the `Session` has no compiler");
    assert!(Session::new(plain.clone()).is_ok());
    let session = Session::with_compiler(plain, Arc::new(LlvmCompiler)).expect("sound options");
    assert_eq!(session.with_options(always).expect("it has a compiler").options().native, Native::Always);
}
