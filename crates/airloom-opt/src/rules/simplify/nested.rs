//! Lists.

use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::attrs::Effect;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::nested::Nested;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// Twice the other way round is the first way round.
        "list-reverse-reverse": "list.reverse(list.reverse(?l))" => "?l";
        /// The last order is the one that stays; equal elements keep theirs in both.
        "list-sort-sort": "list.sort{descending: ?d}(list.sort(?l))" => "list.sort{descending: ?d}(?l)";
        /// What stands once stands once already.
        "list-unique-unique": "list.unique(list.unique(?l))" => "list.unique(?l)";
        /// A list backwards is as long as the list.
        "list-len-of-reverse": "list.len(list.reverse(?l))" => "list.len(?l)";
        /// A list in order is as long as the list.
        "list-len-of-sort": "list.len(list.sort(?l))" => "list.len(?l)";
        /// The order does not matter to what is in a list.
        "list-contains-of-reverse": "list.contains(list.reverse(?l), ?x)" => "list.contains(?l, ?x)";
        /// The order does not matter to what is in a list.
        "list-contains-of-sort": "list.contains(list.sort(?l), ?x)" => "list.contains(?l, ?x)";
        /// How often something stands in a list does not matter to whether it does.
        "list-contains-of-unique": "list.contains(list.unique(?l), ?x)" => "list.contains(?l, ?x)";
        /// All elements are the whole list.
        "list-slice-all": "list.slice(?l, 0, 9223372036854775807)" => "?l";
    } };
    all.push(Ok(list_len_of_elements()));
    all
}

fn list_len_of_elements() -> Rule {
    rule! {
        /// A list that is written out is as long as it is written.
        ///
        ///     list.len(list.of{element: i64}(x, y))   →   2
        Simplify "list-len-of-elements" at [Nested::Len] |cx, node| {
            let list = cx.as_list_len(node)?.list;
            let of = cx.as_list_of(list)?;
            if cx.effect(list) != Effect::Pure { None } else { cx.constant(Value::int(of.values.len() as i64), TyId::I64) }
        }
    }
}
