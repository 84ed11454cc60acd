//! The rules, by stage.

mod array;
pub(crate) mod bodies;
mod columns;
mod fuse;
mod joins;
mod normalize;
mod relational;
mod simplify;

pub(crate) use columns::computed;
pub(crate) use relational::order_free_group;

use crate::rule::{Rule, RuleError};

/// Every rule there is, stage by stage.
pub(crate) fn all() -> Vec<Result<Rule, RuleError>> {
    [normalize::rules(), simplify::rules(), relational::rules(), joins::rules(), columns::rules(), array::rules(), fuse::rules()]
        .into_iter()
        .flatten()
        .collect()
}
