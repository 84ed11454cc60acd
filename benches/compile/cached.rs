//! Plans that are found again, by a program with other literals.

use airloom::source::MemoryTable;
use airloom::{Bindings, Session, SessionOptions, csv};
use airloom_compute::data::Relation;
use airloom_ir::module::Module;
use airloom_ir::text;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use airloom_opt::literals::hoistable;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many literals a query has that its plan need not know, and how long it takes to find its plan and to bind it to others, turn by turn, over the sample's tables.
pub(crate) fn times(query: &str, program: &str, turns: usize) -> (usize, Vec<Duration>) {
    let session = Session::new(SessionOptions { threads: 2, ..SessionOptions::from_environment().expect("a sound environment") });
    let session = session.expect("sound options");
    let module = text::parse(program).expect("a valid program");
    register(&session, &module);
    let (hoisted, literals) = module.graph.hoist(&hoistable(&module.graph));
    let mut spent = Vec::new();
    for turn in 0..=turns {
        let others: Vec<Value> = literals.iter().map(|literal| other(literal, turn)).collect();
        let changed = Module { graph: hoisted.bind(&others), ..module.clone() };
        let prepared = session.prepare(&changed, query).expect("the query");
        let start = Instant::now();
        let cached = prepared.plan(Bindings::new(Vec::new())).expect("a plan");
        let elapsed = start.elapsed();
        assert_eq!(cached, turn > 0, "{query} is planned once");
        if turn > 0 {
            spent.push(elapsed);
        }
    }
    (literals.len(), spent)
}

/// A literal that is a little different.
fn other(literal: &Value, turn: usize) -> Value {
    match literal {
        Value::Int(i) => Value::Int(i + turn as i128 % 3),
        Value::F64(x) => Value::F64(x * (1.0 + turn as f64 * 1e-6)),
        Value::Str(text) => Value::str(&format!("{text}{turn}")),
        same => same.clone(),
    }
}

/// The tables of the sample that a query reads.
fn register(session: &Session, module: &Module) {
    let (graph, types) = (&module.graph, module.graph.types());
    for source in graph.ids().filter_map(|id| graph.as_source(id)) {
        let Ty::Rel(fields) = types.get(source.ty) else { panic!("`{}` is a table", source.name) };
        let path = format!("{}/../../tests/tpch/data/{}.csv", env!("CARGO_MANIFEST_DIR"), source.name);
        let rows = csv::read(types, fields, &std::fs::read_to_string(path).expect("the sample")).expect("sound data");
        let Value::Rel(rows) = rows else { panic!("a table is rows") };
        let relation = Relation::from_value(types, source.ty, &rows);
        let table = MemoryTable::new(&relation.schema, &relation.batches).expect("a sound table");
        session.register(source.name.as_str(), Arc::new(table));
    }
}
