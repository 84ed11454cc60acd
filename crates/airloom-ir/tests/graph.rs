//! The arena itself: equal programs have equal ids, bodies close over what they need, functions compose, and ill-typed nodes cannot be made.

use airloom_ir::attrs::{Overflow, ZeroDivide};
use airloom_ir::graph::{Graph, NodeId, TypeError};
use airloom_ir::ops::array::BuildArray;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::number::BuildNumber;
use airloom_ir::oracle::{Limits, Oracle};
use airloom_ir::text::print_function;
use airloom_ir::types::{Dim, TyId};
use airloom_ir::value::Value;

fn add(graph: &mut Graph, a: NodeId, b: NodeId) -> Result<NodeId, TypeError> {
    graph.add(a, b, Overflow::Wrap)
}

/// `arr.map(xs) |e| mul(e, add(a, 1))`, as a front end would write it.
fn scaled(graph: &mut Graph, xs: NodeId, a: NodeId) -> NodeId {
    let (body, captures) = graph
        .body(&[TyId::I64], |graph, params| {
            let one = graph.int(1);
            let more = add(graph, a, one)?;
            graph.mul(params[0], more, Overflow::Wrap)
        })
        .expect("a well-typed body");
    let arrays = graph.tuple(&[xs]).expect("a tuple");
    graph.arr_map(arrays, body, &captures).expect("a map")
}

fn with_params(graph: &mut Graph) -> (NodeId, NodeId) {
    let ty = graph.types_mut().arr(TyId::I64, vec![Dim::Any]).expect("an array type");
    (graph.param(0, ty).expect("a parameter"), graph.param(1, TyId::I64).expect("a parameter"))
}

#[test]
fn equal_programs_have_equal_ids() {
    let mut graph = Graph::new();
    let (xs, a) = with_params(&mut graph);
    let (first, second) = (scaled(&mut graph, xs, a), scaled(&mut graph, xs, a));
    assert_eq!(first, second, "whatever holes they were written with");
    let (x, y) = (graph.float(0.0), graph.float(-0.0));
    assert_ne!(x, y, "zeros of both signs are two constants");
    assert_eq!(graph.float(f64::NAN), graph.float(-f64::NAN), "every NaN is one");
}

#[test]
fn closing_a_body_moves_out_what_does_not_change() {
    let mut graph = Graph::new();
    let (xs, a) = with_params(&mut graph);
    let map = scaled(&mut graph, xs, a);
    let view = graph.as_arr_map(map).expect("a map");
    let one = graph.int(1);
    assert_eq!(view.captures.as_slice(), &[add(&mut graph, a, one).expect("a sum")], "the sum is computed once, outside");
}

#[test]
fn closing_a_body_leaves_inside_what_may_raise() {
    let mut graph = Graph::new();
    let (_, a) = with_params(&mut graph);
    let (body, captures) = graph
        .body(&[TyId::I64], |graph, params| {
            let one = graph.int(1);
            let quotient = graph.floordiv(one, a, ZeroDivide::Raise)?;
            add(graph, params[0], quotient)
        })
        .expect("a well-typed body");
    assert_eq!(captures.as_slice(), &[a], "a body that never runs must not raise: only what the quotient is made of is moved out");
    assert_eq!(graph.params_of(body), &[TyId::I64, TyId::I64]);
}

#[test]
fn functions_compose_with_their_captures() {
    let mut graph = Graph::new();
    let function = |graph: &mut Graph, params: &[TyId], write: &dyn Fn(&mut Graph, &[NodeId]) -> Result<NodeId, TypeError>| {
        let places = graph.params(params).expect("parameters");
        let result = write(graph, &places).expect("a result");
        graph.lambda(result, params.into()).expect("a function")
    };
    // |x, c| x * c after |x, d| x + d is |x, c, d| (x + d) * c.
    let outer = function(&mut graph, &[TyId::I64, TyId::I64], &|g, p| g.mul(p[0], p[1], Overflow::Wrap));
    let inner = function(&mut graph, &[TyId::I64, TyId::I64], &|g, p| add(g, p[0], p[1]));
    let composed = graph.compose(outer, inner, 1).expect("they fit");
    let oracle = Oracle::new(&graph, Limits::EXAMPLES);
    let answer = oracle.call(composed, &[Value::int(2), Value::int(10), Value::int(3)]).expect("it runs");
    assert_eq!(answer, Value::int((2 + 3) * 10));
}

#[test]
fn an_ill_typed_node_cannot_be_made() {
    let mut graph = Graph::new();
    let (number, truth) = (graph.int(1), graph.truth(true));
    let before = graph.len();
    let error = add(&mut graph, number, truth).expect_err("a number and a truth have no sum");
    assert!(error.to_string().contains("`left` is `i64` and `right` is `bool`"), "{error}");
    assert_eq!(graph.len(), before, "nothing is left behind");
    let stray = graph.param(3, TyId::I64).expect("a parameter");
    let open = graph.lambda(stray, [TyId::I64].into()).expect_err("it reads a parameter that it does not have");
    assert!(open.to_string().contains("it reads parameter 3 of 1"), "{open}");
}

#[test]
fn compacting_leaves_the_dead_behind() {
    let mut graph = Graph::new();
    let x = graph.param(0, TyId::I64).expect("a parameter");
    for number in 0..100 {
        let constant = graph.int(number);
        add(&mut graph, x, constant).expect("a sum");
    }
    let seven = graph.int(7);
    let kept = add(&mut graph, x, seven).expect("a sum");
    let lambda = graph.lambda(kept, [TyId::I64].into()).expect("a function");
    let compacted = graph.compact(&[lambda]);
    assert_eq!(compacted.graph.len(), 4, "a parameter, a constant, their sum and the function");
    let show = |graph: &Graph, id| print_function(graph, &Default::default(), "f", id);
    assert_eq!(show(&compacted.graph, compacted.moved[&lambda]), show(&graph, lambda));
}
