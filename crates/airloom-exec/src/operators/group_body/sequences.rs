//! Ops on sequences over all parts at once.

use super::batched::Batched;
use super::group_value::GroupValue;
use super::layout::runs;
use airloom_compute::array;
use airloom_compute::data::values::{no_values, repeated};
use airloom_compute::data::{Datum, Failure, NdArray, concat_on};
use airloom_ir::attrs::AttrType;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::sequence::Sequence;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array, UInt32Array};
use arrow::compute::{concat, take};
use arrow::datatypes::DataType;
use std::ops::Range;
use std::sync::Arc;

/// The elements an op makes of each part; nothing where it makes other than one for each row.
pub(super) fn sequence(batched: &Batched<'_>, id: NodeId, op: Sequence, ends: &[usize]) -> Result<Option<ArrayRef>, Failure> {
    let graph = batched.graph;
    let types = graph.types();
    let args = graph.args(id);
    let GroupValue::Rows(items) = batched.known(args[0]) else { return Ok(None) };
    let element = |id: NodeId| if let Ty::Arr(element, _) = types.get(graph.ty_id(id)) { Some(*element) } else { None };
    let Some(made) = element(id) else { return Ok(None) };
    let limit = || graph.node(id).attrs().first().and_then(i64::from_attr);
    match op {
        Sequence::RowNumber => {
            let numbers = runs(ends).flat_map(|run| 0..run.len() as i64);
            Ok(Some(Arc::new(Int64Array::from_iter_values(numbers))))
        }
        Sequence::Shift => match (batched.known(args[1]), batched.known(args[2]).at(types, graph.ty_id(args[2]), 0)) {
            (GroupValue::Same(Datum::Value(Value::Int(by))), Some(Datum::Value(fill))) if batched.known(args[2]).is_same() => {
                Ok(Some(shifted(types, made, items, *by, &fill, runs(ends))))
            }
            _ => Ok(None),
        },
        Sequence::FillForward if limit().is_some() => {
            let runs = runs(ends).map(|run| run.collect::<Vec<_>>());
            Ok(Some(filled(items, runs, limit().unwrap_or(-1))))
        }
        Sequence::FillBackward if limit().is_some() => {
            let runs = runs(ends).map(|run| run.rev().collect::<Vec<_>>());
            Ok(Some(filled(items, runs, limit().unwrap_or(-1))))
        }
        Sequence::Unique => Ok(None),
        _ => one_by_one(batched, id, made, items, ends),
    }
}

/// Each part by the array op itself: only what is around it is done once.
fn one_by_one(batched: &Batched<'_>, id: NodeId, made: TyId, items: &ArrayRef, ends: &[usize]) -> Result<Option<ArrayRef>, Failure> {
    let items = compacted(items);
    let mut pieces: Vec<ArrayRef> = Vec::with_capacity(ends.len());
    for (part, run) in runs(ends).enumerate() {
        if part % 256 == 0 {
            batched.context.cancel.check()?;
        }
        let elements = items.slice(run.start, run.len());
        match applied(batched, id, elements, part, &run)? {
            Some(items) => pieces.push(items),
            None => return Ok(None),
        }
    }
    Ok(Some(joined(1, batched.graph.types(), made, &pieces)))
}

/// What an array op makes of elements of a part, which are its first argument; nothing where it makes other than one for each of them. Arrays among its other arguments
/// are the rows of the part at some positions.
pub(super) fn applied(
    batched: &Batched<'_>,
    id: NodeId,
    elements: ArrayRef,
    part: usize,
    run: &Range<usize>,
) -> Result<Option<ArrayRef>, Failure> {
    let (graph, count) = (batched.graph, elements.len());
    let types = graph.types();
    let parts = graph.op(id).def().parts(graph.args(id)).expect("a node has the arguments its op takes");
    let (own, captured) = if parts.bodies.is_empty() { (graph.args(id), &[][..]) } else { (parts.fixed, parts.tail) };
    let fixed = |nodes: &[NodeId]| -> Option<Vec<Datum>> {
        let one = |node: NodeId| match batched.known(node) {
            GroupValue::Rows(rows) => Some(Datum::Array(NdArray::flat(rows.slice(run.start, run.len())))),
            other => other.at(types, graph.ty_id(node), part),
        };
        nodes.iter().map(|&node| one(node)).collect()
    };
    let (Some(rest), Some(captures)) = (fixed(&own[1..]), fixed(captured)) else { return Ok(None) };
    let args: Vec<Datum> = std::iter::once(Datum::Array(NdArray::flat(elements))).chain(rest).collect();
    match array::apply(graph, id, &args, parts.bodies, &captures, batched.runner)? {
        Datum::Array(array) if array.items.len() == count => Ok(Some(array.items)),
        _ => Ok(None),
    }
}

/// Every group shifted by `by` positions; what comes in is `fill`.
fn shifted(types: &Types, made: TyId, items: &ArrayRef, by: i128, fill: &Value, runs: impl Iterator<Item = Range<usize>>) -> ArrayRef {
    let filled = repeated(types, made, fill, 1);
    let outside = items.len() as u32;
    let from = |run: &Range<usize>, at: usize| {
        let from = at as i128 - by;
        if from >= run.start as i128 && from < run.end as i128 { from as u32 } else { outside }
    };
    let places: Vec<u32> = runs.flat_map(|run| run.clone().map(move |at| from(&run, at))).collect();
    let all = concat(&[items.as_ref(), filled.as_ref()]).expect("a value of the elements' type");
    take(&all, &UInt32Array::from(places), None).expect("places of elements")
}

/// Each null of a group replaced by the value before it in the order of positions, at most `limit` in a row.
fn filled(items: &ArrayRef, runs: impl Iterator<Item = Vec<usize>>, limit: i64) -> ArrayRef {
    if items.null_count() == 0 {
        return items.clone();
    }
    let mut from: Vec<Option<u32>> = vec![None; items.len()];
    for run in runs {
        let (mut last, mut in_a_row) = (None, 0);
        for at in run {
            if items.is_valid(at) {
                (last, in_a_row) = (Some(at as u32), 0);
                from[at] = last;
            } else if limit < 0 || in_a_row < limit {
                from[at] = last;
                in_a_row += 1;
            }
        }
    }
    take(items, &UInt32Array::from(from), None).expect("places of elements")
}

/// Text with its bytes in one buffer; anything else as it is.
pub(super) fn compacted(items: &ArrayRef) -> ArrayRef {
    match items.data_type() {
        DataType::Utf8View if items.as_string_view().data_buffers().len() > 1 => Arc::new(items.as_string_view().gc()),
        DataType::BinaryView if items.as_binary_view().data_buffers().len() > 1 => Arc::new(items.as_binary_view().gc()),
        _ => items.clone(),
    }
}

/// Pieces as one array, put together on up to `threads` threads.
pub(super) fn joined(threads: usize, types: &Types, element: TyId, pieces: &[ArrayRef]) -> ArrayRef {
    let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
    match pieces.len() {
        0 => no_values(types, element),
        _ => compacted(&concat_on(threads, &pieces)),
    }
}
