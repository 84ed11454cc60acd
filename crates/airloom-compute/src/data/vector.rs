//! Vectors: a value for each row of a batch. Bodies of rows and elements are computed on them.

use super::values::{array_to_values, repeated, value_at};
use super::{fields_of, values_to_array};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, StructArray};
use std::sync::Arc;

/// One value for each row. The number of rows is known beside it.
#[derive(Clone, Debug)]
pub enum Vector {
    /// The same value in every row.
    Constant(Value),
    /// A value for each row, in the physical form of its type.
    Flat(ArrayRef),
    /// A struct or tuple that is null in no row, part by part.
    Row(Arc<[Vector]>),
}

impl Vector {
    /// As an array of this many rows.
    pub fn to_array(&self, types: &Types, ty: TyId, rows: usize) -> ArrayRef {
        match self {
            Vector::Constant(value) => repeated(types, ty, value, rows),
            Vector::Flat(array) => array.clone(),
            Vector::Row(parts) => {
                let Ty::Struct(fields) = types.plain(ty) else { panic!("invariant `values have their node's type`: a row is a struct") };
                if fields.is_empty() {
                    return Arc::new(StructArray::new_empty_fields(rows, None));
                }
                let columns = fields.iter().zip(parts.iter()).map(|(f, part)| part.to_array(types, f.ty, rows)).collect();
                let fields = fields_of(types, fields).expect("invariant `columns hold values`: a struct in a row holds values");
                Arc::new(StructArray::new(fields, columns, None))
            }
        }
    }

    /// The value in one row.
    pub fn value(&self, types: &Types, ty: TyId, row: usize) -> Value {
        match self {
            Vector::Constant(value) => value.clone(),
            Vector::Flat(array) => value_at(types, ty, array, row),
            Vector::Row(parts) => match types.plain(ty) {
                Ty::Struct(fields) => {
                    Value::Struct(fields.iter().zip(parts.iter()).map(|(f, part)| part.value(types, f.ty, row)).collect())
                }
                Ty::Tuple(tys) => Value::Tuple(tys.iter().zip(parts.iter()).map(|(&ty, part)| part.value(types, ty, row)).collect()),
                other => panic!("invariant `values have their node's type`: a row is a struct or a tuple, not {other:?}"),
            },
        }
    }

    /// The value of every row.
    pub fn values(&self, types: &Types, ty: TyId, rows: usize) -> Vec<Value> {
        match self {
            Vector::Constant(value) => vec![value.clone(); rows],
            Vector::Flat(array) => array_to_values(types, ty, array),
            Vector::Row(_) => (0..rows).map(|row| self.value(types, ty, row)).collect(),
        }
    }

    /// A vector of these values: structs and tuples part by part.
    pub fn from_values(types: &Types, ty: TyId, values: &[Value]) -> Vector {
        match types.get(ty) {
            Ty::Tuple(tys) => Vector::Row(
                tys.iter()
                    .enumerate()
                    .map(|(at, &ty)| {
                        let part = |v: &Value| if let Value::Tuple(parts) = v { parts[at].clone() } else { Value::Null };
                        Vector::from_values(types, ty, &values.iter().map(part).collect::<Vec<_>>())
                    })
                    .collect(),
            ),
            _ => Vector::Flat(values_to_array(types, ty, values)),
        }
    }
}
