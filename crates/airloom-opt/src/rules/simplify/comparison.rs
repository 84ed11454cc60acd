//! Comparisons.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// What is not equal differs: NaN and null too, each in its way.
        "not-eq": "not(eq{nan: ?n}(?x, ?y))" => "ne{nan: ?n}(?x, ?y)";
        /// What does not differ is equal.
        "not-ne": "not(ne{nan: ?n}(?x, ?y))" => "eq{nan: ?n}(?x, ?y)";
        /// Everything is the same as itself, null and NaN too.
        "same-self": "same(?x, ?x)" => "true";
        /// What is the same as null is null.
        "same-null": "same(?x, null)" => "is_null(?x)";
        /// What is the same as true is true, and null is not.
        "same-true": "same(?p:bool, true)" => "is_true(?p)";
        /// What equals true is true.
        "eq-true": "eq(?p:bool, true)" => "?p";
        /// What equals false is not true.
        "eq-false": "eq(?p:bool, false)" => "not(?p)";
        /// What differs from true is not true.
        "ne-true": "ne(?p:bool, true)" => "not(?p)";
        /// What differs from false is true.
        "ne-false": "ne(?p:bool, false)" => "?p";
        /// Only NaN differs from itself.
        "ne-self-float": "ne{nan: ieee}(?x:float, ?x)" => "is_nan(?x)";
        /// Two negatives are equal where what they are of is, where integers wrap.
        "eq-neg-neg-int": "eq(neg{overflow: wrap}(?x:int), neg{overflow: wrap}(?y))" => "eq(?x, ?y)";
        /// Two negatives differ where what they are of does, where integers wrap.
        "ne-neg-neg-int": "ne(neg{overflow: wrap}(?x:int), neg{overflow: wrap}(?y))" => "ne(?x, ?y)";
        /// What is added to both sides does not make them equal, where integers wrap.
        "eq-add-add-int": "eq(add{overflow: wrap}(?x, ?z:int!), add{overflow: wrap}(?y, ?z))" => "eq(?x, ?y)";
        /// What is added to both sides does not make them differ, where integers wrap.
        "ne-add-add-int": "ne(add{overflow: wrap}(?x, ?z:int!), add{overflow: wrap}(?y, ?z))" => "ne(?x, ?y)";
    } }
}
