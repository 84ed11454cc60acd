//! Columns that nobody reads, taken away down to the sources.
//!
//! A rule at each op that knows what it reads asks [`narrow`] for its input with those columns only. That goes down through everything that passes columns on, in
//! one step, and stops at what another node reads too.

mod narrow;
mod readers;

pub(crate) use narrow::computed;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    readers::rules().into_iter().map(Ok).collect()
}
