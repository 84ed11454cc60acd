//! Maps into what reads them, so that an array that is read once is never written.

mod maps;
mod reductions;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [maps::rules(), reductions::rules()].into_iter().flatten().map(Ok).collect()
}
