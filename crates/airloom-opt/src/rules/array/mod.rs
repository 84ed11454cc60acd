//! Array algebra.

mod shapes;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    shapes::rules()
}
