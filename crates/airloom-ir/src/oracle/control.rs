//! What loops and branches mean.

use super::array::shape::{extent, room, visits};
use super::array::{gathered, tabulate};
use super::call::{Call, as_int};
use super::pairwise::pairwise;
use super::stop::{Raised, Stop, raise};
use crate::attrs::FoldOrder;
use crate::name::Name;
use crate::ops::control::Control;
use crate::value::Value;

pub(super) fn apply(op: Control, call: &Call<'_>) -> Result<Value, Stop> {
    match op {
        Control::Tabulate => {
            let shape = gathered(call, 0)?;
            let mut items = Vec::with_capacity(room(call, &shape)?);
            tabulate(call, &shape, |element| {
                items.push(element);
                Ok(())
            })?;
            Ok(Value::nd(shape, items))
        }
        Control::ParReduce if call.attr::<FoldOrder>(0) == FoldOrder::Pairwise => {
            let shape = gathered(call, 1)?;
            let mut items = Vec::with_capacity(room(call, &shape)?);
            tabulate(call, &shape, |element| {
                items.push(element);
                Ok(())
            })?;
            match pairwise(&items, &mut |left, right| call.run(1, &[left.clone(), right.clone()]))? {
                Some(total) => call.run(1, &[call.args[0].clone(), total]),
                None => Ok(call.args[0].clone()),
            }
        }
        Control::ParReduce => {
            let shape = gathered(call, 1)?;
            let mut so_far = call.args[0].clone();
            tabulate(call, &shape, |element| {
                so_far = call.run(1, &[so_far.clone(), element])?;
                Ok(())
            })?;
            Ok(so_far)
        }
        Control::Scan => {
            let mut so_far = call.args[0].clone();
            let shape = [extent(call.i64(1))?];
            let mut items = Vec::with_capacity(room(call, &shape)?);
            tabulate(call, &shape, |element| {
                so_far = call.run(1, &[so_far.clone(), element])?;
                items.push(so_far.clone());
                Ok(())
            })?;
            Ok(Value::arr(items))
        }
        Control::Scatter => scatter(call),
        Control::Compact => compact(call),
        Control::If => call.run(if call.truth(0) { 0 } else { 1 }, &[]),
        Control::While => {
            let mut state = call.args[0].clone();
            while is_true(&call.run(0, std::slice::from_ref(&state))?) {
                call.spend(1)?;
                state = call.run(1, std::slice::from_ref(&state))?;
            }
            Ok(state)
        }
        Control::For => {
            let (start, stop, step) = (call.int(1), call.int(2), call.int(3));
            let mut state = call.args[0].clone();
            for turn in 0..turns(start, stop, step)? {
                call.spend(1)?;
                state = call.run(0, &[Value::Int(start + turn * step), state])?;
            }
            Ok(state)
        }
        Control::Check if call.truth(0) => Ok(call.args[1].clone()),
        Control::Check => raise(call.attr::<Name>(0).to_string()),
    }
}

/// How many numbers Python's `range(start, stop, step)` has.
pub fn turns(start: i128, stop: i128, step: i128) -> Result<i128, Raised> {
    match step {
        0 => raise("the step of a loop must not be zero"),
        1.. => Ok((stop - start + step - 1).div_euclid(step).max(0)),
        _ => Ok((start - stop - step - 1).div_euclid(-step).max(0)),
    }
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Bool(true))
}

fn scatter(call: &Call<'_>) -> Result<Value, Stop> {
    let size = visits(call, &[extent(call.i64(1))?])?;
    let initial = call.array(0);
    call.spend(initial.items.len())?;
    let mut items = initial.items.clone();
    for at in 0..size {
        let index = [Value::Int(at as i128)];
        let place = as_int(&call.run(0, &index)?);
        let Some(old) = usize::try_from(place).ok().and_then(|place| items.get_mut(place)) else {
            return raise(format!("place {place} is outside the array of {} elements", initial.items.len()));
        };
        let value = call.run(1, &index)?;
        *old = call.run(2, &[old.clone(), value])?;
    }
    Ok(Value::arr(items))
}

fn compact(call: &Call<'_>) -> Result<Value, Stop> {
    let size = visits(call, &[extent(call.i64(0))?])?;
    let mut items = Vec::new();
    for at in 0..size {
        let index = [Value::Int(at as i128)];
        if is_true(&call.run(0, &index)?) {
            items.push(call.run(1, &index)?);
        }
    }
    Ok(Value::arr(items))
}
