//! The command `loom` as its user sees it: what it prints, what it says when something is wrong, and how it exits.

use std::path::{Path, PathBuf};
use std::process::Command;

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn loom(arguments: &[&str]) -> Ran {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_loom")).args(arguments).current_dir(root).output().expect("loom runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
    Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// A file for one test, under the build's own folder.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a writable folder");
    path
}

#[test]
fn help_lists_every_command() {
    let help = loom(&["--help"]);
    assert_eq!(help.code, Some(0));
    for command in ["test", "run", "explain", "plan", "bisect", "reduce", "rules", "ops", "manual", "AIRLOOM_BLESS"] {
        assert!(help.out.contains(command), "help tells of `{command}`:\n{}", help.out);
    }
}

#[test]
fn wrong_calls_say_what_was_wrong() {
    let cases: [(&[&str], &str); 9] = [
        (&["frobnicate"], "there is no command `frobnicate`"),
        (&["run"], "`loom run` needs a file"),
        (&["run", "no/such/file.air"], "cannot read `no/such/file.air`"),
        (&["run", "examples/sales.air", "@nobody"], "has no function `@nobody`; it has: @best"),
        (&["run", "examples/sales.air", "@best"], "`@best` takes 4 arguments"),
        (&["run", "examples/sales.air", "--fuel", "much"], "`--fuel` takes an integer, found `much`"),
        (&["explain", "examples/sales.air", "--without", "no-such-rule"], "there is no rule `no-such-rule`"),
        (&["ops", "frob"], "there is no op `frob`"),
        (&["test"], "needs a file or a directory"),
    ];
    for (arguments, expected) in cases {
        let ran = loom(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{arguments:?}: expected `{expected}`, found `{}`", ran.err);
    }
}

#[test]
fn a_wrong_program_is_told_on_its_lines() {
    let path = file(
        "wrong.air",
        "func @f(t: rel{price: f64}) -> rel{price: f64} {\n  return rel.filter(t) |r| gt(r.prise, 1.0)\n}\nfunc @g(x: i64) -> i64 {\n  return add(x, 1.0)\n}\n",
    );
    let ran = loom(&["run", &path.to_string_lossy()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("wrong.air:2:") && ran.err.contains("did you mean `price`?"), "{}", ran.err);
    assert!(ran.err.contains("wrong.air:5:") && ran.err.contains("hint: `cast` one of them"), "{}", ran.err);
}

#[test]
fn a_raised_error_names_its_line() {
    let path = file("raises.air", "func @f(x: i64) -> i64 {\n  y = add(x, 1)\n  return floordiv(y, x)\n}\n");
    let ran = loom(&["run", &path.to_string_lossy(), "@f", "0"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("division by zero") && ran.err.contains("raises.air:3"), "{}", ran.err);
}

#[test]
fn explain_shows_stages_rules_and_lines() {
    let ran = loom(&["explain", "examples/sales.air", "@best"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for part in [
        "as written:",
        "after `relational`:",
        "after `columns`:",
        "rules that fired:",
        "filter-below-join",
        "top-from-sort",
        "examples/sales.air:7",
        "nothing more fires",
        "physical plan:",
        "└─ join",
    ] {
        assert!(ran.out.contains(part), "explain shows `{part}`:\n{}", ran.out);
    }
    let short = loom(&["explain", "examples/sales.air", "@best", "--fuel", "1"]);
    assert!(short.out.contains("stopped: the fuel of 1 firings is spent"), "{}", short.out);
}

#[test]
fn run_prints_a_table() {
    let arguments = [
        "run",
        "examples/sales.air",
        "@best",
        "{id: [1], customer: [7], day: [\"2024-01-05\"], paid: [true]}",
        "{order: [1, 1], price: [1.50, 2.25], count: [2, 4]}",
        "{key: [7], name: [\"Ada\"], city: [null]}",
        "2024",
    ];
    let (optimised, written) = (loom(&arguments), loom(&[&arguments[..], &["--no-optimizer"]].concat()));
    assert_eq!(optimised.code, Some(0), "{}", optimised.err);
    assert!(optimised.out.contains("Ada") && optimised.out.contains("12.00") && optimised.out.contains("1 rows"), "{}", optimised.out);
    assert_eq!(optimised.out, written.out);
}

#[test]
fn bisect_finds_nothing_wrong_with_the_standard_rules() {
    let path = file(
        "fine.air",
        "func @f(t: rel{a: i64}) -> rel{a: i64} {\n  s = rel.sort{by: [asc.last]}(t) |r| {k: r.a}\n  return rel.filter(s) |r| gt(r.a, add(1, 1))\n}\n",
    );
    let arguments = [path.to_string_lossy().to_string(), "@f".into(), "{a: [3, 1, 5]}".into()];
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ran = loom(&[&["bisect"], words.as_slice()].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the answer is the same"), "{}", ran.out);
    let reduced = loom(&[&["reduce"], words.as_slice()].concat());
    assert!(reduced.err.contains("there is nothing to reduce"), "{}", reduced.err);
}

#[test]
fn manuals_of_ops_and_rules_are_shown() {
    let op = loom(&["ops", "rel.filter"]);
    assert!(op.out.contains("Null is not true"), "{}", op.out);
    let rule = loom(&["rules", "top-from-sort"]);
    assert!(rule.out.contains("a selection, not a sort"), "{}", rule.out);
}

#[test]
fn a_plan_is_printed_and_parses() {
    let told = loom(&["plan", "examples/sales.air", "@best"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let plan = airloom::plan::text::parse(&told.out).unwrap_or_else(|wrong| panic!("{wrong}\n{}", told.out));
    assert!(plan.nodes.len() > 1 && plan.blocks.len() == 1, "{}", told.out);
}
