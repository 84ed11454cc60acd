//! What the core ops mean.

use super::call::{Call, as_struct, position};
use super::stop::{Stop, raise};
use crate::attrs::Effect;
use crate::name::Name;
use crate::ops::core::Core;
use crate::types::{Fields, Ty};
use crate::value::Value;
use std::sync::Arc;

pub(super) fn apply(op: Core, call: &Call<'_>) -> Result<Value, Stop> {
    match op {
        Core::Const => Ok(call.attr(0)),
        Core::Param | Core::Lambda => unreachable!("the machine answers for parameters and functions"),
        Core::Placeholder => raise("the program is not bound: the value of a placeholder is missing"),
        Core::Hole => raise("the program is not finished: a body is still being written"),
        Core::Call => match &call.args[0] {
            Value::Func(function) => call.machine()?.run(*function, &call.args[1..]),
            other => super::call::mismatch("a function", other),
        },
        Core::Tuple => Ok(Value::Tuple(call.args.into())),
        Core::Item => match &call.args[0] {
            Value::Tuple(parts) => Ok(parts[call.attr::<i64>(0) as usize].clone()),
            other => super::call::mismatch("a tuple", other),
        },
        Core::Row => Ok(Value::Struct(call.args.into())),
        Core::Get => {
            let name: Name = call.attr(0);
            Ok(on_struct(call, |fields, values| values[position(fields, &name)].clone()))
        }
        Core::With => {
            let (base, changes) = (record(call, 0), record(call, 1));
            let (old, new) = (as_struct(&call.args[0]), as_struct(&call.args[1]));
            let replaced = base.names().zip(old.iter()).map(|(name, value)| changes.position(name).map_or(value, |at| &new[at]));
            let added = changes.names().zip(new.iter()).filter(|(name, _)| !base.contains(name)).map(|(_, value)| value);
            Ok(Value::Struct(replaced.chain(added).cloned().collect()))
        }
        Core::Pick => {
            let names: Arc<[Name]> = call.attr(0);
            Ok(on_struct(call, |fields, values| Value::Struct(names.iter().map(|n| values[position(fields, n)].clone()).collect())))
        }
        Core::Without => {
            let names: Arc<[Name]> = call.attr(0);
            Ok(on_struct(call, |fields, values| {
                let left = fields.names().zip(values).filter(|(name, _)| !names.contains(name));
                Value::Struct(left.map(|(_, value)| value.clone()).collect())
            }))
        }
        Core::Source => call.machine()?.source(&call.attr::<Name>(0), call.ty),
        Core::Token => Ok(Value::Token),
        Core::Host => {
            let effectful = call.attr::<Effect>(2) == Effect::Effectful;
            let own = if effectful { &call.args[1..] } else { call.args };
            let result = call.machine()?.host(&call.attr::<Name>(0), own)?;
            Ok(if effectful { Value::Tuple([Value::Token, result].into()) } else { result })
        }
    }
}

fn record<'a>(call: &Call<'a>, at: usize) -> &'a Fields {
    match call.types.get(call.types.strip(call.arg_types[at])) {
        Ty::Struct(fields) => fields,
        _ => unreachable!("the type rule wants a struct here"),
    }
}

/// What is made of a struct; of null, null.
fn on_struct(call: &Call<'_>, make: impl FnOnce(&Fields, &[Value]) -> Value) -> Value {
    match &call.args[0] {
        Value::Null => Value::Null,
        value => make(record(call, 0), as_struct(value)),
    }
}
