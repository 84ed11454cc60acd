//! When code is compiled, and how much of it is kept.

use airloom_compute::arrow::array::{Array, AsArray, Float64Array, Int64Array};
use airloom_compute::arrow::datatypes::Float64Type;
use airloom_compute::body::Programs;
use airloom_compute::data::{Cancel, Native, NoHost, RunContext, Selection, Vector};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::number::BuildNumber;
use airloom_ir::types::TyId;
use airloom_jit::LlvmCompiler;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn run_as(native: Native) -> RunContext {
    RunContext::new(Arc::new(NoHost), Cancel::default(), u64::MAX, native)
}

/// `x * x + x`, for floats.
fn body() -> (Arc<Graph>, Vec<NodeId>, NodeId) {
    let mut graph = Graph::new();
    let params = graph.params(&[TyId::F64]).expect("a parameter");
    let square = graph.mul(params[0], params[0], airloom_ir::attrs::Overflow::Wrap).expect("well typed");
    let root = graph.add(square, params[0], airloom_ir::attrs::Overflow::Wrap).expect("well typed");
    (Arc::new(graph), params, root)
}

/// One test: what was compiled is counted for the whole process.
#[test]
fn code_is_compiled_when_it_pays_and_given_up_when_there_is_too_much() {
    let (graph, params, root) = body();
    let program = Programs::new(&graph, Some(Arc::new(LlvmCompiler))).of_nodes(&params, &[root]);
    let column = Vector::Flat(Arc::new(Float64Array::from_iter_values((0..10_000).map(f64::from))));
    let run = |native: Native| {
        let made = program.run(&run_as(native), std::slice::from_ref(&column), &Selection::All(10_000)).expect("it does not raise");
        let Vector::Flat(array) = &made[0] else { panic!("a flat vector") };
        assert_eq!((array.len(), array.as_primitive::<Float64Type>().value(9_999)), (10_000, 9_999.0 * 9_999.0 + 9_999.0));
    };

    run(Native::Off);
    (0..5).for_each(|_| run(Native::Auto));
    assert_eq!(LlvmCompiler::counts().compiled, 0, "a few rows are not worth it");

    let begun = Instant::now();
    while LlvmCompiler::counts().compiled == 0 {
        run(Native::Auto);
        assert!(begun.elapsed() < Duration::from_secs(60), "many rows are");
    }
    run(Native::Auto);
    run(Native::Verify);
    assert_eq!(LlvmCompiler::counts().compiled, 1, "the same body is compiled once");

    // A thousand bodies of different shapes: most are given up again, and all of them compute.
    let numbers = Vector::Flat(Arc::new(Int64Array::from_iter_values(0..100)));
    for divisor in 2..1002 {
        let mut graph = Graph::new();
        let params = graph.params(&[TyId::I64]).expect("a parameter");
        let by = graph.int(divisor);
        let root = graph.floordiv(params[0], by, airloom_ir::attrs::ZeroDivide::Raise).expect("well typed");
        let graph = Arc::new(graph);
        let program = Programs::new(&graph, Some(Arc::new(LlvmCompiler))).of_nodes(&params, &[root]);
        let context = run_as(Native::Verify);
        program.run(&context, std::slice::from_ref(&numbers), &Selection::All(100)).expect("it does not raise");
    }
    let counts = LlvmCompiler::counts();
    assert_eq!((counts.compiled, counts.failed), (1001, 0));
    assert!(counts.evicted >= 400, "{counts:?}");
    run(Native::Always);
}
