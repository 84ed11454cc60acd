//! What a node of a body is for all parts at once.

use airloom_compute::data::{Datum, Vector};
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;

/// What a node is for all parts.
#[derive(Clone)]
pub(super) enum GroupValue {
    /// The same for every part.
    Same(Datum),
    /// A value for each part.
    Each(Vector),
    /// An array of as many elements as each part has rows, the elements of one part after those of the other.
    Rows(ArrayRef),
    /// A struct or tuple, part by part.
    Record(Vec<GroupValue>),
}

impl GroupValue {
    /// A value for each part, where it is no array.
    pub(super) fn vector(&self, types: &Types, ty: TyId) -> Option<Vector> {
        match self {
            GroupValue::Same(Datum::Array(_)) | GroupValue::Rows(_) => None,
            GroupValue::Same(datum) => Some(Vector::Constant(datum.to_value(types, ty))),
            GroupValue::Each(vector) => Some(vector.clone()),
            GroupValue::Record(parts) => {
                let tys: Vec<TyId> = match types.plain(ty) {
                    Ty::Struct(fields) => fields.iter().map(|field| field.ty).collect(),
                    Ty::Tuple(tys) => tys.clone(),
                    _ => return None,
                };
                Some(Vector::Row(parts.iter().zip(tys).map(|(part, ty)| part.vector(types, ty)).collect::<Option<_>>()?))
            }
        }
    }

    /// Whether it is the same for every part.
    pub(super) fn is_same(&self) -> bool {
        match self {
            GroupValue::Same(_) => true,
            GroupValue::Record(parts) => parts.iter().all(GroupValue::is_same),
            GroupValue::Each(_) | GroupValue::Rows(_) => false,
        }
    }

    /// What it is for one part, where it is no array of rows.
    pub(super) fn at(&self, types: &Types, ty: TyId, part: usize) -> Option<Datum> {
        match self {
            GroupValue::Same(datum) => Some(datum.clone()),
            other => Some(Datum::from_value(types, ty, &other.vector(types, ty)?.value(types, ty, part))),
        }
    }
}

/// A value for each part as a value for each row.
pub(super) fn spread(vector: &Vector, parts: &UInt32Array) -> Vector {
    match vector {
        Vector::Constant(value) => Vector::Constant(value.clone()),
        Vector::Flat(array) => Vector::Flat(take(array, parts, None).expect("a value for each part")),
        Vector::Row(fields) => Vector::Row(fields.iter().map(|field| spread(field, parts)).collect()),
    }
}
