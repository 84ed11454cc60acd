//! Random bodies over random vectors: compiled code and the interpreter, to the bit, whatever is null, NaN, selected, constant or raised.
#![allow(clippy::print_stdout, reason = "the counts are for whoever reads the test's output")]

mod awkward;

use airloom_compute::body::{Compiler, HowComputed};
use airloom_compute::data::Vector;
use airloom_ir::attrs::{Attr, AttrShape, Attrs, Effect};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::{self, Make, Op, OpDef};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use airloom_jit::LlvmCompiler;
use airloom_opt::generate::Draw;
use awkward::{Both, awkward, fixed_width, selection, vector};
use std::sync::Arc;

const FAMILIES: [&str; 4] = ["number", "logic", "temporal", "text"];
/// How many of them have types of a fixed width alone.
const FIXED_WIDTH: usize = 3;
const BODIES: usize = 600;

#[test]
fn random_bodies_are_computed_as_the_interpreter_does() {
    let mut draw = Draw::new(77);
    let (mut compiled, mut beside, mut refused, mut raised, mut nodes) = (0usize, 0usize, 0usize, 0usize, 0usize);
    for seed in 0..BODIES {
        let body = Body::draw(&mut draw);
        if LlvmCompiler::refusal(&body.graph, &body.params, &body.roots).is_some() {
            refused += 1;
            continue;
        }
        compiled += 1;
        beside += usize::from(matches!(LlvmCompiler.how_computed(&body.graph, &body.params, &body.roots), HowComputed::Partly(_)));
        nodes += body.graph.len();
        let both = Both::new(&body.graph, &body.params, &body.roots);
        let constants: Vec<bool> = body.params.iter().map(|_| draw.chance(15)).collect();
        for rows in [1 + draw.below(8), 64, 65 + draw.below(300)] {
            let types = body.graph.types();
            let nulls = *draw.pick(&[0, 20, 100]);
            let given: Vec<Vector> = body
                .params
                .iter()
                .zip(&constants)
                .map(|(&param, &constant)| {
                    let ty = body.graph.ty_id(param);
                    let column: Vec<Value> = (0..rows).map(|_| awkward(types, ty, nulls, &mut draw)).collect();
                    if constant { Vector::Constant(column[0].clone()) } else { vector(types, ty, &column, &mut draw) }
                })
                .collect();
            let what = || format!("body {seed} of {} nodes", body.graph.len());
            raised += usize::from(both.run(&given, &selection(rows, &mut draw), &what).is_none());
        }
    }
    println!(
        "{compiled} bodies of {nodes} nodes, {beside} of them with parts that are interpreted, {refused} refused, {raised} batches raised; {:?}",
        LlvmCompiler::counts()
    );
    assert!(compiled > BODIES / 3 && beside > 100 && raised > 10, "too few cases: {compiled} bodies, {beside} in parts, {raised} raised");
    assert_eq!(LlvmCompiler::counts().failed, 0, "LLVM compiles every kernel");
}

/// Some nodes over parameters of awkward types.
struct Body {
    graph: Arc<Graph>,
    params: Vec<NodeId>,
    roots: Vec<NodeId>,
}

impl Body {
    fn draw(draw: &mut Draw) -> Body {
        let mut graph = Graph::new();
        let pool = fixed_width(graph.types_mut());
        // Of text there is no code: those nodes are interpreted before the code of the others runs.
        let with_text = draw.chance(50);
        let families = if with_text { &FAMILIES[..] } else { &FAMILIES[..FIXED_WIDTH] };
        let scalars: Vec<&'static OpDef> = ops::all().filter(|def| families.contains(&def.family)).collect();
        // Few types, so that nodes fit together.
        let mut few: Vec<TyId> = (0..3).map(|_| *draw.pick(&pool)).chain([TyId::BOOL, TyId::F64, TyId::I64]).collect();
        few.extend([TyId::STR, TyId::STR].iter().filter(|_| with_text));
        let mut types = Vec::new();
        for _ in 0..6 {
            let ty = *draw.pick(&few);
            types.push(if draw.chance(50) { graph.types_mut().option(ty) } else { ty });
        }
        let params = graph.params(&types).expect("parameters of known types are well typed");
        let mut nodes = params.clone();
        for _ in 0..6 {
            let ty = *draw.pick(&types);
            let value = awkward(graph.types(), ty, 10, draw);
            nodes.push(graph.constant(value, ty).expect("a literal of its type"));
        }
        let mut tries = 0;
        let size = 14 + draw.below(14);
        while nodes.len() < 12 + size && tries < 3000 {
            tries += 1;
            let made = if draw.chance(3) {
                branch(&mut graph, &nodes, draw)
            } else {
                apply(&mut graph, draw.pick::<&OpDef>(&scalars), &nodes, &pool, draw)
            };
            let compiled = |made: NodeId| with_text || LlvmCompiler::refusal(&graph, &params, &[made]).is_none();
            let new = |made: &NodeId| !nodes.contains(made) && compiled(*made);
            let made = made.filter(new);
            nodes.extend(made);
        }
        // In most bodies every node that does not raise is looked at; where all may be, one that raises hides the others.
        let pure = |id: &NodeId| graph.effect(*id) == Effect::Pure;
        let made: Vec<NodeId> = nodes[12..].iter().copied().filter(pure).collect();
        if draw.chance(70) && !made.is_empty() {
            return Body { graph: Arc::new(graph), params, roots: made };
        }
        let made = &nodes[12..];
        let roots = if made.is_empty() { vec![nodes[0]] } else { (0..3).map(|_| *draw.pick(made)).chain(made.last().copied()).collect() };
        Body { graph: Arc::new(graph), params, roots }
    }
}

fn apply(graph: &mut Graph, def: &OpDef, nodes: &[NodeId], pool: &[TyId], draw: &mut Draw) -> Option<NodeId> {
    let count = def.args.len() + if def.rest.is_some() { 1 + draw.below(3) } else { 0 };
    let args: Vec<NodeId> = (0..count).map(|_| *draw.pick(nodes)).collect();
    let attr = |shape: AttrShape, draw: &mut Draw| match shape {
        AttrShape::Word(words) => Some(Attr::Word(draw.below(words.len()) as u8)),
        AttrShape::Bool => Some(Attr::Bool(draw.chance(50))),
        AttrShape::Int => Some(Attr::Int(*draw.pick(&[0, 1, 2, -1, -3]))),
        AttrShape::Ty => Some(Attr::Ty(*draw.pick(pool))),
        _ => None,
    };
    let attrs: Option<Attrs> = def.attrs.iter().map(|spec| attr(spec.shape, draw)).collect();
    graph.make(def.op, attrs?, &Args::from_slice(&args)).ok()
}

/// A choice of which one branch is computed: both may raise, and only in rows that take them.
fn branch(graph: &mut Graph, nodes: &[NodeId], draw: &mut Draw) -> Option<NodeId> {
    let condition = *draw.pick(nodes);
    let (x, y) = (*draw.pick(nodes), *draw.pick(nodes));
    let ty = graph.ty_id(x);
    if graph.ty_id(y) != ty {
        return None;
    }
    let (first, second) = (graph.fresh_hole(ty), graph.fresh_hole(ty));
    let scalars: Vec<&'static OpDef> = ops::all().filter(|def| FAMILIES[..FIXED_WIDTH].contains(&def.family)).collect();
    let mut body = |draw: &mut Draw| {
        (0..40).find_map(|_| {
            apply(graph, draw.pick::<&OpDef>(&scalars), &[first, second], &[ty], draw).filter(|&made| graph.ty_id(made) == ty)
        })
    };
    let (then, otherwise) = (body(draw)?, body(draw).unwrap_or(first));
    let then = graph.function(&[first, second], then).ok()?;
    let otherwise = graph.function(&[first, second], otherwise).ok()?;
    graph.make(Op::Control(Control::If), Attrs::new(), &[condition, then, otherwise, x, y]).ok()
}
