//! Distributions that depend on attributes and types.

use super::Given;
use super::marks::{Combine, Distribution, DistributionRule, KeyOrder, Need};
use crate::attrs::{Attr, AttrType, FoldOrder, Skip};
use crate::types::Ty;
use std::sync::Arc;

pub(super) const SUM: DistributionRule = DistributionRule::By {
    rule: sum,
    says: "row-wise where the first axis is not reduced; else reduced in pieces: integers and durations by the op itself, with `min_count` or of decimals by a state; floats as a fold, but by the op itself where `reassoc`",
};
pub(super) const MEAN: DistributionRule = DistributionRule::By {
    rule: mean,
    says: "row-wise where the first axis is not reduced; else by moments where `reassoc`, by a state of decimals, as a fold of others",
};
pub(super) const VARIANCE: DistributionRule = DistributionRule::By {
    rule: variance,
    says: "row-wise where the first axis is not reduced; else by moments where `reassoc`, else as a fold",
};
pub(super) const SHAPE: DistributionRule = DistributionRule::By {
    rule: shape,
    says: "row-wise where the first axis is not reduced; else by moments where `reassoc`, else as a fold",
};
pub(super) const AGAIN: DistributionRule = DistributionRule::By {
    rule: again,
    says: "row-wise where the first axis is not reduced; else reduced in pieces, combined by the op itself",
};
pub(super) const COUNT: DistributionRule =
    DistributionRule::By { rule: count, says: "row-wise where the first axis is not reduced; else reduced in pieces, added" };
pub(super) const COUNT_DISTINCT: DistributionRule = DistributionRule::By {
    rule: count_distinct,
    says: "row-wise where the first axis is not reduced; by key where all are, the counts added; else single",
};
pub(super) const NTH: DistributionRule = DistributionRule::By {
    rule: nth,
    says: "row-wise where the first axis is not reduced; else ordered, by counts where nothing is passed over, and single where something is",
};
pub(super) const POSITION: DistributionRule = DistributionRule::By {
    rule: position,
    says: "row-wise where the first axis is not reduced; else reduced in pieces, the positions compared",
};
pub(super) const LIST: DistributionRule = DistributionRule::By {
    rule: list,
    says: "row-wise where the first axis is not reduced; else reduced in pieces, the lists concatenated",
};
pub(super) const QUANTILE: DistributionRule =
    DistributionRule::By { rule: quantile, says: "row-wise where the first axis is not reduced; else ordered, by sorting" };
pub(super) const DIM: DistributionRule =
    DistributionRule::By { rule: dim, says: "of the first axis reduced in pieces, added; of another ordered, by counts" };
pub(super) const ALONG: DistributionRule =
    DistributionRule::By { rule: along, says: "row-wise in `array` along another axis than the first; else ordered, by counts" };
pub(super) const TAKE: DistributionRule =
    DistributionRule::By { rule: take, says: "row-wise: in `indices` along the first axis, in `array` along another" };
pub(super) const CONCAT: DistributionRule =
    DistributionRule::By { rule: concat, says: "appends `arrays` along the first axis; row-wise in `arrays` along another" };
pub(super) const TRANSPOSE: DistributionRule =
    DistributionRule::By { rule: transpose, says: "row-wise in `array` where the first axis stays the first; else ordered, by counts" };
pub(super) const BROADCAST: DistributionRule =
    DistributionRule::By { rule: broadcast, says: "by indices of `extents` where the first axis is a new one; else ordered, by counts" };
pub(super) const RUNNING: DistributionRule =
    DistributionRule::By { rule: running, says: "ordered: by what is before, or after where `reverse`" };
pub(super) const FOLDED: DistributionRule =
    DistributionRule::By { rule: folded, says: "ordered: as a fold in row-major order, single where `order` is `pairwise`" };

const ARRAY: Distribution = Distribution::Rowwise(&["array"]);
const FOLD: Distribution = Distribution::Ordered(Need::Fold);

/// A sum: numbers that wrap may be added in any order; floats only where `reassoc` allows it.
fn sum(given: &Given<'_>) -> Distribution {
    let counted = int(given, 2).is_none_or(|least| least > 0);
    reduces(given, |element| match element {
        Ty::F32 | Ty::F64 if !flag(given, 3) => FOLD,
        // A partial sum may have more than 38 digits where the sum has not.
        Ty::Decimal { .. } => Distribution::Reduces(Combine::State),
        _ if counted => Distribution::Reduces(Combine::State),
        _ => Distribution::Reduces(Combine::Again),
    })
}

/// A mean: its sum is made in `f64` but for decimals, whose sum is exact.
fn mean(given: &Given<'_>) -> Distribution {
    reduces(given, |element| match element {
        _ if flag(given, 2) => Distribution::Reduces(Combine::Moments),
        Ty::Decimal { .. } => Distribution::Reduces(Combine::State),
        _ => FOLD,
    })
}

/// A variance, or its root.
fn variance(given: &Given<'_>) -> Distribution {
    reduces(given, |_| if flag(given, 3) { Distribution::Reduces(Combine::Moments) } else { FOLD })
}

/// A higher moment.
fn shape(given: &Given<'_>) -> Distribution {
    reduces(given, |_| if flag(given, 2) { Distribution::Reduces(Combine::Moments) } else { FOLD })
}

/// A reduction whose partial results it reduces itself.
fn again(given: &Given<'_>) -> Distribution {
    reduces(given, |_| Distribution::Reduces(Combine::Again))
}

/// A reduction that counts.
fn count(given: &Given<'_>) -> Distribution {
    reduces(given, |_| Distribution::Reduces(Combine::Sum))
}

/// Elements are keys; where an axis is left over, each place of it has keys of its own, and they are not together.
fn count_distinct(given: &Given<'_>) -> Distribution {
    let all = axes(given).is_empty() || rank(given) == axes(given).len();
    reduces(given, |_| if all { Distribution::ByKey(KeyOrder::Sum) } else { Distribution::Single })
}

/// The element of a number among all is found by counting; among those not passed over, they must be seen.
fn nth(given: &Given<'_>) -> Distribution {
    let all = given.attrs.get(2).and_then(Skip::from_attr) == Some(Skip::None);
    reduces(given, |_| if all { Distribution::Ordered(Need::Counts) } else { Distribution::Single })
}

/// A position: those of one axis are moved with their piece.
fn position(given: &Given<'_>) -> Distribution {
    reduces(given, |_| Distribution::Reduces(Combine::Position))
}

/// A list of the elements.
fn list(given: &Given<'_>) -> Distribution {
    reduces(given, |_| Distribution::Reduces(Combine::Append))
}

/// What stands in the middle is known when all are in order.
fn quantile(given: &Given<'_>) -> Distribution {
    reduces(given, |_| Distribution::Ordered(Need::Sorting))
}

/// Where the first axis is not reduced, each place of it is reduced by itself.
fn reduces(given: &Given<'_>, by: impl FnOnce(&Ty) -> Distribution) -> Distribution {
    let axes = axes(given);
    if !axes.is_empty() && !axes.contains(&0) {
        return ARRAY;
    }
    match given.args.first().map(|&ty| given.types.get(ty)) {
        Some(Ty::Arr(element, _)) => by(given.types.plain(*element)),
        _ => Distribution::Single,
    }
}

/// The extent of the first axis is the sum of those of the pieces; of the others each piece has it, and a piece without rows too.
fn dim(given: &Given<'_>) -> Distribution {
    if int(given, 0) == Some(0) { Distribution::Reduces(Combine::Sum) } else { Distribution::Ordered(Need::Counts) }
}

/// Along another axis than the first every piece is sliced alike.
fn along(given: &Given<'_>) -> Distribution {
    if int(given, 0) == Some(0) { Distribution::Ordered(Need::Counts) } else { ARRAY }
}

/// Along the first axis the indices are cut, and the array is whole; along another, the array is cut.
fn take(given: &Given<'_>) -> Distribution {
    if int(given, 0) == Some(0) { Distribution::Rowwise(&["indices"]) } else { ARRAY }
}

/// Along the first axis the arrays come one after the other; along another, all are cut alike.
fn concat(given: &Given<'_>) -> Distribution {
    if int(given, 0) == Some(0) { Distribution::Appends("arrays") } else { Distribution::Rowwise(&["arrays"]) }
}

/// Where the first axis stays the first, the others are put in another order within each of its places.
fn transpose(given: &Given<'_>) -> Distribution {
    if axes(given).first() == Some(&0) { ARRAY } else { Distribution::Ordered(Need::Counts) }
}

/// Along a new first axis the whole array is repeated.
fn broadcast(given: &Given<'_>) -> Distribution {
    if axes(given).contains(&0) { Distribution::Ordered(Need::Counts) } else { Distribution::Indices("extents") }
}

/// A running result: it comes from the end where `reverse`.
fn running(given: &Given<'_>) -> Distribution {
    Distribution::Ordered(if flag(given, 1) { Need::After(&["array"]) } else { Need::Before(&["array"]) })
}

/// A fold goes on from what the pieces before have left; by halves, every half must be known whole.
fn folded(given: &Given<'_>) -> Distribution {
    let order = given.attrs.first().and_then(FoldOrder::from_attr);
    if order == Some(FoldOrder::Pairwise) { Distribution::Single } else { FOLD }
}

fn flag(given: &Given<'_>, at: usize) -> bool {
    given.attrs.get(at) == Some(&Attr::Bool(true))
}

fn int(given: &Given<'_>, at: usize) -> Option<i64> {
    given.attrs.get(at).and_then(i64::from_attr)
}

fn axes(given: &Given<'_>) -> Arc<[i64]> {
    given.attrs.iter().find_map(<Arc<[i64]>>::from_attr).unwrap_or_else(|| Arc::from([]))
}

fn rank(given: &Given<'_>) -> usize {
    match given.args.first().map(|&ty| given.types.get(ty)) {
        Some(Ty::Arr(_, dims)) => dims.len(),
        _ => 0,
    }
}
