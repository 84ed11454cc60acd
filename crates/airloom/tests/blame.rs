//! A wrong rule is found by name: by bisecting a wrong answer, and after shrinking the program that shows it.

use airloom::bisect::{Verdict, bisect};
use airloom::program::Program;
use airloom::reduce::{Case, reduce};
use airloom_ir::text;
use airloom_ir::value::Value;
use airloom_opt::driver::Options;
use airloom_opt::registry::Registry;
use airloom_opt::rule::Rule;
use airloom_opt::stage::Stage;

const PROGRAM: &str = "
func @f(t: rel{a: f64, b: f64, c: i64}) -> rel{a: f64, d: f64} {
  sorted = rel.sort{by: [asc.last]}(t) |r| {k: r.c}
  kept = rel.filter(sorted) |r| and(ge(r.c, 0), not(not(gt(r.b, 1.0))))
  made = rel.project(kept) |r| {a: add(r.a, 0.0), d: mul(r.b, 2.0), e: add(r.c, 1)}
  return rel.project(made) |r| {a: r.a, d: r.d}
}
";

/// True of the reals, false of floats: `-0.0 + 0.0` is `0.0`.
fn with_a_wrong_rule() -> Registry {
    let mut registry = Registry::standard();
    let rule = Rule::text(Stage::Simplify, "add-zero-wrong", "Wrong on purpose.", "add(?x:float, 0.0)", "?x", None).expect("a rule");
    registry.add(rule).expect("a new name");
    registry
}

fn rows() -> Value {
    let row = |a: f64, b: f64, c: i64| [Value::F64(a), Value::F64(b), Value::int(c)].into();
    Value::rel(3, vec![row(1.0, 2.0, 3), row(-0.0, 5.0, 1), row(2.5, 0.5, 2), row(7.0, 9.0, -1)])
}

fn breaks(case: &Case) -> Option<String> {
    let mut session = Program::new(case.module.clone()).with_registry(with_a_wrong_rule());
    match bisect(&mut session, 0, &case.args, &Options { checks: true, ..Options::everything() }, None) {
        Verdict::Guilty { rule, .. } => Some(rule.to_string()),
        Verdict::Broken(message) => Some(message),
        Verdict::Fine { .. } => None,
    }
}

#[test]
fn a_wrong_answer_is_answered_with_a_rules_name() {
    let case = Case { module: text::parse(PROGRAM).expect("a valid program"), args: vec![rows()] };
    assert_eq!(breaks(&case).as_deref(), Some("add-zero-wrong"));
}

#[test]
fn the_program_that_shows_it_is_made_small() {
    let case = Case { module: text::parse(PROGRAM).expect("a valid program"), args: vec![rows()] };
    let before = case.module.graph.post_order(&case.module.roots()).len();
    let small = reduce(case, &|case| breaks(case).is_some());
    let after = small.module.graph.post_order(&small.module.roots()).len();
    assert_eq!(breaks(&small).as_deref(), Some("add-zero-wrong"), "it still shows the same");
    assert!(after * 2 < before, "{before} nodes became {after}:\n{}", text::print(&small.module));
    let Value::Rel(table) = &small.args[0] else { panic!("a relation stays one") };
    assert_eq!(table.rows.len(), 1, "one row is enough");
}
