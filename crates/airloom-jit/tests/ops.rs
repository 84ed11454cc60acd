//! Every scalar op over every type of a fixed width: compiled code, the interpreter and the oracle, to the bit, errors included.
#![allow(clippy::print_stdout, reason = "the counts are for whoever reads the test's output")]

mod awkward;

use airloom_compute::data::Vector;
use airloom_ir::attrs::{Attr, AttrShape, Attrs};
use airloom_ir::graph::{Args, Graph};
use airloom_ir::ops::{self, AttrDef, Make, OpDef};
use airloom_ir::oracle::{self, Call};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use airloom_jit::LlvmCompiler;
use airloom_opt::generate::Draw;
use awkward::{Both, awkward, fixed_width, selection, vector};
use std::sync::Arc;

const FAMILIES: [&str; 3] = ["number", "logic", "temporal"];

/// Numbers of rows around the ends of blocks.
const ROWS: [usize; 9] = [1, 7, 8, 9, 63, 64, 65, 130, 1000];

#[test]
fn every_op_of_fixed_width_is_as_the_oracle_says() {
    let mut draw = Draw::new(23);
    let (mut kernels, mut refused, mut batches, mut raised) = (0usize, 0usize, 0usize, 0usize);
    for def in ops::all().filter(|def| FAMILIES.contains(&def.family)) {
        let mut graph = Graph::new();
        let cases = admissible(&mut graph, def);
        // A choice of those that have very many, and several rounds of those that have few: which arguments may be null is drawn.
        let step = cases.len().div_ceil(50).max(1);
        let rounds = 24usize.div_ceil(cases.len().max(1));
        let from = draw.below(step);
        let chosen: Vec<_> = cases.into_iter().skip(from).step_by(step).collect();
        for (types, attrs) in (0..rounds).flat_map(|_| chosen.clone()) {
            match check(&graph, def, &types, &attrs, &mut draw) {
                Some((ran, stopped)) => {
                    kernels += 1;
                    batches += ran;
                    raised += stopped;
                }
                None => refused += 1,
            }
        }
    }
    println!("{kernels} kernels, {refused} refused, {batches} batches, of which {raised} raised; {:?}", LlvmCompiler::counts());
    assert!(kernels > 1000 && batches > 5000 && raised > 50, "too few cases: {kernels} kernels, {batches} batches, {raised} raised");
    assert_eq!(LlvmCompiler::counts().failed, 0, "LLVM compiles every kernel");
}

/// The argument types and attributes with which an op is well typed.
fn admissible(graph: &mut Graph, def: &'static OpDef) -> Vec<(Vec<TyId>, Attrs)> {
    let pool = fixed_width(graph.types_mut());
    let mut found = Vec::new();
    let most = def.args.len() + if def.rest.is_some() { 3 } else { 0 };
    for count in def.args.len().max(1)..=most {
        for types in combinations(&pool, count) {
            for attrs in attributes(def, &pool) {
                let params = graph.params(&types).expect("parameters of known types are well typed");
                if graph.make(def.op, attrs.clone(), &Args::from_slice(&params)).is_ok() {
                    found.push((types.clone(), attrs));
                }
            }
        }
    }
    found
}

fn combinations(pool: &[TyId], count: usize) -> Vec<Vec<TyId>> {
    let mut all: Vec<Vec<TyId>> = pool.iter().map(|&ty| vec![ty]).collect();
    for at in 1..count {
        let next = |types: &Vec<TyId>| if at == 1 && count == 2 { pool.to_vec() } else { vec![types[0], types[at - 1], TyId::I64] };
        all = all.iter().flat_map(|types| next(types).into_iter().map(move |ty| [types.as_slice(), &[ty]].concat())).collect();
        all.dedup();
    }
    all
}

fn attributes(def: &OpDef, pool: &[TyId]) -> Vec<Attrs> {
    let mut all = vec![Attrs::new()];
    for spec in def.attrs {
        let choices = choices(spec, pool);
        all = all
            .iter()
            .flat_map(|attrs| choices.iter().map(move |choice| attrs.iter().cloned().chain([choice.clone()]).collect()))
            .collect();
    }
    all
}

fn choices(spec: &AttrDef, pool: &[TyId]) -> Vec<Attr> {
    match spec.shape {
        AttrShape::Word(words) => (0..words.len()).map(|at| Attr::Word(at as u8)).collect(),
        AttrShape::Bool => vec![Attr::Bool(false), Attr::Bool(true)],
        AttrShape::Int => [0, 1, 2, -1, -2, -19, 18, 40, i64::MIN, i64::MAX].map(Attr::Int).to_vec(),
        AttrShape::Ty => pool.iter().map(|&ty| Attr::Ty(ty)).collect(),
        AttrShape::Name => vec![Attr::Name("UTC".into())],
        other => panic!("the tests know no attribute like {other:?}"),
    }
}

/// How many batches of an op were compared, and how many raised; `None` where the op has no kernel.
fn check(known: &Graph, def: &'static OpDef, plain: &[TyId], attrs: &Attrs, draw: &mut Draw) -> Option<(usize, usize)> {
    let mut graph = known.clone();
    let nullable = *draw.pick(&[0, 50, 100]);
    let types: Vec<TyId> = plain.iter().map(|&ty| if draw.chance(nullable) { graph.types_mut().option(ty) } else { ty }).collect();
    let params = graph.params(&types).expect("parameters of known types are well typed");
    let root = graph.make(def.op, attrs.clone(), &Args::from_slice(&params)).ok()?;
    let graph = Arc::new(graph);
    if LlvmCompiler::refusal(&graph, &params, &[root]).is_some() {
        return None;
    }
    let both = Both::new(&graph, &params, &[root]);
    let what = || {
        let types: Vec<String> = types.iter().map(|&ty| graph.types().show(ty)).collect();
        format!("{}{attrs:?}({})", def.name, types.join(", "))
    };
    let (mut batches, mut raised) = (0, 0);
    // Which arguments are one value for all rows is drawn once: each choice is a kernel of its own.
    let constants: Vec<bool> = types.iter().map(|_| draw.chance(20)).collect();
    for round in 0..6 {
        let rows = *draw.pick(&ROWS);
        let nulls = [0, 30, 100][round % 3];
        let tame = draw.chance(70);
        let call = |row: &[Value]| oracle::apply(def.op, &Call::plain(graph.types(), attrs, row, &types, graph.ty_id(root)));
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); types.len()];
        let fixed: Vec<Value> = types.iter().map(|&ty| awkward(graph.types(), ty, nulls, draw)).collect();
        let mut expected = Vec::new();
        for _ in 0..rows {
            // In tame rounds what raises is drawn again, so that whole batches do not raise.
            let mut row = fixed.clone();
            let mut result = call(&row);
            for _ in 0..if tame { 12 } else { 1 } {
                for (at, &ty) in types.iter().enumerate().filter(|(at, _)| !constants[*at]) {
                    row[at] = awkward(graph.types(), ty, nulls, draw);
                }
                result = call(&row);
                if result.is_ok() {
                    break;
                }
            }
            row.into_iter().zip(&mut columns).for_each(|(value, column)| column.push(value));
            expected.push(result);
        }
        let given: Vec<Vector> = columns
            .iter()
            .enumerate()
            .map(
                |(at, column)| {
                    if constants[at] { Vector::Constant(fixed[at].clone()) } else { vector(graph.types(), types[at], column, draw) }
                },
            )
            .collect();
        let selected = selection(rows, draw);
        let numbers: Vec<usize> =
            selected.numbers().map_or((0..rows).collect(), |numbers| numbers.iter().map(|&row| row as usize).collect());
        batches += 1;
        match both.run(&given, &selected, &what) {
            Some(found) => {
                for (&row, found) in numbers.iter().zip(&found[0]) {
                    assert_eq!(Some(found), expected[row].as_ref().ok(), "{}: row {row} as the oracle says", what());
                }
            }
            None => {
                raised += 1;
                assert!(numbers.iter().any(|&row| expected[row].is_err()), "{}: it raised, and the oracle does not", what());
            }
        }
    }
    Some((batches, raised))
}
