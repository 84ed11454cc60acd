//! Classes of characters, as Python's `str.is…` has them.

use super::regular;
use crate::attrs::TextClass;

/// Whether every character is of a class; of `lower`, `upper` and `title`, whether those with a case are, and there is one.
pub(super) fn is(text: &str, class: TextClass) -> bool {
    match class {
        TextClass::Alpha => all(text, r"\p{L}"),
        TextClass::Alnum => all(text, r"\p{L}\p{N}"),
        TextClass::Decimal => all(text, r"\p{Nd}"),
        TextClass::Digit => all(text, &[r"\p{Nd}", &DIGITS.concat()].concat()),
        TextClass::Numeric => all(text, &[r"\p{N}", &IDEOGRAPHS.concat()].concat()),
        TextClass::Space => !text.is_empty() && text.chars().all(is_space),
        TextClass::Lower => text.chars().any(char::is_lowercase) && !text.chars().any(|c| c.is_uppercase() || is_titlecase(c)),
        TextClass::Upper => text.chars().any(char::is_uppercase) && !text.chars().any(|c| c.is_lowercase() || is_titlecase(c)),
        TextClass::Title => is_title(text),
    }
}

/// White space, with the four separators of ASCII that Unicode leaves out.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Whether a character has a case.
pub(super) fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || is_titlecase(c)
}

/// Whether a character is made for the beginning of a word: neither upper nor lower case.
pub(super) fn is_titlecase(c: char) -> bool {
    matches!(c, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ' | 'ᾈ'..='ᾏ' | 'ᾘ'..='ᾟ' | 'ᾨ'..='ᾯ' | 'ᾼ' | 'ῌ' | 'ῼ')
}

fn is_title(text: &str) -> bool {
    let (mut any, mut inside_word) = (false, false);
    for c in text.chars() {
        let begins = c.is_uppercase() || is_titlecase(c);
        let goes_on = c.is_lowercase();
        if (begins && inside_word) || (goes_on && !inside_word) {
            return false;
        }
        inside_word = begins || goes_on;
        any |= inside_word;
    }
    any
}

fn all(text: &str, class: &str) -> bool {
    regular::compiled(&format!(r"\A[{class}]+\z")).expect("the pattern is ours").is_match(text)
}

/// Digits that are not decimal: superscripts, subscripts, numbers in circles and their like.
const DIGITS: &[&str] = &[
    r"\x{b2}-\x{b3}\x{b9}\x{1369}-\x{1371}\x{19da}\x{2070}\x{2074}-\x{2079}\x{2080}-\x{2089}\x{2460}-\x{2468}\x{2474}-\x{247c}",
    r"\x{2488}-\x{2490}\x{24ea}\x{24f5}-\x{24fd}\x{24ff}\x{2776}-\x{277e}\x{2780}-\x{2788}\x{278a}-\x{2792}\x{10a40}-\x{10a43}",
    r"\x{10e60}-\x{10e68}\x{11052}-\x{1105a}\x{1f100}-\x{1f10a}",
];

/// Ideographs that mean numbers and are letters all the same.
const IDEOGRAPHS: &[&str] = &[
    r"\x{3405}\x{3483}\x{382a}\x{3b4d}\x{4e00}\x{4e03}\x{4e07}\x{4e09}\x{4e5d}\x{4e8c}\x{4e94}\x{4e96}\x{4ebf}-\x{4ec0}\x{4edf}",
    r"\x{4ee8}\x{4f0d}\x{4f70}\x{5104}\x{5146}\x{5169}\x{516b}\x{516d}\x{5341}\x{5343}-\x{5345}\x{534c}\x{53c1}-\x{53c4}\x{56db}",
    r"\x{58f1}\x{58f9}\x{5e7a}\x{5efe}-\x{5eff}\x{5f0c}-\x{5f0e}\x{5f10}\x{62fe}\x{634c}\x{67d2}\x{6f06}\x{7396}\x{767e}\x{8086}",
    r"\x{842c}\x{8cae}\x{8cb3}\x{8d30}\x{9621}\x{9646}\x{964c}\x{9678}\x{96f6}\x{f96b}\x{f973}\x{f978}\x{f9b2}\x{f9d1}\x{f9d3}",
    r"\x{f9fd}\x{20001}\x{20064}\x{200e2}\x{20121}\x{2092a}\x{20983}\x{2098c}\x{2099c}\x{20aea}\x{20afd}\x{20b19}\x{22390}\x{22998}",
    r"\x{23b1b}\x{2626d}\x{2f890}",
];
