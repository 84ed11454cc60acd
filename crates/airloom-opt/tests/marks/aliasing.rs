//! Claims about memory, as far as values can show them: a view holds nothing but elements of its arguments, what is fresh shares nothing with them.
//!
//! The oracle shares texts, lists, rows and arrays by reference, so a result that holds one of an argument's is seen by its address. It copies numbers: that a kernel
//! makes no view of them can only be tested on the kernel.

use crate::applications::Application;
use airloom_ir::ops::Aliasing;
use airloom_ir::value::Value;
use std::collections::{BTreeSet, HashSet};

/// Whether a claim holds for an application, as far as can be seen.
pub(crate) fn check(application: &Application<'_>, claim: Aliasing) -> Result<(), String> {
    let Ok(result) = &application.result else { return Ok(()) };
    if claim == Aliasing::Outside {
        return Ok(());
    }
    let named = application.positions(claim.shares());
    let shared: Vec<&Value> = named.iter().map(|&at| &application.args[at]).collect();
    let own: BTreeSet<usize> = shared.iter().flat_map(|value| addresses(value)).collect();
    let others = application.args.iter().enumerate().filter(|(at, _)| !named.contains(at));
    let foreign: BTreeSet<usize> = others.flat_map(|(_, value)| addresses(value)).filter(|address| !own.contains(address)).collect();
    if addresses(result).iter().any(|address| foreign.contains(address)) {
        return Err(format!("the result holds memory of an argument that {claim:?} does not name: {result:?}"));
    }
    match claim {
        Aliasing::Same(_) if shared != [result] => Err(format!("the result is not the argument itself: {result:?}")),
        Aliasing::View(_) => elements(&shared, result),
        _ => Ok(()),
    }
}

/// Every leaf of the result is null, a leaf of the arguments, or a part of one of their texts.
fn elements(shared: &[&Value], result: &Value) -> Result<(), String> {
    let known: HashSet<&Value> = shared.iter().flat_map(|value| leaves(value)).collect();
    let is_part = |leaf: &Value| {
        let part = bytes(leaf).unwrap_or_default();
        known.iter().filter_map(|value| bytes(value)).any(|whole| part.is_empty() || whole.windows(part.len()).any(|window| window == part))
    };
    let stranger =
        leaves(result).into_iter().find(|leaf| !(leaf.is_null() || known.contains(leaf) || bytes(leaf).is_some() && is_part(leaf)));
    stranger.map_or(Ok(()), |leaf| Err(format!("`{leaf:?}` is no element of what the result should be a view of")))
}

fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Str(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn inner(value: &Value) -> Vec<&Value> {
    match value {
        Value::List(parts) | Value::Struct(parts) | Value::Tuple(parts) => parts.iter().collect(),
        Value::Rel(table) => table.rows.iter().flat_map(|row| row.iter()).collect(),
        Value::Arr(array) => array.items.iter().collect(),
        _ => Vec::new(),
    }
}

fn leaves(value: &Value) -> Vec<&Value> {
    match value {
        Value::List(_) | Value::Struct(_) | Value::Tuple(_) | Value::Rel(_) | Value::Arr(_) => {
            inner(value).into_iter().flat_map(leaves).collect()
        }
        leaf => vec![leaf],
    }
}

/// The addresses of all that a value holds by reference; those of nothing at all say nothing.
fn addresses(value: &Value) -> Vec<usize> {
    let mut found: Vec<usize> = inner(value).into_iter().flat_map(addresses).collect();
    let own = match value {
        Value::Str(text) if !text.is_empty() => Some(text.as_ptr() as usize),
        Value::Bytes(bytes) if !bytes.is_empty() => Some(bytes.as_ptr() as usize),
        Value::List(parts) | Value::Struct(parts) | Value::Tuple(parts) if !parts.is_empty() => Some(parts.as_ptr() as usize),
        Value::Rel(table) => Some(std::sync::Arc::as_ptr(table) as usize),
        Value::Arr(array) => Some(std::sync::Arc::as_ptr(array) as usize),
        _ => None,
    };
    found.extend(own);
    if let Value::Rel(table) = value {
        found.extend(table.rows.iter().filter(|row| !row.is_empty()).map(|row| row.as_ptr() as usize));
    }
    found
}
