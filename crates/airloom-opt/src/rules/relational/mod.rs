//! Filters, projections and slices moved to where they cost least; what nobody looks at taken away.

mod filter_below;
mod filter_below_join;
mod filter_truth;
mod join_kinds;
mod merge;
mod order;
mod redundant;
mod slices;
mod tested_below;
mod unordered_below;

pub(crate) use order::order_free_group;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let rules = [
        filter_truth::rules(),
        merge::rules(),
        filter_below::rules(),
        filter_below_join::rules(),
        join_kinds::rules(),
        slices::rules(),
        tested_below::rules(),
        redundant::rules(),
        order::rules(),
        unordered_below::rules(),
    ];
    rules.into_iter().flatten().map(Ok).collect()
}
