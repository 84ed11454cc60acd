//! Rules against the oracle: what is on the left and what a rule makes of it, computed on awkward values.

mod attributes;
mod compared;
mod expressions;
mod patterns;
mod types;
mod values;

pub use types::themes;
pub use values::value;

use crate::registry::Registry;
use crate::rule::{Apply, Rule, RuleError};

/// What a check did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// How many times both sides were computed and found the same.
    pub cases: u32,
}

/// Checks a rule on about `cases` cases, drawn from a seed. Both sides must have the same value, NaN and the sign of zero included, or both raise; and what a
/// rule makes must weigh less.
///
/// A rule of text is checked on its own left side, with its variables as the parameters of a function, for every type that its classes admit; so nothing can be
/// folded away first. One of code is given random expressions, and has to be about scalars. An error names the rule and shows the case, or says that none
/// could be made.
pub fn check(rule: &Rule, cases: u32, seed: u64) -> Result<Checked, RuleError> {
    match &rule.apply {
        Apply::Text(text) => patterns::check(rule, text, cases, seed),
        Apply::Code(_) | Apply::Host(_) => expressions::check(rule, cases, seed),
    }
}

/// Checks all rules of a registry together on random expressions of scalars, through every stage: what each rule leaves is what the next one finds.
pub fn check_together(registry: &Registry, cases: u32, seed: u64) -> Result<Checked, String> {
    expressions::check_together(registry, cases, seed)
}

fn fail(rule: &Rule, message: String) -> RuleError {
    RuleError { rule: rule.name.clone(), message, no_case: false }
}

fn no_case(rule: &Rule, why: &str) -> RuleError {
    RuleError { rule: rule.name.clone(), message: format!("no case could be made: {why}"), no_case: true }
}

fn none_made(rule: &Rule) -> RuleError {
    no_case(rule, "nothing that was tried is of its types and is changed by it")
}
