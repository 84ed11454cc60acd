//! How long bodies take, interpreted and compiled: `cargo run --release --example native_speed`.
#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use airloom_compute::body::{Program, Programs};
use airloom_compute::data::{Cancel, Native, NoHost, RunContext, Selection, Vector, values_to_array};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::text::parse_file;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use airloom_jit::LlvmCompiler;
use airloom_plan::bodies::params;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bodies over columns of one type `T`.
const BODIES: [(&str, &str); 5] = [
    ("a + b", "func @f(a: T, b: T, c: T) -> R { return add(a, b) }"),
    ("a * b + c", "func @f(a: T, b: T, c: T) -> R { return add(mul(a, b), c) }"),
    ("five ops", "func @f(a: T, b: T, c: T) -> R { return sub(add(mul(add(a, b), sub(a, c)), mul(b, c)), a) }"),
    ("filter as Q6", "func @f(a: T, b: T, c: T) -> R { return and(and(ge(a, b), lt(a, c)), lt(b, c)) }"),
    ("a / b", "func @f(a: T, b: T, c: T) -> R { return div(add(a, b), c) }"),
];

/// Price, discount and tax as TPC-H has them, in columns of the type `D`.
const PRICES: &str = "func @f(a: D, b: D, c: D) -> R { return mul(mul(a, sub(1.00: decimal(15, 2), b)), add(1.00: decimal(15, 2), c)) }";

fn main() {
    println!("{:<14} {:<16} {:>10} {:>14} {:>14} {:>8}", "body", "type", "rows", "interpreted", "compiled", "times");
    for (name, text) in BODIES {
        for ty in ["f64", "f64?", "f32", "i64", "i64?", "i32"] {
            measure_all(name, ty, &text.replace('T', ty));
        }
    }
    for ty in ["decimal(15, 2)", "decimal(15, 2)?"] {
        measure_all("price as Q1", ty, &PRICES.replace('D', ty));
    }
}

fn measure_all(name: &str, ty: &str, text: &str) {
    // The type of the result is what the compiler says it is.
    let Some((graph, function)) = ["f64", "f32", "i64", "i32", "bool", "decimal(16, 2)", "decimal(38, 6)"]
        .iter()
        .flat_map(|result| [result.to_string(), format!("{result}?")])
        .find_map(|result| parsed(&text.replace("-> R", &format!("-> {result}"))))
    else {
        println!("{name:<14} {ty:<16} is not well typed");
        return;
    };
    for rows in [10_000, 1_000_000, 10_000_000] {
        measure(name, ty, &graph, function, rows);
    }
}

fn parsed(text: &str) -> Option<(Arc<Graph>, NodeId)> {
    let module = parse_file(text, None).ok()?;
    let function = module.functions[0].lambda;
    Some((Arc::new(module.graph), function))
}

/// Batches are of as many rows as the engine takes at once.
const MORSEL: usize = 16_384;

fn measure(name: &str, ty: &str, graph: &Arc<Graph>, function: NodeId, rows: usize) {
    let given = params(graph, function);
    let columns: Vec<Vec<Vector>> = batches(graph, function, rows);
    let roots = [graph.result_of(function)];
    let plain = Programs::new(graph, None).of_nodes(&given, &roots);
    let native = Programs::new(graph, Some(Arc::new(LlvmCompiler))).of_nodes(&given, &roots);
    let (interpreted, compiled) = (best(&plain, &columns), best(&native, &columns));
    let per_row = |time: Duration| time.as_secs_f64() * 1e9 / rows as f64;
    let times = interpreted.as_secs_f64() / compiled.as_secs_f64();
    println!("{name:<14} {ty:<16} {rows:>10} {:>11.3} ns {:>11.3} ns {times:>7.1}x", per_row(interpreted), per_row(compiled));
}

fn batches(graph: &Graph, function: NodeId, rows: usize) -> Vec<Vec<Vector>> {
    let types = graph.types();
    let column = |&ty: &TyId, seed: usize| -> Vector {
        let values: Vec<Value> = (0..MORSEL.min(rows)).map(|row| number(types, ty, row * 7919 + seed * 104_729)).collect();
        Vector::Flat(values_to_array(types, ty, &values))
    };
    let one: Vec<Vector> = graph.params_of(function).iter().enumerate().map(|(at, ty)| column(ty, at + 1)).collect();
    // Each batch has memory of its own, as the columns of a table have.
    let copy = |vector: &Vector| match vector {
        Vector::Flat(array) => {
            let all = airloom_compute::arrow::array::UInt32Array::from_iter_values(0..array.len() as u32);
            Vector::Flat(airloom_compute::arrow::compute::take(array, &all, None).expect("every row is there"))
        }
        other => other.clone(),
    };
    (0..rows.div_ceil(MORSEL)).map(|_| one.iter().map(copy).collect()).collect()
}

fn number(types: &Types, ty: TyId, seed: usize) -> Value {
    let small = (seed % 1000) as i128 + 1;
    match types.get(ty) {
        Ty::Option(_) if seed % 10 == 3 => Value::Null,
        Ty::Option(inner) => number(types, *inner, seed),
        Ty::F64 => Value::F64(small as f64 / 7.0),
        Ty::F32 => Value::F32(small as f32 / 7.0),
        _ => Value::Int(small),
    }
}

/// The shortest of several times over all batches; the first, in which code is compiled, is not counted.
fn best(program: &Program, batches: &[Vec<Vector>]) -> Duration {
    let context = RunContext::new(Arc::new(NoHost), Cancel::default(), u64::MAX, Native::Always);
    let mut best = Duration::MAX;
    for round in 0..6 {
        let begun = Instant::now();
        for batch in batches {
            let rows = batch.iter().map(|vector| if let Vector::Flat(array) = vector { array.len() } else { 0 }).max().unwrap_or(0);
            std::hint::black_box(program.run(&context, batch, &Selection::All(rows)).expect("it does not raise"));
        }
        best = if round == 0 { best } else { best.min(begun.elapsed()) };
    }
    best
}
