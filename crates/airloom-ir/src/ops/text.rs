//! Text.

use super::marks::Aliasing::{Fresh, Holds, View};
use super::marks::Distribution::Scalar;
use super::ops;
use crate::attrs::{RegexAnchor, TextCase, TextClass, TextSide, TextUnit};
use crate::name::Name;
use crate::typing::text as rule;

ops! {
    /// Text. Positions count Unicode scalar values. Null gives null. Regular expressions are those of Rust's `regex`; an invalid one raises.
    /// A text of more than 268435456 bytes is not made: what would make one raises.
    family Text BuildText "text";

    /// The length.
    Len str_len as_str_len "str.len" (text) {unit: TextUnit = TextUnit::Chars} -> rule::to_i64, spreads(Scalar), aliases(Fresh), propagates();

    /// The text in another letter case.
    Case str_case as_str_case "str.case" (text) {to: TextCase} -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates();

    /// Whether every character is of a class, as Python's `isalpha` and its like.
    Is str_is as_str_is "str.is" (text) {class: TextClass} -> rule::to_bool, spreads(Scalar), aliases(Fresh), propagates();

    /// The text without the leading and trailing characters that stand in `chars`; where `chars` is empty, without white space.
    Strip str_strip as_str_strip "str.strip" (text, chars) {side: TextSide = TextSide::Both} -> rule::to_str, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// The text without this beginning, if it has it.
    StripPrefix str_strip_prefix as_str_strip_prefix "str.strip_prefix" (text, prefix) -> rule::to_str, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// The text without this end, if it has it.
    StripSuffix str_strip_suffix as_str_strip_suffix "str.strip_suffix" (text, suffix) -> rule::to_str, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// The text made at least `width` long with `fill`, which is one character; `both` centres it as Python's `center`.
    Pad str_pad as_str_pad "str.pad" (text, width, fill) {side: TextSide = TextSide::Start} -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates(), raises();

    /// The text made at least `width` long with zeros, after a leading sign.
    Zfill str_zfill as_str_zfill "str.zfill" (text, width) -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates(), raises();

    /// The characters from `start` up to `stop`, as Python's `text[start:stop]`: negative positions count from the end. For an open end pass the greatest `i64`.
    Slice str_slice as_str_slice "str.slice" (text, start, stop) -> rule::to_str, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// The character at a position, as Python's `text[at]`; null where there is none.
    At str_at as_str_at "str.at" (text, at) -> rule::to_str_or_null, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// The position of the first occurrence, -1 where there is none.
    Find str_find as_str_find "str.find" (text, part) -> rule::to_i64, spreads(Scalar), aliases(Fresh), propagates();

    /// The position of the last occurrence, -1 where there is none.
    FindLast str_find_last as_str_find_last "str.find_last" (text, part) -> rule::to_i64, spreads(Scalar), aliases(Fresh), propagates();

    /// How many times the part occurs, without overlaps; empty text occurs once more than there are characters.
    Count str_count as_str_count "str.count" (text, part) -> rule::to_i64, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether the part occurs.
    Contains str_contains as_str_contains "str.contains" (text, part) -> rule::to_bool, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether the text begins so.
    Starts str_starts as_str_starts "str.starts" (text, prefix) -> rule::to_bool, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether the text ends so.
    Ends str_ends as_str_ends "str.ends" (text, suffix) -> rule::to_bool, spreads(Scalar), aliases(Fresh), propagates();

    /// SQL's `LIKE`: `%` is any text, `_` any one character, `\` takes the next one as it is (itself at the end).
    Like str_like as_str_like "str.like" (text, pattern) -> rule::to_bool, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether a regular expression matches.
    Matches str_matches as_str_matches "str.matches" (text, pattern) {anchor: RegexAnchor = RegexAnchor::Search} -> rule::to_bool, spreads(Scalar), aliases(Fresh), propagates(), raises();

    /// The text with the first `limit` occurrences replaced; a negative limit is none. An empty `old` occurs before every character and at the end.
    Replace str_replace as_str_replace "str.replace" (text, old, new, limit) -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates();

    /// The text with the first `limit` matches of a regular expression replaced; `$1` and `${name}` stand for groups, `$$` for `$`.
    ReplaceRegex str_replace_regex as_str_replace_regex "str.replace_regex" (text, pattern, new, limit) -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates(), raises();

    /// A group of the first match of a regular expression; null where it does not match. A group that the expression does not have raises.
    Extract str_extract as_str_extract "str.extract" (text, pattern) {group: i64 = 0} -> rule::to_str_or_null, spreads(Scalar), aliases(View(&["text"])), propagates(), raises();

    /// Every match of a regular expression, in order.
    FindAll str_find_all as_str_find_all "str.find_all" (text, pattern) -> rule::to_list, spreads(Scalar), aliases(View(&["text"])), propagates(), raises();

    /// The parts between separators, at most `limit` cuts; a negative limit is none. An empty separator cuts at white space, as Python's `split()`.
    Split str_split as_str_split "str.split" (text, separator, limit) -> rule::to_list, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// The parts between matches of a regular expression.
    SplitRegex str_split_regex as_str_split_regex "str.split_regex" (text, pattern) -> rule::to_list, spreads(Scalar), aliases(View(&["text"])), propagates(), raises();

    /// The texts one after the other.
    Concat str_concat as_str_concat "str.concat" (; ..parts) -> rule::concat, spreads(Scalar), aliases(Holds(&["parts"])), propagates(), associates();

    /// The texts of a list with a separator between them; nulls in the list are left out.
    Join str_join as_str_join "str.join" (list, separator) -> rule::join, spreads(Scalar), aliases(Holds(&["list"])), propagates();

    /// The text repeated `n` times; empty for zero and below.
    Repeat str_repeat as_str_repeat "str.repeat" (text, times) -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates(), raises();

    /// The characters in the opposite order.
    Reverse str_reverse as_str_reverse "str.reverse" (text) -> rule::to_str, spreads(Scalar), aliases(Holds(&["text"])), propagates();

    /// A number or text by a format in Python's mini-language, such as `08.2f`, `,d`, `x` or `>10s`. Decimals are written as `decimal.Decimal` is; `n` is not there.
    Format str_format as_str_format "str.format" (value) {spec: Name} -> rule::format, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises();

    /// The text as bytes of UTF-8.
    Encode str_encode as_str_encode "str.encode" (text) -> rule::encode, spreads(Scalar), aliases(View(&["text"])), propagates();

    /// Bytes of UTF-8 as text; null where they are not.
    Decode str_decode as_str_decode "str.decode" (bytes) -> rule::decode, spreads(Scalar), aliases(View(&["bytes"])), propagates();
}
