//! Prepared functions: what a run brings is that run's alone, and where it is computed changes nothing.

use airloom::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use airloom::arrow::datatypes::{DataType, Field, Schema};
use airloom::data::Datum;
use airloom::host::{Cause, Host, Raised, Stop};
use airloom::ir::value::Value;
use airloom::opt::rule::Rule;
use airloom::opt::stage::Stage;
use airloom::source::{Catalog, MemoryTable, Source};
use airloom::{Bindings, Cancel, Error, Prepared, RunOptions, Schedule, Session, SessionOptions};
use std::sync::Arc;

fn options() -> SessionOptions {
    SessionOptions { threads: 2, memory: 1 << 30, ..SessionOptions::from_environment().expect("a sound environment") }
}

fn session() -> Session {
    Session::new(options()).expect("sound options")
}

/// The numbers from `first` on.
fn numbers(first: i64, count: i64) -> Arc<MemoryTable> {
    let schema = Schema::new(vec![Field::new("x", DataType::Int64, false)]);
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + count));
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![column]).expect("one column");
    Arc::new(MemoryTable::new(&schema, &[batch]).expect("a sound table"))
}

fn reading(first: i64, count: i64) -> Bindings {
    let mut sources = Catalog::default();
    sources.insert_table("t", numbers(first, count));
    Bindings { sources, ..Bindings::new(Vec::new()) }
}

fn how(schedule: Option<Schedule>, oracle: bool) -> RunOptions {
    RunOptions { schedule, oracle, ..RunOptions::until(&Cancel::default()) }
}

fn int(prepared: &Prepared, bindings: Bindings, options: &RunOptions) -> i128 {
    match prepared.run(bindings, options).expect("an answer") {
        Datum::Value(Value::Int(value)) => value,
        other => panic!("expected an integer, found {other:?}"),
    }
}

const COUNT: &str = "func @count() -> i64 { return rel.rows(rel.filter(source \"t\": rel{x: i64}) |r| gt(r.x, 10)) }";

#[test]
fn sources_of_a_run_come_before_those_of_the_session() {
    let session = session();
    let count = session.prepare(&session.parse(COUNT, None).expect("a program"), "count").expect("the function");
    let found = count.run(Bindings::new(Vec::new()), &how(None, false));
    assert!(matches!(&found, Err(Error::Program(message)) if message == "there is no source `t`"), "{found:?}");
    session.register("t", numbers(0, 20));
    assert_eq!(int(&count, Bindings::new(Vec::new()), &how(None, false)), 9);
    assert_eq!(int(&count, reading(0, 100), &how(None, false)), 89);
    assert_eq!(int(&count, Bindings::new(Vec::new()), &how(None, false)), 9, "the session has what it had");
}

#[test]
fn inline_on_threads_and_on_the_oracle_the_answer_is_the_same() {
    let session = session();
    let count = session.prepare(&session.parse(COUNT, None).expect("a program"), "count").expect("the function");
    for options in [how(Some(Schedule::Inline), false), how(Some(Schedule::Pool), false), how(None, true)] {
        assert_eq!(int(&count, reading(5, 50_000), &options), 49_994);
    }
}

#[test]
fn few_rows_in_memory_are_computed_inline() {
    let session = session();
    let count = session.prepare(&session.parse(COUNT, None).expect("a program"), "count").expect("the function");
    assert_eq!(count.schedule(&reading(0, 1 << 14)), Schedule::Inline);
    assert_eq!(count.schedule(&reading(0, 100_000)), Schedule::Inline, "it looks at each row once");
    assert_eq!(count.schedule(&reading(0, 1 << 20)), Schedule::Pool);
    let sort = "func @f() -> rel{x: i64} { return rel.sort{by: [desc.last]}(source \"t\": rel{x: i64}) |r| {x: r.x} }";
    let sort = session.prepare(&session.parse(sort, None).expect("a program"), "f").expect("the function");
    assert_eq!(sort.schedule(&reading(0, 1 << 14)), Schedule::Inline);
    assert_eq!(sort.schedule(&reading(0, (1 << 14) + 1)), Schedule::Pool);
    assert_eq!(count.schedule(&Bindings::new(Vec::new())), Schedule::Pool, "nobody knows how many rows there are");
    session.register("t", numbers(0, 10));
    assert_eq!(count.schedule(&Bindings::new(Vec::new())), Schedule::Inline);
    let endless = "func @f(n: i64) -> i64 { return seq.while(n) |s| gt(s, 0) |s| add(s, 1) }";
    let endless = session.prepare(&session.parse(endless, None).expect("a program"), "f").expect("the function");
    assert_eq!(endless.schedule(&Bindings::new(vec![Datum::Value(Value::int(1))])), Schedule::Pool, "it could not be stopped");
}

#[test]
fn runs_at_once_do_not_see_each_other() {
    let session = session();
    let count = session.prepare(&session.parse(COUNT, None).expect("a program"), "count").expect("the function");
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let count = &count;
            scope.spawn(move || {
                for turn in 0..20 {
                    let rows = if turn % 2 == 0 { 100 } else { 20_000 } + worker;
                    assert_eq!(int(count, reading(11, rows), &how(None, false)), i128::from(rows));
                }
            });
        }
    });
}

#[test]
fn plans_are_kept_by_what_is_known_of_the_data() {
    let session = session();
    let sorted = "func @f() -> rel{x: i64} { return rel.sort{by: [desc.last]}(source \"t\": rel{x: i64}) |r| {x: r.x} }";
    let sorted = session.prepare(&session.parse(sorted, None).expect("a program"), "f").expect("the function");
    let counted = |first: i64, rows: i64| {
        let before = session.plans();
        sorted.run(reading(first, rows), &how(None, false)).expect("an answer");
        (session.plans().hits - before.hits, session.plans().misses - before.misses)
    };
    assert_eq!(counted(0, 20_000), (0, 1));
    assert_eq!(counted(0, 20_000), (1, 0), "the same is known of another table");
    assert_eq!(counted(100, 19_000), (1, 0), "the plan is right for a table of the same shape");
    assert_eq!(counted(1, 20_000), (0, 1), "values are beyond the range that was relied on");
    assert_eq!(counted(0, 10), (0, 1));
    assert_eq!(counted(5, 11), (1, 0), "over a few rows a plan depends on the program alone");
    let other = session.with_options(SessionOptions { fuel: 3, ..options() }).expect("sound options");
    let before = other.plans();
    let text = "func @f() -> rel{x: i64} { return rel.sort{by: [desc.last]}(source \"t\": rel{x: i64}) |r| {x: r.x} }";
    let again = other.prepare(&other.parse(text, None).expect("a program"), "f").expect("the function");
    again.run(reading(0, 10), &how(None, false)).expect("an answer");
    assert_eq!((other.plans().misses, session.plans().misses), (before.misses + 1, before.misses + 1), "the plans are those of both");
}

#[test]
fn nulls_in_what_a_run_brings_are_told() {
    let session = session();
    let count = session.prepare(&session.parse(COUNT, None).expect("a program"), "count").expect("the function");
    let schema = Schema::new(vec![Field::new("x", DataType::Int64, true)]);
    let column: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![column]).expect("one column");
    let mut bindings = Bindings::new(Vec::new());
    bindings.sources.insert("t", Source::Table(Arc::new(MemoryTable::new(&schema, &[batch]).expect("a sound table"))));
    let found = count.run(bindings, &how(None, false));
    assert!(matches!(&found, Err(Error::Program(message)) if message.starts_with("column `x` of source `t` may hold nulls")), "{found:?}");
}

/// It fails with an error of its own.
struct Failing;

#[derive(Debug)]
struct Reason(u32);

impl Host for Failing {
    fn value(&self, _: &str, _: &[Value]) -> Result<Value, Stop> {
        Err(Raised { cause: Some(Cause::new(Reason(7))), ..Raised::new("it fails") }.into())
    }
}

#[test]
fn what_a_host_fails_with_is_the_cause() {
    let session = session();
    let text = "func @f(x: i64) -> i64 { return host.call{name: \"f\", ty: i64, effect: raises}(x) }";
    let prepared = session.prepare(&session.parse(text, Some("f.air")).expect("a program"), "f").expect("the function");
    for oracle in [false, true] {
        let bindings = Bindings { host: Some(Arc::new(Failing)), ..Bindings::new(vec![Datum::Value(Value::int(1))]) };
        let Err(Error::Raised(raised)) = prepared.run(bindings, &how(None, oracle)) else { panic!("the host fails") };
        assert_eq!(raised.message, "host function `f`: it fails (f.air:1)");
        let cause = raised.cause.as_ref().and_then(|cause| cause.downcast_ref::<Reason>());
        assert_eq!(cause.map(|reason| reason.0), Some(7));
    }
}

#[test]
fn rules_are_left_out_by_name() {
    let session = session();
    let without = SessionOptions { without_rules: vec!["no-such-rule".into()], ..options() };
    let module = session.parse(COUNT, None).expect("a program");
    let without = session.with_options(without).expect("sound options").prepare(&module, "count").expect("the function");
    let found = without.run(reading(0, 3), &how(None, false));
    assert!(matches!(&found, Err(Error::Program(message)) if message == "there is no rule `no-such-rule`"), "{found:?}");
}

/// The program that counts the rows above a literal.
fn above(session: &Session, literal: &str) -> Prepared {
    let text = COUNT.replace("10", literal);
    session.prepare(&session.parse(&text, None).expect("a program"), "count").expect("the function")
}

#[test]
fn programs_that_differ_in_literals_have_one_plan() {
    let session = session();
    for schedule in [Schedule::Inline, Schedule::Pool] {
        let before = session.plans();
        for literal in [10, 20, 30, 10, 95, 20] {
            let found = int(&above(&session, &literal.to_string()), reading(0, 100), &how(Some(schedule), false));
            assert_eq!(found, 99 - literal, "above {literal}");
        }
        let (made, after) = (u64::from(schedule == Schedule::Inline), session.plans());
        assert_eq!((after.misses - before.misses, after.hits - before.hits), (made, 6 - made), "{schedule:?}");
    }
    let before = session.plans().misses;
    assert_eq!(int(&above(&session, "0"), reading(0, 100), &how(None, false)), 99, "rules look for zero");
    assert_eq!(session.plans().misses, before + 1);
}

#[test]
fn what_is_explained_has_the_literals_of_the_run() {
    let session = session();
    for literal in ["10", "4321"] {
        let prepared = above(&session, literal);
        let explained = prepared.explain(reading(0, 100_000), false).expect("an explanation").to_string();
        assert!(explained.contains(&format!("gt(r.x, {literal})")), "{explained}");
        assert!(explained.contains(&format!("x > {literal}")) && !explained.contains("placeholder"), "{explained}");
        let plan = prepared.physical_plan(reading(0, 100_000)).expect("a plan").to_string();
        assert!(plan.contains(&format!("x > {literal}")) && !plan.contains("placeholder"), "{plan}");
    }
}

#[test]
fn literals_that_let_other_numbers_of_rows_through_are_planned_for() {
    let session = session();
    let few = "rel.filter(source \"t\": rel{x: i64}) |r| lt(r.x, LITERAL)";
    let joined =
        format!("rel.join({few}, rel.project(source \"u\": rel{{x: i64}}) |r| {{y: r.x}}) |l| {{k: l.x}} |r| {{k: r.y}} |l, r| true");
    let text = format!("func @f() -> i64 {{ return rel.rows({joined}) }}");
    let run = |literal: i64| {
        let prepared = session.parse(&text.replace("LITERAL", &literal.to_string()), None).expect("a program");
        let prepared = session.prepare(&prepared, "f").expect("the function");
        let mut sources = Catalog::default();
        sources.insert_table("t", numbers(0, 100_000));
        sources.insert_table("u", numbers(0, 50_000));
        let before = session.plans().misses;
        let found = int(&prepared, Bindings { sources, ..Bindings::new(Vec::new()) }, &how(Some(Schedule::Pool), false));
        assert_eq!(found, i128::from(literal.min(50_000)));
        session.plans().misses - before
    };
    assert_eq!((run(40_000), run(50_000), run(30_000)), (1, 0, 0), "about as many rows");
    assert_eq!((run(300), run(40_000), run(350)), (1, 0, 0), "far fewer");
}

#[test]
fn an_embedders_rules_see_literals() {
    let session = session();
    assert_eq!(int(&above(&session, "10"), reading(0, 100), &how(None, false)), 89);
    let doc = "A test.";
    let rule = Rule::text(Stage::Simplify, "above-ten", doc, "gt(?x:int!, 10)", "ge(?x, 11: ?x)", None);
    session.add_rule(rule.expect("a rule")).expect("a new name");
    let explained = above(&session, "10").explain(reading(0, 100), false).expect("an explanation").to_string();
    assert!(explained.contains("above-ten"), "{explained}");
}
