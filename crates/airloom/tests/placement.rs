//! Programs in parts: whoever runs which of them, the answer is the same, and the session reports which backend ran what and which refused.

mod folder;

use airloom::backend::{Backend, Compiled, Failure, Refusal, Run};
use airloom::csv;
use airloom::data::{Datum, Relation};
use airloom::filetest::{Share, SharingOracle};
use airloom::host::{Host, NoHost, Stop};
use airloom::source::MemoryTable;
use airloom::{Error, Session, SessionOptions};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::oracle::Limits;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use airloom_opt::generate::{self, Case};
use folder::Folder;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How many random programs of each kind are tried.
const PROGRAMS: u64 = 300;

const SHARES: [Share; 3] = [Share::Nothing, Share::Half, Share::Everything];

fn session() -> Session {
    let options = SessionOptions { threads: 2, memory: 1 << 30, ..SessionOptions::from_environment().expect("a sound environment") };
    Session::new(options).expect("sound options")
}

/// A session of which the oracle runs a share.
fn shared(share: Share, host: Arc<dyn Host>) -> Session {
    let session = session();
    session.set_host(host);
    if share != Share::Nothing {
        session.add_backend(Arc::new(SharingOracle::new(share, Limits::EXAMPLES))).expect("a name of its own");
    }
    session
}

fn read(path: &str) -> String {
    let path = format!("{}/../../tests/tpch/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read `{path}`: {e}"))
}

/// Gives a session the sample's rows of every source that a program reads: of a table that several nodes read, of the one that reads most.
fn register(session: &Session, module: &Module) {
    let graph = &module.graph;
    let mut widest: BTreeMap<String, NodeId> = BTreeMap::new();
    let width = |id: NodeId| if let Ty::Rel(fields) = graph.ty(id) { fields.len() } else { 0 };
    for id in graph.ids() {
        if let Some(source) = graph.as_source(id) {
            let held = widest.entry(source.name.to_string()).or_insert(id);
            *held = if width(*held) < width(id) { id } else { *held };
        }
    }
    for (name, id) in widest {
        let Ty::Rel(fields) = graph.ty(id) else { panic!("`{name}` is a relation") };
        let value = csv::read(graph.types(), fields, &read(&format!("data/{name}.csv"))).expect("rows of the table");
        let Value::Rel(table) = value else { panic!("`{name}` is a relation") };
        let rows = Relation::from_value(graph.types(), graph.ty_id(id), &table);
        let table = MemoryTable::new(&rows.schema, &rows.batches).expect("rows of the schema").without_idle_nulls();
        session.register(&name, Arc::new(table));
    }
}

#[test]
fn tpch_answers_do_not_depend_on_who_runs_which_part() {
    for query in (1..=22).map(|number| format!("q{number:02}")) {
        let text = read(&format!("air/{query}.air"));
        let answers: Vec<Value> = SHARES
            .iter()
            .map(|&share| {
                let session = shared(share, Arc::new(NoHost));
                let module = session.parse(&text, Some(&query)).expect("a program");
                register(&session, &module);
                session.run(&module, &query, &[]).unwrap_or_else(|error| panic!("{query}, {share:?}: {error}"))
            })
            .collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{query}: the answers differ");
        assert!(matches!(&answers[0], Value::Rel(table) if !table.rows.is_empty()), "{query}: there is an answer");
    }
}

#[test]
fn random_programs_do_not_depend_on_who_runs_which_part() {
    let sessions: Vec<Session> = SHARES.iter().map(|&share| shared(share, Arc::new(NoHost))).collect();
    let mut parts = 0;
    for seed in 0..PROGRAMS {
        for case in [generate::relational(seed), generate::arrays(seed)] {
            let answers: Vec<Option<Value>> = sessions.iter().map(|session| answer(session, &case)).collect();
            assert!(answers.iter().all(|a| *a == answers[0]), "seed {seed}: the answers differ\n{}", airloom_ir::text::print(&case.module));
            let half = sessions[1].explain(&case.module, &case.module.functions[0].name).expect("an explanation");
            parts += half.matches("\non `").count() as u64;
        }
    }
    assert!(parts > 4 * PROGRAMS, "the programs are cut: into {parts} parts");
}

/// The answer to a random program; none where it raises. Which of several errors it raises may change.
fn answer(session: &Session, case: &Case) -> Option<Value> {
    match session.run(&case.module, &case.module.functions[0].name, &case.args) {
        Ok(value) => Some(value),
        Err(Error::Raised(_)) => None,
        Err(other) => panic!("{other}\n{}", airloom_ir::text::print(&case.module)),
    }
}

/// It counts its calls.
struct Counting(AtomicUsize);

impl Host for Counting {
    fn value(&self, _: &str, args: &[Value]) -> Result<Value, Stop> {
        self.0.fetch_add(1, Ordering::SeqCst);
        args.last().cloned().ok_or_else(|| airloom::host::Raised::new("takes an argument, found none").into())
    }
}

#[test]
fn effects_happen_once_however_a_program_is_cut() {
    // The value is read by several nodes, some of which other parts compute.
    let text = r#"
        func @f(x: i64) -> (token, i64, i64) {
          a = host.call{name: "f", ty: i64, effect: effectful}(token(), add(x, 1))
          b = host.call{name: "f", ty: i64, effect: effectful}(a.0, mul(a.1, 2))
          c = add(a.1, b.1)
          return (b.0, mul(c, c), sub(a.1, abs(b.1)))
        }
    "#;
    for share in SHARES {
        let host = Arc::new(Counting(AtomicUsize::new(0)));
        let session = shared(share, host.clone());
        let module = session.parse(text, None).expect("a program");
        let answer = session.run(&module, "f", &[Value::int(2)]).expect("an answer");
        assert_eq!(answer, Value::Tuple([Value::Token, Value::int(81), Value::int(-3)].into()), "{share:?}");
        assert_eq!(host.0.load(Ordering::SeqCst), 2, "{share:?}");
    }
}

/// It takes the nodes of some ops, has the oracle run them, and keeps count.
struct Only {
    name: &'static str,
    ops: &'static [&'static str],
    oracle: SharingOracle,
    compiled: AtomicUsize,
    /// The parts, as text.
    parts: Mutex<Vec<String>>,
}

impl Only {
    fn new(name: &'static str, ops: &'static [&'static str]) -> Arc<Only> {
        let oracle = SharingOracle::new(Share::Everything, Limits::EXAMPLES);
        Arc::new(Only { name, ops, oracle, compiled: AtomicUsize::new(0), parts: Mutex::default() })
    }

    fn parts(&self) -> Vec<String> {
        self.parts.lock().expect("a sound lock").clone()
    }
}

impl Backend for Only {
    fn name(&self) -> &str {
        self.name
    }

    fn supports(&self, program: &Module, node: NodeId) -> Result<Result<(), Refusal>, Failure> {
        let op = program.graph.op(node).name();
        Ok(if self.ops.contains(&op) { Ok(()) } else { Err(Refusal::new(self.name, format!("`{op}` is not for it"))) })
    }

    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        self.compiled.fetch_add(1, Ordering::SeqCst);
        let text = airloom_ir::text::print_function(&program.graph, &program.hints, "part", function);
        self.parts.lock().expect("a sound lock").push(text);
        self.oracle.compile(program, function)
    }
}

const SORTED: &str = r#"func @sorted(t: rel{a: i64}) -> i64 {
  f = rel.filter(t) |r| gt(r.a, 1)
  s = rel.sort{by: [asc.last]}(f) |r| {a: r.a}
  return rel.rows(rel.number{name: "n"}(s))
}"#;

/// Three rows, of which two are above 1.
fn rows() -> Value {
    Value::rel(1, [3, 1, 2].map(|a| Arc::from([Value::int(a)])).to_vec())
}

#[test]
fn backends_are_asked_in_order_and_neighbours_are_one_part() {
    let session = session();
    let (first, second) = (Only::new("sorts", &["rel.sort"]), Only::new("both", &["rel.sort", "rel.filter", "rel.number"]));
    session.add_backend(first.clone()).expect("a name of its own");
    session.add_backend(second.clone()).expect("a name of its own");
    let module = session.parse(SORTED, Some("sorted.air")).expect("a program");
    assert_eq!(session.run(&module, "sorted", &[rows()]).expect("an answer"), Value::int(2));
    assert_eq!(first.parts().len(), 1);
    // What is below a part of the first backend is offered to the second as well.
    assert!(second.parts().iter().any(|part| part.contains("rel.filter")), "{:?}", second.parts());

    let all = session_with(&[Only::new("all", &["rel.sort", "rel.filter", "rel.number", "rel.project", "rel.rows"])]);
    let text = all.explain(&module, "sorted").expect("an explanation");
    assert_eq!(text.matches("\non `").count(), 1, "{text}");
}

fn session_with(backends: &[Arc<Only>]) -> Session {
    let session = session();
    for backend in backends {
        session.add_backend(backend.clone()).expect("a name of its own");
    }
    session
}

#[test]
fn explain_tells_who_runs_what_and_who_refused() {
    let session = session_with(&[Only::new("sorts", &["rel.sort"])]);
    let module = session.parse(SORTED, Some("sorted.air")).expect("a program");
    let text = session.explain(&module, "sorted").expect("an explanation");
    let placed = text.split("placed:").nth(1).expect("a chapter on placement");
    assert!(placed.contains("on `sorts`:") && placed.contains("on `engine`:"), "{text}");
    assert!(placed.contains("`sorts` does not take `rel.filter`: `rel.filter` is not for it (sorted.air:2)"), "{text}");
    assert!(session.refusals().is_empty(), "nothing has run yet");
    session.run(&module, "sorted", &[rows()]).expect("an answer");
    let refused = session.refusals();
    assert!(refused.iter().any(|r| r.op == "rel.filter" && r.place.as_ref().is_some_and(|p| p.line == 2)), "{refused:?}");

    let unoptimised = SessionOptions { optimize: false, ..session.options().clone() };
    let unoptimised = Session::new(unoptimised).expect("sound options");
    unoptimised.add_backend(Only::new("sorts", &["rel.sort"])).expect("a name of its own");
    assert!(unoptimised.explain(&module, "sorted").expect("an explanation").contains("on `sorts`:"));
}

#[test]
fn a_part_is_compiled_once_for_many_runs() {
    let backend = Only::new("sorts", &["rel.sort"]);
    let session = session();
    let module = session.parse(SORTED, None).expect("a program");
    assert_eq!(session.run(&module, "sorted", &[rows()]).expect("an answer"), Value::int(2));
    // A plan of before knows nothing of it.
    session.add_backend(backend.clone()).expect("a name of its own");
    for _ in 0..3 {
        assert_eq!(session.run(&module, "sorted", &[rows()]).expect("an answer"), Value::int(2));
    }
    assert_eq!(backend.compiled.load(Ordering::SeqCst), 1);
}

#[test]
fn backends_have_names_of_their_own() {
    let session = session_with(&[Only::new("sorts", &[])]);
    for name in ["sorts", "engine"] {
        let error = session.add_backend(Only::new(name, &[])).expect_err("the name is taken");
        assert_eq!(error.to_string(), format!("there is a backend `{name}` already"));
    }
}

#[test]
fn what_bodies_read_of_sources_stays_in_the_engine() {
    let session = shared(Share::Everything, Arc::new(NoHost));
    let text = r#"func @f(t: rel{x: i64}) -> rel{x: i64} { return rel.filter(t) |r| gt(r.x, rel.rows(source "u": rel{y: i64})) }"#;
    let module = session.parse(text, None).expect("a program");
    let text = session.explain(&module, "f").expect("an explanation");
    assert!(text.contains("does not take `rel.filter`: its body reads a source"), "{text}");
}

/// It sorts wrongly, in one way or another.
struct Bad(fn() -> Result<Datum, Failure>);

impl Backend for Bad {
    fn name(&self) -> &str {
        "bad"
    }

    fn supports(&self, program: &Module, node: NodeId) -> Result<Result<(), Refusal>, Failure> {
        Ok(if program.graph.op(node).name() == "rel.sort" { Ok(()) } else { Err(Refusal::new("bad", "no")) })
    }

    fn compile(&self, _: &Arc<Module>, _: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        Ok(Arc::new(Bad(self.0)))
    }
}

impl Compiled for Bad {
    fn run(&self, _: Vec<Datum>, _: &Run) -> Result<Datum, Failure> {
        self.0()
    }
}

fn failing(run: fn() -> Result<Datum, Failure>) -> Error {
    let reports = Folder::new();
    let options = SessionOptions { reports: reports.path().into(), ..SessionOptions::from_environment().expect("a sound environment") };
    let session = Session::new(options).expect("sound options");
    session.add_backend(Arc::new(Bad(run))).expect("a name of its own");
    let module = session.parse(SORTED, None).expect("a program");
    session.run(&module, "sorted", &[rows()]).expect_err("the backend is bad")
}

#[test]
fn errors_of_backends_keep_their_kinds() {
    let expected = "backend `bad` gave what is not in the physical form of `rel{a: i64}`";
    assert!(matches!(failing(|| Ok(Datum::Token)), Error::Program(message) if message == expected));
    assert!(matches!(failing(|| Err(Failure::world("the device is gone"))), Error::World(error) if error.message == "the device is gone"));
    assert!(matches!(failing(|| Err(Failure::Memory("full".into()))), Error::Memory(_)));
    assert!(matches!(failing(|| panic!("a bug")), Error::Broken { message, .. } if message == "a bug"));
}
