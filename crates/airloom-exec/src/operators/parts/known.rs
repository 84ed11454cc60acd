//! What a node of a body is for all parts at once.

use airloom_compute::data::{Datum, Lane};
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;

/// What a node is for all parts.
#[derive(Clone)]
pub(super) enum Known {
    /// The same for every part.
    Same(Datum),
    /// A value for each part.
    Each(Lane),
    /// An array of as many elements as each part has rows, the elements of one part after those of the other.
    Rows(ArrayRef),
    /// A struct or tuple, part by part.
    Record(Vec<Known>),
}

impl Known {
    /// A value for each part, where it is no array.
    pub(super) fn lane(&self, types: &Types, ty: TyId) -> Option<Lane> {
        match self {
            Known::Same(Datum::Array(_)) | Known::Rows(_) => None,
            Known::Same(datum) => Some(Lane::One(datum.to_value(types, ty))),
            Known::Each(lane) => Some(lane.clone()),
            Known::Record(parts) => {
                let tys: Vec<TyId> = match types.plain(ty) {
                    Ty::Struct(fields) => fields.iter().map(|field| field.ty).collect(),
                    Ty::Tuple(tys) => tys.clone(),
                    _ => return None,
                };
                Some(Lane::Row(parts.iter().zip(tys).map(|(part, ty)| part.lane(types, ty)).collect::<Option<_>>()?))
            }
        }
    }

    /// Whether it is the same for every part.
    pub(super) fn is_same(&self) -> bool {
        match self {
            Known::Same(_) => true,
            Known::Record(parts) => parts.iter().all(Known::is_same),
            Known::Each(_) | Known::Rows(_) => false,
        }
    }

    /// What it is for one part, where it is no array of rows.
    pub(super) fn at(&self, types: &Types, ty: TyId, part: usize) -> Option<Datum> {
        match self {
            Known::Same(datum) => Some(datum.clone()),
            other => Some(Datum::from_value(types, ty, &other.lane(types, ty)?.value(types, ty, part))),
        }
    }
}

/// A value for each part as a value for each row.
pub(super) fn spread(lane: &Lane, parts: &UInt32Array) -> Lane {
    match lane {
        Lane::One(value) => Lane::One(value.clone()),
        Lane::Many(array) => Lane::Many(take(array, parts, None).expect("a value for each part")),
        Lane::Row(fields) => Lane::Row(fields.iter().map(|field| spread(field, parts)).collect()),
    }
}

/// Some of the lanes.
pub(super) fn slice(lane: &Lane, from: usize, count: usize) -> Lane {
    match lane {
        Lane::One(value) => Lane::One(value.clone()),
        Lane::Many(array) => Lane::Many(array.slice(from, count)),
        Lane::Row(fields) => Lane::Row(fields.iter().map(|field| slice(field, from, count)).collect()),
    }
}
