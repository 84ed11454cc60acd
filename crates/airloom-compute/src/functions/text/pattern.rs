//! Regular expressions, compiled once for a batch. One that is not valid is left to the oracle, which says why.

use super::cut::{cut_many, cut_or_null};
use super::make::written;
use super::{LONGEST, limit, numbers, texts, truths};
use crate::data::Vector;
use crate::functions::call::KernelCall;
use crate::functions::views::Text;
use airloom_ir::attrs::RegexAnchor;
use regex::Regex;

/// The expression that is the same for every row.
fn expression(call: &KernelCall<'_>) -> Option<Regex> {
    let Text::One(pattern) = texts(call, 1)? else { return None };
    Regex::new(pattern).ok()
}

/// The expression for the whole of a text: `a|ab` finds `a` in `ab`, though `ab` matches too.
fn whole(call: &KernelCall<'_>) -> Option<Regex> {
    let Text::One(pattern) = texts(call, 1)? else { return None };
    // Where white space is ignored a comment may run to the end of the pattern, and only a new line ends it.
    Regex::new(&format!(r"\A(?:{pattern})\z")).or_else(|_| Regex::new(&format!("\\A(?:{pattern}\n)\\z"))).ok()
}

pub(super) fn matches(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, regex) = (texts(call, 0)?, expression(call)?);
    match call.attr(0) {
        RegexAnchor::Search => truths(call, |row| regex.is_match(text.at(row))),
        RegexAnchor::Start => truths(call, |row| regex.find(text.at(row)).is_some_and(|found| found.start() == 0)),
        RegexAnchor::Full => {
            let whole = whole(call)?;
            truths(call, |row| whole.is_match(text.at(row)))
        }
    }
}

pub(super) fn extract(call: &KernelCall<'_>) -> Option<Vector> {
    let regex = expression(call)?;
    let group = usize::try_from(call.attr::<i64>(0)).ok().filter(|group| *group < regex.captures_len())?;
    if group == 0 {
        return cut_or_null(call, |_, text| regex.find(text).map(|found| found.range()));
    }
    let mut places = regex.capture_locations();
    cut_or_null(call, |_, text| {
        regex.captures_read(&mut places, text)?;
        places.get(group).map(|(start, end)| start..end)
    })
}

pub(super) fn find_all(call: &KernelCall<'_>) -> Option<Vector> {
    let regex = expression(call)?;
    cut_many(call, |_, text, push| regex.find_iter(text).for_each(|found| push(found.as_str())))
}

pub(super) fn split(call: &KernelCall<'_>) -> Option<Vector> {
    let regex = expression(call)?;
    cut_many(call, |_, text, push| regex.split(text).for_each(push))
}

pub(super) fn replace(call: &KernelCall<'_>) -> Option<Vector> {
    let (text, regex, new, most) = (texts(call, 0)?, expression(call)?, texts(call, 2)?, numbers(call, 3)?);
    written(call, |block, row| {
        let (text, new, start) = (text.at(row), new.at(row), block.len());
        let mut end = 0;
        for groups in regex.captures_iter(text).take(limit(most.at(row))) {
            let found = groups.get_match();
            block.push_str(&text[end..found.start()]);
            groups.expand(new, block);
            end = found.end();
            if block.len() - start > LONGEST {
                return None;
            }
        }
        block.push_str(&text[end..]);
        (block.len() - start <= LONGEST).then_some(())
    })
}
