//! Letter case, as Python has it.

use super::class::{is_cased, is_titlecase};
use super::regular;
use crate::attrs::TextCase;

/// The text in another case.
pub(super) fn to(text: &str, case: TextCase) -> String {
    match case {
        TextCase::Upper => text.to_uppercase(),
        TextCase::Lower => text.to_lowercase(),
        TextCase::Title => title(text),
        TextCase::Capitalize => {
            each(text, |out, chars, at| if at == 0 { push_titlecase(out, chars[0]) } else { push_lowercase(out, chars, at) })
        }
        TextCase::Swap => each(text, |out, chars, at| match chars[at] {
            c if c.is_uppercase() => push_lowercase(out, chars, at),
            c if c.is_lowercase() => out.extend(c.to_uppercase()),
            c => out.push(c),
        }),
        TextCase::Fold => text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
            push_folded(&mut out, c);
            out
        }),
    }
}

fn each(text: &str, mut push: impl FnMut(&mut String, &[char], usize)) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    (0..chars.len()).for_each(|at| push(&mut out, &chars, at));
    out
}

fn title(text: &str) -> String {
    let mut inside_word = false;
    each(text, |out, chars, at| {
        if inside_word {
            push_lowercase(out, chars, at)
        } else {
            push_titlecase(out, chars[at])
        }
        inside_word = is_cased(chars[at]);
    })
}

/// The character in lower case, where a capital sigma depends on what is around it.
fn push_lowercase(out: &mut String, chars: &[char], at: usize) {
    match chars[at] {
        'Σ' if ends_word(chars, at) => out.push('ς'),
        c => out.extend(c.to_lowercase()),
    }
}

/// Whether a letter is before this position and none after it, apart from marks that case passes over.
fn ends_word(chars: &[char], at: usize) -> bool {
    let ignorable = regular::compiled(r"\A\p{Case_Ignorable}\z").expect("the pattern is ours");
    let passed_over = |c: char| ignorable.is_match(c.encode_utf8(&mut [0; 4]));
    let before = chars[..at].iter().rev().find(|c| !passed_over(**c));
    let after = chars[at + 1..].iter().find(|c| !passed_over(**c));
    before.is_some_and(|c| is_cased(*c)) && !after.is_some_and(|c| is_cased(*c))
}

/// The character as the first of a word: its upper case, but for what has a form of its own.
fn push_titlecase(out: &mut String, c: char) {
    let moved = |by: u32| char::from_u32(c as u32 + by).expect("it is a neighbour in the same block");
    match c {
        'Ǆ'..='ǌ' => out.push(['ǅ', 'ǈ', 'ǋ'][(c as usize - 'Ǆ' as usize) / 3]),
        'Ǳ'..='ǳ' => out.push('ǲ'),
        // Georgian has capitals, but no word begins with one.
        'ა'..='ჿ' => out.push(c),
        // Greek with an iota below: upper case writes it beside, the first letter of a word keeps it.
        c if is_titlecase(c) => out.push(c),
        'ᾀ'..='ᾯ' => out.push(moved(8)),
        'ᾳ' | 'ῃ' | 'ῳ' => out.push(moved(9)),
        'ŉ' => out.extend(c.to_uppercase()),
        // `ß` is `Ss`, `ﬁ` is `Fi`.
        c => {
            let mut upper = c.to_uppercase();
            out.extend(upper.next());
            for rest in upper {
                if rest == 'Ι' { out.push('\u{345}') } else { out.extend(rest.to_lowercase()) }
            }
        }
    }
}

/// The character by Unicode's full case folding, which is the lower case of the upper case of the lower case of all but a few.
fn push_folded(out: &mut String, c: char) {
    match c {
        // The Turkish `ı` is not folded with `i`.
        'ı' => out.push(c),
        // Cherokee is folded to its capitals, which are older than its small letters.
        'Ꭰ'..='Ᏽ' => out.push(c),
        'ᏸ'..='ᏽ' | 'ꭰ'..='ꮿ' => out.extend(c.to_uppercase()),
        c => out.extend(c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)),
    }
}
