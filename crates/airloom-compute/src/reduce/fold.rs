//! Folds: what compiled code has made of the elements of a batch while it computed them: sums, counts, least and greatest values of each group; and which reductions take that in.
//!
//! A fold keeps the bits: integers are added without loss, and floats as the interpreter adds them. That is in lanes for few groups ([`super::lanes`]), and one after the other for many, from the
//! sums on that the groups have so far.

use super::lanes::{FEW, LANES, WIDE};
use super::{Reduce, ReductionSpec, reassoc};
use airloom_ir::attrs::Skip;
use airloom_ir::ops::Op;
use airloom_ir::types::{Ty, Types};

/// At most this many groups have lanes: their sums stay in the nearest cache.
pub const LANE_GROUPS: usize = FEW;

/// At most this many groups are folded, where a batch has several rows for each.
pub const MOST_GROUPS: usize = 1 << 12;

/// How many rows of a batch each group must have at least, where there are more than [`LANE_GROUPS`]: their totals are copied for each batch.
pub const GROUP_ROWS: usize = 2;

/// How many sums of floats each group has, where there are a few groups: neighbours are added apart.
pub const GROUP_LANES: usize = LANES;

/// And how many where all rows are of one group.
pub const COLUMN_LANES: usize = WIDE;

/// What is folded of the elements of one input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fold {
    /// What of them.
    pub kind: FoldKind,
    /// Which elements are passed over.
    pub skip: Skip,
}

/// What is folded of elements. All of them are counted, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FoldKind {
    /// Nothing else.
    Count,
    /// Their sum, without loss where they are decimals, modulo two to the 64th where they are other integers.
    Integers,
    /// The sum of the floats nearest to them.
    Floats,
    /// The least of them.
    Least,
    /// The greatest of them.
    Greatest,
}

/// What a fold has come to.
#[derive(Clone, PartialEq, Debug)]
pub struct Folded {
    /// How many elements each group has.
    pub counts: Vec<u64>,
    /// Their sums.
    pub sums: FoldedSums,
}

/// Sums of groups.
#[derive(Clone, PartialEq, Debug)]
pub enum FoldedSums {
    /// Elements were counted only.
    None,
    /// One for each group.
    Integers(Vec<i64>),
    /// For each lane, one for each group.
    Floats(Vec<Vec<f64>>),
    /// One for each group, of all elements so far: it takes the place of what the state has.
    SoFar(Vec<f64>),
    /// The least or greatest of each group, as a number by which they are ordered; without a meaning where the group has no element.
    Extremes(Vec<i64>),
}

/// The float of a number by which floats are ordered, zeros by their signs: its bits, all but the sign flipped where it is negative. The least and the greatest number are NaN.
pub(super) fn ordered_to_float(ordered: i64) -> f64 {
    if ordered == i64::MIN || ordered == i64::MAX { f64::NAN } else { f64::from_bits((ordered ^ ((ordered >> 63) & i64::MAX)) as u64) }
}

impl Folded {
    /// The sums of integers.
    pub(super) fn integers(&self) -> &[i64] {
        match &self.sums {
            FoldedSums::Integers(sums) => sums,
            other => panic!("invariant `a fold is of its reduction`: expected integers, found {other:?}"),
        }
    }

    /// The least or greatest values.
    pub(super) fn extremes(&self) -> &[i64] {
        match &self.sums {
            FoldedSums::Extremes(ordered) => ordered,
            other => panic!("invariant `a fold is of its reduction`: expected extremes, found {other:?}"),
        }
    }
}

impl ReductionSpec {
    /// What its state can be given in place of the elements of a batch, or why there is no such thing.
    pub fn fold(&self, types: &Types) -> Result<Fold, String> {
        let (any_order, name) = (reassoc(self.op, &self.attrs), format!("`{}`", Op::Reduce(self.op).def().name));
        let kind = match (self.op, types.plain(self.element)) {
            (Reduce::Count, _) => FoldKind::Count,
            (Reduce::Sum, Ty::Decimal { .. } | Ty::Bool | Ty::Int(_) | Ty::Duration(_)) => FoldKind::Integers,
            (Reduce::Mean, Ty::Decimal { precision, .. }) if *precision <= 28 => FoldKind::Integers,
            (Reduce::Sum, Ty::F64) if any_order => FoldKind::Floats,
            (Reduce::Mean, Ty::F64 | Ty::Int(_) | Ty::Bool) if any_order => FoldKind::Floats,
            (Reduce::Any | Reduce::All, Ty::Bool) => FoldKind::Integers,
            (Reduce::Min | Reduce::Max, ty) if is_ordered_number(ty) => match self.op {
                Reduce::Min => FoldKind::Least,
                _ => FoldKind::Greatest,
            },
            (Reduce::Sum | Reduce::Mean, Ty::F64 | Ty::Int(_) | Ty::Bool) => {
                return Err(format!("{name} adds floats in the order of the rows"));
            }
            (Reduce::Min | Reduce::Max, _) => return Err(format!("{name} of `{}` is not folded", types.show(types.strip(self.element)))),
            (Reduce::Sum | Reduce::Mean, Ty::F32) => return Err(format!("{name} of `f32` is not folded")),
            _ => return Err(format!("{name} is not folded")),
        };
        Ok(Fold { kind, skip: self.skip() })
    }
}

/// Whether values of a type are numbers, and compared as such.
fn is_ordered_number(ty: &Ty) -> bool {
    let number = matches!(ty, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Decimal { .. });
    number || matches!(ty, Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Duration(_))
}
