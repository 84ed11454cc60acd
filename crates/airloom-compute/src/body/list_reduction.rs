//! Reductions of the list that each row has.

use crate::data::values::no_values;
use crate::data::{Vector, values_to_array};
use crate::reduce::ReductionSpec;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::oracle::{Raised, Stop};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray};
use std::ops::Range;
use std::sync::Arc;

/// What a reduction makes of the list in each row; a null is a list of nothing. By the oracle where there is no loop for it, or where a row raises.
pub(super) fn apply(graph: &Arc<Graph>, node: NodeId, lists: &Vector, ty: TyId, rows: usize) -> Result<Vector, Stop> {
    let types = graph.types();
    let Ty::List(element) = types.plain(ty) else { panic!("invariant `the array of a list is made of a list`") };
    let missing = || Stop::Raised(Raised::new("the program is not bound: the value of a placeholder is missing"));
    let rest = graph.args(node)[1..].iter().map(|&arg| graph.const_value(arg).cloned().ok_or_else(missing)).collect::<Result<_, _>>()?;
    let reduction = ReductionSpec::of_node(graph, node, *element, rest).expect("it is a reduction");
    let by_oracle = |list: Value| match list {
        Value::List(items) => reduction.oracle(types, items.to_vec()),
        _ => reduction.oracle(types, Vec::new()),
    };
    if let Vector::Constant(list) = lists {
        return by_oracle(list.clone()).map(Vector::Constant);
    }
    if rows == 0 {
        return Ok(Vector::Flat(no_values(types, graph.ty_id(node))));
    }
    let array = lists.to_array(types, ty, rows);
    if let Some(made) = elements(&array).and_then(|(items, runs)| reduction.reduce_runs(graph, &items, &runs, 1)) {
        return Ok(Vector::Flat(made));
    }
    let values = (0..rows).map(|row| by_oracle(lists.value(types, ty, row))).collect::<Result<Vec<Value>, Stop>>()?;
    Ok(Vector::Flat(values_to_array(types, graph.ty_id(node), &values)))
}

/// The elements of all lists, and where those of each row are. The rows may be a few of many: elements of other rows are not looked at.
fn elements(lists: &ArrayRef) -> Option<(ArrayRef, Vec<Range<usize>>)> {
    let lists = lists.as_list_opt::<i64>()?;
    let offsets = lists.offsets();
    let (first, last) = (offsets[0] as usize, offsets[lists.len()] as usize);
    let run = |row: usize| {
        let start = offsets[row] as usize - first;
        // Whatever a null spans, there is nothing in it.
        start..if lists.is_null(row) { start } else { offsets[row + 1] as usize - first }
    };
    Some((lists.values().slice(first, last - first), (0..lists.len()).map(run).collect()))
}
