//! `seq.check` over vectors: the values, where the condition is true in every row.

use crate::data::Vector;
use airloom_ir::oracle::{Raised, Stop};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray};

/// Raises the message where the condition is false or null in one of the rows.
pub(super) fn apply(message: &str, condition: &Vector, value: &Vector, rows: usize) -> Result<Vector, Stop> {
    let holds = match condition {
        Vector::Constant(condition) => rows == 0 || *condition == Value::Bool(true),
        Vector::Flat(condition) => condition.null_count() == 0 && condition.as_boolean().true_count() == rows,
        Vector::Row(_) => panic!("invariant `values have their node's type`: a condition is a boolean"),
    };
    if holds { Ok(value.clone()) } else { Err(Stop::Raised(Raised::new(message))) }
}
