//! `seq.if` over vectors: each branch is computed for the rows that take it, and for no other.

use super::Interpreter;
use super::select::{choose, place};
use crate::data::{RunContext, Selection, Vector};
use airloom_ir::oracle::Stop;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::compute::prep_null_mask_filter;

/// The condition comes first, then what both branches capture.
pub(super) fn apply(
    context: &RunContext,
    types: &Types,
    ty: TyId,
    branches: &[Interpreter],
    args: &[Vector],
    rows: usize,
) -> Result<Vector, Stop> {
    let captures = &args[1..];
    let condition = match &args[0] {
        Vector::Constant(value) => return branches[usize::from(*value != Value::Bool(true))].one(context, captures, rows),
        Vector::Flat(array) => array.as_boolean(),
        Vector::Row(_) => panic!("invariant `values have their node's type`: a condition is a boolean"),
    };
    // Null is not true.
    let condition = if condition.null_count() > 0 { prep_null_mask_filter(condition) } else { condition.clone() };
    let taken = condition.true_count();
    if taken == rows || taken == 0 {
        return branches[usize::from(taken == 0)].one(context, captures, rows);
    }
    let opposite = BooleanArray::new(!condition.values(), None);
    let branch = |at: usize, mask: &BooleanArray, count: usize| -> Result<Vector, Stop> {
        let rows = Selection::of_mask(mask);
        let own: Vec<Vector> = captures.iter().map(|vector| rows.vector(vector)).collect();
        Ok(place(types, ty, &branches[at].one(context, &own, count)?, mask, count))
    };
    let then = branch(0, &condition, taken)?;
    let otherwise = branch(1, &opposite, rows - taken)?;
    Ok(choose(types, ty, &condition, &then, &otherwise, rows))
}
