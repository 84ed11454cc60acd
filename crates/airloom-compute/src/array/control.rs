//! Loops and branches. Elements are computed many at a time, as vectors; where one of them raises, its chunk is done again one by one, so that what comes first
//! raises.

use super::call::{ArrayCall, datum_to_value, value_to_datum};
use super::combine::Combiner;
use super::element_loop::Own;
use super::fill::filled;
use super::fold;
use super::make::{CHUNK, joined, numbers};
use super::shape::{extents, room};
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::data::values::{array_to_values, no_values};
use crate::data::{Datum, Failure, NdArray, Vector, values_to_array};
use crate::reduce::Number;
use airloom_ir::attrs::FoldOrder;
use airloom_ir::ops::control::Control;
use airloom_ir::oracle::Raised;
use airloom_ir::oracle::formula::{advance, extent, pairwise, places, turns};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::datatypes::Int64Type;
use std::sync::Arc;

pub(super) fn control(op: Control, call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    match op {
        Control::Tabulate => tabulate(call),
        Control::ParReduce => reduce(call),
        Control::Scan => scan(call),
        Control::Scatter => scatter(call),
        Control::Compact => compact(call),
        Control::If => call.once(if is_true(&call.args[0]) { 0 } else { 1 }, &[]),
        Control::While => {
            let mut state = call.args[0].clone();
            while is_true(&call.once(0, std::slice::from_ref(&state))?) {
                call.run.check()?;
                state = call.once(1, std::slice::from_ref(&state))?;
            }
            Ok(state)
        }
        Control::For => {
            let number = |at: usize| if let Datum::Value(Value::Int(number)) = &call.args[at] { *number } else { 0 };
            let (start, step) = (number(1), number(3));
            let mut state = call.args[0].clone();
            for turn in 0..turns(start, number(2), step)? {
                call.run.check()?;
                state = call.once(0, &[Datum::Value(Value::Int(start + turn * step)), state])?;
            }
            Ok(state)
        }
        Control::Check if is_true(&call.args[0]) => Ok(call.args[1].clone()),
        Control::Check => call.oracle(),
    }
}

fn is_true(datum: &Datum) -> bool {
    matches!(datum, Datum::Value(Value::Bool(true)))
}

/// Whether values of a type can be the rows of a vector.
fn is_held_in_vectors(types: &Types, ty: TyId) -> bool {
    match types.get(ty) {
        Ty::Tuple(parts) => parts.iter().all(|&part| is_held_in_vectors(types, part)),
        _ => types.is_value(ty),
    }
}

/// The positions of a shape, from position `from` on, as a column for each axis.
pub(super) fn index_columns(shape: &[usize], from: usize, count: usize) -> Vec<Vector> {
    if shape.len() == 1 {
        return vec![Vector::Flat(numbers(from, from + count))];
    }
    let mut place = vec![0; shape.len()];
    let mut rest = from;
    for (at, &extent) in place.iter_mut().zip(shape).rev() {
        (*at, rest) = (rest % extent, rest / extent);
    }
    let mut columns: Vec<Vec<i64>> = vec![Vec::with_capacity(count); shape.len()];
    for _ in 0..count {
        columns.iter_mut().zip(&place).for_each(|(column, &at)| column.push(at as i64));
        advance(&mut place, shape);
    }
    columns.into_iter().map(|column| Vector::Flat(Arc::new(Int64Array::from(column)) as ArrayRef)).collect()
}

/// One row of index columns, as the parameters of a body that runs once.
fn index_at(columns: &[Vector], row: usize) -> Vec<Datum> {
    let number = |column: &Vector| match column {
        Vector::Flat(array) => array.as_primitive::<Int64Type>().value(row),
        _ => unreachable!("index columns are arrays"),
    };
    columns.iter().map(|column| Datum::Value(Value::int(number(column)))).collect()
}

fn tabulate(call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    let shape = extents(&call.gathered(0))?;
    let size = room(&shape)?;
    let items = filled(call, call.result_of(0), &Own::Indices(shape.clone()), size)?;
    Ok(Datum::Array(NdArray { items, shape }))
}

/// The positions of a shape, chunk by chunk.
fn each_chunk(call: &ArrayCall<'_>, shape: &[usize], mut take: impl FnMut(Chunk<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
    let size = places(shape);
    let mut from = 0;
    while from < size {
        call.run.check()?;
        let count = CHUNK.min(size - from);
        take(Chunk { call, columns: index_columns(shape, from, count), count })?;
        from += count;
    }
    Ok(())
}

/// Some positions, as a column for each axis.
struct Chunk<'a> {
    call: &'a ArrayCall<'a>,
    columns: Vec<Vector>,
    count: usize,
}

impl Chunk<'_> {
    /// What a body makes of every position; `None` where that cannot be a vector, or where a row raises.
    fn rows(&self, body: usize) -> Option<Vector> {
        if !is_held_in_vectors(self.call.types, self.call.result_of(body)) {
            return None;
        }
        self.call.rows(body, &self.columns, self.count).ok()
    }

    /// What a body makes of one position, which may be known already.
    fn element(&self, body: usize, row: usize, known: Option<&Vector>) -> Result<Datum, Failure> {
        let (call, ty) = (self.call, self.call.result_of(body));
        match known {
            Some(elements) => Ok(value_to_datum(call.types, ty, elements.value(call.types, ty, row))),
            None => call.once(body, &index_at(&self.columns, row)),
        }
    }
}

fn reduce(call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    let shape = extents(&call.gathered(1))?;
    let (ty, by_halves) = (call.arg_types[0], call.attr::<FoldOrder>(0) == FoldOrder::Pairwise);
    let size = room(&shape).ok().filter(|&size| size > 0);
    if let (Some(size), Datum::Value(initial)) = (size, &call.args[0]) {
        let own = Own::Indices(shape.clone());
        let fold = if by_halves { fold::by_halves } else { fold::in_rows };
        if let Some(folded) = fold(call, &own, size, initial, ty)? {
            return Ok(Datum::Value(folded));
        }
    }
    if by_halves { reduce_by_halves(call, &shape) } else { reduce_in_rows(call, &shape) }
}

/// Elements combined by halves, each by the body itself.
fn reduce_by_halves(call: &ArrayCall<'_>, shape: &[usize]) -> Result<Datum, Failure> {
    room(shape)?;
    let mut elements = Vec::new();
    each_chunk(call, shape, |chunk| {
        let known = chunk.rows(0);
        for row in 0..chunk.count {
            elements.push(chunk.element(0, row, known.as_ref())?);
        }
        Ok(())
    })?;
    match pairwise(&elements, &mut |left, right| call.once(1, &[left.clone(), right.clone()]))? {
        Some(total) => call.once(1, &[call.args[0].clone(), total]),
        None => Ok(call.args[0].clone()),
    }
}

/// Elements combined one after the other, row by row where they must.
fn reduce_in_rows(call: &ArrayCall<'_>, shape: &[usize]) -> Result<Datum, Failure> {
    let (ty, mut so_far) = (call.arg_types[0], call.args[0].clone());
    let combiner = Combiner::of(call, call.bodies[1], ty);
    each_chunk(call, shape, |chunk| {
        let elements = chunk.rows(0);
        if let (Some(combiner), Some(elements), Datum::Value(value)) = (combiner, &elements, &so_far) {
            let items = elements.to_array(call.types, ty, chunk.count);
            if let Some(folded) = combiner.fold(call.types.plain(ty), value, &items) {
                so_far = Datum::Value(folded);
                return Ok(());
            }
        }
        for row in 0..chunk.count {
            let element = chunk.element(0, row, elements.as_ref())?;
            so_far = call.once(1, &[so_far.clone(), element])?;
        }
        Ok(())
    })?;
    Ok(so_far)
}

fn scan(call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    let shape = [extent(call.int(1).unwrap_or_default())?];
    room(&shape)?;
    let (ty, mut so_far) = (call.arg_types[0], call.args[0].clone());
    let combiner = Combiner::of(call, call.bodies[1], ty);
    let mut chunks: Vec<ArrayRef> = Vec::new();
    each_chunk(call, &shape, |chunk| {
        let elements = chunk.rows(0);
        if let (Some(combiner), Some(elements), Datum::Value(value)) = (combiner, &elements, &so_far) {
            let items = elements.to_array(call.types, ty, chunk.count);
            if let Some((results, last)) = combiner.scan(call, ty, value, &items) {
                chunks.push(results);
                so_far = Datum::Value(last);
                return Ok(());
            }
        }
        let mut results = Vec::with_capacity(chunk.count);
        for row in 0..chunk.count {
            let element = chunk.element(0, row, elements.as_ref())?;
            so_far = call.once(1, &[so_far.clone(), element])?;
            results.push(datum_to_value(call.types, ty, &so_far));
        }
        chunks.push(values_to_array(call.types, ty, &results));
        Ok(())
    })?;
    Ok(Datum::Array(NdArray::flat(joined(call, ty, chunks))))
}

/// A position in an array of `count` elements.
fn place_in(place: i64, count: usize) -> Result<usize, Failure> {
    match usize::try_from(place) {
        Ok(place) if place < count => Ok(place),
        _ => Err(Raised::new(format!("place {place} is outside the array of {count} elements")).into()),
    }
}

fn scatter(call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    let shape = [extent(call.int(1).unwrap_or_default())?];
    let (initial, element) = (call.array(0).items, call.element(0));
    let combiner = Combiner::of(call, call.bodies[2], element).filter(|combiner| !matches!(combiner, Combiner::And | Combiner::Or));
    if let (Some(combiner), Some(width)) = (combiner, Width::of(call.types.plain(element))) {
        return by_width!(width, N => scatter_numbers::<N>(call, combiner, &shape, &initial));
    }
    let mut items: Vec<Value> = array_to_values(call.types, element, &initial);
    each_chunk(call, &shape, |chunk| {
        let (places, values) = (chunk.rows(0), chunk.rows(1));
        for row in 0..chunk.count {
            let place = place_in(as_place(chunk.element(0, row, places.as_ref())?), items.len())?;
            let value = chunk.element(1, row, values.as_ref())?;
            let old = value_to_datum(call.types, element, items[place].clone());
            items[place] = datum_to_value(call.types, element, &call.once(2, &[old, value])?);
        }
        Ok(())
    })?;
    Ok(Datum::Array(NdArray::flat(values_to_array(call.types, element, &items))))
}

fn as_place(datum: Datum) -> i64 {
    match datum {
        Datum::Value(Value::Int(place)) => place as i64,
        other => panic!("invariant `values have their node's type`: a place is an integer, not {other:?}"),
    }
}

/// Numbers combined in place by an op.
fn scatter_numbers<N: Number>(call: &ArrayCall<'_>, combiner: Combiner, shape: &[usize], initial: &ArrayRef) -> Result<Datum, Failure> {
    let element = call.element(0);
    let mut items = N::numbers(initial).expect("invariant `columns hold values`: the elements have the width of their type").to_vec();
    each_chunk(call, shape, |chunk| {
        let (places, values) = (chunk.rows(0), chunk.rows(1));
        if let (Some(places), Some(values)) = (&places, &values) {
            let places = places.to_array(call.types, TyId::I64, chunk.count);
            let values = values.to_array(call.types, element, chunk.count);
            if let (Some(places), Some(values)) = (i64::numbers(&places), N::numbers(&values)) {
                for (&place, &value) in places.iter().zip(values.iter()) {
                    let place = place_in(place, items.len())?;
                    items[place] = combiner.apply(items[place], value);
                }
                return Ok(());
            }
        }
        for row in 0..chunk.count {
            let place = place_in(as_place(chunk.element(0, row, places.as_ref())?), items.len())?;
            let value = datum_to_value(call.types, element, &chunk.element(1, row, values.as_ref())?);
            let value = N::of(&value).expect("invariant `values have their node's type`: the value is a number");
            items[place] = combiner.apply(items[place], value);
        }
        Ok(())
    })?;
    Ok(Datum::Array(NdArray::flat(numbers_to_array(call.types, element, items, None))))
}

fn compact(call: &ArrayCall<'_>) -> Result<Datum, Failure> {
    let shape = [extent(call.int(0).unwrap_or_default())?];
    let element = call.result_of(1);
    let mut chunks: Vec<ArrayRef> = Vec::new();
    each_chunk(call, &shape, |chunk| {
        if let Some(kept) = compacted(&chunk, element) {
            chunks.push(kept);
            return Ok(());
        }
        let mut values = Vec::new();
        for row in 0..chunk.count {
            if is_true(&chunk.element(0, row, None)?) {
                values.push(datum_to_value(call.types, element, &chunk.element(1, row, None)?));
            }
        }
        chunks.push(values_to_array(call.types, element, &values));
        Ok(())
    })?;
    Ok(Datum::Array(NdArray::flat(joined(call, element, chunks))))
}

/// The values at the positions that are kept; `None` where a row raises.
fn compacted(chunk: &Chunk<'_>, element: TyId) -> Option<ArrayRef> {
    let call = chunk.call;
    let kept = chunk.rows(0)?.to_array(call.types, TyId::BOOL, chunk.count);
    let Vector::Flat(places) = &chunk.columns[0] else { return None };
    let places = arrow::compute::filter(places, kept.as_boolean_opt()?).ok()?;
    let count = places.len();
    if count == 0 {
        return Some(no_values(call.types, element));
    }
    Some(call.rows(1, &[Vector::Flat(places)], count).ok()?.to_array(call.types, element, count))
}
