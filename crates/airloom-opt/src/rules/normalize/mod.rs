//! What front ends say, in the words of the small core.

mod constants_right;
mod expand_records;
mod inline_calls;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    vec![
        Ok(inline_calls::inline_calls()),
        Ok(expand_records::expand_with()),
        Ok(expand_records::expand_pick()),
        Ok(expand_records::expand_without()),
        Ok(constants_right::constants_right()),
    ]
}
