//! Bits.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// The bits that something shares with itself are all of its own.
        "bitand-self": "bitand(?x, ?x)" => "?x";
        /// The bits of something and of itself are its own.
        "bitor-self": "bitor(?x, ?x)" => "?x";
        /// No bit is in one of two that are the same.
        "bitxor-self-int": "bitxor(?x:int!, ?x)" => "0";
        /// Zero has no bits to share.
        "bitand-zero-int": "bitand(?x:int!, 0)" => "0";
        /// Zero has no bits to add.
        "bitor-zero-int": "bitor(?x:int, 0)" => "?x";
        /// Zero has no bits to turn.
        "bitxor-zero-int": "bitxor(?x:int, 0)" => "?x";
        /// Minus one has every bit.
        "bitand-ones-int": "bitand(?x:int, -1)" => "?x";
        /// Minus one has every bit.
        "bitor-ones-int": "bitor(?x:int!, -1)" => "-1";
        /// Minus one turns every bit.
        "bitxor-ones-int": "bitxor(?x:int, -1)" => "bitnot(?x)";
        /// Bits turned twice are as they were.
        "bitnot-bitnot": "bitnot(bitnot(?x))" => "?x";
        /// Bits turned twice are as they were.
        "bitxor-twice-int": "bitxor(bitxor(?x:int, ?y:int!), ?y)" => "?x";
        /// Truth leaves truth as it is.
        "bitand-true": "bitand(?p:bool, true)" => "?p";
        /// What is false adds nothing.
        "bitor-false": "bitor(?p:bool, false)" => "?p";
        /// What is false turns nothing.
        "bitxor-false": "bitxor(?p:bool, false)" => "?p";
        /// Bits that are not moved stay.
        "shl-zero": "shl(?x, 0)" => "?x";
        /// Bits that are not moved stay.
        "shr-zero": "shr(?x, 0)" => "?x";
    } }
}
