//! One scalar op over a batch: by a kernel where there is one, else by the oracle.

use super::{list, logic, number, temporal, text};
use crate::data::values::no_values;
use crate::data::{Vector, values_to_array};
use airloom_ir::attrs::{Attr, AttrType};
use airloom_ir::ops::nested::Nested;
use airloom_ir::ops::{Nulls, Op};
use airloom_ir::oracle::{self, Call, Stop};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef};
use arrow::buffer::NullBuffer;

/// What a scalar op makes of its arguments in every row.
pub struct KernelCall<'a> {
    /// Every type of the graph.
    pub types: &'a Types,
    /// The op.
    pub op: Op,
    /// Its attributes, in the order of the op table.
    pub attrs: &'a [Attr],
    /// Its arguments.
    pub args: &'a [Vector],
    /// Their types.
    pub arg_types: &'a [TyId],
    /// The type of the result.
    pub ty: TyId,
    /// How many rows there are.
    pub rows: usize,
}

/// The result in every row, or the error of the first row that raises. An array of one axis, which `list.array` makes, is stored in a row as the list of its
/// elements.
pub fn apply(call: &KernelCall<'_>) -> Result<Vector, Stop> {
    if call.rows == 0 {
        return Ok(Vector::Flat(no_values(call.types, call.result_column())));
    }
    if call.args.iter().all(|arg| matches!(arg, Vector::Constant(_))) {
        return call.oracle(0).map(Vector::Constant);
    }
    if call.op.def().nulls == Nulls::Propagate && call.args.iter().any(|arg| matches!(arg, Vector::Constant(Value::Null))) {
        return Ok(Vector::Constant(Value::Null));
    }
    let fast = match call.op {
        Op::Number(op) => number::fast(op, call),
        Op::Logic(op) => logic::fast(op, call),
        Op::Text(op) => text::fast(op, call),
        Op::Temporal(op) => temporal::fast(op, call),
        Op::Nested(op) => list::fast(op, call),
        _ => None,
    };
    match fast {
        Some(row) => Ok(row),
        None => call.by_rows(),
    }
}

impl KernelCall<'_> {
    /// An attribute by its position in the op table.
    pub(super) fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    /// The type of an argument without `?` and dictionary encoding.
    pub(super) fn plain(&self, at: usize) -> &Ty {
        self.types.plain(self.arg_types[at])
    }

    /// The type of the result without `?` and dictionary encoding.
    pub(super) fn plain_result(&self) -> &Ty {
        self.types.plain(self.ty)
    }

    /// An argument that differs from row to row.
    pub(super) fn many(&self, at: usize) -> Option<&ArrayRef> {
        match &self.args[at] {
            Vector::Flat(array) => Some(array),
            _ => None,
        }
    }

    /// An argument as an array, repeated where it is one value.
    pub(super) fn array(&self, at: usize) -> ArrayRef {
        self.args[at].to_array(self.types, self.arg_types[at], self.rows)
    }

    /// Where no argument is null: what an op that propagates nulls gives a value for.
    pub(super) fn nulls(&self) -> Option<NullBuffer> {
        let mut all: Option<NullBuffer> = None;
        for arg in self.args {
            if let Vector::Flat(array) = arg {
                all = NullBuffer::union(all.as_ref(), array.nulls());
            }
        }
        all
    }

    /// The result in one row, by the oracle.
    pub(super) fn oracle(&self, row: usize) -> Result<Value, Stop> {
        let args: Vec<Value> = self.args.iter().zip(self.arg_types).map(|(arg, &ty)| arg.value(self.types, ty, row)).collect();
        oracle::apply(self.op, &Call::plain(self.types, self.attrs, &args, self.arg_types, self.ty))
    }

    /// The result row by row, by the oracle.
    pub(super) fn by_rows(&self) -> Result<Vector, Stop> {
        let values = (0..self.rows).map(|row| self.oracle(row).map(array_to_list)).collect::<Result<Vec<Value>, Stop>>()?;
        Ok(Vector::Flat(values_to_array(self.types, self.result_column(), &values)))
    }

    /// A result that is the same in every row.
    pub(super) fn one(value: Value) -> Option<Vector> {
        Some(Vector::Constant(value))
    }

    /// The type by which the result is stored in a column.
    fn result_column(&self) -> TyId {
        if self.op == Op::Nested(Nested::Array) { self.types.strip(self.arg_types[0]) } else { self.ty }
    }
}

fn array_to_list(value: Value) -> Value {
    match value {
        Value::Arr(array) => Value::List(array.items.as_slice().into()),
        other => other,
    }
}
