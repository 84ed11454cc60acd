//! Rules of code on random expressions of scalars.

use super::attributes::{self, Pool};
use super::{Checked, compared, fail, no_case, none_made, types, values};
use crate::driver::Options;
use crate::facts::Statistics;
use crate::generate::Draw;
use crate::registry::Registry;
use crate::rule::{Rule, RuleError};
use airloom_ir::attrs::Attrs;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::module::{Function, Module};
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::number::Number;
use airloom_ir::ops::{self, Make, Op};
use airloom_ir::types::{Ty, TyId};
use std::collections::BTreeSet;

/// How many arguments are tried for one expression.
const ARGUMENTS: u32 = 4;
/// How many ops are tried in a round; about half of them fit.
const STEPS: usize = 60;
/// How many rounds are tried before giving up.
const PATIENCE: usize = 4_000;

/// Checks a rule of code whose ops are scalar ones.
pub(super) fn check(rule: &Rule, cases: u32, seed: u64) -> Result<Checked, RuleError> {
    if !rule.roots.iter().all(|&root| is_scalar(root)) {
        return Err(no_case(rule, "only rules of scalars are given random expressions"));
    }
    let mut registry = Registry::new();
    registry.add(rule.clone())?;
    let related: Vec<Op> = ops::all().map(|def| def.op).filter(|&op| is_scalar(op) && is_related(rule, op)).collect();
    let mut draw = Draw::new(seed);
    let mut made = 0;
    for _ in 0..PATIENCE {
        if made >= cases {
            break;
        }
        let mut module = expressions(&rule.roots, &related, &mut draw);
        let options = Options { fuel: 1_000, checks: true, stages: vec![rule.stage], statistics: Statistics::default() };
        let outcome = registry.run(&mut module, &options).map_err(|broken| fail(rule, broken.message))?;
        for (function, &after) in module.functions.iter().zip(&outcome.roots) {
            if function.lambda != after {
                compared::lighter(rule, &module.graph, function.lambda, after)?;
                compared::same(&module.graph, function.lambda, after, ARGUMENTS, &mut draw).map_err(|message| fail(rule, message))?;
                made += ARGUMENTS;
            }
        }
    }
    if made == 0 { Err(none_made(rule)) } else { Ok(Checked { cases: made }) }
}

/// Checks all rules of a registry together, through every stage. What is wrong is blamed on those that fired.
pub(super) fn check_together(registry: &Registry, cases: u32, seed: u64) -> Result<Checked, String> {
    let scalar: Vec<Op> = ops::all().map(|def| def.op).filter(|&op| is_scalar(op)).collect();
    let mut draw = Draw::new(seed);
    let mut made = 0;
    for _ in 0..PATIENCE {
        if made >= cases {
            break;
        }
        let mut module = expressions(&scalar, &scalar, &mut draw);
        let options = Options { checks: true, ..Options::everything() };
        let outcome = registry.run(&mut module, &options).map_err(|broken| broken.to_string())?;
        for (function, &after) in module.functions.iter().zip(&outcome.roots) {
            if function.lambda != after {
                compared::same(&module.graph, function.lambda, after, ARGUMENTS, &mut draw).map_err(|message| {
                    let fired: BTreeSet<&str> = outcome.trace.iter().map(|f| f.rule.as_str()).collect();
                    format!("one of {} {message}", fired.into_iter().collect::<Vec<_>>().join(", "))
                })?;
                made += ARGUMENTS;
            }
        }
    }
    Ok(Checked { cases: made })
}

fn is_scalar(op: Op) -> bool {
    let def = op.def();
    let made_elsewhere = matches!(
        op,
        Op::Core(
            Core::Const
                | Core::Placeholder
                | Core::Param
                | Core::Hole
                | Core::Lambda
                | Core::Call
                | Core::Source
                | Core::Token
                | Core::Host
        )
    );
    matches!(def.family, "core" | "number" | "logic" | "text" | "temporal" | "nested") && def.bodies.is_empty() && !made_elsewhere
}

/// Whether a rule is likely to look for an op.
fn is_related(rule: &Rule, op: Op) -> bool {
    let family = op.def().family;
    let core = rule.roots.iter().any(|root| root.def().family == "core");
    // In rows, one op that may raise: what is taken apart must not lose it.
    let fits_rows = if core { op == Op::Number(Number::FloorDiv) } else { matches!(family, "number" | "logic") };
    rule.roots.iter().any(|root| root.def().family == family) || fits_rows
}

/// Functions that are random expressions of the same few parameters and constants, grown from the leaves; those whose last op is one of `roots`.
fn expressions(roots: &[Op], related: &[Op], draw: &mut Draw) -> Module {
    let mut graph = Graph::new();
    let themes = types::themes(graph.types_mut());
    let themes: Vec<TyId> = themes.into_iter().filter(|&ty| graph.types().is_value(ty)).collect();
    let theme = *draw.pick(&themes);
    let mut params = Vec::new();
    for ty in [theme, theme, TyId::BOOL, *draw.pick(&[TyId::I64, TyId::STR, TyId::F64])] {
        params.push(ty);
        params.push(graph.types_mut().option(ty));
    }
    let mut nodes = graph.params(&params).expect("parameters of known types are well typed");
    for _ in 0..6 {
        let mut ty = *draw.pick(&[theme, theme, TyId::BOOL, TyId::I64, TyId::STR]);
        if draw.chance(30) {
            ty = graph.types_mut().option(ty);
        }
        let value = values::value(graph.types(), ty, draw);
        nodes.push(graph.constant(value, ty).expect("a value of its type"));
    }
    // Few ops at a time, so that they meet.
    let few: Vec<Op> = (0..6).map(|_| *draw.pick(related)).collect();
    for _ in 0..STEPS {
        let op = if draw.chance(40) { *draw.pick(roots) } else { *draw.pick(&few) };
        if let Some(node) = application(&mut graph, op, &nodes, &Pool { themes: &themes, theme }, draw)
            && !nodes.contains(&node)
            && !matches!(graph.ty(node), Ty::Arr(..))
        {
            nodes.push(node);
        }
    }
    let mut functions = Vec::new();
    for (at, &node) in nodes.iter().enumerate() {
        if roots.contains(&graph.op(node)) {
            let lambda = graph.lambda(node, params.clone().into()).expect("only parameters are open in an expression");
            functions.push(Function { name: Name::from(format!("f{at}")), lambda });
        }
    }
    Module { graph, functions, ..Module::default() }
}

/// An op applied to some of the nodes there are, where that is well typed.
fn application(graph: &mut Graph, op: Op, nodes: &[NodeId], pool: &Pool<'_>, draw: &mut Draw) -> Option<NodeId> {
    let def = op.def();
    let count = def.args.len() + def.rest.map_or(0, |_| draw.below(4));
    let first = *draw.pick(nodes);
    let mut args = Args::new();
    for _ in 0..count {
        // Mostly of one type, as most ops want it; the later ones among them are made of the earlier ones.
        let alike: Vec<NodeId> =
            nodes.iter().copied().filter(|&n| graph.types().strip(graph.ty_id(n)) == graph.types().strip(graph.ty_id(first))).collect();
        let from = if draw.chance(80) { alike.as_slice() } else { nodes };
        let late = from.len() / 2 * usize::from(draw.chance(50));
        args.push(*draw.pick(&from[late..]));
    }
    let types: Vec<TyId> = args.iter().map(|&a| graph.ty_id(a)).collect();
    let attrs: Option<Attrs> = def.attrs.iter().map(|spec| attributes::drawn(graph.types(), spec, &types, pool, draw)).collect();
    graph.make(op, attrs?, &args).ok()
}
