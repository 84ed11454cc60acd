//! Folds: what compiled code has added up of the elements of a batch, for few groups, while it computed them; and which reductions take that in.
//!
//! A fold keeps the bits: integers are added without loss, and floats in the lanes in which [`super::lanes`] adds them.

use super::lanes::{FEW, LANES, WIDE};
use super::{Reduce, ReductionSpec, reassoc};
use airloom_ir::attrs::Skip;
use airloom_ir::types::{Ty, Types};

/// At most this many groups are folded: their sums stay in the nearest cache.
pub const MOST_GROUPS: usize = FEW;

/// How many sums of floats each group has, where there are several groups: neighbours are added apart.
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
}

impl Folded {
    /// The sums of integers.
    pub(super) fn integers(&self) -> &[i64] {
        match &self.sums {
            FoldedSums::Integers(sums) => sums,
            other => panic!("invariant `a fold is of its reduction`: expected integers, found {other:?}"),
        }
    }

    /// The sums of floats, lane by lane.
    pub(super) fn floats(&self) -> &[Vec<f64>] {
        match &self.sums {
            FoldedSums::Floats(sums) => sums,
            other => panic!("invariant `a fold is of its reduction`: expected floats, found {other:?}"),
        }
    }
}

impl ReductionSpec {
    /// What its state can be given in place of the elements of a batch, where there is such a thing.
    pub fn fold(&self, types: &Types) -> Option<Fold> {
        let any_order = reassoc(self.op, &self.attrs);
        let kind = match (self.op, types.plain(self.element)) {
            (Reduce::Count, _) => FoldKind::Count,
            (Reduce::Sum, Ty::Decimal { .. } | Ty::Bool | Ty::Int(_) | Ty::Duration(_)) => FoldKind::Integers,
            (Reduce::Mean, Ty::Decimal { precision, .. }) if *precision <= 28 => FoldKind::Integers,
            (Reduce::Sum, Ty::F64) if any_order => FoldKind::Floats,
            (Reduce::Mean, Ty::F64 | Ty::Int(_) | Ty::Bool) if any_order => FoldKind::Floats,
            _ => return None,
        };
        Some(Fold { kind, skip: self.skip() })
    }
}
