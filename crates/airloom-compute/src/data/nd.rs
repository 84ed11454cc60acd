//! Arrays of any number of axes over Arrow buffers, and everything else that a node of a running program can be.

use crate::data::values::{array_to_values, values_to_array};
use airloom_ir::graph::NodeId;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::{Array as PlainArray, Value};
use arrow::array::ArrayRef;
use std::sync::Arc;

/// An array: elements in row-major order, and the extent of each axis.
#[derive(Clone, Debug)]
pub struct NdArray {
    /// As many elements as the product of the extents.
    pub items: ArrayRef,
    /// The extents.
    pub shape: Vec<usize>,
}

impl NdArray {
    /// An array of one axis.
    pub fn flat(items: ArrayRef) -> NdArray {
        NdArray { shape: vec![items.len()], items }
    }

    /// From a plain value of an array type.
    pub fn from_value(types: &Types, element: TyId, array: &PlainArray) -> NdArray {
        NdArray { items: values_to_array(types, element, &array.items), shape: array.shape.clone() }
    }

    /// As a plain value.
    pub fn to_value(&self, types: &Types, element: TyId) -> Value {
        Value::nd(self.shape.clone(), array_to_values(types, element, &self.items))
    }
}

/// What a node is while a program runs.
#[derive(Clone, Debug)]
pub enum Datum {
    /// A single value: a scalar, a list, a struct of such.
    Value(Value),
    /// An array.
    Array(NdArray),
    /// A struct or tuple some of whose parts are not single values, part by part.
    Parts(Arc<[Datum]>),
    /// A relation that has been computed, or is about to be.
    Table(crate::data::Relation),
    /// A closed function of the graph.
    Function(NodeId),
    /// The order of effects.
    Token,
}

/// The element type of an array type.
pub fn element_of(types: &Types, ty: TyId) -> TyId {
    match types.get(ty) {
        Ty::Arr(element, _) => *element,
        other => panic!("invariant `values have their node's type`: expected an array, found {other:?}"),
    }
}

impl Datum {
    /// As a plain value, for the oracle.
    pub fn to_value(&self, types: &Types, ty: TyId) -> Value {
        match self {
            Datum::Value(value) => value.clone(),
            Datum::Array(array) => array.to_value(types, element_of(types, ty)),
            Datum::Parts(parts) => match types.get(ty) {
                Ty::Tuple(tys) => Value::Tuple(parts.iter().zip(tys).map(|(p, &t)| p.to_value(types, t)).collect()),
                Ty::Struct(fields) => Value::Struct(parts.iter().zip(fields.iter()).map(|(p, f)| p.to_value(types, f.ty)).collect()),
                other => panic!("invariant `values have their node's type`: expected parts, found {other:?}"),
            },
            Datum::Table(relation) => relation.to_value(types, ty),
            Datum::Function(id) => Value::Func(*id),
            Datum::Token => Value::Token,
        }
    }

    /// From a plain value.
    pub fn from_value(types: &Types, ty: TyId, value: &Value) -> Datum {
        match (types.get(ty), value) {
            (Ty::Arr(element, _), Value::Arr(array)) => Datum::Array(NdArray::from_value(types, *element, array)),
            (Ty::Tuple(tys), Value::Tuple(parts)) => {
                Datum::Parts(parts.iter().zip(tys).map(|(p, &t)| Datum::from_value(types, t, p)).collect())
            }
            (Ty::Struct(fields), Value::Struct(parts)) if !types.is_value(ty) => {
                Datum::Parts(parts.iter().zip(fields.iter()).map(|(p, f)| Datum::from_value(types, f.ty, p)).collect())
            }
            (Ty::Rel(_), Value::Rel(table)) => Datum::Table(crate::data::Relation::from_value(types, ty, table)),
            (_, Value::Func(id)) => Datum::Function(*id),
            (_, Value::Token) => Datum::Token,
            (_, value) => Datum::Value(value.clone()),
        }
    }
}
