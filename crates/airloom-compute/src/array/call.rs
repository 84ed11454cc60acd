//! One array op: what it is given, and which module does it.

use super::sequence::{Carried, GroupsInPlace};
use super::{contract, control, make, place, reduce, sequence};
use crate::body::BoundProgram;
use crate::data::nd::element_of;
use crate::data::{Datum, Failure, NdArray, Vector};
use airloom_ir::attrs::{Attr, AttrType};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::oracle::{self, Call};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::ArrayRef;
use std::sync::Arc;

/// Runs the bodies of array ops.
pub trait Bodies {
    /// A body over `rows` rows at once: its own parameters, then the captures.
    fn rows(&self, body: NodeId, own: &[Vector], captures: &[Datum], rows: usize) -> Result<Vector, Failure>;
    /// A body once, on whole data.
    fn once(&self, body: NodeId, own: &[Datum], captures: &[Datum]) -> Result<Datum, Failure>;
    /// A program of some nodes of a body from others, which any thread may run; `None` where bodies are not computed so.
    fn program(&self, given: &[NodeId], roots: &[NodeId]) -> Option<BoundProgram> {
        let _ = (given, roots);
        None
    }
    /// May be asked often: ends the run when the user has cancelled it.
    fn check(&self) -> Result<(), Failure>;
    /// Counts steps that are about to be taken: ends the run where there are too many, and when the user has cancelled it.
    fn spend(&self, steps: u64) -> Result<(), Failure> {
        let _ = steps;
        self.check()
    }
    /// On how many threads an op may work at once.
    fn threads(&self) -> usize {
        1
    }
}

/// What a node of the families array, reduce, sequence and control makes of its arguments: the fixed ones, then the rest.
pub fn apply(
    graph: &Arc<Graph>,
    node: NodeId,
    args: &[Datum],
    bodies: &[NodeId],
    captures: &[Datum],
    run: &dyn Bodies,
) -> Result<Datum, Failure> {
    let call = &ArrayCall::new(graph, node, args, bodies, captures, run);
    let native = match call.op {
        Op::Array(op) => make_or_place(op, call),
        Op::Reduce(_) => Ok(reduce::reduce(call)),
        Op::Sequence(op) => sequence::sequence(op, call),
        Op::Control(op) => control::control(op, call).map(Some),
        other => panic!("invariant `array ops are of four families`: found `{}`", other.name()),
    };
    match native? {
        Some(datum) => Ok(datum),
        None => call.oracle(),
    }
}

/// What a running op makes of a piece of an array, after the pieces before it; nothing where it can do so only with the whole array.
pub fn onward(graph: &Arc<Graph>, node: NodeId, args: &[Datum], run: &dyn Bodies, carried: &mut Carried) -> Option<ArrayRef> {
    let Op::Sequence(op) = graph.op(node) else { return None };
    let call = ArrayCall::new(graph, node, args, &[], &[], run);
    sequence::onward(op, &call, &call.array(0).items, carried)
}

/// What an op makes of groups whose rows lie among each other, each group by itself and every row at its place; nothing where it must see the rows of a group one
/// after the other.
pub fn in_groups(graph: &Arc<Graph>, node: NodeId, args: &[Datum], run: &dyn Bodies, groups: GroupsInPlace<'_>) -> Option<ArrayRef> {
    let Op::Sequence(op) = graph.op(node) else { return None };
    let call = ArrayCall::new(graph, node, args, &[], &[], run);
    sequence::in_groups(op, &call, &call.array(0).items, groups)
}

fn make_or_place(op: airloom_ir::ops::array::Array, call: &ArrayCall<'_>) -> Result<Option<Datum>, Failure> {
    use airloom_ir::ops::array::Array;
    Ok(match op {
        Array::Of => make::of(call),
        Array::Fill => make::fill(call),
        Array::Iota => make::iota(call),
        Array::Dim => make::dim(call),
        Array::Broadcast => make::broadcast(call),
        Array::Map => return make::map(call).map(Some),
        Array::Slice => place::slice(call),
        Array::Reshape => place::reshape(call),
        Array::Transpose => place::transpose(call),
        Array::Concat => place::concat(call),
        Array::At => place::at(call),
        Array::Put => None,
        Array::Contract => return contract::contract(call),
        Array::Take => place::take(call),
    })
}

/// The arguments of an array op, with everything that says how to read them.
pub(super) struct ArrayCall<'a> {
    pub(super) graph: &'a Arc<Graph>,
    pub(super) node: NodeId,
    pub(super) types: &'a Types,
    pub(super) attrs: &'a [Attr],
    pub(super) ty: TyId,
    pub(super) op: Op,
    pub(super) args: &'a [Datum],
    pub(super) arg_types: Vec<TyId>,
    pub(super) bodies: &'a [NodeId],
    pub(super) captures: &'a [Datum],
    pub(super) run: &'a dyn Bodies,
}

impl<'a> ArrayCall<'a> {
    fn new(
        graph: &'a Arc<Graph>,
        node: NodeId,
        args: &'a [Datum],
        bodies: &'a [NodeId],
        captures: &'a [Datum],
        run: &'a dyn Bodies,
    ) -> ArrayCall<'a> {
        let parts = graph.op(node).def().parts(graph.args(node)).expect("a node has the arguments its op takes");
        let ids = if bodies.is_empty() { graph.args(node) } else { parts.fixed };
        let arg_types = ids.iter().map(|&id| graph.ty_id(id)).collect();
        let (types, attrs, ty, op) = (graph.types(), graph.node(node).attrs(), graph.ty_id(node), graph.op(node));
        ArrayCall { graph, node, types, attrs, ty, op, args, arg_types, bodies, captures, run }
    }

    /// An attribute by its position in the op table.
    pub(super) fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    /// An argument that is an array.
    pub(super) fn array(&self, at: usize) -> NdArray {
        datum_to_array(self.types, self.arg_types[at], &self.args[at])
    }

    /// The element type of an argument.
    pub(super) fn element(&self, at: usize) -> TyId {
        element_of(self.types, self.arg_types[at])
    }

    /// The element type of the result, or its type where it is no array.
    pub(super) fn result_element(&self) -> TyId {
        match self.types.get(self.ty) {
            Ty::Arr(element, _) => *element,
            _ => self.ty,
        }
    }

    /// An integer of the arguments; nothing where it is null.
    pub(super) fn int(&self, at: usize) -> Option<i64> {
        match &self.args[at] {
            Datum::Value(Value::Int(number)) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The parts of a variadic argument.
    pub(super) fn gathered(&self, at: usize) -> Vec<Datum> {
        match &self.args[at] {
            Datum::Parts(parts) => parts.to_vec(),
            Datum::Value(Value::Tuple(parts)) => parts.iter().cloned().map(Datum::Value).collect(),
            other => panic!("invariant `values have their node's type`: expected a tuple, found {other:?}"),
        }
    }

    /// The types of the parts of a variadic argument.
    pub(super) fn gathered_types(&self, at: usize) -> Vec<TyId> {
        match self.types.get(self.arg_types[at]) {
            Ty::Tuple(parts) => parts.clone(),
            other => panic!("invariant `values have their node's type`: expected a tuple, found {other:?}"),
        }
    }

    /// The type of what a body gives.
    pub(super) fn result_of(&self, body: usize) -> TyId {
        self.graph.ty_id(self.graph.result_of(self.bodies[body]))
    }

    /// A body on whole data.
    pub(super) fn once(&self, body: usize, own: &[Datum]) -> Result<Datum, Failure> {
        self.run.once(self.bodies[body], own, self.captures)
    }

    /// A body over vectors.
    pub(super) fn rows(&self, body: usize, own: &[Vector], rows: usize) -> Result<Vector, Failure> {
        self.run.rows(self.bodies[body], own, self.captures, rows)
    }

    /// The op by the oracle: for those without bodies.
    pub(super) fn oracle(&self) -> Result<Datum, Failure> {
        let args: Vec<Value> = self.args.iter().zip(&self.arg_types).map(|(arg, &ty)| datum_to_value(self.types, ty, arg)).collect();
        let value = oracle::apply(self.op, &Call::plain(self.types, self.attrs, &args, &self.arg_types, self.ty))?;
        Ok(value_to_datum(self.types, self.ty, value))
    }
}

fn datum_to_array(types: &Types, ty: TyId, datum: &Datum) -> NdArray {
    match datum {
        Datum::Array(array) => array.clone(),
        Datum::Value(Value::Arr(array)) => NdArray::from_value(types, element_of(types, ty), array),
        other => panic!("invariant `values have their node's type`: expected an array, found {other:?}"),
    }
}

/// A datum as a plain value.
///
/// # Panics
/// Of a relation: array ops take none.
pub fn datum_to_value(types: &Types, ty: TyId, datum: &Datum) -> Value {
    match (datum, types.get(ty)) {
        (Datum::Value(value), _) => value.clone(),
        (Datum::Array(array), _) => array.to_value(types, element_of(types, ty)),
        (Datum::Parts(parts), Ty::Tuple(tys)) => {
            Value::Tuple(parts.iter().zip(tys).map(|(part, &ty)| datum_to_value(types, ty, part)).collect())
        }
        (Datum::Parts(parts), Ty::Struct(fields)) => {
            Value::Struct(parts.iter().zip(fields.iter()).map(|(part, field)| datum_to_value(types, field.ty, part)).collect())
        }
        (Datum::Function(function), _) => Value::Func(*function),
        (Datum::Token, _) => Value::Token,
        (other, _) => panic!("invariant `array ops take no relations`: found {other:?}"),
    }
}

/// A plain value as a datum.
pub fn value_to_datum(types: &Types, ty: TyId, value: Value) -> Datum {
    match (value, types.get(ty)) {
        (Value::Arr(array), Ty::Arr(element, _)) => Datum::Array(NdArray::from_value(types, *element, &array)),
        (Value::Tuple(parts), Ty::Tuple(tys)) => {
            Datum::Parts(parts.iter().zip(tys).map(|(part, &ty)| value_to_datum(types, ty, part.clone())).collect())
        }
        (Value::Struct(parts), Ty::Struct(fields)) if !types.is_value(ty) => {
            Datum::Parts(parts.iter().zip(fields.iter()).map(|(part, field)| value_to_datum(types, field.ty, part.clone())).collect())
        }
        (value, _) => Datum::Value(value),
    }
}
