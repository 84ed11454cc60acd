//! Choices.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [decided(), truths(), nested()].into_iter().flatten().collect()
}

fn decided() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// A choice that is made.
        "select-true": "select(true, ?x, ?y)" => "?x";
        /// A choice that is made.
        "select-false": "select(false, ?x, ?y)" => "?y";
        /// A choice that is made: null is not true.
        "select-null": "select(null, ?x, ?y)" => "?y";
        /// A choice between one thing and itself is none.
        "select-same": "select(?c, ?x, ?x)" => "?x";
        /// Null is not true for a choice either, so it need not be told.
        "select-is-true": "select(is_true(?c), ?x, ?y)" => "select(?c, ?x, ?y)";
        /// A choice by the opposite is the opposite choice. Not where the condition may be null, since null takes the second either way.
        "select-not": "select(not(?c:bool!), ?x, ?y)" => "select(?c, ?y, ?x)";
        /// Something instead of null is what `coalesce` is for.
        "select-is-null": "select(is_null(?x), ?y, ?x)" => "coalesce(?x, ?y)";
    } }
}

fn truths() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// True where it is true.
        "select-true-false": "select(?c, true, false)" => "is_true(?c)";
        /// True where it is not true.
        "select-false-true": "select(?c, false, true)" => "not(is_true(?c))";
        /// True where the condition is, else the other.
        "select-then-true": "select(?c:bool!, true, ?y)" => "or(?c, ?y)";
        /// False unless the condition is true.
        "select-else-false": "select(?c:bool!, ?x, false)" => "and(?c, ?x)";
    } }
}

fn nested() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Where the condition is true it is true again.
        "select-then-select": "select(?c, select(?c, ?x, ?y), ?z)" => "select(?c, ?x, ?z)";
        /// Where the condition is not true it is not true again.
        "select-else-select": "select(?c, ?x, select(?c, ?y, ?z))" => "select(?c, ?x, ?z)";
        /// Two conditions for the same are one.
        "select-either": "select(?c, ?x, select(?d, ?x, ?y))" => "select(or(?c, ?d), ?x, ?y)";
        /// Two conditions one after the other are one.
        "select-both": "select(?c, select(?d, ?x, ?y), ?y)" => "select(and(?c, ?d), ?x, ?y)";
    } }
}
