//! Claims about cutting: the op is computed on the whole and on pieces, and the pieces are combined as its distribution says.

use crate::applications::Application;
use crate::pieces::{Rows, cut, join, rows, ways};
use crate::{folds, keys, reductions, sorting};
use airloom_ir::ops::{Combine, Distribution, Need};
use airloom_ir::oracle::Stop;
use airloom_ir::value::Value;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Extents beyond this are not cut: the oracle would take too long.
pub(crate) const MOST_INDICES: i128 = 64;

/// Whether a claim holds for an application. Gives how many ways of cutting were tried.
pub(crate) fn check(application: &Application<'_>, claim: Distribution) -> Result<usize, String> {
    let tried = match claim {
        Distribution::Single => Ok(0),
        Distribution::Leaf => without_arguments(application),
        Distribution::Scalar => without_rows(application),
        Distribution::Rowwise(names) => rowwise(application, &application.positions(names)),
        Distribution::Appends(name) => appends(application, &application.positions(&[name])),
        Distribution::Indices(name) => folds::indices(application, name),
        Distribution::Reduces(Combine::Again) if matches!(application.result, Ok(Value::Rel(_))) => sorting::merges(application),
        Distribution::Reduces(combine) => reductions::check(application, combine),
        Distribution::ByKey(order) => keys::check(application, order),
        Distribution::Ordered(Need::Counts) => counts(application),
        Distribution::Ordered(Need::Before(names)) => running(application, &application.positions(names), |at, _| 0..at),
        Distribution::Ordered(Need::After(names)) => running(application, &application.positions(names), |at, rows| at..rows),
        Distribution::Ordered(Need::Fold) => folds::check(application),
        Distribution::Ordered(Need::Neighbours(name)) => neighbours(application, name),
        Distribution::Ordered(Need::Sorting) => sorting::check(application),
    };
    tried.map_err(|message| format!("{}: `{}` is not {claim:?}: {message}", application.from, application.def().name))
}

fn without_arguments(application: &Application<'_>) -> Result<usize, String> {
    if application.args.is_empty() { Ok(1) } else { Err("it takes arguments".into()) }
}

fn without_rows(application: &Application<'_>) -> Result<usize, String> {
    let values = application.args.iter().chain(&application.result);
    if rows(values) == Rows::Without { Ok(1) } else { Err("it takes or gives rows".into()) }
}

/// Whether the results of the pieces, one after the other, are that of the whole; where the whole raises, one of them must.
pub(crate) fn concatenates(whole: &Result<Value, Stop>, pieces: Vec<Result<Value, Stop>>) -> Result<(), String> {
    let found: Result<Vec<Value>, Stop> = pieces.into_iter().collect();
    match (whole, found) {
        (Err(_), Err(_)) => Ok(()),
        (Ok(whole), Ok(found)) if join(&found).as_ref() == Some(whole) => Ok(()),
        (whole, found) => Err(format!("the whole is {whole:?}, the pieces are {found:?}")),
    }
}

fn rowwise(application: &Application<'_>, positions: &[usize]) -> Result<usize, String> {
    let count = match rows(positions.iter().map(|&at| &application.args[at])) {
        Rows::Of(count) => count,
        // Values of one row: the op is a scalar one here.
        Rows::Without => return Ok(1),
        Rows::Unequal => return Ok(0),
    };
    let ways = ways(count);
    for way in &ways {
        let piece = |range: &Range<usize>| application.with(positions.iter().map(|&at| (at, cut(&application.args[at], range.clone()))));
        concatenates(&application.result, way.iter().map(piece).collect()).map_err(|message| format!("cut at {way:?}: {message}"))?;
    }
    Ok(ways.len())
}

fn appends(application: &Application<'_>, positions: &[usize]) -> Result<usize, String> {
    let mut tried = 0;
    for &cut_one in positions {
        let Rows::Of(count) = rows([&application.args[cut_one]]) else { continue };
        for way in ways(count) {
            let mut results = Vec::new();
            for &at in positions {
                let Rows::Of(count) = rows([&application.args[at]]) else { continue };
                let pieces = if at == cut_one { way.clone() } else { std::iter::once(0..count).collect() };
                for piece in pieces {
                    let alone = |&other: &usize| (other, cut(&application.args[other], if other == at { piece.clone() } else { 0..0 }));
                    results.push(application.with(positions.iter().map(alone)));
                }
            }
            concatenates(&application.result, results).map_err(|message| format!("argument {cut_one} cut at {way:?}: {message}"))?;
            tried += 1;
        }
    }
    Ok(tried)
}

/// What is computed from the first rows, or from the last, is what the whole has there.
fn running(application: &Application<'_>, positions: &[usize], range: impl Fn(usize, usize) -> Range<usize>) -> Result<usize, String> {
    let Rows::Of(count) = rows(positions.iter().map(|&at| &application.args[at])) else { return Ok(0) };
    let Ok(whole) = &application.result else { return Ok(0) };
    for at in 0..=count {
        let range = range(at, count);
        let found = application.with(positions.iter().map(|&position| (position, cut(&application.args[position], range.clone()))));
        if rows([whole]) != Rows::Of(count) || found.as_ref() != Ok(&cut(whole, range.clone())) {
            return Err(format!("the whole is {whole:?}, rows {range:?} make {found:?}"));
        }
    }
    Ok(count)
}

fn neighbours(application: &Application<'_>, name: &str) -> Result<usize, String> {
    let (Rows::Of(count), Ok(whole)) = (rows([&application.args[0]]), &application.result) else { return Ok(0) };
    if rows([whole]) != Rows::Of(count) {
        return Err(format!("it has {count} rows, the result {:?}", rows([whole])));
    }
    let position = application.positions(&[name])[0];
    let Value::Int(size) = &application.args[position] else { return Ok(0) };
    let near = usize::try_from(size.unsigned_abs()).unwrap_or(usize::MAX).saturating_add(1);
    let ways = ways(count);
    for piece in ways.iter().flatten() {
        let around = piece.start.saturating_sub(near)..piece.end.saturating_add(near).min(count);
        let found = application.with([(0, cut(&application.args[0], around.clone()))]);
        let own = piece.start - around.start..piece.end - around.start;
        if found.as_ref().map(|found| cut(found, own)) != Ok(cut(whole, piece.clone())) {
            return Err(format!("the whole is {whole:?}, rows {around:?} make {found:?}"));
        }
    }
    Ok(ways.len())
}

/// An op that goes by positions does the same to anything else at them: here, to names of the positions.
fn counts(application: &Application<'_>) -> Result<usize, String> {
    let Rows::Of(count) = rows([&application.args[0]]) else { return Ok(0) };
    let mut originals = Vec::new();
    let masked = mask(&application.args[0], &mut originals);
    let found =
        catch_unwind(AssertUnwindSafe(|| application.with([(0, masked)]))).map_err(|_| "it looks at what stands there".to_string())?;
    match (&application.result, found.map(|found| unmask(&found, &originals))) {
        (Err(_), Err(_)) => Ok(1),
        (Ok(whole), Ok(found)) if *whole == found => Ok(count.max(1)),
        (whole, found) => Err(format!("the whole is {whole:?}, with other values at its positions {found:?}")),
    }
}

const MASK: &str = "\u{1}position ";

fn mask(value: &Value, originals: &mut Vec<Value>) -> Value {
    let mut name = |item: &Value| {
        originals.push(item.clone());
        Value::str(&format!("{MASK}{}", originals.len() - 1))
    };
    match value {
        Value::Rel(table) => Value::rel(table.width, table.rows.iter().map(|row| row.iter().map(&mut name).collect()).collect()),
        Value::Arr(array) => Value::nd(array.shape.clone(), array.items.iter().map(name).collect()),
        other => other.clone(),
    }
}

fn unmask(value: &Value, originals: &[Value]) -> Value {
    let all = |values: &[Value]| values.iter().map(|value| unmask(value, originals)).collect::<Vec<Value>>();
    match value {
        Value::Str(text) => {
            let number = text.strip_prefix(MASK).and_then(|number| number.parse::<usize>().ok());
            number.map_or_else(|| value.clone(), |number| originals[number].clone())
        }
        Value::Rel(table) => Value::rel(table.width, table.rows.iter().map(|row| all(row).into()).collect()),
        Value::Arr(array) => Value::nd(array.shape.clone(), all(&array.items)),
        Value::List(parts) => Value::List(all(parts).into()),
        Value::Struct(parts) => Value::Struct(all(parts).into()),
        Value::Tuple(parts) => Value::Tuple(all(parts).into()),
        other => other.clone(),
    }
}
