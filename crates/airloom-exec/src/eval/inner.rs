//! Sources that bodies read: the oracle computes such bodies, and is given the data as plain values.

use super::evaluator::World;
use crate::plan::{Shared, Wanted};
use airloom_compute::data::Failure;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::oracle::Source;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use std::sync::Arc;

/// Reads the sources in the bodies of a node that are not read yet. `reads` tells which nodes hold any. Nothing is read for a node that is never computed, nor for
/// bodies that run as functions of their own: those read what they need when they do.
pub(super) fn read_for(shared: &Arc<Shared>, world: &dyn World, reads: &[bool], id: NodeId) -> Result<(), Failure> {
    let graph = &shared.graph;
    if matches!(graph.op(id), Op::Core(Core::Call | Core::Lambda) | Op::Control(Control::If | Control::While)) {
        return Ok(());
    }
    for &arg in graph.args(id) {
        if graph.op(arg) == Op::Core(Core::Lambda) && reads[arg.index()] {
            for inner in graph.post_order(&[arg]) {
                if graph.op(inner) == Op::Core(Core::Source) {
                    read(shared, world, inner)?;
                }
            }
        }
    }
    Ok(())
}

/// Reads the columns of one source that are not there yet: another node may have asked for others.
fn read(shared: &Arc<Shared>, world: &dyn World, id: NodeId) -> Result<(), Failure> {
    let graph = &shared.graph;
    let name = graph.as_source(id).expect("it is one").name;
    let known = shared.context.plain_source(name.as_str());
    let Ty::Rel(fields) = graph.ty(id) else {
        if known.is_none() {
            let value = world.datum(name.as_str(), graph.ty_id(id))?.to_value(graph.types(), graph.ty_id(id));
            shared.context.keep_plain_source(name.as_str(), Source { columns: Vec::new(), value });
        }
        return Ok(());
    };
    let is_new = |column| known.as_ref().is_none_or(|known| !known.columns.contains(column));
    if known.is_some() && !fields.names().any(is_new) {
        return Ok(());
    }
    let all: Vec<usize> = (0..fields.len()).collect();
    let rows = world.collect(world.scan(shared, id, Wanted::all(all))?.plan)?.to_value(graph.types(), graph.ty_id(id));
    let read = Source { columns: fields.names().cloned().collect(), value: rows };
    let merged = match known {
        None => read,
        Some(known) => beside(known, &read),
    };
    shared.context.keep_plain_source(name.as_str(), merged);
    Ok(())
}

/// A table with those columns of another that it lacks. Both are of one source, so they have the same rows.
fn beside(known: Source, read: &Source) -> Source {
    let new: Vec<usize> = (0..read.columns.len()).filter(|&at| !known.columns.contains(&read.columns[at])).collect();
    let (Value::Rel(left), Value::Rel(right)) = (&known.value, &read.value) else {
        panic!("invariant `values have their node's type`: a relation")
    };
    let rows =
        left.rows.iter().zip(&right.rows).map(|(left, right)| left.iter().chain(new.iter().map(|&at| &right[at])).cloned().collect());
    let rows = rows.collect();
    let columns: Vec<_> = known.columns.iter().chain(new.iter().map(|&at| &read.columns[at])).cloned().collect();
    Source { value: Value::rel(columns.len(), rows), columns }
}
