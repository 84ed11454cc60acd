//! One application of an op: what it is given.

use super::machine::Machine;
use super::stop::{Raised, Stop};
use crate::attrs::{Attr, AttrType};
use crate::graph::NodeId;
use crate::name::Name;
use crate::types::{Fields, Ty, TyId, Types};
use crate::value::{Array, Table, Value};
use std::sync::Arc;

/// The arguments of an op, with everything that says how to read them.
pub struct Call<'a> {
    /// Every type of the graph.
    pub types: &'a Types,
    /// The attributes, in the order of the op table.
    pub attrs: &'a [Attr],
    /// The arguments: fixed ones, then the rest. Never null where the op propagates nulls.
    pub args: &'a [Value],
    /// Their types.
    pub arg_types: &'a [TyId],
    /// The type of the result.
    pub ty: TyId,
    pub(super) bodies: &'a [NodeId],
    pub(super) captures: &'a [Value],
    pub(super) machine: Option<&'a Machine<'a>>,
}

impl<'a> Call<'a> {
    /// A call of an op that has no bodies: for folding.
    pub fn plain(types: &'a Types, attrs: &'a [Attr], args: &'a [Value], arg_types: &'a [TyId], ty: TyId) -> Call<'a> {
        Call { types, attrs, args, arg_types, ty, bodies: &[], captures: &[], machine: None }
    }

    /// Runs a body on its own arguments; what it captures is added here.
    pub(super) fn run(&self, body: usize, own: &[Value]) -> Result<Value, Stop> {
        let machine = self.machine()?;
        let args: Vec<Value> = own.iter().chain(self.captures).cloned().collect();
        machine.run(self.bodies[body], &args)
    }

    pub(super) fn machine(&self) -> Result<&'a Machine<'a>, Stop> {
        self.machine.ok_or_else(|| Raised::new("this needs a whole program to run in").into())
    }

    /// Counts work that is about to be done, so that a loop without end ends.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Stop> {
        self.machine.map_or(Ok(()), |m| m.spend(steps as u64))
    }

    /// An attribute by its position in the op table.
    pub(super) fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    /// The type of an argument without `?` and dictionary encoding.
    pub(super) fn plain_type(&self, at: usize) -> &'a Ty {
        self.types.plain(self.arg_types[at])
    }

    /// The type of the result without `?` and dictionary encoding.
    pub(super) fn plain_result(&self) -> &'a Ty {
        self.types.plain(self.ty)
    }

    /// A boolean; null is not true.
    pub(super) fn truth(&self, at: usize) -> bool {
        matches!(self.args[at], Value::Bool(true))
    }

    /// An integer, or the count behind a date, time, duration, decimal or category.
    pub(super) fn int(&self, at: usize) -> i128 {
        as_int(&self.args[at])
    }

    /// A count or a position: an `i64`.
    pub(super) fn i64(&self, at: usize) -> i64 {
        as_int(&self.args[at]) as i64
    }

    /// A text.
    pub(super) fn str(&self, at: usize) -> &'a str {
        match &self.args[at] {
            Value::Str(s) => s,
            other => mismatch("text", other),
        }
    }

    /// A list's elements.
    pub(super) fn list(&self, at: usize) -> &'a [Value] {
        match &self.args[at] {
            Value::List(items) => items,
            other => mismatch("a list", other),
        }
    }

    /// A relation.
    pub(super) fn table(&self, at: usize) -> &'a Arc<Table> {
        match &self.args[at] {
            Value::Rel(table) => table,
            other => mismatch("a relation", other),
        }
    }

    /// The fields of a relation.
    pub(super) fn fields(&self, at: usize) -> &'a Fields {
        match self.types.get(self.arg_types[at]) {
            Ty::Rel(fields) | Ty::Struct(fields) => fields,
            _ => unreachable!("the type rule wants a relation here"),
        }
    }

    /// An array.
    pub(super) fn array(&self, at: usize) -> &'a Arc<Array> {
        match &self.args[at] {
            Value::Arr(array) => array,
            other => mismatch("an array", other),
        }
    }

    /// The element type of an array.
    pub(super) fn element(&self, at: usize) -> TyId {
        match self.types.get(self.arg_types[at]) {
            Ty::Arr(element, _) => *element,
            _ => unreachable!("the type rule wants an array here"),
        }
    }
}

/// The fields of a struct value.
pub(super) fn as_struct(value: &Value) -> &Arc<[Value]> {
    match value {
        Value::Struct(fields) => fields,
        other => mismatch("a struct", other),
    }
}

/// The number of a value.
pub(super) fn as_int(value: &Value) -> i128 {
    match value {
        Value::Int(i) => *i,
        other => mismatch("an integer", other),
    }
}

/// The elements of an array value.
pub(super) fn as_array(value: &Value) -> &Arc<Array> {
    match value {
        Value::Arr(array) => array,
        other => mismatch("an array", other),
    }
}

/// A value that is not of the type of its node: the type rules or an op's definition are broken.
pub(super) fn mismatch(expected: &str, found: &Value) -> ! {
    panic!("invariant `values have their node's type`: expected {expected}, found {found:?}")
}

/// The position of a field.
pub(super) fn position(fields: &Fields, name: &Name) -> usize {
    fields.position(name).expect("the type rule found the field")
}
