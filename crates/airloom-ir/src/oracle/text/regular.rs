//! Regular expressions.

use super::bounded;
use crate::attrs::RegexAnchor;
use crate::oracle::stop::{Raised, raise};
use regex::Regex;
use std::cell::RefCell;
use std::collections::HashMap;

/// How many compiled expressions are kept: a column is matched against few, and each may take megabytes.
const KEPT: usize = 64;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::new(HashMap::new());
}

/// The expression of a pattern, compiled once.
pub(in crate::oracle) fn compiled(pattern: &str) -> Result<Regex, String> {
    if let Some(regex) = COMPILED.with_borrow(|kept| kept.get(pattern).cloned()) {
        return Ok(regex);
    }
    let regex = Regex::new(pattern).map_err(|error| format!("found `{pattern}`, expected a regular expression: {}", reason(&error)))?;
    COMPILED.with_borrow_mut(|kept| {
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(pattern.to_string(), regex.clone());
    });
    Ok(regex)
}

/// The last line of the message says what is wrong; those before it draw the pattern.
fn reason(error: &regex::Error) -> String {
    let message = error.to_string();
    message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_string()
}

fn expression(pattern: &str) -> Result<Regex, Raised> {
    compiled(pattern).map_err(Raised::new)
}

/// Whether the expression matches where it must.
pub(super) fn matches(text: &str, pattern: &str, anchor: RegexAnchor) -> Result<bool, Raised> {
    let regex = expression(pattern)?;
    Ok(match anchor {
        RegexAnchor::Search => regex.is_match(text),
        // The leftmost match is found, and none is further left than the start.
        RegexAnchor::Start => regex.find(text).is_some_and(|found| found.start() == 0),
        RegexAnchor::Full => whole(pattern).map_err(Raised::new)?.is_match(text),
    })
}

/// The expression for the whole of a text. Not a question to the match that is found: `a|ab` finds `a` in `ab`, though `ab` matches too.
fn whole(pattern: &str) -> Result<Regex, String> {
    // Where white space is ignored a comment may run to the end of the pattern, and only a new line ends it.
    compiled(&format!(r"\A(?:{pattern})\z")).or_else(|_| compiled(&format!("\\A(?:{pattern}\n)\\z")))
}

/// The text with at most `limit` matches replaced.
pub(super) fn replace(text: &str, pattern: &str, new: &str, limit: usize) -> Result<String, Raised> {
    let regex = expression(pattern)?;
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for groups in regex.captures_iter(text).take(limit) {
        let found = groups.get_match();
        out.push_str(&text[end..found.start()]);
        groups.expand(new, &mut out);
        end = found.end();
        bounded(out.len())?;
    }
    out.push_str(&text[end..]);
    bounded(out.len())?;
    Ok(out)
}

/// A group of the first match.
pub(super) fn extract<'t>(text: &'t str, pattern: &str, group: i64) -> Result<Option<&'t str>, Raised> {
    let regex = expression(pattern)?;
    let Some(group) = usize::try_from(group).ok().filter(|group| *group < regex.captures_len()) else {
        return raise(format!("found the group {group}, expected 0 to {}, which `{pattern}` has", regex.captures_len() - 1));
    };
    Ok(regex.captures(text).and_then(|groups| groups.get(group)).map(|found| found.as_str()))
}

/// Every match.
pub(super) fn find_all<'t>(text: &'t str, pattern: &str) -> Result<Vec<&'t str>, Raised> {
    Ok(expression(pattern)?.find_iter(text).map(|found| found.as_str()).collect())
}

/// The parts between matches.
pub(super) fn split<'t>(text: &'t str, pattern: &str) -> Result<Vec<&'t str>, Raised> {
    Ok(expression(pattern)?.split(text).collect())
}
