//! How fast the most used array ops are on a million elements: `cargo run --release -p airloom-exec --example array_speed`.
#![allow(clippy::print_stdout, reason = "the figures are what this program is for")]

use airloom_compute::array::{Bodies, apply};
use airloom_compute::data::{Datum, Failure, NdArray, Vector};
use airloom_ir::graph::NodeId;
use airloom_ir::text;
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, Float64Array, Int64Array};
use std::sync::Arc;
use std::time::Instant;

const COUNT: usize = 1 << 20;

/// Nothing here has a body that must run.
struct NoBodies;

impl Bodies for NoBodies {
    fn rows(&self, _: NodeId, _: &[Vector], _: &[Datum], _: usize) -> Result<Vector, Failure> {
        Err(Failure::Bug("there are no bodies here".into()))
    }

    fn once(&self, _: NodeId, _: &[Datum], _: &[Datum]) -> Result<Datum, Failure> {
        Err(Failure::Bug("there are no bodies here".into()))
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }
}

fn run(title: &str, program: &str, args: &[Datum]) {
    let module = text::parse(program).unwrap_or_else(|error| panic!("`{program}` does not parse: {error:?}"));
    let graph = Arc::new(module.graph.clone());
    let node = graph.result_of(module.functions[0].lambda);
    let bodies = graph.op(node).def().parts(graph.args(node)).expect("a node has the arguments its op takes").bodies;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        std::hint::black_box(apply(&graph, node, args, bodies, &[], &NoBodies).expect("nothing raises here"));
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{title:44} {:8.2} ns/element {:8.2} ms", best * 1e9 / COUNT as f64, best * 1e3);
}

fn main() {
    let mix = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let flat = |items: ArrayRef| Datum::Array(NdArray::flat(items));
    let floats: ArrayRef = Arc::new(Float64Array::from_iter_values((0..COUNT).map(|at| mix(at) as f64 / 1e3)));
    let holes: ArrayRef = Arc::new((0..COUNT).map(|at| (at % 5 > 0).then(|| mix(at) as f64)).collect::<Float64Array>());
    let ints: ArrayRef = Arc::new(Int64Array::from_iter_values((0..COUNT).map(|at| mix(at) as i64 % 1_000_000)));
    let matrix = Datum::Array(NdArray { items: floats.clone(), shape: vec![1 << 10, 1 << 10] });
    let (floats, holes, ints) = (flat(floats), flat(holes), flat(ints));
    let (width, three) = (Datum::Value(Value::int(50)), Datum::Value(Value::int(3)));

    run("sum(f64)", "func @f(a: arr<f64; ?>) -> f64 { return arr.sum(a) }", std::slice::from_ref(&floats));
    run("sum(f64?), nulls passed over", "func @f(a: arr<f64?; ?>) -> f64 { return arr.sum{skip: all}(a) }", std::slice::from_ref(&holes));
    run("sum(i64)", "func @f(a: arr<i64; ?>) -> i64 { return arr.sum(a) }", std::slice::from_ref(&ints));
    run("max(f64)", "func @f(a: arr<f64; ?>) -> f64? { return arr.max(a) }", std::slice::from_ref(&floats));
    run("var(f64)", "func @f(a: arr<f64; ?>) -> f64? { return arr.var(a) }", std::slice::from_ref(&floats));
    run(
        "sum(f64 matrix) of rows",
        "func @f(a: arr<f64; ?, ?>) -> arr<f64; ?> { return arr.sum{axes: [1]}(a) }",
        std::slice::from_ref(&matrix),
    );
    run(
        "sum(f64 matrix) of columns",
        "func @f(a: arr<f64; ?, ?>) -> arr<f64; ?> { return arr.sum{axes: [0]}(a) }",
        std::slice::from_ref(&matrix),
    );
    run(
        "transpose(f64 matrix)",
        "func @f(a: arr<f64; ?, ?>) -> arr<f64; ?, ?> { return arr.transpose{axes: [1, 0]}(a) }",
        std::slice::from_ref(&matrix),
    );
    run("median(f64)", "func @f(a: arr<f64; ?>) -> f64? { return arr.median(a) }", std::slice::from_ref(&floats));
    run("nunique(i64)", "func @f(a: arr<i64; ?>) -> i64 { return arr.nunique(a) }", std::slice::from_ref(&ints));
    run("cumsum(f64)", "func @f(a: arr<f64; ?>) -> arr<f64; ?> { return arr.cumsum(a) }", std::slice::from_ref(&floats));
    run(
        "shift(f64, 3)",
        "func @f(a: arr<f64; ?>, by: i64, fill: f64) -> arr<f64; ?> { return arr.shift(a, by, fill) }",
        &[floats.clone(), three, Datum::Value(Value::F64(0.0))],
    );
    run("fill_forward(f64?)", "func @f(a: arr<f64?; ?>) -> arr<f64?; ?> { return arr.fill_forward(a) }", std::slice::from_ref(&holes));
    run("sort(f64)", "func @f(a: arr<f64; ?>) -> arr<f64; ?> { return arr.sort{by: [asc.last]}(a) }", std::slice::from_ref(&floats));
    run("rank(i64)", "func @f(a: arr<i64; ?>) -> arr<f64; ?> { return arr.rank(a) }", std::slice::from_ref(&ints));
    run(
        "rolling mean(f64), 50",
        "func @f(a: arr<f64; ?>, w: i64) -> arr<f64?; ?> { return arr.rolling(a, w) |w| arr.mean(w) }",
        &[floats.clone(), width.clone()],
    );
    run(
        "rolling max(f64), 50",
        "func @f(a: arr<f64; ?>, w: i64) -> arr<f64?; ?> { return arr.rolling(a, w) |w| arr.max(w) }",
        &[floats, width.clone()],
    );
    run(
        "rolling sum(i64), 50",
        "func @f(a: arr<i64; ?>, w: i64) -> arr<i64?; ?> { return arr.rolling(a, w) |w| arr.sum(w) }",
        &[ints, width],
    );
}
