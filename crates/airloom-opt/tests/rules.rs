//! Every rule against the oracle, and rules that break their promise, each reported by its name.

use airloom_ir::attrs::{Effect, Overflow};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::ops::number::{BuildNumber, Number};
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text::parse;
use airloom_ir::value::Value;
use airloom_ir::verify::verify;
use airloom_opt::check::{check, check_together};
use airloom_opt::context::Cx;
use airloom_opt::driver::{Options, Stopped};
use airloom_opt::registry::Registry;
use airloom_opt::rule::{Apply, Rule};
use airloom_opt::stage::Stage;
use std::sync::Arc;

const SEED: u64 = 20_260_401;

#[test]
fn every_rule_of_text_keeps_the_meaning() {
    let registry = Registry::standard();
    let mut wrong = Vec::new();
    let mut texts = 0;
    for rule in registry.rules().iter().filter(|r| matches!(r.apply, Apply::Text(_))) {
        texts += 1;
        match check(rule, 500, SEED) {
            Ok(checked) if checked.cases < 200 => wrong.push(format!("rule `{}`: only {} cases could be made", rule.name, checked.cases)),
            Ok(_) => (),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(texts >= 70, "only {texts} rules are text");
}

/// Rules of code in the scalar stages whose ops have bodies: random expressions have none.
const WITH_BODIES: [&str; 3] = ["inline-calls", "branch-of-constant", "while-never"];

#[test]
fn every_rule_of_scalars_keeps_the_meaning() {
    let registry = Registry::standard();
    let scalar = |rule: &&Rule| matches!(rule.stage, Stage::Normalize | Stage::Simplify) && !WITH_BODIES.contains(&rule.name.as_str());
    let mut wrong = Vec::new();
    for rule in registry.rules().iter().filter(|r| matches!(r.apply, Apply::Code(_))).filter(scalar) {
        match check(rule, 200, SEED) {
            Ok(checked) if checked.cases < 20 => wrong.push(format!("rule `{}`: only {} cases could be made", rule.name, checked.cases)),
            Ok(_) => (),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn all_rules_together_keep_the_meaning() {
    let checked = check_together(&Registry::standard(), 4_000, SEED).unwrap_or_else(|message| panic!("{message}"));
    assert!(checked.cases >= 4_000, "only {} cases could be made", checked.cases);
}

fn text_rule(name: &str, left: &str, right: &str) -> Rule {
    Rule::text(Stage::Simplify, name, "A rule of a test.", left, right, None).expect("the rule is well formed")
}

fn run(rule: Rule, program: &str) -> Result<(), String> {
    let mut registry = Registry::new();
    registry.add(rule).map_err(|e| e.to_string())?;
    let mut module = parse(program).expect("the program is well formed");
    registry.run(&mut module, &checked(1_000)).map(|_| ()).map_err(|e| e.to_string())
}

fn checked(fuel: u64) -> Options {
    Options { fuel, checks: true, ..Options::everything() }
}

#[test]
fn a_wrong_rule_is_found_by_the_oracle() {
    let found = check(&text_rule("add-positive-zero", "add(?x:float, 0.0)", "?x"), 200, SEED).unwrap_err().to_string();
    assert!(
        found.starts_with("rule `add-positive-zero`: changes the meaning: of (-0.0) what was there is 0.0, what it makes is -0.0"),
        "{found}"
    );
    let wrong = [
        ("nulls-forgotten", "sub(?x:int, ?x)", "0"),
        ("nan-forgotten", "not(lt(?x, ?y))", "ge(?x, ?y)"),
        ("overflow-forgotten", "neg(neg(?x))", "?x"),
        ("unsigned-forgotten", "abs{overflow: wrap}(neg{overflow: wrap}(?x:int))", "abs(?x)"),
        ("null-condition-forgotten", "select(not(?c), ?x, ?y)", "select(?c, ?y, ?x)"),
        ("letters-forgotten", "str.case{to: lower}(str.case{to: upper}(?s))", "str.case{to: lower}(?s)"),
        ("equal-zeros-forgotten", "list.sort(list.reverse(?l))", "list.sort(?l)"),
    ];
    for (name, left, right) in wrong {
        let found = check(&text_rule(name, left, right), 500, SEED).unwrap_err().to_string();
        assert!(found.starts_with(&format!("rule `{name}`: changes the meaning")), "{found}");
    }
}

#[test]
fn a_rule_without_a_case_is_an_error() {
    let found = check(&text_rule("never", "add(?x:text, ?y)", "?x"), 200, SEED).unwrap_err().to_string();
    assert!(found.starts_with("rule `never`: no case could be made"), "{found}");
}

#[test]
fn a_looping_rule_is_named() {
    let commute = || text_rule("commute-add", "add(?x, ?y)", "add(?y, ?x)");
    let found = run(commute(), "func @f(x: i64, y: i64) -> i64 { return add(x, y) }").unwrap_err();
    assert!(found.starts_with("rule `commute-add` does not make progress in `"), "{found}");
    let found = check(&commute(), 200, SEED).unwrap_err().to_string();
    assert!(found.starts_with("rule `commute-add`: does not make progress"), "{found}");
}

#[test]
fn a_looping_rule_ends_on_its_fuel() {
    let mut registry = Registry::new();
    registry.add(text_rule("commute-add", "add(?x, ?y)", "add(?y, ?x)")).expect("the rule is well formed");
    let mut module = parse("func @f(x: i64, y: i64) -> i64 { return add(x, y) }").expect("the program is well formed");
    let outcome = registry.run(&mut module, &Options { fuel: 50, ..Options::everything() }).expect("nothing is checked");
    assert_eq!(outcome.trace.len(), 50);
    assert_eq!(outcome.stopped, Stopped::OutOfFuel(Some("commute-add".into())));
}

fn host_rule(name: &str, apply: fn(&mut Cx<'_>, NodeId) -> Option<NodeId>) -> Rule {
    Rule::host(Stage::Simplify, name, "A rule of a test.", vec![Number::Add.into()], Arc::new(apply))
}

#[test]
fn a_rule_that_builds_an_ill_typed_node_is_named() {
    let rule = || {
        host_rule("add-text", |cx, node| {
            let add = cx.as_add(node)?;
            let text = cx.graph_mut().text("one");
            cx.add(add.left, text, Overflow::Wrap)
        })
    };
    let found = run(rule(), "func @f(x: i64, y: i64) -> i64 { return add(x, y) }").unwrap_err();
    assert!(found.starts_with("rule `add-text` built an ill-typed node: `add`: all arguments must have the same type"), "{found}");
    let found = check(&rule(), 200, SEED).unwrap_err().to_string();
    assert!(found.starts_with("rule `add-text`: built an ill-typed node"), "{found}");
}

#[test]
fn a_rule_that_changes_the_type_is_named() {
    let rule = host_rule("add-is-true", |cx, _| Some(cx.graph_mut().truth(true)));
    let found = run(rule, "func @f(x: i64, y: i64) -> i64 { return add(x, y) }").unwrap_err();
    assert!(found.starts_with("rule `add-is-true` changed the type from `i64` to `bool`"), "{found}");
}

#[test]
fn a_wrong_host_rule_is_found_by_the_oracle() {
    let rule = host_rule("add-is-left", |cx, node| {
        let left = cx.as_add(node)?.left;
        (cx.ty_id(left) == cx.ty_id(node) && cx.effect(node) == Effect::Pure).then_some(left)
    });
    let found = check(&rule, 200, SEED).unwrap_err().to_string();
    assert!(found.starts_with("rule `add-is-left`: changes the meaning"), "{found}");
}

#[test]
fn rules_that_are_not_well_formed_are_named() {
    let text = |name: &str, left: &str, right: &str| {
        Rule::text(Stage::Simplify, name, "A rule.", left, right, None).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(text("unbound", "add(?x, 0)", "add(?x, ?y)"), "rule `unbound`: `?y` in its right side is not bound on the left");
    assert_eq!(text("untyped", "add(?x, 0)", "add(?x, 1)"), "rule `untyped`: a literal inside its right side needs a type, as in `0: ?x`");
    assert!(text("everything", "?x", "?x").contains("rule `everything`: its left side, `?x`, would match everything"));
    assert!(text("misspelt", "ad(?x, 0)", "?x").contains("rule `misspelt`: in its left side: 1:1: there is no op `ad`"));
    let attribute = text("no-attribute", "str.len(?s)", "str.len(str.case(?s))");
    assert_eq!(attribute, "rule `no-attribute`: `str.case` on its right side needs the attribute `to`");
}

#[test]
fn rules_that_cannot_be_added_are_named() {
    let mut registry = Registry::standard();
    let again = registry.add(text_rule("not-not", "not(not(?p))", "?p")).unwrap_err();
    assert_eq!(again.to_string(), "rule `not-not`: there is a rule of this name already");
    let add = |name: &str, doc: &str| {
        let rule = Rule::text(Stage::Simplify, name, doc, "not(not(?p))", "?p", None).expect("the rule is well formed");
        Registry::new().add(rule).unwrap_err().to_string()
    };
    assert_eq!(add("undocumented", ""), "rule `undocumented`: its doc must begin with a sentence, found ``");
    assert_eq!(add("mumbled", "two negations"), "rule `mumbled`: its doc must begin with a sentence, found `two negations`");
    assert_eq!(add("Not_Not", "A rule."), "rule `Not_Not`: a rule's name is in kebab-case, as in `merge-filters`");
}

#[test]
fn what_may_raise_is_not_dropped_by_text() {
    let first = || text_rule("first-of-two", "coalesce(?x:value!, ?y)", "?x");
    let program = "func @f(x: i64, y: i64) -> i64 { return coalesce(x, floordiv(1, y)) }";
    let mut registry = Registry::new();
    registry.add(first()).expect("the rule is well formed");
    let mut module = parse(program).expect("the program is well formed");
    let outcome = registry.run(&mut module, &checked(1_000)).expect("the rule keeps its promises");
    assert!(outcome.trace.is_empty(), "the division by zero is gone");
}

/// A program that rules of several stages fire in.
const PROGRAM: &str = "
func @f(t: rel{a: i64, b: f64?, c: str}, k: i64) -> rel{d: i64, e: bool?} {
  p = rel.project(t) [k] |r, k| {d: add(mul(r.a, 1), sub(k, 0)), e: not(not(gt(r.b, 1.5))), f: str.reverse(str.reverse(r.c))}
  q = rel.filter(p) |r| and(and(eq(r.f, \"x\"), true), or(lt(r.d, 3), lt(r.d, 3)))
  return rel.project(q) |r| pick{names: [\"d\", \"e\"]}(r)
}
func @g(x: i64, y: i64) -> (i64, i64) {
  s = {a: add(add(x, 1), 2), b: select(eq(x, y), neg(neg(x)), x)}
  return (s.a, s.b)
}
";

fn program() -> Module {
    parse(PROGRAM).expect("the program is well formed")
}

#[test]
fn fuel_counts_firings() {
    let registry = Registry::standard();
    let total = registry.run(&mut program(), &checked(1_000_000)).expect("the rules keep their promises").trace.len() as u64;
    assert!(total > 15, "the program shows too little: {total} firings");
    for fuel in 0..total + 2 {
        let mut module = program();
        let outcome = registry.run(&mut module, &checked(fuel)).expect("the rules keep their promises");
        assert_eq!(outcome.trace.len() as u64, fuel.min(total));
        let last = outcome.trace.last().map(|fired| fired.rule.clone());
        let expected = if fuel <= total { Stopped::OutOfFuel(last) } else { Stopped::AtNormalForm };
        assert_eq!(outcome.stopped, expected, "with fuel for {fuel} firings");
        let compacted = module.graph.compact(&outcome.roots);
        let findings = verify(&Module { graph: compacted.graph, ..Module::default() });
        assert!(findings.is_empty(), "after {fuel} firings: {findings:?}");
        let args = [Value::int(5), Value::int(5)];
        let result = Oracle::new(&module.graph, Limits::EXAMPLES).call(outcome.roots[1], &args);
        assert_eq!(result, Ok(Value::Tuple([Value::int(8), Value::int(5)].into())), "after {fuel} firings");
    }
}
