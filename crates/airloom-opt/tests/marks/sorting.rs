//! Work that needs all rows in the order of their values.

use crate::applications::Application;
use crate::pieces::{Rows, chosen, cut, join, rows, ways};
use airloom_ir::attrs::{AttrType, RankMethod};
use airloom_ir::ops::Op;
use airloom_ir::ops::relation::Relation;
use airloom_ir::ops::sequence::Sequence;
use airloom_ir::value::Value;

/// Whether an op that sorts does as sorted pieces allow.
pub(crate) fn check(application: &Application<'_>) -> Result<usize, String> {
    match application.graph.op(application.node) {
        Op::Relation(Relation::Sort) | Op::Sequence(Sequence::Sort) => merges(application),
        Op::Reduce(_) => ignores_order(application),
        Op::Sequence(Sequence::Rank) => ranks(application),
        Op::Sequence(Sequence::ArgSort) => positions_sort(application),
        _ => Err("no check is written for it".into()),
    }
}

/// The op makes the same of its own results for the pieces, one after the other, as of the whole: runs can be merged.
pub(crate) fn merges(application: &Application<'_>) -> Result<usize, String> {
    let Rows::Of(count) = rows([&application.args[0]]) else { return Ok(0) };
    let ways = ways(count);
    for way in &ways {
        let pieces: Result<Vec<Value>, _> =
            way.iter().map(|piece| application.with([(0, cut(&application.args[0], piece.clone()))])).collect();
        let found = match pieces {
            Ok(pieces) => join(&pieces).map(|runs| application.with([(0, runs)])),
            Err(raised) => Some(Err(raised)),
        };
        match (&application.result, found) {
            (Err(_), Some(Err(_))) => (),
            (Ok(whole), Some(Ok(found))) if *whole == found => (),
            (whole, found) => return Err(format!("cut at {way:?}: the whole is {whole:?}, merged it is {found:?}")),
        }
    }
    Ok(ways.len())
}

/// The rows of the first argument from every point on, and then those before it.
fn turned(application: &Application<'_>) -> Vec<Vec<usize>> {
    let Rows::Of(count) = rows([&application.args[0]]) else { return Vec::new() };
    (1..count).map(|first| (first..count).chain(0..first).collect()).collect()
}

fn ignores_order(application: &Application<'_>) -> Result<usize, String> {
    let Ok(whole) = &application.result else { return Ok(0) };
    let turned = turned(application);
    for positions in &turned {
        let found = application.with([(0, chosen(&application.args[0], positions))]);
        if found.as_ref() != Ok(whole) {
            return Err(format!("the whole is {whole:?}, in the order {positions:?} it is {found:?}"));
        }
    }
    Ok(turned.len())
}

/// An element has the same rank at any position, unless ties are broken by position.
fn ranks(application: &Application<'_>) -> Result<usize, String> {
    let Ok(whole) = &application.result else { return Ok(0) };
    if application.attr("method").and_then(RankMethod::from_attr) == Some(RankMethod::Ordinal) {
        return Ok(0);
    }
    let turned = turned(application);
    for positions in &turned {
        let found = application.with([(0, chosen(&application.args[0], positions))]);
        if found.as_ref() != Ok(&chosen(whole, positions)) {
            return Err(format!("the ranks are {whole:?}, in the order {positions:?} they are {found:?}"));
        }
    }
    Ok(turned.len())
}

/// The elements at the positions are the sorted ones, whose runs can be merged.
fn positions_sort(application: &Application<'_>) -> Result<usize, String> {
    let (Value::Arr(array), Ok(Value::Arr(positions))) = (&application.args[0], &application.result) else { return Ok(0) };
    let ty = application.graph.ty_id(application.graph.args(application.node)[0]);
    let sort = application.unary(Sequence::Sort, application.attrs().into(), |_| ty);
    let place = |value: &Value| if let Value::Int(at) = value { usize::try_from(*at).ok() } else { None };
    let places: Option<Vec<usize>> = positions.items.iter().map(place).collect();
    let taken = places.and_then(|places| places.into_iter().map(|at| array.items.get(at).cloned()).collect::<Option<Vec<Value>>>());
    let sorted = application.call(&sort, &application.args).map_err(|stop| stop.to_string())?;
    if taken.map(Value::arr).as_ref() != Some(&sorted) {
        return Err(format!("the positions are {positions:?}, the elements in order {sorted:?}"));
    }
    Ok(array.items.len())
}
