//! The order of joins, from statistics.
//!
//! A cluster is a tree of inner joins that nothing else looks into. It is taken apart into its leaves and what must hold between them, the cheapest tree is searched
//! (by dynamic programming up to ten leaves, greedily past that), and it is put together again. Where the order of rows was given up that is all; where it is
//! promised, the leaves' rows are numbered first and the result is sorted by the numbers, if that is still worth it.

mod cluster;
mod plan;
mod reorder;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    vec![Ok(reorder::reorder_joins()), Ok(reorder::reorder_joins_in_order())]
}
