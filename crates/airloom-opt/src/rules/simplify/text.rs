//! Text.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [twice(), nothing_done(), asked()].into_iter().flatten().collect()
}

fn twice() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Upper case is upper case already. The lower case of it is another matter: `ß` has the upper case `SS`.
        "upper-upper": "str.case{to: upper}(str.case{to: upper}(?s))" => "str.case{to: upper}(?s)";
        /// Lower case is lower case already.
        "lower-lower": "str.case{to: lower}(str.case{to: lower}(?s))" => "str.case{to: lower}(?s)";
        /// What is folded is folded already.
        "fold-fold": "str.case{to: fold}(str.case{to: fold}(?s))" => "str.case{to: fold}(?s)";
        /// What was stripped there is stripped already.
        "strip-strip": "str.strip{side: ?e}(str.strip{side: ?e}(?s, ?c), ?c)" => "str.strip{side: ?e}(?s, ?c)";
        /// To strip both ends is to strip one end too.
        "strip-both-strip": "str.strip{side: both}(str.strip(?s, ?c), ?c)" => "str.strip{side: both}(?s, ?c)";
        /// What was stripped at both ends was stripped at each.
        "strip-strip-both": "str.strip(str.strip{side: both}(?s, ?c), ?c)" => "str.strip{side: both}(?s, ?c)";
        /// To strip the start and then the end is to strip both ends.
        "strip-end-start": "str.strip{side: end}(str.strip{side: start}(?s, ?c), ?c)" => "str.strip{side: both}(?s, ?c)";
        /// To strip the end and then the start is to strip both ends.
        "strip-start-end": "str.strip{side: start}(str.strip{side: end}(?s, ?c), ?c)" => "str.strip{side: both}(?s, ?c)";
        /// Twice the other way round is the first way round.
        "reverse-reverse": "str.reverse(str.reverse(?s))" => "?s";
        /// Text backwards is as long as text.
        "len-of-reverse": "str.len{unit: ?u}(str.reverse(?s))" => "str.len{unit: ?u}(?s)";
        /// Text that was just encoded is decoded to itself.
        "decode-encode": "str.decode(str.encode(?s))" => "?s";
    } }
}

fn nothing_done() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// One text after nothing is itself.
        "concat-one": "str.concat(?s)" => "?s";
        /// Everything begins with nothing, so nothing is taken away.
        "strip-prefix-empty": "str.strip_prefix(?s, \"\")" => "?s";
        /// Everything ends with nothing, so nothing is taken away.
        "strip-suffix-empty": "str.strip_suffix(?s, \"\")" => "?s";
        /// Every text begins with nothing.
        "starts-empty": "str.starts(?s:text!, \"\")" => "true";
        /// Every text ends with nothing.
        "ends-empty": "str.ends(?s:text!, \"\")" => "true";
        /// Every text has nothing in it.
        "contains-empty": "str.contains(?s:text!, \"\")" => "true";
        /// Nothing is found at once.
        "find-empty": "str.find(?s:text!, \"\")" => "0";
        /// What is replaced by itself stays.
        "replace-by-itself": "str.replace(?s, ?old:text!, ?old, ?limit:int!)" => "?s";
        /// What is replaced no times stays.
        "replace-never": "str.replace(?s, ?old:text!, ?new:text!, 0)" => "?s";
        /// All characters are the whole text.
        "slice-all": "str.slice(?s, 0, 9223372036854775807)" => "?s";
        /// Text once is text.
        "repeat-once": "str.repeat(?s, 1)" => "?s";
        /// Text no times is no text.
        "repeat-never": "str.repeat(?s:text!, 0)" => "\"\"";
        /// Every text is at least no characters wide.
        "zfill-zero": "str.zfill(?s, 0)" => "?s";
    } }
}

fn asked() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Only the empty text has no length.
        "len-eq-zero": "eq(str.len(?s), 0)" => "eq(?s, \"\": ?s)";
        /// Every text but the empty one has a length.
        "len-ne-zero": "ne(str.len(?s), 0)" => "ne(?s, \"\": ?s)";
        /// Every text but the empty one has a length.
        "len-gt-zero": "gt(str.len(?s), 0)" => "ne(?s, \"\": ?s)";
        /// What is found anywhere is in it.
        "find-ge-zero": "ge(str.find(?s, ?p), 0)" => "str.contains(?s, ?p)";
        /// What is found anywhere is in it.
        "find-ne-minus-one": "ne(str.find(?s, ?p), -1)" => "str.contains(?s, ?p)";
        /// What is found nowhere is not in it.
        "find-lt-zero": "lt(str.find(?s, ?p), 0)" => "not(str.contains(?s, ?p))";
        /// What is found nowhere is not in it.
        "find-eq-minus-one": "eq(str.find(?s, ?p), -1)" => "not(str.contains(?s, ?p))";
        /// What is found first at the start stands at the start, and need not be looked for elsewhere.
        "find-eq-zero": "eq(str.find(?s, ?p), 0)" => "str.starts(?s, ?p)";
        /// What occurs at all is in it, and need not be counted.
        "count-gt-zero": "gt(str.count(?s, ?p), 0)" => "str.contains(?s, ?p)";
    } }
}
