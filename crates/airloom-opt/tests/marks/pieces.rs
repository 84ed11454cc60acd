//! Values cut into contiguous pieces, and concatenated again.

use airloom_ir::value::{Array, Table, Value};
use std::ops::Range;
use std::sync::Arc;

/// How many rows a value has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    /// It has none: it goes whole to every piece.
    Without,
    /// This many.
    Of(usize),
    /// Its parts have different numbers: it cannot be cut.
    Unequal,
}

impl Rows {
    fn and(self, other: Rows) -> Rows {
        match (self, other) {
            (Rows::Without, rows) | (rows, Rows::Without) => rows,
            (left, right) if left == right => left,
            _ => Rows::Unequal,
        }
    }
}

/// The rows of a relation, the extent of the first axis of an array, what the parts of a tuple or struct agree on.
pub(crate) fn rows<'v>(values: impl IntoIterator<Item = &'v Value>) -> Rows {
    let of = |value: &Value| match value {
        Value::Rel(table) => Rows::Of(table.rows.len()),
        Value::Arr(array) => array.shape.first().map_or(Rows::Without, |&extent| Rows::Of(extent)),
        Value::Tuple(parts) | Value::Struct(parts) => rows(parts.iter()),
        _ => Rows::Without,
    };
    values.into_iter().map(of).fold(Rows::Without, Rows::and)
}

/// These rows of a value; a value without rows is given whole.
pub(crate) fn cut(value: &Value, at: Range<usize>) -> Value {
    chosen(value, &at.collect::<Vec<_>>())
}

/// The rows of a value at these positions.
pub(crate) fn chosen(value: &Value, positions: &[usize]) -> Value {
    let parts = |parts: &Arc<[Value]>| parts.iter().map(|part| chosen(part, positions)).collect();
    match value {
        Value::Rel(table) => Value::rel(table.width, positions.iter().map(|&at| table.rows[at].clone()).collect()),
        Value::Arr(array) if !array.shape.is_empty() => {
            let width: usize = array.shape[1..].iter().product();
            let items = positions.iter().flat_map(|&at| array.items[at * width..(at + 1) * width].iter().cloned()).collect();
            let shape = [&[positions.len()], &array.shape[1..]].concat();
            Value::nd(shape, items)
        }
        Value::Tuple(inner) => Value::Tuple(parts(inner)),
        Value::Struct(inner) => Value::Struct(parts(inner)),
        other => other.clone(),
    }
}

/// The values one after the other, of which there is at least one; those without rows must be equal. `None` where they do not go together.
pub(crate) fn join(values: &[Value]) -> Option<Value> {
    let parts = |of: fn(&Value) -> Option<&Arc<[Value]>>| -> Option<Arc<[Value]>> {
        let tuples: Vec<&Arc<[Value]>> = values.iter().map(of).collect::<Option<_>>()?;
        let column = |at: usize| tuples.iter().map(|tuple| tuple.get(at).cloned()).collect::<Option<Vec<Value>>>();
        (0..tuples[0].len()).map(|at| join(&column(at)?)).collect()
    };
    match &values[0] {
        Value::Rel(first) => {
            let tables: Vec<&Arc<Table>> =
                values.iter().map(|value| if let Value::Rel(table) = value { Some(table) } else { None }).collect::<Option<_>>()?;
            Some(Value::rel(first.width, tables.iter().flat_map(|table| table.rows.iter().cloned()).collect()))
        }
        Value::Arr(first) if !first.shape.is_empty() => {
            let arrays: Vec<&Arc<Array>> =
                values.iter().map(|value| if let Value::Arr(array) = value { Some(array) } else { None }).collect::<Option<_>>()?;
            let alike = arrays.iter().all(|array| array.shape.len() == first.shape.len() && array.shape[1..] == first.shape[1..]);
            let extent = arrays.iter().map(|array| array.shape[0]).sum();
            let items = arrays.iter().flat_map(|array| array.items.iter().cloned()).collect();
            alike.then(|| Value::nd([&[extent], &first.shape[1..]].concat(), items))
        }
        Value::Tuple(_) => parts(|value| if let Value::Tuple(inner) = value { Some(inner) } else { None }).map(Value::Tuple),
        Value::Struct(_) => parts(|value| if let Value::Struct(inner) = value { Some(inner) } else { None }).map(Value::Struct),
        first => values.iter().all(|value| value == first).then(|| first.clone()),
    }
}

/// Up to this many rows every way of cutting them is tried.
const ALL_WAYS: usize = 6;

/// Ways to cut `rows` rows into pieces that are not empty, two of them at least: all ways for few rows, else at every point, and into single rows.
pub(crate) fn ways(rows: usize) -> Vec<Vec<Range<usize>>> {
    let from_points = |points: &dyn Fn(usize) -> bool| {
        let bounds: Vec<usize> = [0].into_iter().chain((1..rows).filter(|&at| points(at))).chain([rows]).collect();
        bounds.windows(2).map(|pair| pair[0]..pair[1]).collect::<Vec<_>>()
    };
    if rows < 2 {
        return Vec::new();
    }
    if rows <= ALL_WAYS {
        return (1..1usize << (rows - 1)).map(|mask| from_points(&|at| mask >> (at - 1) & 1 == 1)).collect();
    }
    let twos = (1..rows).map(|point| from_points(&|at| at == point));
    twos.chain([from_points(&|_| true), from_points(&|at| at % 3 == 0)]).collect()
}
