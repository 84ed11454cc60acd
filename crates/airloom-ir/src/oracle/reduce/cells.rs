//! Arrays cut into the cells that are reduced, and which elements of a cell are taken.

use crate::attrs::Skip;
use crate::oracle::array::shape::{advance, room, strides};
use crate::oracle::call::Call;
use crate::oracle::stop::Stop;
use crate::types::Ty;
use crate::value::Value;

/// What `reduce` makes of each cell: of the whole array where `axes` names all or none, else of the elements along these axes at each position of the others.
pub(super) fn reduce(call: &Call<'_>, axes: &[i64], mut reduce: impl FnMut(&[&Value]) -> Result<Value, Stop>) -> Result<Value, Stop> {
    let array = call.array(0);
    call.spend(array.items.len())?;
    let goes = |axis: usize| axes.is_empty() || axes.contains(&(axis as i64));
    let left: Vec<usize> = (0..array.shape.len()).filter(|&axis| !goes(axis)).collect();
    if left.is_empty() {
        return reduce(&array.items.iter().collect::<Vec<_>>());
    }
    let shape: Vec<usize> = left.iter().map(|&axis| array.shape[axis]).collect();
    let count = room(call, &shape)?;
    let mut cells: Vec<Vec<&Value>> = vec![Vec::new(); count];
    let steps = strides(&shape);
    let mut place = vec![0; array.shape.len()];
    for item in &array.items {
        let cell: usize = left.iter().zip(&steps).map(|(&axis, step)| place[axis] * step).sum();
        cells[cell].push(item);
        advance(&mut place, &array.shape);
    }
    let items = cells.iter().map(|cell| reduce(cell)).collect::<Result<_, _>>()?;
    Ok(Value::nd(shape, items))
}

/// Whether `skip` passes over an element.
pub(in crate::oracle) fn passes_over(skip: Skip, value: &Value) -> bool {
    match skip {
        Skip::None => false,
        Skip::Null => value.is_null(),
        Skip::Nan => value.is_nan(),
        Skip::All => value.is_null() || value.is_nan(),
    }
}

/// The elements that are not passed over.
pub(super) fn kept<'v>(skip: Skip, cell: &[&'v Value]) -> Vec<&'v Value> {
    cell.iter().copied().filter(|value| !passes_over(skip, value)).collect()
}

/// The elements that are not passed over, or `None` where one of them is null and so makes the result null.
pub(super) fn taken<'v>(skip: Skip, cell: &[&'v Value]) -> Option<Vec<&'v Value>> {
    let kept = kept(skip, cell);
    if kept.iter().any(|value| value.is_null()) { None } else { Some(kept) }
}

/// The type of the elements, without `?` and dictionary encoding.
pub(super) fn element<'a>(call: &Call<'a>) -> &'a Ty {
    call.types.plain(call.element(0))
}
