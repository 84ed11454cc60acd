//! Text put together, and patterns that say no more than text.

use super::fold::computed;
use crate::context::Cx;
use crate::rule::{Rule, RuleError, rule};
use airloom_ir::attrs::{Effect, NanOrder, RegexAnchor};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::logic::BuildLogic;
use airloom_ir::ops::text::{BuildText, Text};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [flatten_concat(), like_plain(), matches_plain()].map(Ok).into()
}

fn constant_text(graph: &Graph, id: NodeId) -> Option<&str> {
    match graph.const_value(id)? {
        Value::Str(text) => Some(text),
        _ => None,
    }
}

/// How many texts are put together at once: each step on the way to a long chain is a list of them.
const MOST: usize = 256;

fn flatten_concat() -> Rule {
    rule! {
        /// Texts one after the other are put together at once, and constants among them before that.
        ///
        ///     str.concat(x, str.concat("a", y), "b", "c", "")   →   str.concat(x, "a", y, "bc")
        Simplify "flatten-concat" at [Text::Concat] |cx, node| {
            let concat = cx.as_str_concat(node)?;
            let mut parts = Args::new();
            let mut stack: Args = concat.parts.iter().rev().copied().collect();
            let mut changed = false;
            while let Some(id) = stack.pop() {
                if parts.len() + stack.len() > MOST {
                    return None;
                }
                if let Some(inner) = cx.as_str_concat(id) {
                    stack.extend(inner.parts.iter().rev().copied());
                    changed = true;
                    continue;
                }
                let last = parts.last().copied().filter(|&last| constant_text(cx, last).is_some());
                match (last, constant_text(cx, id)) {
                    (_, Some("")) => changed = true,
                    (Some(last), Some(_)) => match computed(cx, Text::Concat.into(), &[last, id]) {
                        Some(both) => {
                            parts.pop();
                            parts.push(both);
                            changed = true;
                        }
                        None => parts.push(id),
                    },
                    _ => parts.push(id),
                }
            }
            if !changed || parts.is_empty() {
                return None;
            }
            let made = cx.str_concat(&parts)?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}

/// What a pattern of `LIKE` asks of a text, where it has `%` at its ends only and no `_`.
enum Asked {
    Nothing,
    Equal,
    Starts,
    Ends,
    Contains,
}

fn asked(pattern: &str) -> Option<(Asked, String)> {
    let mut text = String::new();
    let (mut before, mut after) = (false, false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' if text.is_empty() => before = true,
            '%' => after = true,
            '_' => return None,
            _ if after => return None,
            '\\' => text.push(chars.next().unwrap_or('\\')),
            c => text.push(c),
        }
    }
    let asked = match (before, after) {
        (true, _) if text.is_empty() => Asked::Nothing,
        (false, false) => Asked::Equal,
        (false, true) => Asked::Starts,
        (true, false) => Asked::Ends,
        (true, true) => Asked::Contains,
    };
    Some((asked, text))
}

fn like_plain() -> Rule {
    rule! {
        /// A pattern with `%` at its ends only, and no `_`, asks for a beginning, an end, a part or the whole.
        ///
        ///     str.like(s, "ab%")    →   str.starts(s, "ab")
        ///     str.like(s, "%ab%")   →   str.contains(s, "ab")
        ///     str.like(s, "ab")     →   eq(s, "ab")
        ///     str.like(s, "%")      →   true, where `s` is never null
        Simplify "like-plain" at [Text::Like] |cx, node| {
            let like = cx.as_str_like(node)?;
            let (asked, text) = asked(constant_text(cx, like.pattern)?)?;
            let ty = cx.ty_id(like.pattern);
            let text = cx.constant(Value::str(&text), ty)?;
            match asked {
                Asked::Nothing if cx.ty_id(node) == TyId::BOOL && cx.effect(like.text) == Effect::Pure => Some(cx.graph_mut().truth(true)),
                Asked::Nothing => None,
                Asked::Equal => equal(cx, like.text, text),
                Asked::Starts => cx.str_starts(like.text, text),
                Asked::Ends => cx.str_ends(like.text, text),
                Asked::Contains => cx.str_contains(like.text, text),
            }
        }
    }
}

/// Whether two texts are equal, where both or neither are kept in a dictionary.
fn equal(cx: &mut Cx<'_>, left: NodeId, right: NodeId) -> Option<NodeId> {
    let types = cx.types();
    if types.strip(cx.ty_id(left)) != types.strip(cx.ty_id(right)) {
        return None;
    }
    cx.eq(left, right, NanOrder::Ieee)
}

fn matches_plain() -> Rule {
    rule! {
        /// A regular expression of letters, digits and spaces is a text.
        ///
        ///     str.matches(s, "ab")                  →   str.contains(s, "ab")
        ///     str.matches{anchor: start}(s, "ab")   →   str.starts(s, "ab")
        Simplify "matches-plain" at [Text::Matches] |cx, node| {
            let matches = cx.as_str_matches(node)?;
            let plain = |c: char| c.is_alphanumeric() || c == ' ' || c == '_';
            if !constant_text(cx, matches.pattern)?.chars().all(plain) {
                return None;
            }
            match matches.anchor {
                RegexAnchor::Search => cx.str_contains(matches.text, matches.pattern),
                RegexAnchor::Start => cx.str_starts(matches.text, matches.pattern),
                RegexAnchor::Full => equal(cx, matches.text, matches.pattern),
            }
        }
    }
}
