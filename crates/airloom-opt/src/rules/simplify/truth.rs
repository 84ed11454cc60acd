//! Truth, by Kleene's logic: `and` is the smaller and `or` the greater of false, null and true, which makes them distribute and absorb as they do without null.
//! What needs `p` to be one of two, such as `or(p, not(p))`, holds only where `p` is never null.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [joined(), negated(), exclusive()].into_iter().flatten().collect()
}

fn joined() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// What must be true anyway asks for nothing more.
        "and-true": "and(?p, true)" => "?p";
        /// One that is false decides, even about null.
        "and-false": "and(?p, false)" => "false";
        /// Saying it twice does not make it truer.
        "and-self": "and(?p, ?p)" => "?p";
        /// One that is true decides, even about null.
        "or-true": "or(?p, true)" => "true";
        /// What is false adds nothing.
        "or-false": "or(?p, false)" => "?p";
        /// Saying it twice does not make it truer.
        "or-self": "or(?p, ?p)" => "?p";
        /// What is never null is not both true and false.
        "and-not-self": "and(?p:bool!, not(?p))" => "false";
        /// What is never null is true or false.
        "or-not-self": "or(?p:bool!, not(?p))" => "true";
        /// What is asked for anyway absorbs a choice that it is part of.
        "and-absorbs-or": "and(?p, or(?p, ?q))" => "?p";
        /// What is enough absorbs a condition that asks for more.
        "or-absorbs-and": "or(?p, and(?p, ?q))" => "?p";
        /// Where `p` holds, `not(p)` is no way out. Not where it may be null: `and(null, or(null, false))` is null.
        "and-or-not": "and(?p:bool!, or(not(?p), ?q))" => "and(?p, ?q)";
        /// Where `p` does not hold, `not(p)` need not be asked for.
        "or-and-not": "or(?p:bool!, and(not(?p), ?q))" => "or(?p, ?q)";
    } }
}

fn negated() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Two negations are none.
        "not-not": "not(not(?p:bool))" => "?p";
        /// A negation goes into a choice where it meets another: what is left is two conditions, which filters can take one by one.
        "not-or-not": "not(or(not(?p), ?q))" => "and(?p, not(?q))";
        /// A negation goes into a condition where it meets another.
        "not-and-not": "not(and(not(?p), ?q))" => "or(?p, not(?q))";
        /// Two negations under a choice are one above both.
        "or-not-not": "or(not(?p), not(?q))" => "not(and(?p, ?q))";
        /// What is never null is true where it is true.
        "is-true-sure": "is_true(?p:bool!)" => "?p";
    } }
}

fn exclusive() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// What differs from false is true.
        "xor-false": "xor(?p, false)" => "?p";
        /// What differs from true is false.
        "xor-true": "xor(?p, true)" => "not(?p)";
        /// Nothing differs from itself.
        "xor-self": "xor(?p:bool!, ?p)" => "false";
        /// Two negations differ where what they negate does.
        "xor-not-not": "xor(not(?p), not(?q))" => "xor(?p, ?q)";
        /// What differs from the negation is the same.
        "xor-not": "xor(not(?p), ?q)" => "eq(?p, ?q)";
        /// What does not differ is the same.
        "not-xor": "not(xor(?p, ?q))" => "eq(?p, ?q)";
        /// Two negations are equal where what they negate is.
        "eq-not-not": "eq(not(?p), not(?q))" => "eq(?p, ?q)";
        /// Two negations differ where what they negate does.
        "ne-not-not": "ne(not(?p), not(?q))" => "ne(?p, ?q)";
        /// What equals the negation differs.
        "eq-not": "eq(not(?p), ?q)" => "ne(?p, ?q)";
        /// What differs from the negation is equal.
        "ne-not": "ne(not(?p), ?q)" => "eq(?p, ?q)";
    } }
}
