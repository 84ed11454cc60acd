//! Scalar algebra, to the bit: what a rule makes has the same value for every argument, null, NaN and `-0.0` among them, and raises where it did.

mod arithmetic;
mod bits;
mod chains;
mod choice;
mod compared;
mod comparison;
mod constants;
mod control;
mod conversion;
mod fold;
mod membership;
mod nested;
mod nulls;
mod pieces;
mod products;
mod record;
mod rounding;
mod temporal;
mod text;
mod truth;

use crate::rule::{Rule, RuleError};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = vec![Ok(fold::fold_constants())];
    for topic in [
        nulls::rules,
        record::rules,
        arithmetic::rules,
        products::rules,
        rounding::rules,
        bits::rules,
        constants::rules,
        truth::rules,
        chains::rules,
        comparison::rules,
        compared::rules,
        conversion::rules,
        choice::rules,
        membership::rules,
        text::rules,
        pieces::rules,
        temporal::rules,
        nested::rules,
        control::rules,
    ] {
        all.extend(topic());
    }
    all
}
