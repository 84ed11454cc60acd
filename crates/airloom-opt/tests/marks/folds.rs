//! Index spaces that are cut, and pieces that are computed one after another, each beginning with what the one before has left.

use crate::applications::{Application, Made};
use crate::distribution::{MOST_INDICES, concatenates};
use crate::pieces::{Rows, cut, rows, ways};
use airloom_ir::attrs::{Attr, Overflow};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::number::BuildNumber;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::ops::{Make, Op};
use airloom_ir::oracle::Stop;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use std::ops::Range;

/// The results for the pieces of the first extent, one after the other, are the whole.
pub(crate) fn indices(application: &Application<'_>, name: &str) -> Result<usize, String> {
    let at = application.positions(&[name])[0];
    let Some(extent) = first_extent(&application.args[at]) else { return Ok(0) };
    if application.def().bodies.is_empty() {
        return prefixes(application, at, extent);
    }
    let shifted = shifted(application);
    let ways = ways(extent);
    for way in &ways {
        let piece = |range: &Range<usize>| {
            let args = with_first_extent(&application.args, at, range.len());
            run_shifted(application, &shifted, args, range.start)
        };
        concatenates(&application.result, way.iter().map(piece).collect()).map_err(|message| format!("cut at {way:?}: {message}"))?;
    }
    Ok(ways.len())
}

/// An op without bodies cannot be given a first index: its first indices are those of the whole.
fn prefixes(application: &Application<'_>, at: usize, extent: usize) -> Result<usize, String> {
    let Ok(whole) = &application.result else { return Ok(0) };
    for end in 0..=extent {
        let found = application.apply(&with_first_extent(&application.args, at, end));
        if rows([whole]) != Rows::Of(extent) || found.as_ref() != Ok(&cut(whole, 0..end)) {
            return Err(format!("the whole is {whole:?}, its first {end} are {found:?}"));
        }
    }
    Ok(extent)
}

/// Pieces one after another: what one has left is what the next begins with.
pub(crate) fn check(application: &Application<'_>) -> Result<usize, String> {
    match application.graph.op(application.node) {
        Op::Control(Control::ParReduce) => carried(application, |result| Some(result.clone()), false),
        Op::Control(Control::Scatter) => carried(application, |result| Some(result.clone()), false),
        Op::Control(Control::Scan) => carried(application, last, true),
        Op::Reduce(Reduce::Sum | Reduce::Product) => continued(application),
        // The state of means and moments is more than their result: that they are folds is what their documentation says, and no oracle shows it.
        Op::Reduce(_) => Ok(0),
        _ => Err("no check is written for it".into()),
    }
}

/// What a skeleton makes of pieces of its index space, the initial value of each being what `left` finds in the result of the one before.
fn carried(application: &Application<'_>, left: impl Fn(&Value) -> Option<Value>, joined: bool) -> Result<usize, String> {
    let Some(extent) = first_extent(&application.args[1]) else { return Ok(0) };
    let shifted = shifted(application);
    let ways = ways(extent);
    for way in &ways {
        let mut initial = application.args[0].clone();
        let mut results = Vec::new();
        for range in way {
            let mut args = with_first_extent(&application.args, 1, range.len());
            args[0] = initial.clone();
            let result = run_shifted(application, &shifted, args, range.start);
            initial = result.as_ref().ok().and_then(&left).unwrap_or(initial);
            let raised = result.is_err();
            results.push(result);
            if raised {
                break;
            }
        }
        let results = if joined { results } else { results.split_off(results.len() - 1) };
        concatenates(&application.result, results).map_err(|message| format!("cut at {way:?}: {message}"))?;
    }
    Ok(ways.len())
}

/// A reduction of an array of one axis goes on from the reduction of its first elements as from an element.
fn continued(application: &Application<'_>) -> Result<usize, String> {
    let (Value::Arr(array), Ok(whole)) = (&application.args[0], &application.result) else { return Ok(0) };
    let counted = matches!(application.attr("min_count"), Some(Attr::Int(least)) if *least > 0);
    if array.shape.len() != 1 || counted {
        return Ok(0);
    }
    for at in 1..array.items.len() {
        let first = application.with([(0, Value::arr(array.items[..at].to_vec()))]).map_err(|stop| stop.to_string())?;
        // An element that is not a number may be passed over; a sum that is NaN stays NaN.
        if first.is_nan() {
            continue;
        }
        let rest = std::iter::once(first.clone()).chain(array.items[at..].iter().cloned()).collect();
        let found = application.with([(0, Value::arr(rest))]);
        if found.as_ref() != Ok(whole) {
            return Err(format!("the whole is {whole:?}, from {first:?} on it is {found:?}"));
        }
    }
    Ok(array.items.len().saturating_sub(1))
}

fn last(value: &Value) -> Option<Value> {
    match value {
        Value::Arr(array) => array.items.last().cloned(),
        _ => None,
    }
}

fn first_extent(value: &Value) -> Option<usize> {
    match value {
        Value::Int(extent) if (0..=MOST_INDICES).contains(extent) => usize::try_from(*extent).ok(),
        Value::Tuple(extents) => first_extent(extents.first()?),
        _ => None,
    }
}

fn with_first_extent(args: &[Value], at: usize, extent: usize) -> Vec<Value> {
    let mut args = args.to_vec();
    let extent = Value::int(extent as i128);
    args[at] = match &args[at] {
        Value::Tuple(extents) => Value::Tuple(std::iter::once(extent).chain(extents[1..].iter().cloned()).collect()),
        _ => extent,
    };
    args
}

/// The op as a function of its arguments, its captures and a number that is added to the first index: its bodies compute the indices of a piece.
fn shifted(application: &Application<'_>) -> Made {
    let mut graph = application.graph.clone();
    let def = application.def();
    let parts = def.parts(application.graph.args(application.node)).expect("a node has the arguments its op takes");
    let given: Vec<NodeId> = parts.fixed.iter().chain(parts.tail).copied().collect();
    let types: Vec<TyId> = given.iter().map(|&arg| graph.ty_id(arg)).chain([TyId::I64]).collect();
    let params = graph.params(&types).expect("parameters");
    let mut bodies = Vec::new();
    for (&body, entry) in parts.bodies.iter().zip(def.bodies) {
        let own: Vec<TyId> = graph.params_of(body).iter().copied().chain([TyId::I64]).collect();
        let inner = graph.params(&own).expect("parameters");
        let (&first, &from) = (inner.first().expect("an index"), inner.last().expect("where to begin"));
        let mut args = inner[..inner.len() - 1].to_vec();
        if entry.name != "combine" {
            args[0] = graph.add(first, from, Overflow::Wrap).expect("a sum");
        }
        let result = graph.apply(body, &args).expect("the body of the same parameters");
        bodies.push(graph.lambda(result, own.into()).expect("a body"));
    }
    let args: Vec<NodeId> = params[..parts.fixed.len()].iter().chain(&bodies).chain(&params[parts.fixed.len()..]).copied().collect();
    let node = graph.make(application.graph.op(application.node), application.attrs().into(), &args).expect("the same op");
    let function = graph.lambda(node, types.into()).expect("a function");
    Made { graph, function }
}

fn run_shifted(application: &Application<'_>, shifted: &Made, args: Vec<Value>, from: usize) -> Result<Value, Stop> {
    let def = application.def();
    let (fixed, tail) = (&args[..def.args.len()], &args[def.args.len() + def.bodies.len()..]);
    let args: Vec<Value> = fixed.iter().chain(tail).cloned().chain([Value::int(from as i128)]).collect();
    application.call(shifted, &args)
}
